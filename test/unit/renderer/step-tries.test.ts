import { describe, expect, it } from 'vitest';
import { FIT } from '../../../renderer/charts/step-timeline-shapes';
import type { Row } from '../../../renderer/charts/step-timeline-shapes';
import type { TimelineTurn } from '../../../renderer/charts/step-timeline-plan';
import { rowName } from '../../../renderer/charts/step-timeline-words';
import { metText, triedText, triesOf } from '../../../renderer/charts/step-tries';
import { turnRows } from '../../../renderer/turn/turn-view';
import type { StepView } from '../../../shared/types';
import { M, S, T0, WIDTH, step, stop, turnOf, timelineModel } from './timeline-samples';

describe('a call that was tried again', () => {
  const tried = (index: number, fromS: number, tookS: number | undefined, given = {}): StepView =>
    step(index, fromS, tookS, {
      tries: [
        {
          atMs: T0 + (fromS + 4) * S,
          nextAtMs: T0 + (fromS + 6) * S,
          failure: 'server',
          status: 503,
          error: 'Overloaded',
        },
        {
          atMs: T0 + (fromS + 10) * S,
          nextAtMs: T0 + (fromS + 14) * S,
          failure: 'rate_limited',
          status: 429,
          error: 'Slow down',
        },
      ],
      ...given,
    });
  const rowOf = (turn: TimelineTurn, at = 0): Row => {
    const row = timelineModel(turn, WIDTH, FIT).rows[at];
    if (!row) throw new Error('no row');
    return row;
  };
  const callOf = (turn: TimelineTurn) => rowOf(turn).plan.last;

  it('S2-25 has a cut at each of 2 failed tries and a notch where each next one began', () => {
    const row = rowOf(turnOf({ startedAtMs: T0, steps: [tried(1, 0, 20)], nowMs: T0 + 20 * S }));
    const [bar] = row.bars;
    if (!bar) throw new Error('no bar');
    expect(row.bars).toHaveLength(1);
    expect(bar.notches.map(({ kind }) => kind)).toEqual(['failed', 'attempt', 'failed', 'attempt']);
    const shares = bar.notches.map(({ x }) => Math.round(((x - bar.x) / bar.widthPx) * 20));
    expect(shares).toEqual([4, 6, 10, 14]);
  });

  it('S2-02 has no notch where it was tried once', () => {
    const row = rowOf(turnOf({ startedAtMs: T0, steps: [step(1, 0, 20)] }));
    expect(row.bars.map(({ notches }) => notches)).toEqual([[]]);
    expect(triedText(row.plan.last)).toBe('');
    expect(triesOf(row.plan.last)).toEqual([]);
  });

  it('S2-25 keeps at least one cut inside a bar of 7 px', () => {
    const turn = turnOf({ startedAtMs: T0, steps: [tried(1, 0, 20), step(2, 20, 1800)] });
    const [bar] = rowOf(turn).bars;
    if (!bar) throw new Error('no bar');
    expect(bar.widthPx).toBeLessThan(9);
    expect(bar.notches.map(({ kind }) => kind)).toEqual(['failed']);
    const x = bar.notches[0]?.x ?? 0;
    expect(x).toBeGreaterThan(bar.x);
    expect(x).toBeLessThan(bar.x + bar.widthPx);
  });

  it.each([
    ['two failures and the try that answered', tried(1, 0, 20), '3 attempts'],
    [
      'two failures and a last one that ended it',
      tried(1, 0, 20, { state: 'failed' }),
      '3 attempts',
    ],
    ['ended by a person in the second wait', tried(1, 0, 12, { state: 'failed' }), '2 attempts'],
    [
      'one failure, the next try is under way',
      tried(1, 0, undefined, {
        state: 'started',
        tries: [{ atMs: T0 + 4 * S, nextAtMs: T0 + 6 * S, failure: 'network', error: '' }],
      }),
      '2 attempts',
    ],
    [
      'one failure, the next try is in an hour',
      tried(1, 0, undefined, {
        state: 'started',
        tries: [{ atMs: T0 + 4 * S, nextAtMs: T0 + 90 * M, failure: 'network', error: '' }],
      }),
      '1 attempt',
    ],
  ])('S2-02 counts the tries it saw: %s', (_, one, text) => {
    expect(triedText(callOf(turnOf({ startedAtMs: T0, steps: [one] })))).toBe(text);
  });

  it('S2-25 tells of each try when it began, when it failed, what it met and the wait', () => {
    const tries = triesOf(callOf(turnOf({ startedAtMs: T0, steps: [tried(1, 0, 20)] })));
    expect(
      tries.map((one) => [one.number, one.fromMs - T0, one.toMs - T0, metText(one), one.waitMs]),
    ).toEqual([
      [1, 0, 4 * S, 'server error (503)', 2 * S],
      [2, 6 * S, 10 * S, 'rate limited (429)', 4 * S],
    ]);
    expect(metText({ failure: 'something new', status: undefined })).toBe('failed');
  });

  it('S2-25 a try that a stop cut off: the cut stands before the stop, the count goes on after it', () => {
    const turn = turnOf({
      startedAtMs: T0,
      steps: [
        tried(1, 0, 600, {
          tries: [
            { atMs: T0 + 4 * S, nextAtMs: T0 + 6 * S, failure: 'server', error: '' },
            { atMs: T0 + 560 * S, nextAtMs: T0 + 570 * S, failure: 'server', error: '' },
          ],
        }),
      ],
      stops: [stop(10, 500)],
      nowMs: T0 + 600 * S,
    });
    const { bars, plan } = rowOf(turn);
    expect(bars.map(({ notches }) => notches.some(({ kind }) => kind === 'failed'))).toEqual([
      true,
      true,
    ]);
    for (const bar of bars)
      for (const { x } of bar.notches) {
        expect(x).toBeGreaterThan(bar.x);
        expect(x).toBeLessThan(bar.x + bar.widthPx);
      }
    expect(triedText(plan.last)).toBe('3 attempts');
  });

  it('S2-02 says how often it was tried to people who hear the row, and in the table', () => {
    const steps = [tried(1, 0, 20)];
    const turn = turnOf({ startedAtMs: T0, steps });
    expect(rowName(rowOf(turn).plan, false)).toMatch(/, completed, 3 attempts$/);
    const [row] = turnRows(steps, [], T0 + 20 * S);
    expect(row?.kind === 'step' ? row.tried : '').toBe('3 attempts');
  });
});

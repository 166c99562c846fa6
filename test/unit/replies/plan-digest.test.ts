import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { digestText, planDigest } from '../../../electron/engine/replies/plan-digest';
import type { DigestCounts, DigestRow } from '../../../electron/ports/journal/questions';

const at = (day: number, hour: number, minute = 0): number =>
  new Date(2026, 2, day, hour, minute).getTime();
const sent = (day: number, toMs = at(day, 8), isSent = true): DigestRow => ({
  day: `2026-03-${String(day)}`,
  toMs,
  isSent,
});
const plan = (nowMs: number, rows: readonly DigestRow[] = [], isQuiet = false, beganMs = 0) =>
  planDigest('08:00', rows, { nowMs, isQuiet, beganMs });

describe('the digest of a day', () => {
  it.each([
    ['not before its time', plan(at(24, 7, 59)), { kind: 'later', atMs: at(24, 8) }],
    [
      'at its time, about the last day',
      plan(at(24, 8)),
      { kind: 'due', day: '2026-03-24', fromMs: at(23, 8), toMs: at(24, 8) },
    ],
    [
      'late, where the computer slept at its time',
      plan(at(24, 12), [sent(23)]),
      { kind: 'due', day: '2026-03-24', fromMs: at(23, 8), toMs: at(24, 12) },
    ],
    ['not twice a day', plan(at(24, 8, 5), [sent(24)]), { kind: 'later', atMs: at(25, 8) }],
    [
      'not again where a kill left it of unknown end',
      plan(at(24, 8, 5), [sent(24, at(24, 8), false)]),
      { kind: 'later', atMs: at(25, 8) },
    ],
    [
      'the next day, and then also about what that one was about',
      plan(at(25, 8), [sent(24, at(24, 8), false), sent(23)]),
      { kind: 'due', day: '2026-03-25', fromMs: at(23, 8), toMs: at(25, 8) },
    ],
    [
      'not again after the clock was set back, even by days',
      plan(at(24, 9), [sent(27, at(27, 9)), sent(24)]),
      { kind: 'later', atMs: at(25, 8) },
    ],
    [
      'about the last day where the clock was ahead at the last one',
      plan(at(25, 8), [sent(27, at(27, 9))]),
      { kind: 'due', day: '2026-03-25', fromMs: at(24, 8), toMs: at(25, 8) },
    ],
    [
      'about a week at most',
      plan(at(24, 8), [sent(10)]),
      { kind: 'due', day: '2026-03-24', fromMs: at(24, 8) - 7 * 86_400_000, toMs: at(24, 8) },
    ],
    [
      'at its time even in quiet hours',
      plan(at(24, 8, 1), [], true),
      { kind: 'due', day: '2026-03-24', fromMs: at(24, 8, 1) - 86_400_000, toMs: at(24, 8, 1) },
    ],
    [
      'not on the day of the first start where that came behind its time',
      plan(at(24, 10, 30), [], false, at(24, 10)),
      { kind: 'later', atMs: at(25, 8) },
    ],
    [
      'on the day of the first start where that came in its minute',
      plan(at(24, 8) + 50_000, [], false, at(24, 8) + 40_000),
      {
        kind: 'due',
        day: '2026-03-24',
        fromMs: at(23, 8) + 50_000,
        toMs: at(24, 8) + 50_000,
      },
    ],
    [
      'on the day of the first start where that came before its time',
      plan(at(24, 8), [], false, at(24, 7)),
      { kind: 'due', day: '2026-03-24', fromMs: at(23, 8), toMs: at(24, 8) },
    ],
    [
      'not in quiet hours where it is late',
      plan(at(24, 23), [], true),
      { kind: 'later', atMs: at(24, 23, 1) },
    ],
  ])('CH-03 goes out %s', (_when, planned, wanted) => {
    expect(planned).toEqual(wanted);
  });

  it('CH-03 over 1,000 random clocks no local day has two', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: -50, max: 60 }), { minLength: 1, maxLength: 60 }),
        (hours) => {
          let nowMs = at(20, 0);
          let rows: DigestRow[] = [];
          const days: string[] = [];
          for (const hour of hours) {
            nowMs += hour * 3_600_000;
            const planned = plan(nowMs, rows);
            if (planned.kind !== 'due') continue;
            days.push(planned.day);
            rows = [{ day: planned.day, toMs: nowMs, isSent: true }, ...rows].toSorted(
              (a, b) => b.toMs - a.toMs,
            );
          }
          expect(new Set(days).size).toBe(days.length);
        },
      ),
      { numRuns: 1_000 },
    );
  });

  const NOTHING: DigestCounts = {
    completed: 0,
    failed: 0,
    cancelled: 0,
    recovered: 0,
    restarts: 0,
    outages: 0,
    usd: undefined,
    savedUsd: 0,
  };
  it('CH-03 says what was, and what needs a decision', () => {
    const about = { fromMs: at(23, 8), toMs: at(24, 8), questions: [], outside: [] };
    expect(digestText({ ...about, counts: NOTHING })).toBe(
      'Daily digest: the last 1 d\nNo turn ended.\nNothing needs your decision.',
    );
    expect(
      digestText({
        ...about,
        counts: {
          completed: 12,
          failed: 1,
          cancelled: 2,
          recovered: 1,
          restarts: 3,
          outages: 1,
          usd: 3.2,
          savedUsd: 0.1,
        },
        questions: ['coder: Allow send_email?'],
        outside: ['Claude: 3 turns continue at 20:01 (in 2 h).'],
      }),
    ).toBe(
      [
        'Daily digest: the last 1 d',
        '12 turns completed, 1 failed, 2 canceled.',
        '3 restarts; 1 interrupted turn ended after one.',
        '1 outage.',
        '$3.20 spent, $0.10 saved.',
        'Claude: 3 turns continue at 20:01 (in 2 h).',
        '1 question needs your decision:',
        '• coder: Allow send_email?',
      ].join('\n'),
    );
  });
});

import { describe, expect, it } from 'vitest';
import { killedDuring, practiceTimeline } from '../../../renderer/welcome/practice-view';
import type { StepView } from '../../../shared/types';
import { createSeed } from '../../helpers/fake-seed';

const START = 1_000_000;
const [base] = createSeed(START).turns;
if (!base) throw new Error('no turn');
const turn = { ...base, state: 'running' as const, startedAtMs: START };
const step = (
  index: number,
  fromMs: number,
  tookMs: number | undefined,
  given: Partial<StepView> = {},
): StepView => ({
  turnId: turn.id,
  index,
  tool: 'model',
  purity: 'llm',
  state: tookMs === undefined ? 'started' : 'completed',
  fate: 'fresh',
  hint: '',
  startedAtMs: START + fromMs,
  ...(tookMs === undefined ? {} : { endedAtMs: START + fromMs + tookMs }),
  attempt: 1,
  isListed: false,
  duplicateRisk: false,
  reusedCount: 0,
  isTruncated: false,
  ...given,
});

/** Two finished steps, one cut off by the kill at 4 s, back at 5.2 s, then the read and it again. */
const killed = {
  turn,
  steps: [
    step(1, 0, 1000, { fate: 'reused', reusedCount: 1 }),
    step(2, 1000, 500, { tool: 'files.read_file', purity: 'world' }),
    step(3, 1500, 300, {
      tool: 'files.write_file',
      purity: 'side_effect',
      fate: 'reused',
      reusedCount: 1,
    }),
    step(4, 3000, 2200, { state: 'failed', fate: 'cut_off' }),
    step(5, 5200, 400, {
      tool: 'files.read_file',
      purity: 'world',
      fate: 'asked_again',
      drift: 'same',
      againOf: 2,
      attempt: 2,
    }),
    step(6, 5600, 1000, { fate: 'run_again', againOf: 4, attempt: 2 }),
    step(7, 6600, undefined, { attempt: 2 }),
  ],
  stops: [{ stoppedAtMs: START + 4000, backAtMs: START + 5200, reason: 'kill' }],
};

describe('the practice timeline', () => {
  it('puts a step and what repeats it into one row, in the order of the first', () => {
    const { rows } = practiceTimeline(killed, START + 7000);
    expect(rows.map((row) => row.bars.map((bar) => `${String(bar.step)} ${bar.look}`))).toEqual([
      ['1 reused'],
      ['2 was', '5 ring'],
      ['3 reused'],
      ['4 cut', '6 plain'],
      ['7 working'],
    ]);
    expect(rows.map((row) => row.caption.text)).toEqual([
      'reused',
      're-read, same result',
      'written once',
      're-run',
      'running',
    ]);
  });

  it('a step of 10 ms that ended at the stop, and one that was cut off after 5, lie before its line', () => {
    const steps = [
      step(1, 0, 3985, { fate: 'reused', reusedCount: 1 }),
      step(2, 3985, 10, { tool: 'files.write_file', purity: 'side_effect', reusedCount: 1 }),
      step(3, 3995, 1205, { state: 'failed', fate: 'cut_off' }),
      step(4, 5200, 900, { fate: 'run_again', againOf: 3, attempt: 2 }),
    ];
    const { rows, stops } = practiceTimeline({ ...killed, steps }, START + 7000);
    const line = stops[0]?.leftPercent ?? 0;
    const ends = rows.map(({ bars }) => (bars[0]?.leftPercent ?? 0) + (bars[0]?.widthPercent ?? 0));
    for (const end of ends) expect(end).toBeLessThanOrEqual(line + 0.001);
    expect(rows[2]?.bars[1]?.leftPercent).toBeGreaterThanOrEqual(line);
    for (const { bars } of rows)
      for (const bar of bars) expect(bar.widthPercent).toBeGreaterThan(1);
  });

  it('words of a row that waited for 9 minutes after a kill at its start stand on its line, not on its name', () => {
    const later = 540_000;
    const steps = [
      step(2, 100, 50, { tool: 'files.read_file', purity: 'world' }),
      step(4, 150, 3850, { state: 'failed', fate: 'cut_off' }),
      step(5, later, 400, {
        tool: 'files.read_file',
        purity: 'world',
        fate: 'asked_again',
        drift: 'same',
        againOf: 2,
        attempt: 2,
      }),
      step(6, later + 400, 1000, { fate: 'run_again', againOf: 4, attempt: 2 }),
    ];
    const { rows } = practiceTimeline({ ...killed, steps }, START + later + 1400);
    const [read] = rows;
    expect(read?.caption.anchor).toBe('end');
    expect(read?.caption.atPercent).toBe(read?.bars[1]?.leftPercent);
    expect(read?.caption.atPercent).toBeGreaterThan(28);
  });

  it('links what was lost to its repetition, across the break', () => {
    const { rows, stops } = practiceTimeline(killed, START + 7000);
    const link = rows[1]?.link;
    const [stop] = stops;
    if (!link || !stop) throw new Error('no link or no stop');
    expect(link.leftPercent).toBeLessThan(stop.leftPercent);
    expect(link.leftPercent + link.widthPercent).toBeGreaterThanOrEqual(
      stop.leftPercent + stop.widthPercent - 0.001,
    );
    expect(rows[0]?.link).toBeUndefined();
  });

  it('draws the kill as a break of fixed width, whatever it took', () => {
    const long = {
      ...killed,
      stops: [{ stoppedAtMs: START + 4000, backAtMs: START + 5200, reason: 'kill' }],
    };
    const night = {
      ...killed,
      steps: killed.steps.slice(0, 4),
      turn: { ...turn, state: 'queued' as const },
      stops: [{ stoppedAtMs: START + 4000, backAtMs: START + 36_000_000, reason: 'kill' }],
    };
    const a = practiceTimeline(long, START + 7000).stops[0];
    const b = practiceTimeline(night, START + 36_000_000).stops[0];
    expect(a?.widthPercent).toBe(b?.widthPercent);
    expect(a).toMatchObject({ isBack: true, downMs: 1200 });
    expect(b?.downMs).toBe(35_996_000);
  });

  it('has no restart line before it is back', () => {
    const away = { ...killed, stops: [{ stoppedAtMs: START + 4000, reason: 'kill' }] };
    const steps = killed.steps.slice(0, 4);
    expect(practiceTimeline({ ...away, steps }, START + 4500).stops[0]?.isBack).toBe(false);
  });

  it('lets the working bar grow at the speed of time, and does not squeeze the first second', () => {
    const one = { turn, steps: [step(1, 0, undefined)], stops: [] };
    const width = (nowMs: number): number =>
      practiceTimeline(one, START + nowMs).rows[0]?.bars[0]?.widthPercent ?? 0;
    expect(width(2000) / width(1000)).toBeCloseTo(2);
    expect(width(1000)).toBeLessThan(20);
    expect(width(60_000)).toBeLessThanOrEqual(76);
  });

  it('keeps bars and captions inside the width, and captions off the line of the kill', () => {
    const { rows, stops } = practiceTimeline(killed, START + 7000);
    const line = stops[0]?.leftPercent ?? 0;
    for (const { bars, caption } of rows) {
      for (const bar of bars) {
        expect(bar.leftPercent).toBeGreaterThanOrEqual(0);
        expect(bar.leftPercent + bar.widthPercent).toBeLessThanOrEqual(100);
      }
      const width = caption.text.length * 0.95 + 5;
      const from = caption.anchor === 'start' ? caption.atPercent : caption.atPercent - width;
      expect(from < line && from + width > line).toBe(false);
      expect(from + width).toBeLessThanOrEqual(100);
    }
  });

  it('names the step that the kill cut off', () => {
    expect(killedDuring(killed)).toBe(4);
    expect(killedDuring({ ...killed, stops: [] })).toBeUndefined();
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hasCaptionRoom } from '../../../renderer/charts/step-timeline-bars';
import { frameOf } from '../../../renderer/charts/step-timeline-layout';
import { FIT, LEAST_BAR_PX } from '../../../renderer/charts/step-timeline-shapes';
import type { Row } from '../../../renderer/charts/step-timeline-shapes';
import { downtimesOf, knownEndMs, planTimeline } from '../../../renderer/charts/step-timeline-plan';
import type { Stop, TimelineTurn } from '../../../renderer/charts/step-timeline-plan';
import {
  BREAK_PX,
  TICK_GAP_PX,
  gapsToBreak,
  tickStepMs,
} from '../../../renderer/charts/step-timeline-scale';
import { rowName } from '../../../renderer/charts/step-timeline-words';
import { jumpStop, panBy, zoomBy, zoomTo } from '../../../renderer/charts/step-timeline-zoom';
import type { StepView } from '../../../shared/types';
import { SLACK } from '../../helpers/slack';
import {
  M,
  S,
  T0,
  WIDTH,
  step,
  stop,
  timelineModel,
  turnOf,
  type TimelineModel,
} from './timeline-samples';

/** The afternoon of look.md: stopped 14:02:11, back 14:06:24, a mail whose result is unknown. */
const REUSED = { fate: 'reused', reusedCount: 1 };
const afternoon = turnOf({
  startedAtMs: T0 + 2 * S,
  steps: [
    step(1, 45, 21, REUSED),
    step(2, 66, 4, { tool: 'web_fetch', purity: 'world' }),
    step(3, 70, 37, REUSED),
    step(4, 107, 0.4, { tool: 'write_file', purity: 'side_effect', ...REUSED }),
    // Its end was written by the restart, long after it was lost.
    step(5, 111, 273, { state: 'failed', fate: 'cut_off' }),
    step(6, 384.5, 3, {
      tool: 'web_fetch',
      purity: 'world',
      fate: 'asked_again',
      drift: 'same',
      againOf: 2,
      attempt: 2,
    }),
    step(7, 388, 31, { fate: 'run_again', againOf: 5, attempt: 2 }),
    step(8, 443, 1.9, { tool: 'send_email', purity: 'external', hint: 'anna.berg' }),
    step(9, 445, 1.8, {
      tool: 'send_email',
      purity: 'external',
      hint: 't.okafor',
      state: 'ambiguous',
    }),
  ],
  stops: [stop(131, 384)],
  waiting: { tone: 'ambiguous', label: 'waits for you', steps: [9] },
});

const barOf = (model: TimelineModel, index: number): Row['bars'][number] => {
  const found = model.rows.flatMap((row) => row.bars).find((bar) => bar.step === index);
  if (!found) throw new Error(`no bar of step ${String(index)}`);
  return found;
};

describe('the rows of the timeline', () => {
  const model = timelineModel(afternoon, WIDTH, FIT);

  it('S4-+02 keeps the order of the steps, and puts a repeat into the row of its first call', () => {
    expect(model.rows.map((row) => row.plan.calls.map((call) => call.step.index))).toEqual([
      [1],
      [2, 6],
      [3],
      [4],
      [5, 7],
      [8],
      [9],
    ]);
  });

  it.each([
    [1, 'reused'],
    [2, 'was'],
    [5, 'cut'],
    [6, 'ring'],
    [7, 'plain'],
    [8, 'plain'],
    [9, 'unknown'],
  ])('S4-+02 draws step %i as %s', (index, look) => {
    expect(barOf(model, index).look).toBe(look);
  });

  it.each([
    [{ state: 'started' }, 'working'],
    [{ state: 'skipped', fate: 'skipped_by_you' }, 'hollow'],
    [{ state: 'confirmed', fate: 'recorded_as_done' }, 'recorded'],
    [{ state: 'failed' }, 'failed'],
    // Red only where it is final.
    [{ state: 'failed', again: 'due' }, 'plain'],
    [{}, 'plain'],
  ])('draws %j as %s', (given, look) => {
    const one = timelineModel(turnOf({ steps: [step(1, 0, 5, given)] }), WIDTH, FIT);
    expect(one.rows[0]?.bars[0]?.look).toBe(look);
  });

  it('ends a cut-off bar at the stop, not where the restart wrote it down', () => {
    const cut = barOf(model, 5);
    const [gap] = model.breaks;
    expect(cut.x + cut.widthPx).toBeCloseTo(gap?.x ?? 0, 3);
    expect(model.rows[4]?.plan.calls[0]?.toMs).toBe(T0 + 131 * S);
  });

  it('draws a 30 ms step at least 7 px wide, and a tip only on external steps', () => {
    const short = timelineModel(
      turnOf({
        steps: [step(1, 0, 0.03, { purity: 'external' }), step(2, 1, 60)],
      }),
      WIDTH,
      FIT,
    );
    expect(barOf(short, 1)).toMatchObject({ widthPx: LEAST_BAR_PX, hasTip: true });
    expect(barOf(short, 2).hasTip).toBe(false);
  });

  it('links the first call to its repeat, indigo where it was re-read', () => {
    expect(model.rows[1]?.links).toMatchObject([{ tone: 'reissued' }]);
    expect(model.rows[4]?.links).toMatchObject([{ tone: 'line' }]);
  });

  it('says the newest duration of a row, and none for what a person recorded', () => {
    expect(model.rows[4]?.tookMs).toBe(31 * S);
    const confirmed = turnOf({
      steps: [step(1, 0, 900, { state: 'confirmed', fate: 'recorded_as_done' })],
    });
    const row = timelineModel(confirmed, WIDTH, FIT).rows[0];
    expect(row?.tookMs).toBeUndefined();
    expect(row?.bars[0]?.widthPx).toBeLessThan(20);
  });

  it('names a row for people who hear it: tool, class, start, fate, and that it waits', () => {
    const plan = model.rows.at(-1)?.plan;
    const minutes = String(new Date(T0).getMinutes() + 7).padStart(2, '0');
    expect(plan && rowName(plan, false)).toMatch(
      new RegExp(
        `^send_email t\\.okafor, external, started .*${minutes}:25.*, outcome unknown, needs you$`,
      ),
    );
  });
});

describe('captions', () => {
  const captions = (model: TimelineModel): readonly (readonly [string, string])[] =>
    model.rows.flatMap((row) =>
      row.captions.map((caption) => [caption.text, caption.anchor] as const),
    );

  it('stand right of the bar, else left, else are dropped and leave a mark at the label', () => {
    const wide = timelineModel(afternoon, 1400, FIT);
    expect(captions(wide)).toContainEqual(['re-read, same result', 'start']);
    expect(captions(wide)).toContainEqual(['outcome unknown', 'end']);
    const narrow = timelineModel(afternoon, 240, FIT);
    const dropped = narrow.rows.flatMap((row) => row.dropped.map((said) => said.text));
    expect(dropped).toContain('outcome unknown');
    expect(captions(narrow).length + dropped.length).toBe(captions(wide).length);
  });

  it('never lie over a bar of their row, a stop, or each other', () => {
    for (const width of [200, 400, 638, 1000, 1400]) {
      const model = timelineModel(afternoon, width, FIT);
      for (const row of model.rows) {
        for (const caption of row.captions) {
          const px = 15 + caption.text.length * 5.5;
          const [from, to] =
            caption.anchor === 'start' ? [caption.x, caption.x + px] : [caption.x - px, caption.x];
          for (const gap of [...row.bars, ...model.breaks]) {
            expect(from >= gap.x + gap.widthPx || to <= gap.x).toBe(true);
          }
        }
      }
    }
  });

  it('do not lie under the words of a long time in which no step ran', () => {
    const model = timelineModel(
      turnOf({
        steps: [
          step(1, 0, 30, { purity: 'external', state: 'ambiguous' }),
          step(2, 1800, 30, { purity: 'external' }),
        ],
      }),
      WIDTH,
      FIT,
    );
    const [idle] = model.breaks;
    expect(idle).toMatchObject({ kind: 'idle', isLabelled: true });
    const said = model.rows.flatMap((row) => [...row.captions, ...row.dropped]);
    expect(said.map((one) => one.text)).toEqual(['outcome unknown']);
    const at = (idle?.x ?? 0) - 5;
    expect(hasCaptionRoom(model, 'reused', at)).toBe(false);
    expect(hasCaptionRoom(model, 'reused', (idle?.x ?? 0) + (idle?.widthPx ?? 0) + 1)).toBe(true);
    for (const row of model.rows)
      for (const caption of row.captions) {
        const px = 15 + caption.text.length * 5.5;
        const from = caption.anchor === 'start' ? caption.x : caption.x - px;
        expect(from >= (idle?.x ?? 0) + (idle?.widthPx ?? 0) || from + px <= (idle?.x ?? 0)).toBe(
          true,
        );
      }
  });

  it('S4-24 says "possible duplicate" beside a call that ran again without a key', () => {
    const model = timelineModel(
      turnOf({
        steps: [
          step(1, 0, 5, { purity: 'external', state: 'ambiguous' }),
          step(2, 16, 5, {
            purity: 'external',
            againOf: 1,
            fate: 'run_again',
            duplicateRisk: true,
          }),
          step(3, 21, 50),
        ],
      }),
      1200,
      FIT,
    );
    expect(model.rows[0]?.captions.map((caption) => caption.text)).toEqual([
      'outcome unknown',
      'possible duplicate',
    ]);
  });
});

describe('the axis', () => {
  it('makes a stop above 5 % of the span a break of 72 px, and draws a shorter one to scale', () => {
    const long = timelineModel(afternoon, WIDTH, FIT);
    expect(long.breaks).toMatchObject([{ kind: 'stop', widthPx: BREAK_PX, isLabelled: true }]);
    const brief = turnOf({
      steps: [step(1, 0, 100), step(2, 104, 100)],
      stops: [stop(100, 104)],
    });
    const [gap] = timelineModel(brief, WIDTH, FIT).breaks;
    expect(gap?.widthPx).toBeLessThan(20);
    expect(gap?.widthPx).toBeGreaterThan(5);
  });

  it('takes the longest stop first: after a night a stop of a minute is long again', () => {
    const plan = planTimeline(
      turnOf({
        steps: [step(1, 0, 100), step(2, 28_900, 100), step(3, 29_060, 100)],
        stops: [stop(100, 28_900), stop(29_000, 29_060)],
      }),
    );
    expect(gapsToBreak(plan, undefined).map((gap) => gap.toMs - gap.fromMs)).toEqual([
      28_800 * S,
      60 * S,
    ]);
  });

  it('breaks a long time without a step too, and says that it was no stop', () => {
    const held = turnOf({ steps: [step(1, 0, 10), step(2, 3600, 10)] });
    const model = timelineModel(held, WIDTH, FIT);
    expect(model.breaks).toMatchObject([{ kind: 'idle' }]);
    expect(model.marks).toEqual([]);
  });

  it('has a red line at the stop and a teal one at the restart, each with its time', () => {
    const marks = timelineModel(afternoon, WIDTH, FIT).marks;
    expect(marks.map((mark) => mark.kind)).toEqual(['stop', 'restart', 'wait']);
    expect(marks[0]).toMatchObject({ atMs: T0 + 131 * S, side: 'left' });
    expect(marks[1]).toMatchObject({ atMs: T0 + 384 * S, side: 'right' });
  });

  it('has no restart line while Holdfast is not back', () => {
    const open = turnOf({ steps: [step(1, 0, 10)], stops: [stop(10, undefined)] });
    const marks = timelineModel(open, WIDTH, FIT).marks;
    expect(marks.map((mark) => mark.kind)).toEqual(['stop']);
  });

  it('S4-+01 draws where answers began to differ', () => {
    const changed = turnOf({
      steps: [
        step(1, 0, 30, { purity: 'world' }),
        step(2, 60, 30, { purity: 'world', againOf: 1, fate: 'asked_again', drift: 'changed' }),
      ],
    });
    const marks = timelineModel(changed, WIDTH, FIT).marks;
    expect(marks).toMatchObject([{ kind: 'drift', atMs: T0 + 60 * S }]);
  });

  it.each([
    [64 / S, S],
    [32 / S, 2 * S],
    [12 / S, 10 * S],
    [2.2 / S, 30 * S],
    [0.5 / S, 5 * M],
    [64.01 / (3600 * S), 3600 * S],
    [0.001 / (3600 * S), 64_000 * 3600 * S],
  ])('at %d px per ms ticks stand every %i ms', (pxPerMs, expected) => {
    const ms = tickStepMs(pxPerMs);
    expect(ms * pxPerMs).toBeGreaterThanOrEqual(TICK_GAP_PX - 1e-9);
    if (expected < 48 * 3600 * S) expect(ms).toBe(expected);
  });

  it('puts ticks on round local times, also where the hour is off by half', () => {
    const utcOffsetMs = 5.5 * 3600 * S;
    const frame = frameOf(planTimeline(turnOf({ steps: [step(1, 0, 7 * 3600)] })), WIDTH, FIT, {
      utcOffsetMs,
    });
    expect(frame.ticks.length).toBeGreaterThan(3);
    for (const tick of frame.ticks) expect((tick.atMs + utcOffsetMs) % (3600 * S)).toBe(0);
  });
});

describe('the moment of loss', () => {
  it('moves a stop to the last thing the old process began or finished', () => {
    const steps = [step(1, 0, 20), step(2, 25, undefined, { state: 'started' })];
    const [down] = downtimesOf(steps, [stop(10, 60)], T0 + 99 * S);
    expect(down).toMatchObject({ fromMs: T0 + 25 * S, toMs: T0 + 60 * S });
  });
  it('never lets two stops overlap', () => {
    const down = downtimesOf([], [stop(0, 50), stop(40, 45)], T0);
    expect(down.map((one) => [one.fromMs - T0, one.toMs - T0])).toEqual([
      [0, 50 * S],
      [50 * S, 50 * S],
    ]);
  });
  it('counts a completed step to its end, also when the clock went back', () => {
    const back = step(1, 10, -5);
    expect(knownEndMs(back, [], T0)).toBe(T0 + 10 * S);
  });
});

describe('zoom', () => {
  const plan = planTimeline(afternoon);
  const fit = frameOf(plan, WIDTH, FIT);

  it('shows 10 s in the width, keeps the moment under the pointer, and pans inside of the turn', () => {
    const x = 300;
    const atMs = fit.scale.msAt(x);
    const zoom = zoomTo(fit, 10 * S, x);
    const frame = frameOf(plan, WIDTH, zoom);
    expect(frame.scale.pxPerMs).toBeCloseTo(WIDTH / (10 * S), 9);
    expect(frame.scale.msAt(frame.leftPx + x)).toBeCloseTo(atMs, -1);
    expect(frameOf(plan, WIDTH, panBy(frame, zoom, 1e9)).leftPx).toBeCloseTo(
      frame.scale.contentPx - WIDTH,
      3,
    );
    expect(panBy(frame, zoom, -1e9)).toMatchObject({ leftPx: 0 });
  });

  it('comes back to Fit when it is zoomed out of all of it', () => {
    const near = zoomBy(fit, FIT, 4, 100);
    expect(near.kind).toBe('span');
    expect(zoomBy(frameOf(plan, WIDTH, near), near, 1 / 8, 100)).toEqual(FIT);
  });

  it('jumps from stop to stop: to the first row that began after it', () => {
    expect(jumpStop(plan, 0, 1)).toEqual({ row: 1, atMs: T0 + 131 * S });
    expect(jumpStop(plan, 6, -1)).toEqual({ row: 1, atMs: T0 + 131 * S });
    expect(jumpStop(plan, 1, 1)).toBeUndefined();
  });
});

describe('many steps', () => {
  const many = (count: number): TimelineTurn =>
    turnOf({ steps: Array.from({ length: count }, (_, at) => step(at + 1, at, 0.8)) });

  it('above 2,000 steps is lanes only: a strip, no rows', () => {
    const at = timelineModel(many(2000), WIDTH, FIT);
    expect([at.isDense, at.rows.length]).toEqual([false, 2000]);
    const above = timelineModel(many(2001), WIDTH, FIT);
    expect([above.isDense, above.rows.length]).toEqual([true, 0]);
    const strip = above.lanes[0]?.strip ?? [];
    expect(strip.reduce((sum, column) => sum + column.count, 0)).toBe(2001);
    expect(strip.length).toBeLessThanOrEqual(WIDTH / 4 + 1);
  });

  it('the strip shows the most telling fate of a column: one unknown among 3,000', () => {
    const turn = many(3000);
    const steps = turn.steps.map((one) =>
      one.index === 1500 ? { ...one, state: 'ambiguous' as const } : one,
    );
    const strip = timelineModel({ ...turn, steps }, WIDTH, FIT).lanes[0]?.strip ?? [];
    expect(strip.filter((column) => column.look === 'unknown')).toHaveLength(1);
  });

  it('plans 100,000 steps with 50 stops within 2 s', () => {
    const stops = Array.from({ length: 50 }, (_, at) => stop(at * 2000 + 0.85, at * 2000 + 0.95));
    const startMs = performance.now();
    timelineModel({ ...many(100_000), stops }, WIDTH, FIT);
    expect(performance.now() - startMs).toBeLessThan(2000 * SLACK);
  });
});

describe('phases', () => {
  it('are one open lane without a head while a turn has none', () => {
    expect(timelineModel(afternoon, WIDTH, FIT).lanes).toMatchObject([{ phase: undefined }]);
  });
  it('hold their rows in the order of time, what belongs to none between them in a lane of its own', () => {
    const phases = [
      { name: 'gather', phrase: '', firstStep: 1, lastStep: 3 },
      { name: 'send', phrase: '', firstStep: 8, lastStep: 9 },
    ];
    const lanes = timelineModel({ ...afternoon, phases }, WIDTH, FIT).lanes;
    expect(lanes.map((lane) => [lane.phase?.name, lane.rows.map((row) => row.at)])).toEqual([
      ['gather', [0, 1, 2]],
      [undefined, [3, 4]],
      ['send', [5, 6]],
    ]);
  });
});

/** Any turn: steps that follow each other, some cut off by stops. */
const anyTurn = fc
  .array(
    fc.record({
      waitMs: fc.integer({ min: 0, max: 40_000 }),
      tookMs: fc.integer({ min: 0, max: 120_000 }),
      downMs: fc.option(fc.integer({ min: 1, max: 30_000_000 }), { freq: 3 }),
    }),
    { minLength: 1, maxLength: 25 },
  )
  .map((parts): TimelineTurn => {
    let nowMs = T0;
    const steps: StepView[] = [];
    const stops: Stop[] = [];
    for (const { waitMs, tookMs, downMs } of parts) {
      nowMs += waitMs;
      const startedAtMs = nowMs;
      const index = steps.length + 1;
      nowMs += tookMs;
      if (downMs === null) {
        steps.push({ ...step(index, 0, 0), startedAtMs, endedAtMs: nowMs });
        continue;
      }
      const stoppedAtMs = nowMs;
      nowMs += downMs;
      stops.push({ stoppedAtMs, backAtMs: nowMs, reason: 'kill' });
      steps.push({
        ...step(index, 0, 0, { state: 'failed', fate: 'cut_off' }),
        startedAtMs,
        endedAtMs: nowMs + 40,
      });
    }
    return turnOf({ steps, stops, nowMs: nowMs + 1000 });
  });
const anyWidth = fc.integer({ min: 300, max: 2000 });
const anyZoom = fc.oneof(
  fc.constant(FIT),
  fc.record({
    kind: fc.constant('span' as const),
    spanMs: fc.integer({ min: 1000, max: 600_000 }),
    leftPx: fc.integer({ min: 0, max: 20_000 }),
  }),
);

describe('for any turn, width and zoom', () => {
  it('no bar lies over a stop that is a break', () => {
    fc.assert(
      fc.property(anyTurn, anyWidth, anyZoom, (turn, width, zoom) => {
        const model = timelineModel(turn, width, zoom);
        const breaks = model.breaks.filter((gap) => gap.kind === 'stop' && !gap.isToScale);
        for (const bar of model.rows.flatMap((row) => row.bars)) {
          for (const gap of breaks) {
            const overlap =
              Math.min(bar.x + bar.widthPx, gap.x + gap.widthPx) - Math.max(bar.x, gap.x);
            expect(overlap).toBeLessThan(0.01);
          }
        }
      }),
      { numRuns: 200 },
    );
  });

  it('bars keep the order of their steps', () => {
    fc.assert(
      fc.property(anyTurn, anyWidth, (turn, width) => {
        const rows = timelineModel(turn, width, FIT).rows;
        expect(rows.map((row) => row.plan.last.step.index)).toEqual(
          turn.steps.map((one) => one.index),
        );
        const lefts = rows.map((row) => row.bars[0]?.x ?? 0);
        // A bar that had to grow to the left may begin up to its least width earlier.
        lefts.slice(1).forEach((x, at) => {
          expect(x).toBeGreaterThanOrEqual((lefts[at] ?? 0) - LEAST_BAR_PX);
        });
      }),
      { numRuns: 200 },
    );
  });

  it('ticks are never closer than 64 px and never inside a break', () => {
    fc.assert(
      fc.property(anyTurn, anyWidth, anyZoom, (turn, width, zoom) => {
        const { ticks, breaks } = timelineModel(turn, width, zoom);
        ticks.slice(1).forEach((tick, at) => {
          expect(tick.x - (ticks[at]?.x ?? 0)).toBeGreaterThanOrEqual(TICK_GAP_PX);
        });
        for (const { x } of ticks) {
          for (const gap of breaks.filter((one) => one.widthPx >= 10)) {
            expect(x > gap.x + 0.01 && x < gap.x + gap.widthPx - 0.01).toBe(false);
          }
        }
      }),
      { numRuns: 200 },
    );
  });

  it('Fit shows all of it, also with a crash after every step', () => {
    fc.assert(
      fc.property(anyTurn, anyWidth, (turn, width) => {
        expect(frameOf(planTimeline(turn), width, FIT).scale.contentPx).toBeLessThanOrEqual(
          width + 0.01,
        );
      }),
      { numRuns: 200 },
    );
  });

  it('time and pixels go both ways', () => {
    fc.assert(
      fc.property(
        anyTurn,
        anyWidth,
        fc.double({ min: 0, max: 1, noNaN: true }),
        (turn, width, share) => {
          const { scale } = frameOf(planTimeline(turn), width, FIT);
          const x = 8 + share * (scale.contentPx - 16);
          const back = scale.xOf(scale.msAt(x));
          const piece = scale.segments.find(
            (one) => x >= one.leftPx && x <= one.leftPx + one.widthPx,
          );
          // A piece of no time has one moment for all of its pixels.
          if (piece && piece.toMs > piece.fromMs) expect(Math.abs(back - x)).toBeLessThan(0.5);
        },
      ),
      { numRuns: 100 },
    );
  });
});

import { describe, expect, it } from 'vitest';
import { scheduleLinesModel } from '../../../renderer/charts/schedule-lines-view';
import type { LinesView } from '../../../renderer/charts/schedule-lines-view';
import type { ScheduleSlot } from '../../../shared/schedule/model';
import { fakeSlot } from '../../helpers/fake-schedule';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** A Tuesday, local time: nothing here depends on the zone of the computer. */
const MIDNIGHT = new Date(2026, 2, 24).getTime();
const at = (hour: number, minute = 0): number => MIDNIGHT + hour * HOUR + minute * MINUTE;
const NOW = at(14, 31);
const WIDTH = 972;

const view = (given: Partial<LinesView> = {}): LinesView => ({
  tasks: [{ id: 1, name: 'Price watch', state: 'active' }],
  slots: [],
  coming: [],
  fromMs: MIDNIGHT,
  toMs: MIDNIGHT + 24 * HOUR,
  nowMs: NOW,
  knownFromMs: MIDNIGHT,
  day: { stretches: [], stops: [] },
  locale: 'en-GB',
  ...given,
});
const slot = (atMs: number, given: Partial<ScheduleSlot> & Pick<ScheduleSlot, 'why'>) =>
  fakeSlot(atMs, { taskId: 1, ...given });
const rowOf = (given: Partial<LinesView>) => {
  const [row] = scheduleLinesModel(view(given), WIDTH).rows;
  if (row === undefined) throw new Error('no row');
  return row;
};
const done = { turnId: 5, status: 'completed', durationMs: 131_000 } as const;

describe('schedule lines', () => {
  it('S0-23 draws a late run with a tail from its slot, and says how late it was', () => {
    const row = rowOf({
      slots: [slot(at(7, 14), { why: 'in_window', lateMs: 74 * MINUTE, ...done })],
    });
    expect(row.marks).toMatchObject([{ kind: 'late', isArrow: false, turnId: 5 }]);
    const [mark] = row.marks;
    expect(mark?.x).toBeCloseTo(6 + (7 + 14 / 60) * 40, 0);
    expect(mark?.tailX).toBeCloseTo(6 + 6 * 40, 0);
    expect(row.labels).toMatchObject([
      { kind: 'late', text: 'ran 1 h 14 min late', anchor: 'start' },
    ]);
  });

  it('S0-23 S0-27 makes 30 missed slots one arrow that says so, from the first of them', () => {
    const row = rowOf({
      slots: [
        slot(at(7, 12), { why: 'always', slots: 30, lateMs: 0, oldestMs: at(0, 0), ...done }),
      ],
    });
    expect(row.marks).toMatchObject([{ kind: 'late', isArrow: true, tailX: 6 }]);
    expect(row.labels).toMatchObject([
      { text: '30 missed, one run', anchor: 'middle', isAbove: true },
    ]);
  });

  it('S0-24 S0-28 R11 stands a skipped slot and a missed one at the time when they were due', () => {
    const skipped = rowOf({ slots: [slot(at(7, 12), { why: 'window', lateMs: 5.2 * HOUR })] });
    expect(skipped.marks[0]).toMatchObject({ kind: 'skipped', x: 86 });
    expect(skipped.labels[0]?.text).toBe('skipped: 5 h 12 min late');
    const missed = rowOf({
      tasks: [{ id: 1, name: 'Call the bank', state: 'missed' }],
      slots: [slot(at(7, 12), { why: 'window', outcome: 'missed', lateMs: 42 * MINUTE })],
    });
    expect(missed.marks[0]?.kind).toBe('missed');
    expect(missed.labels[0]?.text).toBe('missed, see Inbox');
  });

  it.each([
    ['completed', 'ran'],
    ['failed', 'failed'],
    ['cancelled', 'failed'],
    ['running', 'working'],
    ['queued', 'waits'],
    ['held', 'waits'],
  ] as const)('S1-+02 a run whose turn is %s is drawn as %s', (status, kind) => {
    expect(rowOf({ slots: [slot(at(9), { why: 'on_time', status })] }).marks[0]?.kind).toBe(kind);
  });

  it('turns more than 24 runs a day into strokes, never nearer than 3 px, and keeps what is special', () => {
    const often = Array.from({ length: 60 }, (_, n) => at(13) - n * MINUTE);
    const row = rowOf({
      slots: [
        ...often.map((atMs) => slot(atMs, { why: 'on_time', ...done })),
        slot(at(7, 12), { why: 'in_window', lateMs: 12 * MINUTE, ...done }),
      ],
      coming: [{ taskId: 1, atMs: [at(14, 32), at(14, 33), at(20)], isThinned: true }],
    });
    const ticks = row.marks.filter(({ isTick }) => isTick);
    expect(ticks.length).toBeLessThan(20);
    const past = ticks.filter(({ kind }) => kind === 'ran').map(({ x }) => x);
    expect(Math.min(...past.slice(1).map((x, n) => x - (past[n] ?? 0)))).toBeGreaterThanOrEqual(3);
    expect(row.marks.some(({ kind, isTick }) => kind === 'late' && !isTick)).toBe(true);
    expect(row.marks.at(-1)).toMatchObject({ kind: 'coming', isTick: true });
  });

  it('says when the next run of a task comes, and that a paused one is paused', () => {
    const soon = rowOf({ coming: [{ taskId: 1, atMs: [at(16)], isThinned: false }] });
    expect(soon.labels).toMatchObject([{ kind: 'coming', text: 'in 1 h 29 min' }]);
    const paused = rowOf({ tasks: [{ id: 1, name: 'Tidy', state: 'paused' }] });
    expect(paused.labels).toMatchObject([{ kind: 'paused', text: 'paused' }]);
    expect(paused.sentence).toBe('no runs, paused');
  });

  it('puts words left of a mark at the right end, and drops them where there is no room', () => {
    const late = rowOf({ coming: [{ taskId: 1, atMs: [at(23, 50)], isThinned: false }] });
    expect(late.labels).toMatchObject([{ anchor: 'end' }]);
    const marks = [at(23), at(23, 25), at(23, 50)];
    const [row] = scheduleLinesModel(
      view({ coming: [{ taskId: 1, atMs: marks, isThinned: false }] }),
      240,
    ).rows;
    for (const label of row?.labels ?? []) expect(label.x).toBeGreaterThan(0);
  });

  it('hatches what was away, marks a stop, and names only what is in the picture', () => {
    const marks = scheduleLinesModel(
      view({
        slots: [slot(at(9), { why: 'on_time', ...done })],
        day: {
          stretches: [
            { kind: 'asleep', fromMs: at(-2), toMs: at(7, 12) },
            { kind: 'running', fromMs: at(7, 12), toMs: at(14, 2) },
            { kind: 'stopped', fromMs: at(14, 2), toMs: at(14, 6) },
          ],
          stops: [{ atMs: at(14, 2), backAtMs: at(14, 6), reason: 'power_loss' }],
        },
      }),
      WIDTH,
    );
    expect(marks.away.map(({ kind, x }) => [kind, Math.round(x)])).toEqual([
      ['asleep', 0],
      ['stopped', 567],
    ]);
    expect([...marks.has].toSorted()).toEqual(['asleep', 'ran', 'stop', 'stopped']);
    expect(marks.ticks.find(({ isNow }) => isNow)?.text).toBe('14:31');
    const places = marks.ticks.map(({ x }) => x).toSorted((a, b) => a - b);
    expect(Math.min(...places.slice(1).map((x, n) => x - (places[n] ?? 0)))).toBeGreaterThan(45);
  });

  it('says where decisions are left out because there were too many', () => {
    expect(scheduleLinesModel(view({ knownFromMs: at(12) }), WIDTH).cutX).toBeCloseTo(486, 0);
    expect(scheduleLinesModel(view(), WIDTH).cutX).toBeUndefined();
  });

  it('holds everything inside of the picture, whatever the times are', () => {
    const row = rowOf({
      slots: [
        slot(at(1), { why: 'always', slots: 9, lateMs: 40 * HOUR, oldestMs: at(-60), ...done }),
        slot(at(7), { why: 'window', lateMs: 30 * HOUR }),
      ],
    });
    for (const mark of row.marks) {
      expect(mark.x).toBeGreaterThanOrEqual(0);
      expect(mark.x).toBeLessThanOrEqual(WIDTH);
      expect(mark.tailX ?? 0).toBeGreaterThanOrEqual(0);
    }
  });
});

/**
 * Tasks over time, one line each, as marks: runs, catch-ups, skipped and missed runs, waiting and
 * upcoming ones. Pure; the component only draws, and its texts come from the same data.
 */
import type { DayLine } from '../../shared/types';
import type { ScheduleLines, ScheduleSlot, TaskView } from '../../shared/schedule/model';
import { isNothingToDo } from '../../shared/schedule/states';
import { t } from '../../shared/messages';
import { oneLine } from '../parts/inert-view';
import { isClosed } from '../parts/state-view';
import { clockText, dayOf, durationText, localClocks, untilText } from '../parts/time-view';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

export const MARK_KINDS = [
  'ran',
  'late',
  'skipped',
  'missed',
  'failed',
  'working',
  'waits',
  'coming',
] as const;
export type MarkKind = (typeof MARK_KINDS)[number];

export interface LineMark {
  readonly kind: MarkKind;
  readonly x: number;
  /** A short stroke instead of the mark: the task runs too often for marks. */
  readonly isTick: boolean;
  /** Start of the line to a late run: the time it was due. */
  readonly tailX?: number;
  /**
   * Several scheduled runs were merged into this one: the line has a ring at its start and a tip at
   * its end.
   */
  readonly isArrow: boolean;
  /** The tooltip. */
  readonly title: string;
  readonly turnId?: number;
}
interface LineLabel {
  readonly kind: MarkKind | 'paused';
  readonly x: number;
  readonly anchor: 'start' | 'middle' | 'end';
  /** Above the line: the label of an arrow. */
  readonly isAbove: boolean;
  readonly text: string;
}
export interface LineRow {
  readonly taskId: number;
  readonly marks: readonly LineMark[];
  readonly labels: readonly LineLabel[];
  /** The whole line as text. */
  readonly sentence: string;
}
export interface LinesMarks {
  readonly rows: readonly LineRow[];
  readonly away: readonly {
    readonly kind: 'asleep' | 'stopped';
    readonly x: number;
    readonly width: number;
  }[];
  readonly stops: readonly number[];
  readonly ticks: readonly { readonly x: number; readonly text: string; readonly isNow: boolean }[];
  readonly nowX: number;
  /** Decisions before this position were left out because there are too many. */
  readonly cutX?: number;
  /** The kinds that appear in the picture: the legend shows only these. */
  readonly has: ReadonlySet<MarkKind | 'asleep' | 'stopped' | 'stop'>;
}

/** The data, and the moment for which it is drawn. */
export interface LinesView {
  readonly tasks: readonly Pick<TaskView, 'id' | 'name' | 'state' | 'nextRunAtMs'>[];
  readonly slots: readonly ScheduleSlot[];
  readonly coming: ScheduleLines['coming'];
  readonly fromMs: number;
  readonly toMs: number;
  readonly nowMs: number;
  readonly knownFromMs: number;
  readonly day: Pick<DayLine, 'stretches' | 'stops'> | undefined;
  readonly locale?: string;
}

const CHAR_PX = 6.1;
/** Marks of one kind closer than this are merged. */
const TICK_ROOM = 3;
const MARK_ROOM = 9;
/** From the center of a mark to its label. */
const LABEL_GAP = 11;
/** Above this many runs per day, strokes replace marks. */
const MARKS_A_DAY = 24;
const EDGE = 6;

const round = (value: number): number => Math.round(value * 10) / 10;

/** How a decision is drawn. */
export function markKind(slot: Pick<ScheduleSlot, 'outcome' | 'why' | 'status'>): MarkKind {
  if (slot.outcome !== 'ran') return slot.outcome;
  const { status } = slot;
  if (status === 'running') return 'working';
  if (status !== undefined && !isClosed(status)) return 'waits';
  if (status === 'failed' || status === 'cancelled' || status === 'discarded') return 'failed';
  return slot.why === 'in_window' || slot.why === 'always' ? 'late' : 'ran';
}

interface Axis {
  readonly view: LinesView;
  readonly width: number;
  readonly nowX: number;
  readonly x: (atMs: number) => number;
}

/** Marks for a picture of `width` px. */
export function scheduleLinesModel(view: LinesView, width: number): LinesMarks {
  const span = Math.max(1, view.toMs - view.fromMs);
  const inner = Math.max(1, width - 2 * EDGE);
  const x = (atMs: number): number =>
    round(EDGE + ((Math.min(Math.max(atMs, view.fromMs), view.toMs) - view.fromMs) / span) * inner);
  const axis: Axis = { view, width, nowX: x(view.nowMs), x };
  const coming = new Map(view.coming.map((line) => [line.taskId, line]));
  const slots = new Map<number, ScheduleSlot[]>();
  for (const slot of view.slots) {
    if (!isInside(slot, view)) continue;
    const known = slots.get(slot.taskId);
    if (known === undefined) slots.set(slot.taskId, [slot]);
    else known.push(slot);
  }
  const rows = view.tasks.map((task) =>
    rowOf(task, (slots.get(task.id) ?? []).toReversed(), coming.get(task.id), axis),
  );
  const away = awayOf(view, x);
  const stops = (view.day?.stops ?? [])
    .filter(({ atMs }) => atMs >= view.fromMs && atMs <= view.toMs)
    .map(({ atMs }) => x(atMs));
  return {
    rows,
    away,
    stops,
    ticks: ticksOf(axis),
    nowX: axis.nowX,
    ...(view.knownFromMs > view.fromMs ? { cutX: x(view.knownFromMs) } : {}),
    has: new Set([
      ...rows.flatMap((row) => row.marks.map(({ kind }) => kind)),
      ...away.map(({ kind }) => kind),
      ...(stops.length > 0 ? (['stop'] as const) : []),
    ]),
  };
}

/** A run that did not happen is placed at its scheduled time, a run that did at its start. */
const placeMs = (slot: ScheduleSlot): number => (slot.outcome === 'ran' ? slot.atMs : slot.slotMs);
const isInside = (slot: ScheduleSlot, { fromMs, toMs }: LinesView): boolean =>
  slot.atMs >= fromMs && placeMs(slot) <= toMs;

function rowOf(
  task: LinesView['tasks'][number],
  slots: readonly ScheduleSlot[],
  coming: LinesView['coming'][number] | undefined,
  axis: Axis,
): LineRow {
  const next = (coming?.atMs ?? []).filter((atMs) => atMs > axis.view.nowMs);
  const isOften = runsOften(slots, coming, axis.view);
  const marks = merged([
    ...slots.map((slot) => slotMark(slot, isOften, axis)),
    ...next.map((atMs) => comingMark(atMs, isOften, axis)),
  ]);
  return {
    taskId: task.id,
    marks,
    labels: labelsOf(task, { slots, next, marks, isOften }, axis),
    sentence: sentenceOf(task, slots, axis.view),
  };
}

function runsOften(
  slots: readonly ScheduleSlot[],
  coming: LinesView['coming'][number] | undefined,
  { fromMs, toMs }: LinesView,
): boolean {
  const all = coming?.atMs ?? [];
  const gapMs = (all[1] ?? Number.POSITIVE_INFINITY) - (all[0] ?? 0);
  const days = Math.max(1, (toMs - fromMs) / DAY_MS);
  return (
    coming?.isThinned === true ||
    gapMs < DAY_MS / MARKS_A_DAY ||
    slots.length + all.length > MARKS_A_DAY * days
  );
}

function slotMark(slot: ScheduleSlot, isOften: boolean, { view, x }: Axis): LineMark {
  const kind = markKind(slot);
  const isLate = slot.why === 'in_window' || slot.why === 'always';
  const isArrow = isLate && slot.slots > 1 && slot.oldestMs !== undefined;
  const dueMs = isArrow ? (slot.oldestMs ?? slot.slotMs) : slot.slotMs;
  const at = x(placeMs(slot));
  // A tail shorter than its mark would be invisible, and a late run needs one.
  const tailX = isLate ? Math.min(x(dueMs), at - 12) : undefined;
  return {
    kind,
    x: at,
    isTick: isOften && kind === 'ran',
    isArrow,
    ...(tailX === undefined ? {} : { tailX: Math.max(0, tailX) }),
    title: t('lines.tip', { time: timeOf(slot.atMs, view), text: localClocks(slot.words) }),
    ...(slot.turnId === undefined ? {} : { turnId: slot.turnId }),
  };
}

function comingMark(atMs: number, isOften: boolean, { view, x }: Axis): LineMark {
  return {
    kind: 'coming',
    x: x(atMs),
    isTick: isOften,
    isArrow: false,
    title: t('lines.tipComing', {
      time: timeOf(atMs, view),
      text: untilText(atMs, view.nowMs),
    }),
  };
}

const timeOf = (atMs: number, { nowMs, locale }: LinesView): string =>
  clockText(atMs, nowMs, locale);

/** Of overlapping marks the newest stays and shows their number. */
function merged(marks: readonly LineMark[]): readonly LineMark[] {
  const kept: { mark: LineMark; count: number }[] = [];
  for (const mark of marks) {
    const last = kept.at(-1);
    const room = mark.isTick ? TICK_ROOM : MARK_ROOM;
    const isSame =
      last?.mark.kind === mark.kind &&
      last.mark.isTick === mark.isTick &&
      !mark.isArrow &&
      mark.x - last.mark.x < room;
    // Strokes are placed relative to the first one, so that they keep their distance.
    if (isSame)
      kept[kept.length - 1] = { mark: { ...mark, x: last.mark.x }, count: last.count + 1 };
    else kept.push({ mark, count: 1 });
  }
  return kept.map(({ mark, count }) =>
    count === 1 ? mark : { ...mark, title: `${mark.title} (+${String(count - 1)})` },
  );
}

/** Only decisions, in time order: an upcoming run has nothing to open. */
export const decidedMarks = (marks: readonly LineMark[]): readonly LineMark[] =>
  marks.filter(({ kind }) => kind !== 'coming').toSorted((one, other) => one.x - other.x);

/** Stops at both ends. */
export const nextMark = (at: number, step: -1 | 1, count: number): number =>
  Math.max(0, Math.min(count - 1, at + step));

interface RowFacts {
  readonly slots: readonly ScheduleSlot[];
  readonly next: readonly number[];
  readonly marks: readonly LineMark[];
  readonly isOften: boolean;
}

function labelsOf(
  task: LinesView['tasks'][number],
  { slots, next, marks, isOften }: RowFacts,
  axis: Axis,
): readonly LineLabel[] {
  const { view } = axis;
  const labels: LineLabel[] = [];
  const last = slots.at(-1);
  for (const slot of slots) {
    const kind = markKind(slot);
    const text = labelText(slot, kind, task);
    const isTelling = kind !== 'ran' || (slot === last && !isOften);
    if (!isTelling || text === undefined) continue;
    const at = axis.x(placeMs(slot));
    const arrow = marks.find((mark) => mark.isArrow && mark.x === at);
    if (arrow?.tailX !== undefined && slot.slots > 1) {
      const many = t('lines.label.many', { count: slot.slots });
      if (widthOf(many) + 16 <= at - arrow.tailX) {
        const middle = round((arrow.tailX + at) / 2);
        labels.push({ kind, x: middle, anchor: 'middle', isAbove: true, text: many });
        continue;
      }
    }
    const placed = place(text, at, marks, labels, axis);
    if (placed !== undefined) labels.push({ kind, isAbove: false, text, ...placed });
  }
  const soon = next[0];
  if (task.state === 'paused') {
    const text = t('lines.label.paused');
    const placed = place(text, axis.nowX, marks, labels, axis);
    if (placed !== undefined) labels.push({ kind: 'paused', isAbove: false, text, ...placed });
  } else if (soon !== undefined && !isOften) {
    const text = untilText(soon, view.nowMs);
    const placed = place(text, axis.x(soon), marks, labels, axis);
    if (placed !== undefined) labels.push({ kind: 'coming', isAbove: false, text, ...placed });
  }
  return labels;
}

function labelText(
  slot: ScheduleSlot,
  kind: MarkKind,
  task: LinesView['tasks'][number],
): string | undefined {
  switch (kind) {
    case 'ran':
      return slot.durationMs === undefined ? undefined : durationText(slot.durationMs);
    case 'late':
      return t('lines.label.late', { duration: lateText(slot.lateMs) });
    case 'skipped':
      if (isNothingToDo(slot.why)) return t('lines.label.nothing');
      return slot.why === 'overlap' || slot.why === 'check_failed'
        ? t(`lines.label.${slot.why}`)
        : t('lines.label.skipped', { duration: lateText(slot.lateMs) });
    case 'missed':
      return task.state === 'missed' ? t('lines.label.missedOpen') : t('lines.label.missed');
    case 'failed':
      return t('lines.label.failed');
    case 'working':
    case 'waits':
      return t(`lines.${kind}`);
    case 'coming':
      return undefined;
  }
}

/** Seconds are omitted from ten minutes on. */
export const lateText = (ms: number): string =>
  durationText(ms >= 600_000 ? Math.round(ms / 60_000) * 60_000 : ms);

const widthOf = (text: string): number => text.length * CHAR_PX;

/** Right of the mark, or left of it; if neither fits, only in the tooltip. */
function place(
  text: string,
  at: number,
  marks: readonly LineMark[],
  labels: readonly LineLabel[],
  { width }: Axis,
): Pick<LineLabel, 'x' | 'anchor'> | undefined {
  const wide = widthOf(text);
  const isFree = (from: number, to: number): boolean =>
    from >= 0 &&
    to <= width &&
    marks.every((mark) => {
      if (mark.x === at) return mark.tailX === undefined || to <= mark.tailX || from >= at;
      return mark.x + 7 <= from || (mark.tailX ?? mark.x) - 7 >= to;
    }) &&
    labels.every((label) => {
      const size = widthOf(label.text);
      const left =
        label.anchor === 'start'
          ? label.x
          : label.anchor === 'end'
            ? label.x - size
            : label.x - size / 2;
      return left + size + 4 <= from || left - 4 >= to;
    });
  if (isFree(at + LABEL_GAP, at + LABEL_GAP + wide))
    return { x: round(at + LABEL_GAP), anchor: 'start' };
  return isFree(at - LABEL_GAP - wide, at - LABEL_GAP)
    ? { x: round(at - LABEL_GAP), anchor: 'end' }
    : undefined;
}

function awayOf(view: LinesView, x: (atMs: number) => number): LinesMarks['away'] {
  return (view.day?.stretches ?? []).flatMap(({ kind, fromMs, toMs }) => {
    if (kind === 'running' || toMs <= view.fromMs || fromMs >= view.toMs) return [];
    const left = fromMs <= view.fromMs ? 0 : x(fromMs);
    const wide = round(x(toMs) - left);
    return wide < 1 ? [] : [{ kind, x: left, width: wide }];
  });
}

const TICK_HOURS = [1, 2, 3, 4, 6, 12, 24, 48] as const;

/** At round local times. "now" has its own label, and no other is placed near it. */
function ticksOf({ view, width, nowX, x }: Axis): LinesMarks['ticks'] {
  const { fromMs, toMs, locale } = view;
  const isLong = toMs - fromMs > 2 * DAY_MS;
  const room = isLong ? 90 : 66;
  const hours = TICK_HOURS.find((one) => (one * HOUR_MS * width) / (toMs - fromMs) >= room) ?? 48;
  const ticks: { x: number; text: string; isNow: boolean }[] = [];
  const at = new Date(fromMs);
  at.setHours(0, 0, 0, 0);
  for (; at.getTime() < toMs; at.setHours(at.getHours() + hours)) {
    const atMs = at.getTime();
    const left = x(atMs);
    if (atMs < fromMs || left < 20 || left > width - 20) continue;
    if (Math.abs(left - nowX) < room * 0.7) continue;
    const text = isLong
      ? dayOf(atMs, { weekday: 'short', day: 'numeric' }, locale)
      : clockText(atMs, atMs, locale);
    ticks.push({ x: left, text, isNow: false });
  }
  const edge = 20;
  if (view.nowMs >= fromMs && view.nowMs <= toMs)
    ticks.push({
      x: Math.min(width - edge, Math.max(edge, nowX)),
      text: clockText(view.nowMs, view.nowMs, locale),
      isNow: true,
    });
  return ticks;
}

const SAID = ['ran', 'late', 'skipped', 'missed', 'failed', 'working', 'waits'] as const;

/** One line as text for screen readers. */
function sentenceOf(
  task: LinesView['tasks'][number],
  slots: readonly ScheduleSlot[],
  view: LinesView,
): string {
  const counts = SAID.map((kind) => ({
    kind,
    count: slots.filter((slot) => markKind(slot) === kind).length,
  })).filter(({ count }) => count > 0);
  const said = counts.map(({ kind, count }) => t(`lines.say.${kind}`, { count }));
  const next =
    task.state === 'active' && task.nextRunAtMs !== undefined
      ? t('lines.say.next', { time: timeOf(task.nextRunAtMs, view) })
      : t(`task.state.${task.state}`);
  return oneLine([said.length === 0 ? t('lines.say.none') : said.join(', '), next].join(', '), 200);
}

/**
 * The timeline of a turn as marks: lanes, rows with bars and captions, breaks, lines, and ticks for
 * a width and a zoom. Pure; the component only draws.
 */
import { t } from '../../shared/messages';
import { durationText } from '../parts/time-view';
import type { Downtime, RowPlan, TimelinePlan, Waiting } from './step-timeline-plan';
import { TIME_PX, scaleOf, ticksOf, type Scale } from './step-timeline-scale';
import { lookOf } from './step-timeline-bars';
import {
  DENSE_FROM,
  driftPx,
  wordPx,
  type Zoom,
  type BarLook,
  type Break,
  type Mark,
  type Column,
  type AxisWords,
  type Frame,
  type WaitWord,
} from './step-timeline-shapes';

/** What a turn waits for, as a line at its end with a text that overlaps no other mark. Pure. */
const CHAR_PX = 6.2;
/** Padding left and right of the text. */
const AIR_PX = 12;
/** Half of a triangle or circle on top of a line, with a margin. */
const FLAG_HALF_PX = 7;
/** Between the text and the next mark. */
const GAP_PX = 2;

const labelPx = (label: string, textScale: number): number => label.length * CHAR_PX * textScale;

/** The space that the text of a wait needs after its line; 0 if the turn waits for nothing. */
const waitWordPx = (waiting: Waiting | undefined, textScale: number): number =>
  waiting === undefined ? 0 : labelPx(waiting.label, textScale) + AIR_PX;

type Taken = readonly [fromX: number, toX: number];

/** The space a mark takes on the tick line, and on the line above it. */
const takenBy = (mark: Mark, line: WaitWord['line'], timePx: number): Taken | undefined => {
  switch (mark.kind) {
    case 'wait':
      return undefined;
    case 'drift':
      return line === 'flags' || mark.side === undefined ? undefined : [mark.x, mark.x + driftPx()];
    case 'stop':
    case 'restart':
      if (line === 'ticks') return [mark.x - FLAG_HALF_PX, mark.x + FLAG_HALF_PX];
      if (mark.side === undefined) return undefined;
      return mark.side === 'left' ? [mark.x - 3 - timePx, mark.x] : [mark.x, mark.x + 4 + timePx];
  }
};

/**
 * The line of a wait. Its text is next to the ticks, or above them with the times of stops if
 * another mark is in the way. If both are taken, only the row shows it.
 */
function waitOf(
  plan: TimelinePlan,
  scale: Scale,
  others: readonly Mark[],
  view: { readonly leftPx: number; readonly widthPx: number } & Omit<AxisWords, 'utcOffsetMs'>,
): readonly Mark[] {
  if (!plan.waiting) return [];
  // Not on the restart line itself, if the restart was the last thing that happened.
  const last = scale.segments.at(-1);
  const x = (last ? last.leftPx + last.widthPx : scale.xOf(plan.toMs)) - view.leftPx;
  const toX = scale.contentPx - view.leftPx;
  const wide = labelPx(plan.waiting.label, view.textScale);
  const endX = Math.min(view.widthPx - 4, Math.max(toX - 6, x + 6 + wide));
  const fromX = endX - wide;
  const isFree = (line: WaitWord['line']): boolean =>
    others.every((mark) => {
      const taken = takenBy(mark, line, view.timePx);
      return taken === undefined || taken[0] >= endX + GAP_PX || taken[1] <= fromX - GAP_PX;
    });
  // Without its line in view, the text would refer to nothing.
  const canStand = fromX >= 2 && x <= view.widthPx - 8;
  const line = canStand ? (['ticks', 'flags'] as const).find(isFree) : undefined;
  const word = line === undefined ? undefined : { endX, line };
  return [{ kind: 'wait', x, widthPx: toX - x, ...plan.waiting, word }];
}

/**
 * The end of the last tick: the wait has no time label, so its text may extend to the left of its
 * line.
 */
function waitFromPx(marks: readonly Mark[], timePx: number, textScale: number): number {
  const wait = marks.find((mark) => mark.kind === 'wait');
  if (wait === undefined) return Number.POSITIVE_INFINITY;
  if (wait.word?.line !== 'ticks') return wait.x;
  return Math.min(wait.x, wait.word.endX - labelPx(wait.label, textScale) - timePx / 2 - GAP_PX);
}

const COLUMN_PX = 4;

const clamp = (value: number, low: number, high: number): number =>
  Math.min(Math.max(value, low), Math.max(low, high));

/** Left edge of a zoomed view, kept inside the turn. */
const leftOf = (scale: Scale, widthPx: number, zoom: Zoom): number =>
  zoom.kind === 'fit' ? 0 : clamp(zoom.leftPx, 0, scale.contentPx - widthPx);

/** Whether the gap's label and, below it, its duration fit. */
const hasRoom = (kind: Break['kind'], ms: number, widthPx: number): boolean =>
  widthPx >=
  Math.max(
    wordPx(t(kind === 'stop' ? 'timeline.stopped' : 'timeline.idle')) * 1.12,
    wordPx(durationText(ms)),
  );

const breaksOf = (
  plan: TimelinePlan,
  scale: Scale,
  leftPx: number,
  textScale: number,
): readonly Break[] => {
  const broken = new Set<Downtime>();
  const breaks: Break[] = [];
  for (const { gap, leftPx: x, widthPx, fromMs, toMs } of scale.segments) {
    if (!gap) continue;
    if (gap.kind === 'stop') broken.add(gap.stop);
    breaks.push({
      kind: gap.kind,
      x: x - leftPx,
      widthPx,
      fromMs,
      toMs,
      isToScale: false,
      isLabelled: hasRoom(gap.kind, toMs - fromMs, widthPx / textScale),
      reason: gap.kind === 'stop' ? gap.stop.reason : '',
    });
  }
  for (const stop of plan.downtimes) {
    if (broken.has(stop)) continue;
    const x = scale.xOf(stop.fromMs);
    const widthPx = scale.xOf(stop.toMs) - x;
    breaks.push({
      kind: 'stop',
      x: x - leftPx,
      widthPx,
      fromMs: stop.fromMs,
      toMs: stop.toMs,
      isToScale: true,
      isLabelled: hasRoom('stop', stop.toMs - stop.fromMs, widthPx / textScale),
      reason: stop.reason,
    });
  }
  return breaks.toSorted((a, b) => a.x - b.x);
};

/** Lines of stops, restarts, drift, and waiting; times only if they do not overlap. */
const marksOf = (
  plan: TimelinePlan,
  scale: Scale,
  breaks: readonly Break[],
  leftPx: number,
  widthPx: number,
  timePx: number,
): readonly Mark[] => {
  const flagPx = timePx + 8;
  const marks: Mark[] = [];
  let takenTo = 0;
  const place = (x: number, wanted: 'left' | 'right'): 'left' | 'right' | undefined => {
    for (const side of wanted === 'left' ? (['left', 'right'] as const) : (['right'] as const)) {
      const [from, to] = side === 'left' ? [x - flagPx, x] : [x, x + flagPx];
      if (from < takenTo || to > widthPx) continue;
      takenTo = to;
      return side;
    }
    return undefined;
  };
  for (const stop of breaks) {
    if (stop.kind !== 'stop') continue;
    const isBack = plan.downtimes.some((down) => down.toMs === stop.toMs && down.isBack);
    marks.push({ kind: 'stop', x: stop.x, atMs: stop.fromMs, side: place(stop.x, 'left') });
    if (!isBack) continue;
    const x = stop.x + stop.widthPx;
    marks.push({ kind: 'restart', x, atMs: stop.toMs, side: place(x, 'right') });
  }
  if (plan.driftAtMs !== undefined) {
    const x = scale.xOf(plan.driftAtMs) - leftPx;
    const toX = x + driftPx();
    const isFree = toX <= widthPx && !marks.some((mark) => mark.x > x - 1 && mark.x <= toX);
    marks.push({
      kind: 'drift',
      x,
      atMs: plan.driftAtMs,
      side: isFree ? 'right' : undefined,
    });
  }
  return marks;
};

/** Which outcome a column shows: the one that needs attention most. */
const TELLING: readonly BarLook[] = [
  'unknown',
  'asks',
  'failed',
  'working',
  'cut',
  'ring',
  'was',
  'hollow',
  'recorded',
  'reused',
  'plain',
];

/**
 * The number of steps that started in each column of the view, and their most important outcome.
 */
function stripOf(rows: readonly RowPlan[], frame: Omit<Frame, 'lanes'>): readonly Column[] {
  const columns = new Map<number, { count: number; rank: number }>();
  for (const row of rows) {
    row.calls.forEach((call, at) => {
      const x = frame.scale.xOf(call.fromMs) - frame.leftPx;
      if (x < 0 || x > frame.widthPx) return;
      const slot = Math.floor(x / COLUMN_PX);
      const rank = TELLING.indexOf(lookOf(call, row.calls[at + 1]));
      const known = columns.get(slot);
      if (!known) columns.set(slot, { count: 1, rank });
      else {
        known.count += 1;
        known.rank = Math.min(known.rank, rank);
      }
    });
  }
  let most = 1;
  for (const { count } of columns.values()) most = Math.max(most, count);
  return [...columns.entries()]
    .toSorted(([a], [b]) => a - b)
    .map(([slot, { count, rank }]) => ({
      x: slot * COLUMN_PX,
      widthPx: COLUMN_PX - 1,
      count,
      share: count / most,
      look: TELLING[rank] ?? 'plain',
    }));
}

/** A stop narrower than this is a line: a tick next to it stays readable. */
const TIGHT_PX = 10;

/** Axis, breaks, lines and lanes; rows are drawn one by one with {@link drawRow}. */
export function frameOf(
  plan: TimelinePlan,
  widthPx: number,
  zoom: Zoom,
  words: Partial<AxisWords> = {},
): Frame {
  const { utcOffsetMs = 0, timePx = TIME_PX, textScale = 1 } = words;
  const scale = scaleOf(
    plan,
    widthPx,
    zoom.kind === 'fit' ? undefined : zoom.spanMs,
    waitWordPx(plan.waiting, textScale),
  );
  const leftPx = leftOf(scale, widthPx, zoom);
  const breaks = breaksOf(plan, scale, leftPx, textScale);
  const lines = marksOf(plan, scale, breaks, leftPx, widthPx, timePx);
  const marks = [...lines, ...waitOf(plan, scale, lines, { leftPx, widthPx, timePx, textScale })];
  const waitFromX = waitFromPx(marks, timePx, textScale);
  const reserved = marks.filter((mark) => mark.kind !== 'drift').map((mark) => mark.x);
  const ticks = ticksOf(scale, { leftPx, widthPx }, reserved, { utcOffsetMs, timePx }).filter(
    (tick) =>
      tick.x < waitFromX &&
      // A stop drawn to scale shows its duration, like a break.
      !breaks.some(
        (gap) => gap.widthPx >= TIGHT_PX && tick.x > gap.x && tick.x < gap.x + gap.widthPx,
      ) &&
      !marks.some(
        (mark) =>
          mark.kind === 'drift' &&
          mark.side !== undefined &&
          tick.x > mark.x - timePx / 2 &&
          tick.x < mark.x + driftPx() + timePx / 2,
      ),
  );
  const calls = plan.rows.reduce((count, row) => count + row.calls.length, 0);
  const isDense = calls > DENSE_FROM;
  const frame = { plan, scale, widthPx, leftPx, breaks, marks, ticks, isDense, textScale };
  return {
    ...frame,
    lanes: plan.lanes.map((lane) => ({
      ...lane,
      strip: isDense ? stripOf(lane.rows, frame) : [],
    })),
  };
}

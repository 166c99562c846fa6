/**
 * Maps wall time to pixels. Long stops and long idle times become breaks of fixed width; between
 * them time is linear, with ticks at round clock times. Pure.
 */
import type { Downtime, Span, TimelinePlan } from './step-timeline-plan';

export const BREAK_PX = 72;
/** Minimum width between two breaks: room for the smallest bar. */
const LEAST_SEGMENT_PX = 14;
const PAD_PX = 8;
/** Right of the last step while the turn waits: room for its label, up to a limit. */
const WAIT_PX = 92;
const MAX_WAIT_SHARE = 0.3;
const STOP_SHARE = 0.05;
const IDLE_SHARE = 0.25;
const LEAST_IDLE_MS = 20_000;
export const TICK_GAP_PX = 64;
/** Between the labels of two ticks. */
const AIR_PX = 10;
/** Half of the mark on top of a line. */
const MARK_PX = 6;
/** Width of a clock time with seconds at 11 px, if it was not measured. */
export const TIME_PX = 46;

/** A part of the axis that is not drawn to scale. */
type Gap =
  (Span & { readonly kind: 'stop'; readonly stop: Downtime }) | (Span & { readonly kind: 'idle' });

/** A part of the axis in pixels; `gap` says why it is not to scale. */
interface Segment extends Span {
  readonly leftPx: number;
  readonly widthPx: number;
  readonly gap: Gap | undefined;
}

export interface Scale {
  readonly segments: readonly Segment[];
  readonly contentPx: number;
  /** Pixels per ms of the parts that are to scale. */
  readonly pxPerMs: number;
  readonly xOf: (atMs: number) => number;
  readonly msAt: (x: number) => number;
}

export interface Tick {
  readonly atMs: number;
  readonly x: number;
  readonly withSeconds: boolean;
}

/** Times between calls in which nothing ran although Holdfast was up. */
function idleSpans(plan: TimelinePlan): readonly Span[] {
  const busy: Span[] = [...plan.rows.flatMap((row) => row.calls), ...plan.downtimes].toSorted(
    (a, b) => a.fromMs - b.fromMs,
  );
  const idle: Span[] = [];
  let reachedMs = plan.fromMs;
  for (const span of busy) {
    if (span.fromMs > reachedMs) idle.push({ fromMs: reachedMs, toMs: span.fromMs });
    reachedMs = Math.max(reachedMs, span.toMs);
  }
  if (plan.toMs > reachedMs && !plan.isRunning) idle.push({ fromMs: reachedMs, toMs: plan.toMs });
  return idle;
}

const length = (span: Span): number => span.toMs - span.fromMs;

/**
 * Which gaps become breaks: stops above 5 % of the visible span, idle times above 25 %. The longest
 * is taken first, and no longer counts as part of the visible span.
 */
export function gapsToBreak(plan: TimelinePlan, spanMs: number | undefined): readonly Gap[] {
  const rated = [
    ...plan.downtimes.map((stop): { gap: Gap; share: number } => ({
      gap: { kind: 'stop', stop, fromMs: stop.fromMs, toMs: stop.toMs },
      share: STOP_SHARE,
    })),
    ...idleSpans(plan)
      .filter((span) => length(span) >= LEAST_IDLE_MS)
      .map((span): { gap: Gap; share: number } => ({
        gap: { kind: 'idle', ...span },
        share: IDLE_SHARE,
      })),
  ].toSorted((a, b) => length(b.gap) / b.share - length(a.gap) / a.share);
  const broken: Gap[] = [];
  let visibleMs = spanMs ?? length(plan);
  for (const { gap, share } of rated) {
    if (length(gap) <= 0 || length(gap) <= share * visibleMs) break;
    broken.push(gap);
    if (spanMs === undefined) visibleMs = Math.max(1, visibleMs - length(gap));
  }
  return broken.toSorted((a, b) => a.fromMs - b.fromMs);
}

/** Pixels per ms at which the parts fill the space, each with at least the minimum width. */
const fitRate = (lengths: readonly number[], roomPx: number, leastPx: number): number => {
  let flexible = lengths;
  let room = roomPx;
  for (;;) {
    const totalMs = flexible.reduce((sum, ms) => sum + ms, 0);
    if (totalMs <= 0) return 0;
    const rate = Math.max(0, room) / totalMs;
    const tight = flexible.filter((ms) => ms * rate < leastPx);
    if (tight.length === 0 || tight.length === flexible.length) return rate;
    room -= tight.length * leastPx;
    flexible = flexible.filter((ms) => ms * rate >= leastPx);
  }
};

/**
 * The scale of a turn. Without `spanMs` all of it fits into `widthPx` (breaks shrink if they would
 * take more than 60 %); with it, `widthPx` shows that much time and the rest is reached by panning.
 */
export function scaleOf(
  plan: TimelinePlan,
  widthPx: number,
  spanMs: number | undefined,
  waitWordPx = 0,
): Scale {
  const gaps = gapsToBreak(plan, spanMs);
  const waitPx = Math.max(WAIT_PX, Math.min(waitWordPx, MAX_WAIT_SHARE * widthPx));
  const tailPx = plan.waiting ? waitPx : PAD_PX;
  const roomPx = Math.max(40, widthPx - PAD_PX - tailPx);
  const breakPx =
    spanMs === undefined && gaps.length * BREAK_PX > 0.6 * roomPx
      ? (0.6 * roomPx) / gaps.length
      : BREAK_PX;
  const leastPx =
    spanMs === undefined
      ? Math.min(LEAST_SEGMENT_PX, (0.35 * roomPx) / (gaps.length + 1))
      : LEAST_SEGMENT_PX;
  const spans: (Span & { gap: Gap | undefined })[] = [];
  let reachedMs = plan.fromMs;
  for (const gap of gaps) {
    if (gap.fromMs > reachedMs || spans.length === 0 || spans.at(-1)?.gap?.kind === gap.kind) {
      spans.push({ fromMs: reachedMs, toMs: gap.fromMs, gap: undefined });
    }
    spans.push({ fromMs: gap.fromMs, toMs: gap.toMs, gap });
    reachedMs = gap.toMs;
  }
  spans.push({ fromMs: reachedMs, toMs: Math.max(reachedMs, plan.toMs), gap: undefined });
  const scaled = spans.filter((span) => span.gap === undefined).map(length);
  const pxPerMs =
    spanMs === undefined
      ? fitRate(scaled, roomPx - gaps.length * breakPx, leastPx)
      : Math.max(1, widthPx) / spanMs;
  const segments: Segment[] = [];
  let leftPx = PAD_PX;
  for (const span of spans) {
    const width = span.gap ? breakPx : Math.max(leastPx, length(span) * pxPerMs);
    segments.push({ ...span, leftPx, widthPx: width });
    leftPx += width;
  }
  const at = (test: (segment: Segment) => boolean): Segment | undefined =>
    segments.find(test) ?? segments.at(-1);
  return {
    segments,
    contentPx: leftPx + tailPx,
    pxPerMs,
    xOf(atMs) {
      const found = at((segment) => atMs <= segment.toMs);
      if (!found) return PAD_PX;
      const ms = length(found);
      const share = ms <= 0 ? (atMs > found.fromMs ? 1 : 0) : (atMs - found.fromMs) / ms;
      return found.leftPx + Math.min(1, Math.max(0, share)) * found.widthPx;
    },
    msAt(x) {
      const found = at((segment) => x <= segment.leftPx + segment.widthPx);
      if (!found) return plan.fromMs;
      const share = Math.min(1, Math.max(0, (x - found.leftPx) / found.widthPx));
      return found.fromMs + share * length(found);
    },
  };
}

const SECOND = 1000;
const UNITS_MS = [SECOND, 60 * SECOND, 3600 * SECOND];
const TICK_STEPS_MS = UNITS_MS.flatMap((unit) => [1, 2, 5, 10, 15, 30].map((n) => n * unit));

/** The smallest round step whose ticks are at least this far apart. */
export function tickStepMs(pxPerMs: number, gapPx = TICK_GAP_PX): number {
  const found = TICK_STEPS_MS.find((ms) => ms * pxPerMs >= gapPx);
  const day = 24 * 3600 * SECOND;
  return found ?? Math.max(1, Math.ceil(gapPx / Math.max(pxPerMs, 1e-12) / day)) * day;
}

/**
 * Ticks at round local times inside the view: none inside a break or where `reserved` has a line,
 * and at least 64 px apart.
 */
export function ticksOf(
  scale: Scale,
  view: { readonly leftPx: number; readonly widthPx: number },
  reserved: readonly number[],
  words: { readonly utcOffsetMs: number; readonly timePx: number },
): readonly Tick[] {
  const { utcOffsetMs } = words;
  const gapPx = Math.max(TICK_GAP_PX, words.timePx + AIR_PX);
  const halfPx = words.timePx / 2 + 2;
  const stepMs = tickStepMs(scale.pxPerMs, gapPx);
  const rightPx = view.leftPx + view.widthPx;
  const ticks: Tick[] = [];
  let lastX = Number.NEGATIVE_INFINITY;
  for (const segment of scale.segments) {
    if (segment.gap || segment.leftPx > rightPx) continue;
    if (segment.leftPx + segment.widthPx < view.leftPx) continue;
    const fromMs = Math.max(segment.fromMs, scale.msAt(view.leftPx));
    const toMs = Math.min(segment.toMs, scale.msAt(rightPx));
    const first = Math.ceil((fromMs + utcOffsetMs) / stepMs) * stepMs - utcOffsetMs;
    for (let atMs = first; atMs <= toMs; atMs += stepMs) {
      const x = scale.xOf(atMs) - view.leftPx;
      const isFree =
        x >= halfPx &&
        x <= view.widthPx - halfPx &&
        x - lastX >= gapPx &&
        !reserved.some((taken) => Math.abs(taken - x) < halfPx + MARK_PX);
      if (!isFree) continue;
      ticks.push({ atMs, x, withSeconds: stepMs < 60 * SECOND });
      lastX = x;
    }
  }
  return ticks;
}

/** Zooming, panning, and jumping between stops: each returns a new zoom. Pure. */
import { FIT } from './step-timeline-shapes';
import type { Frame, Zoom } from './step-timeline-shapes';
import type { TimelinePlan } from './step-timeline-plan';
import { scaleOf } from './step-timeline-scale';

/** Zoom levels of the buttons. */
export const SPANS_MS = { minute: 60_000, tenSeconds: 10_000 } as const;
const LEAST_SPAN_MS = 1000;

/** Keeps the wall time at `x` in place while the span changes. */
export function zoomTo(frame: Frame, spanMs: number, x: number): Zoom {
  const atMs = frame.scale.msAt(frame.leftPx + x);
  const scale = scaleOf(frame.plan, frame.widthPx, spanMs);
  const leftPx = Math.max(0, Math.min(scale.xOf(atMs) - x, scale.contentPx - frame.widthPx));
  return { kind: 'span', spanMs, leftPx };
}

/** The time span shown when the whole turn fits. */
const fitSpanMs = (plan: TimelinePlan, widthPx: number): number =>
  widthPx / Math.max(scaleOf(plan, widthPx, undefined).pxPerMs, 1e-9);

/** Zooms in for a factor above 1, out below 1; showing the whole turn is Fit. */
export function zoomBy(frame: Frame, zoom: Zoom, factor: number, x: number): Zoom {
  const allMs = fitSpanMs(frame.plan, frame.widthPx);
  const nowMs = zoom.kind === 'fit' ? allMs : zoom.spanMs;
  const spanMs = Math.max(LEAST_SPAN_MS, nowMs / factor);
  return spanMs >= allMs ? FIT : zoomTo(frame, spanMs, x);
}

/** Pans the view; Fit cannot be panned. */
export function panBy(frame: Frame, zoom: Zoom, byPx: number): Zoom {
  if (zoom.kind === 'fit') return zoom;
  const most = Math.max(0, frame.scale.contentPx - frame.widthPx);
  return { ...zoom, leftPx: Math.min(most, Math.max(0, frame.leftPx + byPx)) };
}

/** Centers a moment in the view. */
export function centre(frame: Frame, zoom: Zoom, atMs: number): Zoom {
  const x = frame.scale.xOf(atMs) - frame.leftPx;
  return panBy(frame, zoom, x - frame.widthPx / 2);
}

/**
 * The stop before (-1) or after (1) the row, and the row to jump to: the first whose newest call
 * started after that stop, or else the last before it.
 */
export function jumpStop(
  plan: TimelinePlan,
  row: number,
  direction: -1 | 1,
): { readonly row: number; readonly atMs: number } | undefined {
  const targets = plan.downtimes.map((stop) => {
    const after = plan.rows.findIndex(({ last }) => last.fromMs >= stop.toMs);
    return { row: after < 0 ? plan.rows.length - 1 : after, atMs: stop.fromMs };
  });
  return direction > 0
    ? targets.find((target) => target.row > row)
    : targets.findLast((target) => target.row < row);
}

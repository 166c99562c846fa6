import { drawRow } from '../../../renderer/charts/step-timeline-bars';
import { frameOf } from '../../../renderer/charts/step-timeline-layout';
import type { AxisWords } from '../../../renderer/charts/step-timeline-shapes';
import type { Row, Zoom } from '../../../renderer/charts/step-timeline-shapes';
import { planTimeline } from '../../../renderer/charts/step-timeline-plan';
import type { Stop, TimelineTurn } from '../../../renderer/charts/step-timeline-plan';
import type { StepView } from '../../../shared/types';

/** A turn of the afternoon of look.md: steps by their seconds after two o'clock. */

export const S = 1000;
export const M = 60 * S;
export const T0 = Date.UTC(2026, 2, 24, 14, 0, 0);
export const WIDTH = 638;

export const step = (
  index: number,
  fromS: number,
  tookS: number | undefined,
  given = {},
): StepView => ({
  turnId: 7,
  index,
  tool: 'model',
  purity: 'llm',
  state: 'completed',
  fate: 'fresh',
  hint: '',
  startedAtMs: T0 + fromS * S,
  ...(tookS === undefined ? {} : { endedAtMs: T0 + (fromS + tookS) * S }),
  attempt: 1,
  isListed: false,
  duplicateRisk: false,
  reusedCount: 0,
  isTruncated: false,
  ...given,
});
export const stop = (fromS: number, backS: number | undefined, reason = 'power_loss'): Stop => ({
  stoppedAtMs: T0 + fromS * S,
  reason,
  ...(backS === undefined ? {} : { backAtMs: T0 + backS * S }),
});
export const turnOf = (given: Partial<TimelineTurn>): TimelineTurn => ({
  steps: [],
  stops: [],
  isRunning: false,
  nowMs: T0 + 60 * M,
  ...given,
});

export interface TimelineModel extends ReturnType<typeof frameOf> {
  readonly rows: readonly Row[];
}

/** The whole timeline of a turn as marks, as its rows draw them one by one. */
export function timelineModel(
  turn: TimelineTurn,
  widthPx: number,
  zoom: Zoom,
  words: Partial<AxisWords> = {},
): TimelineModel {
  const frame = frameOf(planTimeline(turn), widthPx, zoom, words);
  const rows = frame.isDense ? [] : frame.plan.rows.map((row) => drawRow(frame, row));
  return { ...frame, rows };
}

/** What a turn waits for, as a line at its end with a text that overlaps no other mark. Pure. */
import type { TimelinePlan, Waiting } from './step-timeline-plan';
import type { Scale } from './step-timeline-scale';
import { driftPx } from './step-timeline-shapes';
import type { AxisWords, Mark, WaitWord } from './step-timeline-shapes';

const CHAR_PX = 6.2;
/** Before and after the text, inside of its background. */
const AIR_PX = 12;
/** Half of a triangle or a circle on top of a line, with a little air. */
const FLAG_HALF_PX = 7;
/** Between the text and the next mark. */
const GAP_PX = 2;

const labelPx = (label: string, textScale: number): number => label.length * CHAR_PX * textScale;

/** The space that the text of a wait needs after its line; 0 if nothing is waited for. */
export const waitWordPx = (waiting: Waiting | undefined, textScale: number): number =>
  waiting === undefined ? 0 : labelPx(waiting.label, textScale) + AIR_PX;

type Taken = readonly [fromX: number, toX: number];

/** What a mark takes of the line of the ticks, and of the one above it. */
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
 * The line of a wait. Its text is next to the ticks, above them with the times of the stops if
 * another mark is in the way, and nowhere if both are taken: then the row shows it.
 */
export function waitOf(
  plan: TimelinePlan,
  scale: Scale,
  others: readonly Mark[],
  view: { readonly leftPx: number; readonly widthPx: number } & Omit<AxisWords, 'utcOffsetMs'>,
): readonly Mark[] {
  if (!plan.waiting) return [];
  // Not at the restart line itself, where the last thing that happened was the restart.
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
  // Without its line in view, the text would have no reference.
  const canStand = fromX >= 2 && x <= view.widthPx - 8;
  const line = canStand ? (['ticks', 'flags'] as const).find(isFree) : undefined;
  const word = line === undefined ? undefined : { endX, line };
  return [{ kind: 'wait', x, widthPx: toX - x, ...plan.waiting, word }];
}

/**
 * The end of the last tick: the wait has no time label, and its text may extend to the left of its
 * line.
 */
export function waitFromPx(marks: readonly Mark[], timePx: number, textScale: number): number {
  const wait = marks.find((mark) => mark.kind === 'wait');
  if (wait === undefined) return Number.POSITIVE_INFINITY;
  if (wait.word?.line !== 'ticks') return wait.x;
  return Math.min(wait.x, wait.word.endX - labelPx(wait.label, textScale) - timePx / 2 - GAP_PX);
}

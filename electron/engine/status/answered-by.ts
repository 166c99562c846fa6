/** Which model or agent answered a step or a turn. Pure. FB-04, FB-06 */
import type { AnsweredBy, FallbackView } from '../../../shared/types';
import type { Frame } from '../../ports/journal/entries';
import type { Answerer } from '../../ports/journal/outage';
import type { TurnRow } from '../../ports/journal/rows';

const view = ({ provider, model, agent }: Answerer): AnsweredBy => ({
  provider: provider.slice(0, 64),
  model: model.slice(0, 200),
  ...(agent === undefined ? {} : { agent: agent.slice(0, 64) }),
});

/**
 * The fallbacks that answered in place of the turn's own model or agent, in order; may be empty.
 */
export const fallbackViews = ({ fallbacks = [] }: Pick<TurnRow, 'fallbacks'>): FallbackView[] =>
  fallbacks.slice(0, 50).map((one) => ({
    ...view(one),
    instead: view(one.instead),
    cause: one.cause,
    sinceMs: one.sinceMs,
    afterStep: one.afterStep,
    by: one.by.slice(0, 140),
  }));

/** The answerer of a step: the turn's own until a fallback took over. Undefined if unknown. */
export function answererOf(
  { fallbacks = [] }: Pick<TurnRow, 'fallbacks'>,
  frame: Pick<Frame, 'provider' | 'model'> | undefined,
  step: number,
): AnsweredBy | undefined {
  const other = fallbacks.findLast(({ afterStep }) => afterStep < step);
  const own = fallbacks[0]?.instead ?? frame;
  const found = other ?? own;
  return found === undefined ? undefined : view(found);
}

/** The model or agent that answered the previous turn, if this turn uses its own again. FB-04 */
export const backFrom = (
  turn: Pick<TurnRow, 'fallbacks'>,
  before: Pick<TurnRow, 'fallbacks'> | undefined,
): AnsweredBy | undefined => {
  const other = before?.fallbacks?.at(-1);
  return other === undefined || (turn.fallbacks ?? []).length > 0 ? undefined : view(other);
};

/** Describes who answered a turn in place of its own model or agent. Pure. FB-04, FB-06 */
import { sentence, type Sentence } from './messages/sentence';
import type { AnsweredBy, TurnSummary } from './types';

/** The name of an agent, or `provider/model`. */
export const answererText = ({ agent, provider, model }: AnsweredBy): string =>
  agent ?? `${provider}/${model}`;

/** Undefined if the turn's own model or agent answered, and that of the previous turn too. */
export function answeredSentence(
  turn: Pick<TurnSummary, 'fallbacks' | 'backFrom' | 'endedAtMs'>,
): Sentence | undefined {
  const last = turn.fallbacks?.at(-1);
  if (last === undefined)
    return turn.backFrom === undefined
      ? undefined
      : sentence('answered.back', { name: answererText(turn.backFrom) });
  const values = { name: answererText(last), first: answererText(last.instead) };
  const isOver = turn.endedAtMs !== undefined;
  if (last.cause === 'limit')
    return sentence(isOver ? 'answered.limit' : 'answered.limitNow', values);
  return sentence(isOver ? 'answered.outage' : 'answered.outageNow', values);
}

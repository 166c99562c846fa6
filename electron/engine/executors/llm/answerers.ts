/** The conversation of a turn for each of the models that have answered it. Pure. FB-03 */
import type { Message, ModelRequest } from '../../../ports/provider';
import type { TurnRun } from '../../turns/run-record';

/** Which of a run's models gave each message; those of earlier turns are plain text. */
export type AnsweredBy = WeakMap<Message, number>;

/**
 * The request to the model at this index of `run.models`. The same run state gives the same
 * request, before and after a crash. Reasoning of other models is left out, because it is private
 * to them; their texts, calls and results are included.
 */
export function requestOf(
  run: Pick<TurnRun, 'frame' | 'messages' | 'models'>,
  at: number,
  answeredBy: AnsweredBy,
): ModelRequest {
  const { provider, model, system, tools } = { ...run.frame, ...run.models[at] };
  const messages =
    run.models.length === 1
      ? run.messages
      : run.messages.map((message) => forOther(message, at, answeredBy));
  return { provider, model, system, messages, tools };
}

function forOther(message: Message, at: number, answeredBy: AnsweredBy): Message {
  if (message.role !== 'assistant' || answeredBy.get(message) === at) return message;
  const parts = message.parts.filter(({ kind }) => kind !== 'reasoning');
  return parts.length === message.parts.length ? message : { ...message, parts };
}

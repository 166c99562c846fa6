import type { LimitNotice } from '../../../shared/limits/read-limit';
import type {
  ExternalAgent,
  ExternalEvent,
  ExternalPromptEnd,
  ExternalResult,
} from '../../ports/external-agent';
import { limitWords } from './classify-acp-error';
import { exactLimit, limitAsAnswer } from './read-rate-limit';

/** Maximum length of a sentence about a limit. */
const MAX_SENTENCE = 400;

/** The same agent; the end of a prompt also reflects the limits that it reported. LM-01 */
export function withLimits(agent: ExternalAgent): ExternalAgent {
  return {
    ...agent,
    async prompt(ref, text, listener) {
      let notice: LimitNotice | undefined;
      let said = '';
      const onEvent = (event: ExternalEvent): void => {
        if (event.kind === 'limit') notice = event.notice;
        if (event.kind === 'text' && said.length <= MAX_SENTENCE) said += event.text;
        listener.onEvent(event);
      };
      const end = await agent.prompt(ref, text, { ...listener, onEvent });
      return endWithLimit(end, { notice, said });
    },
  };
}

/** How a prompt ended, from its own end and earlier reports. Pure. */
export function endWithLimit(
  end: ExternalResult<ExternalPromptEnd>,
  { notice, said }: { readonly notice: LimitNotice | undefined; readonly said: string },
): ExternalResult<ExternalPromptEnd> {
  if (end.kind === 'ok') {
    const limit = limitAsAnswer({ end: end.value, text: said, notice });
    if (limit === undefined) return end;
    return {
      kind: 'failure',
      failure: { kind: 'provider', limit: exactLimit(limit, notice), ...limitWords(said.trim()) },
    };
  }
  const { failure } = end;
  if (failure.limit !== undefined)
    return { kind: 'failure', failure: { ...failure, limit: exactLimit(failure.limit, notice) } };
  const isRefusal = failure.kind === 'provider' || failure.kind === 'refused';
  return isRefusal && notice?.status === 'reached'
    ? { kind: 'failure', failure: { ...failure, kind: 'provider', limit: notice.limit } }
    : end;
}

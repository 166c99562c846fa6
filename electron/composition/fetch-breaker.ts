import { breakerNames, guardCall, type CallVerdict } from '../engine/breaker';
import type { Breakers } from '../ports/breakers';
import type { ToolCall, ToolHost, ToolOutcome } from '../ports/tools';

/** The host of pages with a breaker for each place that they come from. S2-01. */
export function guardedFetch(host: ToolHost, breakers: Pick<Breakers, 'of'>): ToolHost {
  return {
    ...host,
    call(request) {
      const place = placeOf(request);
      if (place === undefined) return host.call(request);
      return guardCall<ToolOutcome>(breakers.of(breakerNames.http(place), 'http'), {
        make: () => host.call(request),
        refused: ({ reason }) => ({ kind: 'failed', message: reason, isRetryable: true }),
        judge: (outcome) => judge(outcome, request.signal),
        judgeError: () => ({ kind: 'neither' }),
      });
    },
  };
}

/** Undefined where nothing can be called: the tool says what is wrong. */
function placeOf({ args }: ToolCall): string | undefined {
  const url = (args as { readonly url?: unknown } | null)?.url;
  try {
    return typeof url === 'string' ? new URL(url).host.slice(0, 190) || undefined : undefined;
  } catch {
    return undefined;
  }
}

/** No answer and trouble of the server's own are failures; what it refuses, and we, are not. */
function judge(outcome: ToolOutcome, signal: AbortSignal): CallVerdict {
  if (signal.aborted) return { kind: 'neither' };
  if (outcome.kind === 'failed')
    return outcome.isRetryable ? { kind: 'failed', error: outcome.message } : { kind: 'neither' };
  if (outcome.kind !== 'result') return { kind: 'neither' };
  const status = /^Status: (\d{3})$/m.exec(outcome.content.slice(0, 5_000))?.[1];
  if (status === undefined) return { kind: 'neither' };
  return status.startsWith('5') ? { kind: 'failed', error: `Status ${status}` } : { kind: 'ok' };
}

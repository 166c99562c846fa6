import { breakerNames } from './names';
import { guardCall, type CallVerdict } from './guard-call';
import type { Breakers } from '../../ports/breakers';
import type { ToolHost } from '../../ports/tools';
import type { ToolCall, ToolOutcome } from '../../ports/tool-call';

/** Maximum remembered origins. */
const MAX_ORIGINS = 200;

/** The page tool host, and a light check of a site that this run requested. */
export interface GuardedFetch {
  readonly host: ToolHost;
  check(place: string): ((signal: AbortSignal) => Promise<'ok' | 'neither'>) | undefined;
}

/** The page tool host with a breaker per origin. S2-01. */
export function guardedFetch(
  host: ToolHost,
  breakers: Pick<Breakers, 'of'>,
  look: (url: string, signal: AbortSignal) => Promise<'ok' | 'neither'>,
): GuardedFetch {
  const origins = new Map<string, string>();
  const remember = (place: string, request: ToolCall): void => {
    origins.delete(place);
    origins.set(place, new URL((request.args as { readonly url: string }).url).origin);
    const [eldest] = origins.keys();
    if (origins.size > MAX_ORIGINS && eldest !== undefined) origins.delete(eldest);
  };
  const guarded: ToolHost = {
    ...host,
    call(request) {
      const place = placeOf(request);
      if (place === undefined) return host.call(request);
      remember(place, request);
      return guardCall<ToolOutcome>(breakers.of(breakerNames.http(place), 'http'), {
        make: () => host.call(request),
        refused: ({ reason }) => ({ kind: 'failed', message: reason, isRetryable: true }),
        judge: (outcome) => judge(outcome, request.signal),
        judgeError: () => ({ kind: 'neither' }),
      });
    },
  };
  return {
    host: guarded,
    check(place) {
      const origin = origins.get(place);
      return origin === undefined ? undefined : (signal) => look(`${origin}/`, signal);
    },
  };
}

/** Undefined if there is nothing to call: the tool reports the error. */
function placeOf({ args }: ToolCall): string | undefined {
  const url = (args as { readonly url?: unknown } | null)?.url;
  try {
    return typeof url === 'string' ? new URL(url).host.slice(0, 190) || undefined : undefined;
  } catch {
    return undefined;
  }
}

/** No response and server errors are failures; rejections by the server, or by us, are not. */
function judge(outcome: ToolOutcome, signal: AbortSignal): CallVerdict {
  if (signal.aborted) return { kind: 'neither' };
  if (outcome.kind === 'failed')
    return outcome.isRetryable ? { kind: 'failed', error: outcome.message } : { kind: 'neither' };
  if (outcome.kind !== 'result') return { kind: 'neither' };
  const { httpStatus: status } = outcome;
  if (status === undefined) return { kind: 'neither' };
  return status >= 500 ? { kind: 'failed', error: `Status ${String(status)}` } : { kind: 'ok' };
}

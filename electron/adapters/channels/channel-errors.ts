import { HoldfastError } from '../../engine/kernel/errors';

/** The channel does not take it now; it is tried again. `afterMs`: the wait that it asks for. */
export function down(
  what: string,
  options: { afterMs?: number; cause?: unknown } = {},
): HoldfastError {
  return new HoldfastError('CHANNEL_DOWN', what, {
    hint: 'The message is on disk and is sent later.',
    retryable: true,
    ...(options.cause === undefined ? {} : { cause: options.cause }),
    facts: options.afterMs === undefined ? {} : { retryAfterMs: options.afterMs },
  });
}

/** The channel will never take this one. */
export function refused(what: string): HoldfastError {
  return new HoldfastError('CHANNEL_REFUSED', what, {
    hint: 'Its answer goes to the default channel.',
  });
}

/** Why a request came to nothing, without its address: that may hold a secret. */
export function failureWord(thrown: unknown): string {
  if (!(thrown instanceof Error)) return 'it failed';
  if (thrown.name === 'TimeoutError') return 'no answer in time';
  const { cause } = thrown;
  const code = (cause instanceof Error ? (cause as NodeJS.ErrnoException).code : undefined) ?? '';
  return code === '' ? 'it cannot be reached' : `it cannot be reached (${code})`;
}

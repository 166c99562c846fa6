import { HoldfastError, toHoldfastError } from '../../engine/kernel/errors';
import { retryAfterMs } from '../http/retry-after';

/** The longest wait accepted; how much of it is honored is the sender's decision. */
const MAX_AFTER_MS = 86_400_000;

/** The wait that a response requests, in ms. */
export const afterMsOf = ({ headers }: Response, nowMs: number): number | undefined =>
  retryAfterMs(headers.get('retry-after'), { nowMs, mostMs: MAX_AFTER_MS });

/**
 * The channel does not accept it now; it is retried. `afterMs`: the requested wait;
 * `mayHaveArrived`: whether it was accepted is unknown.
 */
export function down(
  what: string,
  options: { afterMs?: number | undefined; cause?: unknown; mayHaveArrived?: boolean } = {},
): HoldfastError {
  return new HoldfastError('CHANNEL_DOWN', what, {
    hint: 'The message is on disk and will be sent later.',
    retryable: true,
    ...(options.cause === undefined ? {} : { cause: options.cause }),
    facts: {
      ...(options.afterMs === undefined ? {} : { retryAfterMs: options.afterMs }),
      ...(options.mayHaveArrived === true ? { mayHaveArrived: true } : {}),
    },
  });
}

/**
 * The service is up, and this computer could not take what it sent: it is read again, after delays
 * that grow.
 */
export function notTaken(what: string, cause?: unknown): HoldfastError {
  const why = cause === undefined ? ' now.' : `: ${toHoldfastError(cause).message}`;
  return new HoldfastError('CHANNEL_DOWN', `${what} could not be taken${why}`, {
    hint: 'It is read again.',
    retryable: true,
    ...(cause === undefined ? {} : { cause }),
    facts: { isNotTaken: true },
  });
}

/** The channel permanently rejects this message. */
export function refused(what: string): HoldfastError {
  return new HoldfastError('CHANNEL_REFUSED', what, {
    hint: 'Its answer goes to the default channel.',
  });
}

/** Errors of a request that never reached the other side. */
const NEVER_THERE: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** True if a request failed in a way that leaves open whether it was received. */
export function mayHaveReached(thrown: unknown): boolean {
  const cause: unknown = thrown instanceof Error ? thrown.cause : undefined;
  const code = cause instanceof Error ? (cause as NodeJS.ErrnoException).code : undefined;
  return code === undefined || !NEVER_THERE.has(code);
}

/** Why a request failed, without its address, which may contain a secret. */
export function failureWord(thrown: unknown): string {
  if (!(thrown instanceof Error)) return 'it failed';
  if (thrown.name === 'TimeoutError') return 'no answer in time';
  const { cause } = thrown;
  const code = (cause instanceof Error ? (cause as NodeJS.ErrnoException).code : undefined) ?? '';
  return code === '' ? 'it cannot be reached' : `it cannot be reached (${code})`;
}

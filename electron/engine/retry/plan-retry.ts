import type { ProviderFailure } from '../../ports/provider';
import { classifyFailure } from './classify';

/** How one class of failures is retried. */
interface ClassPolicy {
  /** Total calls, including the first one. From 1. */
  readonly maxAttempts: number;
  /** Wait after the first failure; doubles with each. */
  readonly firstWaitMs: number;
  /** Maximum wait within a call; a longer one becomes a wait on disk. */
  readonly maxWaitMs: number;
}

/** Retry settings by class; read at each failure, so changes apply at once. */
export interface RetryPolicy {
  /** 429. S2-25 */
  readonly rateLimited: ClassPolicy;
  /** 5xx, 408, 409, 425, network, timeouts, interrupted and unreadable answers. S2-26 */
  readonly server: ClassPolicy;
}

/** Failed calls of one chain by class. */
export interface Tries {
  readonly rateLimited: number;
  readonly server: number;
}

export const NO_TRIES: Tries = { rateLimited: 0, server: 0 };

type RetryPlan =
  | { readonly kind: 'retry'; readonly tries: Tries; readonly delayMs: number }
  /** The provider named a time that is too far away for a sleep: the turn waits on disk. */
  | {
      readonly kind: 'later';
      readonly tries: Tries;
      readonly delayMs: number;
      readonly cause: 'quota' | 'retry_after';
    }
  | { readonly kind: 'give_up'; readonly tries: Tries };

/**
 * What happens to a failed call. Each class counts its own tries, and the total never exceeds the
 * longest of both. The wait is the longer of the jittered backoff and the requested Retry-After;
 * above the class's cap it becomes a wait on disk. Pure. S2-25, S2-26, R5.
 */
export function planRetry(facts: {
  readonly failure: ProviderFailure;
  /** Failed calls before this one. */
  readonly tries: Tries;
  readonly policy: RetryPolicy;
  /** From 0 (inclusive) to 1 (exclusive). */
  readonly random: number;
}): RetryPlan {
  const { failure, policy } = facts;
  const toldMs = failure.retryAfterMs ?? 0;
  const { retriedAs } = classifyFailure(failure);
  if (retriedAs === 'none') {
    const isNamedWait = failure.kind === 'quota' && toldMs > 0;
    return isNamedWait
      ? { kind: 'later', tries: facts.tries, delayMs: toldMs, cause: 'quota' }
      : { kind: 'give_up', tries: facts.tries };
  }
  const isLimited = retriedAs === 'rate_limited';
  const own = isLimited ? policy.rateLimited : policy.server;
  const tries = {
    rateLimited: facts.tries.rateLimited + (isLimited ? 1 : 0),
    server: facts.tries.server + (isLimited ? 0 : 1),
  };
  if (toldMs > own.maxWaitMs)
    return { kind: 'later', tries, delayMs: toldMs, cause: 'retry_after' };
  const failed = isLimited ? tries.rateLimited : tries.server;
  const most = Math.max(policy.rateLimited.maxAttempts, policy.server.maxAttempts);
  if (failed >= own.maxAttempts || tries.rateLimited + tries.server >= most)
    return { kind: 'give_up', tries };
  const delayMs = Math.max(backoffMs(own, failed, facts.random), toldMs);
  return { kind: 'retry', tries, delayMs };
}

/**
 * Wait after failure n of a class: uniform in [d, 2d) with d = first wait x 2^(n-1), never above
 * the cap. If the doubling exceeds the cap it is uniform in [cap/2, cap), so that many chains do
 * not retry at once. S2-24.
 */
export function backoffMs(policy: ClassPolicy, failed: number, random: number): number {
  const capMs = Math.max(1, policy.maxWaitMs);
  const plainMs = Math.max(1, policy.firstWaitMs) * 2 ** Math.min(failed - 1, 40);
  const lowMs = Math.min(plainMs, capMs / 2);
  const highMs = Math.min(plainMs * 2, capMs);
  return Math.ceil(lowMs + (highMs - lowMs) * random);
}

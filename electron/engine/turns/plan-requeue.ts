import { failureReason } from '../retry/failure-reason';
import { because, type Reason } from '../../../shared/reason';
import { durationMs } from '../../../shared/settings';
import type { RetryKind } from '../../ports/journal/work';
import type { ProviderFailure } from '../../ports/provider';
import type { SettingsPort } from '../../ports/settings';

/** Backoff settings, read when a failure is decided, so changes apply at once (S3-+02). */
export interface RequeuePolicy {
  readonly delayMs: number;
  readonly maxDelayMs: number;
  /** Parks the turn after this many consecutive failures. 0: after the first one. */
  readonly maxRequeues: number;
}

export const requeueBySettings =
  (settings: Pick<SettingsPort, 'get'>): (() => RequeuePolicy) =>
  () => ({
    delayMs: durationMs(settings.get('work.requeue_delay')),
    maxDelayMs: durationMs(settings.get('work.requeue_max_delay')),
    maxRequeues: settings.get('work.max_requeues'),
  });

type RequeuePlan =
  | {
      readonly kind: 'requeue';
      readonly streak: number;
      readonly delayMs: number;
      readonly failure: RetryKind;
    }
  | { readonly kind: 'park'; readonly reason: Reason };

/** Random share of a wait, so that many turns do not retry at once. */
export const JITTER = 0.1;

const RETRY_KINDS: readonly RetryKind[] = [
  'network',
  'timeout',
  'server',
  'rate_limited',
  'cut',
  'malformed',
];

/**
 * What happens to a wake-up whose model request failed: failure n waits `delay x 2^(n-1)`, at most
 * `maxDelay`, within a tenth; a longer wait that the provider requested wins. A permanent failure,
 * or one too many, parks it. Pure. S3-12, R10.
 */
export function planRequeue(facts: {
  readonly failure: ProviderFailure;
  /** Consecutive failures before this one. */
  readonly streak: number;
  readonly policy: RequeuePolicy;
  /** From 0 (inclusive) to 1 (exclusive). */
  readonly random: number;
}): RequeuePlan {
  const { failure, policy } = facts;
  const kind = RETRY_KINDS.find((one) => one === failure.kind);
  if (!failure.isRetryable || kind === undefined)
    return { kind: 'park', reason: failureReason(failure) };
  const streak = facts.streak + 1;
  if (streak > policy.maxRequeues) {
    const reason = failureReason(failure);
    return {
      kind: 'park',
      reason:
        facts.streak === 0 ? reason : because('reason.tried', { what: reason, count: streak }),
    };
  }
  const plainMs = Math.min(policy.delayMs * 2 ** (streak - 1), policy.maxDelayMs);
  const spread = 1 + JITTER * (2 * facts.random - 1);
  const delayMs = Math.min(Math.round(plainMs * spread), policy.maxDelayMs);
  return {
    kind: 'requeue',
    streak,
    delayMs: Math.max(delayMs, failure.retryAfterMs ?? 0),
    failure: kind,
  };
}

/** The sentence for lists: the error and the time of the next retry. */
export function requeueReason(error: string, dueAt: string, streak: number): Reason {
  const short = error.length > 300 ? `${error.slice(0, 299)}…` : error;
  return because('reason.retry', { text: short, time: dueAt, count: streak + 1 });
}

import type { Breaker, Breakers, Permit, Refusal } from '../../ports/breakers';
import type { CallOutcomeKind } from '../../ports/call-outcomes';
import type { Clock } from '../../ports/clock';
import type { ProviderFailure } from '../../ports/provider';
import { classifyFailure } from './classify';
import { planRetry, type RetryPolicy, type Tries } from './plan-retry';

/** One call that is retried if its failure may be temporary. */
interface RetryingCall<A> {
  readonly breaker: Breaker;
  /** Failed calls of this chain in an earlier run that was interrupted. */
  readonly tries: Tries;
  /** The remainder of a wait that such a run had started. */
  readonly firstWaitMs: number;
  /** One request without internal retries. `alive` reports activity of the provider. */
  readonly call: (
    alive: () => void,
  ) => Promise<
    | { readonly kind: 'answer'; readonly answer: A }
    | { readonly kind: 'failure'; readonly failure: ProviderFailure }
  >;
  /** A try has failed and another follows: on disk when it resolves, before anything waits. */
  readonly onRetry: (retry: CallRetry) => Promise<void>;
  /** Remaining Retry-After time of the provider; ms, 0 for none. S0-+07 */
  readonly quietMs: () => number;
  readonly signal: AbortSignal;
}

export interface CallRetry {
  readonly tries: Tries;
  readonly delayMs: number;
  /** Wall time of the next try. */
  readonly dueAtMs: number;
  readonly failure: ProviderFailure;
}

/** How a chain ended; its breaker has received one result. */
export type RetryingCallEnd<A> =
  | { readonly kind: 'answer'; readonly answer: A; readonly isTrial: boolean }
  | {
      readonly kind: 'failure';
      readonly failure: ProviderFailure;
      readonly contact: CallOutcomeKind | undefined;
      readonly isTrial: boolean;
    }
  | {
      readonly kind: 'later';
      readonly failure: ProviderFailure;
      readonly contact: CallOutcomeKind;
      readonly cause: 'quota' | 'retry_after';
      readonly untilMs: number;
      readonly isTrial: boolean;
    }
  /**
   * Not admitted, or the breaker opened while the chain waited: `failure` is that of its last try.
   */
  | {
      readonly kind: 'refused';
      readonly refusal: Refusal;
      readonly failure: ProviderFailure | undefined;
    };

interface RetryingCallDeps {
  readonly clock: Clock;
  readonly onMoved: Breakers['onMoved'];
  readonly policy: () => RetryPolicy;
  /** From 0 (inclusive) to 1 (exclusive). */
  readonly random: () => number;
}

/**
 * Calls until an answer, a permanent failure, or a rejection by the breaker. Works above the
 * breaker: a failure that a later try fixes does not count, an exhausted chain counts once (S2-23).
 * A breaker that opens ends a chain's wait; the probe of a half-open breaker is one call without a
 * chain. An abort ends a wait at once with a failure of kind `aborted`.
 */
export async function callWithRetries<A>(
  deps: RetryingCallDeps,
  job: RetryingCall<A>,
): Promise<RetryingCallEnd<A>> {
  const { breaker } = job;
  let tries = job.tries;
  let last: ProviderFailure | undefined;
  let waitMs = job.firstWaitMs;
  for (;;) {
    if (waitMs > 0 && !(await sleepUnlessOpened(deps, job, waitMs))) return aborted();
    waitMs = quietOf(deps, job);
    if (waitMs > 0) continue;
    const admission = breaker.allow();
    if (admission.kind === 'refused') return { kind: 'refused', refusal: admission, failure: last };
    const outcome = await oneCall(job, admission);
    if (outcome.kind === 'answer') {
      breaker.onSuccess(admission);
      return { ...outcome, isTrial: admission.isTrial };
    }
    const { failure } = outcome;
    last = failure;
    const plan = planRetry({ failure, tries, policy: deps.policy(), random: deps.random() });
    tries = plan.tries;
    if (plan.kind === 'later') return later(deps, breaker, admission, failure, plan);
    if (plan.kind === 'give_up' || admission.isTrial || job.signal.aborted)
      return giveUp(breaker, admission, job.signal.aborted ? aborted().failure : failure);
    breaker.onIgnored(admission);
    const dueAtMs = deps.clock.nowMs() + plan.delayMs;
    await job.onRetry({ tries, delayMs: plan.delayMs, dueAtMs, failure });
    waitMs = plan.delayMs;
  }
}

/** A wait that is too long for a sleep goes to the call itself, which then waits on disk. */
function quietOf<A>(deps: RetryingCallDeps, job: RetryingCall<A>): number {
  const quietMs = job.quietMs();
  return quietMs <= deps.policy().rateLimited.maxWaitMs ? quietMs : 0;
}

async function oneCall<A>(
  job: RetryingCall<A>,
  permit: Permit,
): ReturnType<RetryingCall<A>['call']> {
  try {
    return await job.call(() => {
      job.breaker.onAlive(permit);
    });
  } catch (error) {
    job.breaker.onIgnored(permit);
    throw error;
  }
}

function giveUp(
  breaker: Breaker,
  permit: Permit,
  failure: ProviderFailure,
): Extract<RetryingCallEnd<never>, { kind: 'failure' }> {
  const { contact } = classifyFailure(failure);
  if (contact === 'failure') breaker.onFailure(permit, failure.message);
  else breaker.onIgnored(permit);
  return { kind: 'failure', failure, contact, isTrial: permit.isTrial };
}

/** A provider that names a time counts as responding; one that also reports trouble has failed. */
function later(
  deps: RetryingCallDeps,
  breaker: Breaker,
  permit: Permit,
  failure: ProviderFailure,
  plan: { readonly delayMs: number; readonly cause: 'quota' | 'retry_after' },
): RetryingCallEnd<never> {
  const isTrouble = classifyFailure(failure).retriedAs === 'server';
  if (isTrouble) breaker.onFailure(permit, failure.message);
  else breaker.onIgnored(permit);
  return {
    kind: 'later',
    failure,
    contact: isTrouble ? 'failure' : 'quota',
    cause: plan.cause,
    untilMs: deps.clock.nowMs() + plan.delayMs,
    isTrial: permit.isTrial,
  };
}

/**
 * False if aborted. A breaker that opens ends the sleep early: the next admission rejects the call.
 */
async function sleepUnlessOpened<A>(
  deps: RetryingCallDeps,
  job: RetryingCall<A>,
  delayMs: number,
): Promise<boolean> {
  const wake = new AbortController();
  const onAbort = (): void => {
    wake.abort(job.signal.reason);
  };
  const off = deps.onMoved((move) => {
    if (move.name === job.breaker.name && move.to === 'open') wake.abort(new Error(move.cause));
  });
  job.signal.addEventListener('abort', onAbort, { once: true });
  if (job.signal.aborted) onAbort();
  try {
    await deps.clock.sleep(delayMs, wake.signal);
  } catch {
    // Woken early: the signal tells why.
  } finally {
    off();
    job.signal.removeEventListener('abort', onAbort);
  }
  return !job.signal.aborted;
}

function aborted(): Extract<RetryingCallEnd<never>, { kind: 'failure' }> {
  const failure: ProviderFailure = {
    kind: 'aborted',
    message: 'Stopped while waiting for the next retry.',
    hint: '',
    isRetryable: false,
  };
  return { kind: 'failure', failure, contact: undefined, isTrial: false };
}

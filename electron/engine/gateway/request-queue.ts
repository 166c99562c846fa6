import type { Clock } from '../../ports/clock';
import type { CallOutcomeKind, CallOutcomes } from '../../ports/call-outcomes';
import type {
  GatewayEnd,
  GatewayFallbackMove,
  GatewayJob,
  RequestQueue,
} from '../../ports/gateway';
import type { ProviderFailure } from '../../ports/provider';
import type { callWithRetries, RetryingCallEnd } from '../retry/retrying-call';
import { createStandIns } from './stand-ins';
import { planHold } from './plan-hold';
import { createDayBudget, type DayBudgetDeps } from './budget';

/** One chain of tries through the breaker of a provider, as for turns. */
type CallWithRetries = <A>(
  provider: string,
  job: Pick<Parameters<typeof callWithRetries<A>>[1], 'call' | 'onRetry' | 'signal'>,
) => Promise<RetryingCallEnd<A>>;

/** A provider's state, as far as a request needs it. */
export interface ProviderState {
  /** No requests: its probes try it. */
  readonly isDown: boolean;
  /** It has named the time from which it answers again. */
  readonly untilMs: number | undefined;
  /** Maximum parallel requests: few while it recovers (R3). */
  readonly slots: number;
  /** In one sentence. */
  readonly reason: string;
}

type Later = Extract<RetryingCallEnd<unknown>, { readonly kind: 'later' }>;

interface RequestQueueDeps {
  readonly clock: Clock;
  readonly calls: { readonly retrying: CallWithRetries; readonly outcomes: CallOutcomes };
  readonly provider: ProviderWatch;
  readonly waits: {
    /** Which waits are automatic: `resilience.auto_wait` and `resilience.wait_for_quota`. */
    readonly areAllowed: () => { readonly isForOutage: boolean; readonly isForTime: boolean };
    readonly maxMs: () => number;
    /** From 0 up to, not including, 1. */
    readonly random: () => number;
  };
  readonly budget: DayBudgetDeps;
  /** Whether one of these providers answers in place of the first now. FB-05 */
  readonly fallback: (provider: string, others: readonly string[]) => Promise<GatewayFallbackMove>;
  readonly usage: Pick<RequestQueue, 'begin' | 'count'>;
}

/** What is known of a provider, and what a request learns about it. */
interface ProviderWatch {
  readonly stateOf: (provider: string) => ProviderState;
  /**
   * The provider named a time: no request goes out before it. A limit without a time has no
   * `untilMs`. S0-+07, LM-04
   */
  readonly setRetryAt: (
    provider: string,
    later: Pick<Later, 'kind' | 'cause' | 'failure'> & { readonly untilMs?: number },
  ) => void;
  /** The same for a time that is short enough to be waited for inside of a call. */
  readonly noteRetryAfter: (provider: string, failure: ProviderFailure) => void;
  /** Calls back when the breaker of this provider lets something through again. */
  readonly onMoved: (provider: string, listener: () => void) => () => void;
  /** Calls back when a provider's state may have changed. */
  readonly onChanged: (listener: () => void) => () => void;
}

/** Held requests of one provider that are let go at a time: a queue must not become a wave. */
const LET_GO_AT_ONCE = 4;

/** The rules of the gateway over the breaker, the outages and the money of the day. */
export function createRequestQueue(deps: RequestQueueDeps): RequestQueue {
  const held = new Map<string, number>();
  const trying = new Map<string, number>();
  const dayBudget = createDayBudget(deps.budget);
  /** Called when a request that others wait behind has ended. */
  const ends = new Set<() => void>();
  const add = (to: Map<string, number>, provider: string, count: number): void => {
    to.set(provider, (to.get(provider) ?? 0) + count);
  };

  const chainOf = async <A>(job: GatewayJob<A>): Promise<RetryingCallEnd<A>> => {
    const end = await deps.calls.retrying<A>(job.provider, {
      signal: job.signal,
      call: job.send,
      onRetry: ({ failure }) => {
        job.onWait(failure.message);
        deps.provider.noteRetryAfter(job.provider, failure);
        return Promise.resolve();
      },
    });
    if (end.kind === 'later') deps.provider.setRetryAt(job.provider, end);
    const limit = limitOf(end);
    if (limit !== undefined)
      deps.provider.setRetryAt(job.provider, { kind: 'later', cause: 'quota', failure: limit });
    report(deps, job.provider, end);
    return end;
  };

  /** With its money put aside; `isInTurn`: one of a number that is bounded. */
  const tryOnce = async <A>(job: GatewayJob<A>, isInTurn: boolean): Promise<RetryingCallEnd<A>> => {
    const giveBack = dayBudget.setAside(job.provider, job.mostUsd);
    if (isInTurn) add(trying, job.provider, 1);
    try {
      return await chainOf(job);
    } finally {
      giveBack();
      if (isInTurn) add(trying, job.provider, -1);
      for (const end of [...ends]) end();
    }
  };
  /** Why the request cannot go out now; undefined if it can. */
  const blockOf = ({ provider, mostUsd }: Asking, most: number): Wait | undefined => {
    const { isDown, slots, reason, untilMs } = deps.provider.stateOf(provider);
    if (isDown || (trying.get(provider) ?? 0) >= Math.min(slots, most))
      return waitFor(reason, undefined, untilMs !== undefined);
    const short = dayBudget.blocks(provider, mostUsd);
    return short === undefined
      ? undefined
      : { ...waitFor(short, undefined, false), isForMoney: true };
  };

  const sleep = async (
    { provider, signal }: Asking,
    { forMs, isForChange }: { readonly forMs: number; readonly isForChange: boolean },
  ): Promise<void> => {
    const wake = new AbortController();
    const end = (): void => {
      wake.abort();
    };
    const offs = [deps.provider.onMoved(provider, end)];
    if (isForChange) {
      ends.add(end);
      offs.push(deps.provider.onChanged(end), () => ends.delete(end));
    }
    signal.addEventListener('abort', end, { once: true });
    if (signal.aborted) end();
    await deps.clock.sleep(forMs, wake.signal).catch(() => undefined);
    for (const off of offs) off();
    signal.removeEventListener('abort', end);
  };

  const hold = async <A>(
    job: GatewayJob<A>,
    beganMs: number,
    first: Wait,
  ): Promise<GatewayEnd<A>> => {
    let wait = first;
    const others = createStandIns(job, {
      nowMs: () => deps.clock.nowMs(),
      move: deps.fallback,
      isFree: (other) => blockOf({ ...job, ...other }, LET_GO_AT_ONCE) === undefined,
      tryOnce: (other) => tryOnce(other, true),
    });
    for (;;) {
      const other = wait.isForMoney === true ? {} : await others.look();
      if (other.end !== undefined) return other.end;
      const state = deps.provider.stateOf(job.provider);
      if (!mayWait(deps, wait)) return notHeld(wait, state, other.why);
      job.onWait(wait.reason);
      const plan = planHold({
        nowMs: deps.clock.nowMs(),
        beganMs,
        maxWaitMs: deps.waits.maxMs(),
        notBeforeMs: state.untilMs,
        isBlocked: blockOf(job, LET_GO_AT_ONCE) !== undefined,
        fallbackAtMs: other.atMs,
        random: deps.waits.random(),
      });
      if (plan.kind === 'give_up') {
        const why = [plan.reason, wait.reason, other.why ?? ''].join(' ').trim();
        return gaveUp(why, state);
      }
      await sleep(job, plan);
      if (job.signal.aborted) return { kind: 'failure', failure: LEFT };
      const block = blockOf(job, LET_GO_AT_ONCE);
      if (block !== undefined) {
        // By now it may be its provider that it waits for, which is another matter.
        if (wait.isForMoney === true) wait = block;
        continue;
      }
      const next = waitAfter(await tryOnce(job, true));
      if (next.kind !== 'wait') return next;
      wait = next;
    }
  };

  return {
    async serve(job) {
      const beganMs = deps.clock.nowMs();
      const first =
        blockOf(job, Infinity) ??
        waitAfter(await tryOnce(job, deps.provider.stateOf(job.provider).slots !== Infinity));
      if (first.kind !== 'wait') return first;
      add(held, job.provider, 1);
      return hold(job, beganMs, first).finally(() => {
        add(held, job.provider, -1);
      });
    },
    overBudget: (provider) => dayBudget.overBudget(provider),
    begin: (use) => deps.usage.begin(use),
    count: (use) => deps.usage.count(use),
    waiting: () => [...held.values()].reduce((sum, count) => sum + count, 0),
  };
}

type Asking = Pick<GatewayJob<unknown>, 'provider' | 'signal' | 'mostUsd'>;

interface Wait {
  readonly kind: 'wait';
  readonly reason: string;
  /** The provider has named the time from which it answers again. */
  readonly isForTime: boolean;
  readonly failure: ProviderFailure | undefined;
  /** Its provider is well: others may use the money up. */
  readonly isForMoney?: true;
}

const mayWait = (deps: RequestQueueDeps, { isForTime, isForMoney }: Wait): boolean => {
  const allowed = deps.waits.areAllowed();
  return isForMoney === true || (allowed.isForOutage && (!isForTime || allowed.isForTime));
};
/** The client gets the provider's response and may retry by its own rules. */
const notHeld = (
  { failure, reason }: Wait,
  state: ProviderState,
  why: string | undefined,
): GatewayEnd<never> =>
  failure === undefined
    ? gaveUp(
        `${reason} Automatic waiting is off in the settings.${why === undefined ? '' : ` ${why}`}`,
        state,
      )
    : { kind: 'failure', failure };

const gaveUp = (reason: string, { untilMs }: ProviderState): GatewayEnd<never> => ({
  kind: 'gave_up',
  reason,
  ...(untilMs === undefined ? {} : { untilMs }),
});

const LEFT: ProviderFailure = {
  kind: 'aborted',
  message: 'The client has left.',
  hint: '',
  isRetryable: false,
};

const waitFor = (
  reason: string,
  failure: ProviderFailure | undefined,
  isForTime: boolean,
): Wait => ({ kind: 'wait', reason, failure, isForTime });

/** Of a used-up limit for which no time was named. */
const limitOf = (end: RetryingCallEnd<unknown>): ProviderFailure | undefined =>
  end.kind === 'failure' && end.failure.kind === 'quota' ? end.failure : undefined;

/** Waits for a temporary failure; any other is the client's response. */
function waitAfter<A>(end: RetryingCallEnd<A>): Wait | GatewayEnd<A> {
  switch (end.kind) {
    case 'answer':
      return { kind: 'answer', answer: end.answer };
    case 'refused':
      return waitFor(end.refusal.reason, end.failure, false);
    case 'later':
      return waitFor(end.failure.message, end.failure, true);
    case 'failure':
      if (limitOf(end) !== undefined) return waitFor(end.failure.message, end.failure, true);
      return end.contact === 'failure' && end.failure.isRetryable
        ? waitFor(end.failure.message, end.failure, false)
        : { kind: 'failure', failure: end.failure };
  }
}

/** A client's call counts like a turn's: one stream of outcomes judges an outage (R1). */
function report(deps: RequestQueueDeps, provider: string, end: RetryingCallEnd<unknown>): void {
  const outcome: CallOutcomeKind | undefined =
    end.kind === 'answer' ? 'success' : end.kind === 'refused' ? undefined : end.contact;
  if (outcome === undefined) return;
  deps.calls.outcomes.report({
    provider,
    kind: outcome,
    ...('failure' in end && end.failure !== undefined ? { failure: end.failure } : {}),
    source: 'gateway',
    atMs: deps.clock.nowMs(),
  });
}

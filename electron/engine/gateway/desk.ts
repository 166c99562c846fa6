import type { Clock } from '../../ports/clock';
import type { ContactKind, Contacts } from '../../ports/contacts';
import type { GatewayDesk, GatewayEnd, GatewayJob, GatewayUse } from '../../ports/gateway';
import type { ProviderFailure } from '../../ports/provider';
import type { callWithRetries, LadderEnd } from '../breaker';
import { planHold } from './plan-hold';

/** One chain of tries through the breaker of a provider, as for turns. */
export type Ladder = <A>(
  provider: string,
  job: Pick<Parameters<typeof callWithRetries<A>>[1], 'call' | 'onRetry' | 'signal'>,
) => Promise<LadderEnd<A>>;

/** How a provider stands, as far as a request has to know. */
export interface GatewayStanding {
  /** Nothing is asked: its probes try it. */
  readonly isDown: boolean;
  /** It has named the time from which it answers again. */
  readonly untilMs: number | undefined;
  /** How many may be asked at a time: few while it recovers (R3). */
  readonly slots: number;
  /** In one sentence. */
  readonly reason: string;
}

type Later = Extract<LadderEnd<unknown>, { readonly kind: 'later' }>;

export interface GatewayDeskDeps {
  readonly clock: Clock;
  readonly ladder: Ladder;
  readonly contacts: Contacts;
  readonly standing: (provider: string) => GatewayStanding;
  /** It has named a time: nobody asks it before that. S0-+07 */
  readonly appoint: (provider: string, later: Later) => void;
  /** The same for a time that is short enough to be waited for inside of a call. */
  readonly toldToWait: (provider: string, failure: ProviderFailure) => void;
  /** What is waited for by itself: `resilience.auto_wait` and `resilience.wait_for_quota`. */
  readonly mayWait: () => { readonly isForOutage: boolean; readonly isForTime: boolean };
  /** Calls back when the breaker of this provider lets something through again. */
  readonly onMoved: (provider: string, listener: () => void) => () => void;
  /** Calls back when providers may stand otherwise than before. */
  readonly onChanged: (listener: () => void) => () => void;
  readonly maxWaitMs: () => number;
  /** From 0 up to, not including, 1. */
  readonly random: () => number;
  /** 0: no limit. */
  readonly budgetUsd: () => number;
  readonly spentTodayUsd: (provider: string) => number;
  readonly keep: (use: GatewayUse) => Promise<void>;
}

/** Held requests of one provider that are let go at a time: a queue must not become a wave. */
const LET_GO_AT_ONCE = 4;

/** The rules of the gateway over the breaker, the outages and the money of the day. */
export function createGatewayDesk(deps: GatewayDeskDeps): GatewayDesk {
  const held = new Map<string, number>();
  const trying = new Map<string, number>();
  /** Called when a request that others wait behind has ended. */
  const ends = new Set<() => void>();
  const add = (to: Map<string, number>, provider: string, count: number): void => {
    to.set(provider, (to.get(provider) ?? 0) + count);
  };

  const tryOnce = async <A>(job: GatewayJob<A>): Promise<LadderEnd<A>> => {
    const end = await deps.ladder<A>(job.provider, {
      signal: job.signal,
      call: job.send,
      onRetry: ({ failure }) => {
        job.onWait(failure.message);
        deps.toldToWait(job.provider, failure);
        return Promise.resolve();
      },
    });
    if (end.kind === 'later') deps.appoint(job.provider, end);
    report(deps, job.provider, end);
    return end;
  };

  /** One of a number that is bounded. */
  const tryInTurn = async <A>(job: GatewayJob<A>): Promise<LadderEnd<A>> => {
    add(trying, job.provider, 1);
    try {
      return await tryOnce(job);
    } finally {
      add(trying, job.provider, -1);
      for (const end of [...ends]) end();
    }
  };
  const isBlocked = (provider: string, most: number): boolean => {
    const { isDown, slots } = deps.standing(provider);
    return isDown || (trying.get(provider) ?? 0) >= Math.min(slots, most);
  };

  const sleep = async (
    { provider, signal }: Pick<GatewayJob<unknown>, 'provider' | 'signal'>,
    { forMs, isForChange }: { readonly forMs: number; readonly isForChange: boolean },
  ): Promise<void> => {
    const wake = new AbortController();
    const end = (): void => {
      wake.abort();
    };
    const offs = [deps.onMoved(provider, end)];
    if (isForChange) {
      ends.add(end);
      offs.push(deps.onChanged(end), () => ends.delete(end));
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
    for (;;) {
      job.onWait(wait.reason);
      const standing = deps.standing(job.provider);
      const plan = planHold({
        nowMs: deps.clock.nowMs(),
        beganMs,
        maxWaitMs: deps.maxWaitMs(),
        notBeforeMs: standing.untilMs,
        isBlocked: isBlocked(job.provider, LET_GO_AT_ONCE),
        random: deps.random(),
      });
      if (plan.kind === 'give_up') return gaveUp(`${plan.reason} ${wait.reason}`);
      await sleep(job, plan);
      if (job.signal.aborted) return { kind: 'failure', failure: LEFT };
      if (isBlocked(job.provider, LET_GO_AT_ONCE)) continue;
      const next = waitAfter(await tryInTurn(job));
      if (next.kind !== 'wait') return next;
      if (!mayWait(deps, next)) return notHeld(next);
      wait = next;
    }
  };

  return {
    async serve(job) {
      const beganMs = deps.clock.nowMs();
      const { slots, reason, untilMs } = deps.standing(job.provider);
      const first = isBlocked(job.provider, Infinity)
        ? { kind: 'wait' as const, reason, isForTime: untilMs !== undefined, failure: undefined }
        : waitAfter(await (slots === Infinity ? tryOnce(job) : tryInTurn(job)));
      if (first.kind !== 'wait') return first;
      if (!mayWait(deps, first)) return notHeld(first);
      add(held, job.provider, 1);
      return hold(job, beganMs, first).finally(() => {
        add(held, job.provider, -1);
      });
    },
    overBudget(provider) {
      const budget = deps.budgetUsd();
      if (budget === 0) return undefined;
      const spent = deps.spentTodayUsd(provider);
      return spent < budget
        ? undefined
        : `The budget of the gateway for ${provider} is used up today: ${spent.toFixed(2)} of ${budget.toFixed(2)} US dollars (gateway.budget_usd_per_day).`;
    },
    count: (use) => deps.keep(use),
    waiting: () => [...held.values()].reduce((sum, count) => sum + count, 0),
  };
}

interface Wait {
  readonly kind: 'wait';
  readonly reason: string;
  /** The provider has named the time from which it answers again. */
  readonly isForTime: boolean;
  readonly failure: ProviderFailure | undefined;
}

const mayWait = (deps: GatewayDeskDeps, { isForTime }: Wait): boolean => {
  const allowed = deps.mayWait();
  return allowed.isForOutage && (!isForTime || allowed.isForTime);
};
/** What the provider said is the client's to read; it may ask again by its own rules. */
const notHeld = ({ failure, reason }: Wait): GatewayEnd<never> =>
  failure === undefined
    ? gaveUp(`${reason} Waiting by itself is switched off in the settings.`)
    : { kind: 'failure', failure };

const gaveUp = (reason: string): GatewayEnd<never> => ({ kind: 'gave_up', reason });

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

/** What may pass is waited for; everything else is the client's answer. */
function waitAfter<A>(end: LadderEnd<A>): Wait | GatewayEnd<A> {
  switch (end.kind) {
    case 'answer':
      return { kind: 'answer', answer: end.answer };
    case 'refused':
      return waitFor(end.refusal.reason, end.failure, false);
    case 'later':
      return waitFor(end.failure.message, end.failure, true);
    case 'failure':
      return end.contact === 'failure' && end.failure.isRetryable
        ? waitFor(end.failure.message, end.failure, false)
        : { kind: 'failure', failure: end.failure };
  }
}

/** A client's call is a contact like a turn's: one stream of them judges an outage (R1). */
function report(deps: GatewayDeskDeps, provider: string, end: LadderEnd<unknown>): void {
  const contact: ContactKind | undefined =
    end.kind === 'answer' ? 'success' : end.kind === 'refused' ? undefined : end.contact;
  if (contact === undefined) return;
  deps.contacts.report({
    provider,
    kind: contact,
    ...('failure' in end && end.failure !== undefined ? { failure: end.failure } : {}),
    source: 'gateway',
    atMs: deps.clock.nowMs(),
  });
}

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

export interface GatewayDeskDeps {
  readonly clock: Clock;
  readonly ladder: Ladder;
  readonly contacts: Contacts;
  /** An outage is in force: nothing is asked, what waits is tried by its probes. */
  readonly isDown: (provider: string) => boolean;
  /** Calls back when a provider may stand otherwise than before. */
  readonly onChanged: (provider: string, listener: () => void) => () => void;
  readonly maxWaitMs: () => number;
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
  const add = (to: Map<string, number>, provider: string, count: number): void => {
    to.set(provider, (to.get(provider) ?? 0) + count);
  };

  const tryOnce = async <A>(job: GatewayJob<A>): Promise<LadderEnd<A>> => {
    const end = await deps.ladder<A>(job.provider, {
      signal: job.signal,
      call: job.send,
      onRetry: ({ failure }) => {
        job.onWait(failure.message);
        return Promise.resolve();
      },
    });
    report(deps, job.provider, end);
    return end;
  };

  const sleep = async (
    { provider, signal }: Pick<GatewayJob<unknown>, 'provider' | 'signal'>,
    forMs: number,
  ): Promise<void> => {
    const wake = new AbortController();
    const end = (): void => {
      wake.abort();
    };
    const off = deps.onChanged(provider, end);
    signal.addEventListener('abort', end, { once: true });
    if (signal.aborted) end();
    await deps.clock.sleep(forMs, wake.signal).catch(() => undefined);
    off();
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
      const plan = planHold({
        nowMs: deps.clock.nowMs(),
        beganMs,
        maxWaitMs: deps.maxWaitMs(),
        notBeforeMs: wait.notBeforeMs,
      });
      if (plan.kind === 'give_up') return gaveUp(`${plan.reason} ${wait.reason}`);
      await sleep(job, plan.forMs);
      if (job.signal.aborted) return { kind: 'failure', failure: LEFT };
      if (isTooEarly(wait, deps.clock.nowMs()) || deps.isDown(job.provider)) continue;
      if ((trying.get(job.provider) ?? 0) >= LET_GO_AT_ONCE) continue;
      add(trying, job.provider, 1);
      const next = waitAfter(await tryOnce(job).finally(() => add(trying, job.provider, -1)));
      if (next.kind !== 'wait') return next;
      wait = next;
    }
  };

  return {
    async serve(job) {
      const beganMs = deps.clock.nowMs();
      const first = deps.isDown(job.provider)
        ? ({ kind: 'wait', reason: `${job.provider} is down.`, notBeforeMs: undefined } as const)
        : waitAfter(await tryOnce(job));
      if (first.kind !== 'wait') return first;
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
  readonly notBeforeMs: number | undefined;
}

const gaveUp = (reason: string): GatewayEnd<never> => ({ kind: 'gave_up', reason });

const LEFT: ProviderFailure = {
  kind: 'aborted',
  message: 'The client has left.',
  hint: '',
  isRetryable: false,
};

/** Only an appointment is kept to the instant; a breaker may be closed before its trial is due. */
const isTooEarly = (wait: Wait, nowMs: number): boolean =>
  wait.notBeforeMs !== undefined && nowMs < wait.notBeforeMs;

/** What may pass is waited for; everything else is the client's answer. */
function waitAfter<A>(end: LadderEnd<A>): Wait | GatewayEnd<A> {
  switch (end.kind) {
    case 'answer':
      return { kind: 'answer', answer: end.answer };
    case 'refused':
      return { kind: 'wait', reason: end.refusal.reason, notBeforeMs: undefined };
    case 'later':
      return { kind: 'wait', reason: end.failure.message, notBeforeMs: end.untilMs };
    case 'failure':
      return end.contact === 'failure' && end.failure.isRetryable
        ? { kind: 'wait', reason: end.failure.message, notBeforeMs: undefined }
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

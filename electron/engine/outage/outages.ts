import type {
  ProviderHealth,
  BreakerView,
  LimitUse,
  ProviderState,
} from '../../../shared/types/outage';
import type { CallOutcome, CallOutcomes } from '../../ports/call-outcomes';
import type { HeldRow, ProviderRecord, HealthState } from '../../ports/journal/outage';
import type { Audit } from '../../ports/log';
import { HoldfastError } from '../kernel/errors';
import { createCoalesced } from '../kernel/coalesce';
import { createOutageState, providerOfBreaker } from './state';
import { createGate, type Gate } from './gate';
import { planMove } from './waiting-turns';
import type { OutagesDeps } from './outage-deps';
import { isUntroubled, onBreakerClosed, onCallOutcome, onMended, onRemoved } from './plan-outage';
import { createElsewhere, type Elsewhere } from './elsewhere';
import { createWaitChoices, type WaitChoices } from './choices';
import { limitUseOf } from './limit-use';
import { createProber, type ProbeReport } from './prober';
import { createWriter } from './writer';
import { providerSentence, type TimeText } from './describe-outage';
import type { NextProbe } from './plan-probe';

/** One provider's health for all readers. Pure. X-01 */
interface HealthFacts {
  readonly record: ProviderRecord;
  readonly breaker: BreakerView;
  readonly policy: { readonly threshold: number; readonly intervalMs: number };
  readonly waiting: number;
  readonly isProbing: boolean;
  readonly next: NextProbe | undefined;
  readonly nowMs: number;
  readonly time: TimeText;
  readonly limit: LimitUse | undefined;
}

/** A provider's state: its health plus its breaker's state. */
function providerState(
  facts: Pick<HealthFacts, 'record' | 'breaker' | 'isProbing'>,
): ProviderState {
  const { record, breaker, isProbing } = facts;
  switch (record.standing.kind) {
    case 'down':
      return isProbing ? 'trying' : 'down';
    case 'recovering':
    case 'draining':
      return breaker.state === 'open' ? 'down' : 'recovering';
    case 'quota':
    case 'key':
      return record.standing.kind;
    case 'answering':
      if (breaker.state === 'open') return isProbing ? 'trying' : 'down';
      if (breaker.state === 'half_open') return breaker.successes > 0 ? 'recovering' : 'trying';
      return record.failedTurns > 0 ? 'failing' : 'answering';
  }
}

function healthOf(facts: HealthFacts): ProviderHealth {
  const { record, breaker, policy, waiting, next, isProbing } = facts;
  const { standing } = record;
  const state = providerState(facts);
  // Probes of the breaker of an agent belong to another room.
  const trialAtMs = breaker.state === 'open' ? breaker.nextTrialAtMs : undefined;
  const nextTryAtMs =
    standing.kind === 'quota'
      ? standing.untilMs
      : (next?.atMs ?? (isProbing ? undefined : trialAtMs));
  return {
    provider: record.provider,
    state,
    failedTurns: record.failedTurns,
    outageThreshold: policy.threshold,
    breaker,
    ...('outageId' in standing && standing.sinceMs !== undefined
      ? { downSinceMs: standing.sinceMs }
      : {}),
    // Without a reset time, only the time of the next try is known.
    ...(standing.kind === 'quota' && standing.isUnnamed !== true
      ? { quotaUntilMs: standing.untilMs }
      : {}),
    ...(nextTryAtMs === undefined ? {} : { nextTryAtMs }),
    ...(standing.kind === 'down' || standing.kind === 'key'
      ? { nextProbeAtMs: (record.probeAnchorMs ?? standing.sinceMs) + policy.intervalMs }
      : {}),
    waiting,
    ...(facts.limit === undefined ? {} : { limit: facts.limit }),
    ...(standing.kind === 'draining' ? { ramp: standing.ramp } : {}),
    ...(record.lastError === undefined ? {} : { lastError: record.lastError }),
    ...(record.lastErrorAtMs === undefined ? {} : { lastErrorAtMs: record.lastErrorAtMs }),
    sentence: providerSentence({
      record,
      state,
      waiting,
      threshold: policy.threshold,
      failedCalls: breaker.failures,
      nextTryAtMs,
      nowMs: facts.nowMs,
      time: facts.time,
    }).slice(0, 500),
  };
}

export type { AfterCall } from './gate';
export type { OutagePolicy } from './outage-deps';

/**
 * Provider outages and the turns that wait for them. Its state can be rebuilt from the journal.
 * Source: S0-14..S0-20, S0-+07, S2-07, X-01..X-03, R1..R5, R10, R13, R23.
 */
export interface Outages extends CallOutcomes, Gate, WaitChoices, Elsewhere {
  /** Probes at once. `isThroughBreaker`: like a real call, with its verdict. */
  probe(provider: string, isThroughBreaker: boolean): Promise<ProbeReport>;
  /** On disk when it resolves. @throws TURN_STATE */
  move(turnId: number, beforeTurnId: number | undefined): Promise<void>;
  health(provider: string): ProviderHealth;
  /** Usage limits that are not reached yet, as agents report them. LM-09 */
  limits(): readonly (LimitUse & { readonly provider: string })[];
  /** Providers with a problem. */
  troubled(): readonly string[];
  known(): readonly string[];
  /** Number of turns that wait for the provider. */
  waiting(provider: string): number;
  isCanary(row: HeldRow): boolean;
  /** Its state as calls show it, with the limit of its account. */
  healthState(provider: string): HealthState;
  /** Nothing blocks its turns: no outage, no limit, no open breaker. */
  isOpen(provider: string): boolean;
  /** The waiting queue is full: nothing more is accepted for a provider that is down. R13 */
  isFull(provider: string, limit: number): boolean;
  /** The key or the address of a provider has changed. */
  keyChanged(provider: string): void;
  /** The network is back, the computer woke up, or the settings changed: checks what is due. */
  probeSoon(isSign: boolean): void;
  start(): void;
  stop(): void;
}

export function createOutages(deps: OutagesDeps): Outages {
  const { journal, reads, breakers } = deps;
  const state = createOutageState(deps);
  const { load, isQuiet } = state;
  const { held, canaries, waitingOf, outOf } = state.turns;
  const {
    records,
    openBreakers,
    recordOf,
    breakerOf,
    viewOf,
    factsOf,
    known,
    blockedBy,
    limitHolderOf,
    shownRecordOf,
  } = state.providers;

  /** Runs once for any number of changes, after the current work. */
  const freeSoon = createCoalesced(() => {
    for (const provider of known()) leaveGone(provider);
    for (const provider of records.keys()) writer.settle(provider);
    if (!prober.isStarted()) return;
    deps.on.free();
    prober.arm();
    deps.on.changed();
  });

  const isGone = (provider: string): boolean =>
    deps.agents.isGone(provider) && waitingOf(provider) + outOf(provider) === 0;
  /**
   * A provider that the settings no longer name is not down, and no notice says that its outage
   * ended.
   */
  const leaveGone = (provider: string): void => {
    if (!isGone(provider)) return;
    openBreakers.delete(provider);
    take(onRemoved(recordOf(provider)));
  };

  const writer = createWriter(deps, state, {
    nextTryAtMs: (record) => prober.nextOf(record)?.atMs,
    freeSoon,
  });
  const { take } = writer;
  const prober = createProber(deps, state, writer);
  const gate = createGate(deps, state, writer, { freeSoon, onWaits: prober.armUnlessArmed });

  breakers.onMoved(({ name, to }) => {
    const provider = providerOfBreaker(name);
    if (provider === undefined) return;
    if (to !== 'closed') openBreakers.add(provider);
    else {
      openBreakers.delete(provider);
      // The call that closed the breaker is reported first.
      queueMicrotask(() => {
        take(onBreakerClosed(recordOf(provider), factsOf(provider)));
      });
    }
    freeSoon();
  });

  // Follows the same entries as the tables of waiting turns, so that both always agree.
  journal.onCommitted(
    (entries) => {
      for (const entry of entries) {
        if (entry.kind === 'turn.closed' || entry.kind === 'turn.fell_back') forget(entry.turnId);
        else if (entry.kind === 'turn.state') {
          if (entry.state !== 'queued' && entry.state !== 'running') forget(entry.turnId);
        } else if (entry.kind === 'turn.requeued') {
          if (entry.budget !== undefined) forget(entry.turnId);
        } else if (entry.kind === 'turn.moved') {
          const one = held.get(entry.turnId);
          if (one !== undefined) held.set(entry.turnId, { ...one, rank: entry.rank });
        }
      }
    },
    { skipsSteps: true },
  );
  const forget = (turnId: number): void => {
    if (state.turns.forget(turnId)) freeSoon();
  };

  const limitOf = (provider: string): LimitUse | undefined => {
    const noted = state.windows.get(provider);
    const now = { nowMs: deps.clock.nowMs(), time: deps.time };
    return noted === undefined ? undefined : limitUseOf(provider, noted, now);
  };

  return {
    ...gate,
    ...createWaitChoices(deps, state, freeSoon),
    ...createElsewhere(deps, state, take, prober),
    report(outcome) {
      load();
      if (outcome.kind === 'config') tellRefusal(deps.audit, outcome);
      const record = recordOf(outcome.provider);
      if (outcome.kind === 'success' && isUntroubled(record) && held.size === 0) return;
      take(onCallOutcome(record, outcome, factsOf(outcome.provider)), outcome);
      // An answer to one provider of an account lets the next turn of the whole account start.
      const holder = limitHolderOf(outcome.provider);
      if (outcome.kind === 'success' && holder !== undefined && holder !== outcome.provider)
        take(onCallOutcome(recordOf(holder), outcome, factsOf(holder)), outcome);
    },
    probe: (provider, isThroughBreaker) =>
      prober.ask(provider, isThroughBreaker ? 'ping' : 'asked'),
    async move(turnId, beforeTurnId) {
      load();
      const row = reads.held(turnId);
      const queue = row === undefined ? [] : reads.heldTurns({ provider: row.provider });
      const moves = planMove(
        queue.filter((one) => !one.isOut),
        turnId,
        beforeTurnId,
      );
      if (moves === undefined) {
        const wrong = row === undefined || row.isOut ? turnId : (beforeTurnId ?? turnId);
        throw new HoldfastError(
          'TURN_STATE',
          `Turn ${String(wrong)} is not waiting ${row === undefined || row.isOut ? 'for a provider' : `for ${row.provider}`}.`,
          { hint: 'Nothing was moved. List waiting turns: holdfast outages queue' },
        );
      }
      if (moves.length > 0) {
        deps.crashPoints.hit('turn.move.before');
        await journal.commit(moves.map((one) => ({ kind: 'turn.moved', ...one })));
        deps.crashPoints.hit('turn.move.after');
        deps.audit.record('turn_moved', { turnId });
      }
      freeSoon();
    },
    health(provider) {
      load();
      return healthOf({
        record: shownRecordOf(provider),
        breaker: viewOf(provider) ?? breakerOf(provider).view(),
        policy: deps.policy(),
        waiting: waitingOf(provider),
        isProbing: prober.isProbing(provider),
        next: prober.nextOf(recordOf(provider)),
        nowMs: deps.clock.nowMs(),
        time: deps.time,
        limit: limitOf(provider),
      });
    },
    limits: () =>
      [...state.windows.keys()].flatMap((provider) => {
        const use = limitOf(provider);
        return use === undefined ? [] : [{ provider, ...use }];
      }),
    troubled() {
      load();
      if (isQuiet() && [...records.values()].every(isUntroubled)) return [];
      return known().filter(
        (provider) =>
          waitingOf(provider) > 0 ||
          (!isGone(provider) && (!isUntroubled(recordOf(provider)) || openBreakers.has(provider))),
      );
    },
    waiting(provider) {
      load();
      return waitingOf(provider);
    },
    known() {
      load();
      return known().filter((provider) => !isGone(provider));
    },
    healthState(provider) {
      load();
      return shownRecordOf(provider).standing;
    },
    isOpen(provider) {
      load();
      return blockedBy(provider) === undefined;
    },
    isCanary: (row) => canaries.get(row.provider) === row.turnId,
    isFull: (provider, limit) =>
      held.size >= limit && reads.countHeld() >= limit && blockedBy(provider) !== undefined,
    keyChanged(provider) {
      load();
      take(onMended(recordOf(provider), factsOf(provider)));
    },
    probeSoon(isSign) {
      load();
      if (isSign) prober.onSign();
      freeSoon();
    },
    start() {
      load();
      prober.start();
      // A key from the environment may be a new one with every start.
      for (const record of [...records.values()])
        if (record.standing.kind === 'key') take(onMended(record, factsOf(record.provider)));
      freeSoon();
    },
    stop: prober.stop,
  };
}

/** Records a failure that only the user can fix, with the steps to fix it. S2-30 */
function tellRefusal(audit: Audit, { provider, failure }: CallOutcome): void {
  const { message = '', hint = '' } = failure ?? {};
  audit.record('provider_misconfigured', { provider, message, hint });
}

import type { HeldCause, ProviderHealth } from '../../../shared/outage-model';
import type { Breakers, Permit } from '../../ports/breakers';
import type { Clock } from '../../ports/clock';
import type { ContactReport, Contacts } from '../../ports/contacts';
import type { Journal, JournalEntry, JournalReads, TurnRow } from '../../ports/journal';
import type { HeldRow, ProviderRecord } from '../../ports/journal-outage';
import type { Audit, Log } from '../../ports/log';
import type { ProviderFailure, ProviderProbe } from '../../ports/provider';
import type { CrashPoints } from '../kernel/crash-points';
import { HoldfastError } from '../kernel/errors';
import { causeOf, planMove, planWait, slotsOf } from './held-model';
import { noticesOf } from './notice-model';
import {
  isUntroubled,
  newRecord,
  onAppointment,
  onAppointmentOver,
  onBreakerClosed,
  onContact,
  onDrained,
  onMended,
  onTried,
  outageOf,
  type OutageChange,
  type OutageFacts,
} from './outage-model';
import { healthOf } from './health-model';
import { parkReason, waitReason, type TimeText } from './outage-words';
import { nextProbe, type NextProbe, type ProbeWhy } from './probe-model';

export interface OutagePolicy {
  readonly threshold: number;
  readonly intervalMs: number;
  readonly isEarly: boolean;
  readonly isAutoWait: boolean;
  readonly isQuotaWait: boolean;
  readonly maxWaitMs: number;
  /** `resilience.max_wait` as it is written, for sentences. */
  readonly maxWaitText: string;
}

export interface OutagesDeps {
  readonly journal: Journal;
  readonly reads: JournalReads;
  readonly breakers: Breakers;
  readonly clock: Clock;
  readonly crashPoints: CrashPoints;
  readonly audit: Audit;
  readonly log: Log;
  readonly policy: () => OutagePolicy;
  /** Whose answers a turn needs; undefined where that is no provider. */
  readonly providerOf: (turn: TurnRow) => string | undefined;
  /** The agent waits by itself (its setting `wait`). */
  readonly mayWait: (agent: string) => boolean;
  /** One light request. Never throws; ends at the signal. */
  readonly ask: (provider: string, signal: AbortSignal) => Promise<ProviderProbe>;
  readonly time: TimeText;
  /** Turns may go that could not before. */
  readonly onFree: () => void;
  readonly onChanged: () => void;
}

/** What a turn does whose call did not come to an answer; undefined: as if nothing were wrong. */
export type AfterCall =
  /** Commit these with the end of the run; the turn waits. */
  | { readonly kind: 'wait'; readonly entries: readonly JournalEntry[] }
  | { readonly kind: 'park'; readonly reason: string };

/** Why a call got no answer. */
export type CallEnd =
  | { readonly kind: 'failure'; readonly failure: ProviderFailure }
  | { readonly kind: 'refused'; readonly provider: string }
  | {
      readonly kind: 'later';
      readonly provider: string;
      readonly cause: 'quota' | 'retry_after';
      readonly untilMs: number;
      readonly failure: ProviderFailure;
    };

/** One look at the queued turns. */
export interface GateRound {
  /** Asked in the order in which turns would start; each that goes takes its place. */
  readonly admits: (turnId: number) => boolean;
  /** Put to a person: they are not queued any more. */
  readonly dropped: ReadonlySet<number>;
  /** Place of a waiting turn; undefined for all others. */
  readonly rankOf: (turnId: number) => number | undefined;
}

/**
 * Outages of providers and the turns that wait for them. What it knows can be read again from the
 * journal. Source: S0-14..S0-20, S0-+07, S2-07, X-01..X-03, R1..R5, R10, R13, R23.
 */
export interface Outages extends Contacts {
  /** Looks at all queued turns: those that have to wait are taken note of, on disk. */
  look(queued: readonly number[]): GateRound;
  started(turn: TurnRow): void;
  ended(turnId: number): void;
  /** What becomes of a turn whose model call got no answer. */
  afterCall(turn: TurnRow, provider: string, end: CallEnd): AfterCall | undefined;
  /** A turn in its middle must not ask its provider now. */
  blocks(provider: string, turnId: number): boolean;
  /** Asks at once. `isThroughBreaker`: as a call would, with its verdict. */
  probe(provider: string, isThroughBreaker: boolean): Promise<ProbeReport>;
  /** On disk when it resolves. @throws TURN_STATE */
  move(turnId: number, beforeTurnId: number | undefined): Promise<void>;
  health(provider: string): ProviderHealth;
  /** Providers that do not simply answer. */
  troubled(): readonly string[];
  known(): readonly string[];
  /** Turns that wait for it. */
  waiting(provider: string): number;
  isCanary(row: HeldRow): boolean;
  /** The waiting queue is full: nothing more is accepted for a provider that is down. R13 */
  isFull(provider: string, limit: number): boolean;
  /** The key or the address of a provider has changed. */
  mended(provider: string): void;
  /** The network is back, the computer woke up, or the settings changed: look at the clock again. */
  nudge(isSign: boolean): void;
  start(): void;
  stop(): void;
}

export interface ProbeReport {
  readonly ok: boolean;
  readonly durationMs: number;
  readonly error?: string;
}

/** A light request that takes longer is none. */
const PROBE_TIMEOUT_MS = 30_000;
/** Signs from outside may come in bursts. */
const NUDGE_EVERY_MS = 5_000;

const PREFIX = 'provider.';
const breakerNameOf = (provider: string): string => `${PREFIX}${provider}`;

interface Held {
  readonly provider: string;
  readonly cause: HeldCause;
  readonly untilMs: number | undefined;
  readonly sinceMs: number;
  readonly rank: number;
}

export function createOutages(deps: OutagesDeps): Outages {
  const { clock, journal, reads, breakers } = deps;
  const records = new Map<string, ProviderRecord>();
  const held = new Map<number, Held>();
  /** Providers whose breaker is not closed. */
  const openBreakers = new Set<string>();
  let isLoaded = false;
  /** With the first need: a start may have to make the tables anew before. */
  const load = (): void => {
    if (isLoaded) return;
    isLoaded = true;
    for (const one of reads.providerRecords()) records.set(one.provider, one);
    for (const row of reads.heldTurns({})) held.set(row.turnId, row);
    for (const { name, state } of breakers.list())
      if (state !== 'closed' && name.startsWith(PREFIX))
        openBreakers.add(name.slice(PREFIX.length));
  };
  /** Turns that run, with the provider that they ask. */
  const running = new Map<number, string>();
  const canaries = new Map<string, number>();
  const providers = new Map<number, string | undefined>();
  /** Turns that a person let go although they do not wait by themselves. */
  const passes = new Set<number>();
  const probing = new Map<string, AbortController>();
  let alarm: AbortController | undefined;
  let isStarted = false;
  let isFreeSoon = false;
  let nudgedAtMs = Number.NEGATIVE_INFINITY;

  const recordOf = (provider: string): ProviderRecord =>
    records.get(provider) ?? newRecord(provider);
  const breakerOf = (provider: string) => breakers.of(breakerNameOf(provider), 'provider');
  /** A provider that was never asked has no breaker, and none is made by looking. */
  const viewOf = (provider: string) => breakers.find(breakerNameOf(provider))?.view();
  const waitingOf = (provider: string): number => {
    let count = 0;
    for (const [turnId, one] of held)
      if (one.provider === provider && !running.has(turnId)) count += 1;
    return count;
  };
  const outOf = (provider: string): number => {
    let count = 0;
    for (const [turnId, name] of running) if (name === provider && held.has(turnId)) count += 1;
    return count;
  };
  const factsOf = (provider: string): OutageFacts => ({
    nowMs: clock.nowMs(),
    threshold: deps.policy().threshold,
    waiting: waitingOf(provider),
    isBreakerClosed: (viewOf(provider)?.state ?? 'closed') === 'closed',
    newOutageId: () => journal.allocate('outage'),
  });

  /** Once for any number of changes, after what has begun is over. */
  const freeSoon = (): void => {
    if (isFreeSoon) return;
    isFreeSoon = true;
    queueMicrotask(() => {
      isFreeSoon = false;
      for (const provider of records.keys()) settle(provider);
      if (!isStarted) return;
      deps.onFree();
      arm();
      deps.onChanged();
    });
  };

  /** Facts that have happened: a refusing disk keeps them until it takes them. */
  const write = (point: Point | undefined, entries: readonly JournalEntry[]): Promise<unknown> => {
    const [before, after] = point === undefined ? [] : POINTS[point];
    if (before !== undefined) deps.crashPoints.hit(before);
    return journal.commit(entries, { isOutcome: true }).then(
      () => {
        if (after !== undefined) deps.crashPoints.hit(after);
      },
      (error: unknown) => {
        deps.log.error('outage.write.failed', { error });
      },
    );
  };

  /** Keeps the new record and writes what has become true. */
  const take = (
    change: OutageChange,
    contact?: Pick<ContactReport, 'kind' | 'source' | 'turnId'>,
    first: readonly JournalEntry[] = [],
  ): void => {
    const { provider } = change.record;
    const before = recordOf(provider);
    if (change.record === before && change.steps.length === 0 && first.length === 0) return;
    const notices = noticesOf({
      before,
      change,
      nowMs: clock.nowMs(),
      waiting: waitingOf(provider),
      nextTryAtMs: nextOf(change.record)?.atMs,
      drained: drainedOf(before),
      time: deps.time,
      newInboxId: () => journal.allocate('inbox'),
    });
    const { record } = notices;
    records.set(provider, record);
    const entries: JournalEntry[] = first.map((entry) =>
      entry.kind === 'provider.probed' ? { ...entry, record } : entry,
    );
    for (const step of change.steps) {
      switch (step.kind) {
        case 'contact':
          // A probe is an entry of its own.
          if (first.length > 0) break;
          entries.push({
            kind: 'provider.contact',
            provider,
            contact: contact?.kind ?? 'success',
            source: contact?.source ?? 'turn',
            ...(contact?.turnId === undefined ? {} : { turnId: contact.turnId }),
            record,
          });
          break;
        case 'declared':
          entries.push({
            kind: 'outage.declared',
            provider,
            outageId: step.outageId,
            failedTurns: record.failedTurns,
            reason: step.reason,
            record,
          });
          deps.audit.record('outage_declared', { provider, failedTurns: record.failedTurns });
          break;
        case 'recovering':
          entries.push({ kind: 'outage.recovering', provider, phase: step.phase, record });
          break;
        case 'resolved':
          entries.push({ kind: 'outage.resolved', provider, outageId: step.outageId, record });
          deps.audit.record('outage_resolved', { provider, outageId: step.outageId });
          break;
        case 'quota':
          entries.push({
            kind: 'provider.contact',
            provider,
            contact: 'quota',
            source: 'turn',
            record,
          });
          deps.audit.record('provider_quota', { provider, untilMs: step.untilMs });
          break;
      }
    }
    entries.push(...notices.entries);
    if (entries.length > 0) void write(pointOf(entries), entries);
    freeSoon();
  };

  const drainedOf = (record: ProviderRecord): number => {
    const outageId = outageOf(record);
    if (outageId === undefined) return 0;
    const gone = reads.outage(outageId)?.drained ?? 0;
    // Those that run now have waited, too.
    let out = 0;
    for (const [turnId, name] of running)
      if (name === record.provider && held.has(turnId)) out += 1;
    return gone + out;
  };

  /** The outage is over when nobody waits any more. */
  const settle = (provider: string): void => {
    const record = recordOf(provider);
    if (record.standing.kind === 'draining' && waitingOf(provider) === 0) take(onDrained(record));
  };

  const nextOf = (record: ProviderRecord): NextProbe | undefined => {
    const { provider } = record;
    const breaker = viewOf(provider);
    if (probing.has(provider)) return undefined;
    if (breaker === undefined && isUntroubled(record)) return undefined;
    return nextProbe({
      record,
      breaker: breaker ?? breakerOf(provider).view(),
      policy: deps.policy(),
      hasCanary: waitingOf(provider) + outOf(provider) > 0,
      nowMs: clock.nowMs(),
    });
  };

  /** One timer for the next instant that matters; nothing ticks while nothing is down. */
  const arm = (): void => {
    alarm?.abort();
    alarm = undefined;
    if (!isStarted) return;
    const nowMs = clock.nowMs();
    const wanted: number[] = [];
    for (const provider of known()) {
      const record = recordOf(provider);
      const next = nextOf(record);
      if (next !== undefined) wanted.push(next.atMs);
      if (record.standing.kind === 'quota') wanted.push(record.standing.untilMs);
    }
    const longest = oldestSinceMs();
    if (longest !== undefined) wanted.push(longest + deps.policy().maxWaitMs);
    if (wanted.length === 0) return;
    const mine = new AbortController();
    alarm = mine;
    clock.sleep(Math.max(0, Math.min(...wanted) - nowMs), mine.signal).then(tick, () => undefined);
  };

  /** Turns began to wait in the order in which they stand here. */
  const oldestSinceMs = (): number | undefined => {
    for (const [turnId, one] of held) if (!running.has(turnId)) return one.sinceMs;
    return undefined;
  };

  const tick = (): void => {
    const nowMs = clock.nowMs();
    for (const provider of known()) {
      const record = recordOf(provider);
      if (record.standing.kind === 'quota' && record.standing.untilMs <= nowMs)
        take(onAppointmentOver(record, factsOf(provider)));
      const next = nextOf(recordOf(provider));
      if (next !== undefined && next.atMs <= nowMs) void ask(provider, next.why);
    }
    const oldest = oldestSinceMs();
    // Parked by the look that follows.
    if (oldest !== undefined && oldest + deps.policy().maxWaitMs <= nowMs) deps.onFree();
    arm();
  };

  /** Leave of the breaker where it is part of its rhythm; the interval goes past an open one. R2 */
  const leaveFor = (
    provider: string,
    why: ProbeWhy | 'asked' | 'ping',
  ): { readonly permit?: Permit; readonly refused?: string } => {
    const breaker = breakerOf(provider);
    const view = breaker.view();
    const isDue =
      view.state !== 'open' || (view.nextTrialAtMs ?? Number.MAX_VALUE) <= clock.nowMs();
    if (!isDue && why !== 'ping' && why !== 'trial') return {};
    const admission = breaker.allow();
    if (admission.kind === 'allowed') return { permit: admission };
    return why === 'ping' || why === 'trial' ? { refused: admission.reason } : {};
  };

  const ask = async (provider: string, why: ProbeWhy | 'asked' | 'ping'): Promise<ProbeReport> => {
    const startedAtMs = clock.nowMs();
    const startedMs = clock.monotonicMs();
    const leave = leaveFor(provider, why);
    if (leave.refused !== undefined) return { ok: false, durationMs: 0, error: leave.refused };
    const abort = new AbortController();
    probing.set(provider, abort);
    deps.onChanged();
    const timer = new AbortController();
    clock
      .sleep(PROBE_TIMEOUT_MS, timer.signal)
      .then(() => {
        abort.abort();
      })
      .catch(() => undefined);
    let outcome: ProviderProbe;
    try {
      outcome = await deps.ask(provider, abort.signal);
    } finally {
      timer.abort();
      probing.delete(provider);
    }
    const durationMs = Math.round(clock.monotonicMs() - startedMs);
    if (!isStarted) return { ok: false, durationMs, error: 'Holdfast is stopping.' };
    judge(provider, why, outcome, { permit: leave.permit, startedAtMs });
    return {
      ok: outcome.kind === 'ok',
      durationMs,
      ...(outcome.kind === 'ok' ? {} : { error: outcome.failure.message.slice(0, 500) }),
    };
  };

  const judge = (
    provider: string,
    why: ProbeWhy | 'asked' | 'ping',
    outcome: ProviderProbe,
    of: { readonly permit: Permit | undefined; readonly startedAtMs: number },
  ): void => {
    const breaker = breakerOf(provider);
    const ok = outcome.kind === 'ok';
    if (of.permit !== undefined) {
      if (ok) breaker.onSuccess(of.permit);
      else if (outcome.kind === 'key') breaker.onIgnored(of.permit);
      else breaker.onFailure(of.permit, outcome.failure.message);
    } else if (ok) breaker.onAnswerWhileOpen();
    const before = recordOf(provider);
    const due = nextProbeOfInterval(before);
    const tried = onTried(before, {
      ok,
      startedAtMs: of.startedAtMs,
      isInterval: due !== undefined && due <= of.startedAtMs,
    });
    const change = onContact(
      tried,
      {
        kind: ok ? 'success' : outcome.kind === 'key' ? 'config' : 'failure',
        ...(ok ? {} : { failure: outcome.failure }),
        source: why === 'trial' ? 'trial' : 'probe',
      },
      factsOf(provider),
    );
    deps.audit.record('provider_probed', { provider, why, ok });
    take(change, undefined, [
      {
        kind: 'provider.probed',
        provider,
        why: why === 'ping' ? 'asked' : why,
        ok,
        ...(ok ? {} : { error: outcome.failure.message.slice(0, 500) }),
        record: change.record,
      },
    ]);
  };

  const nextProbeOfInterval = (record: ProviderRecord): number | undefined =>
    record.standing.kind === 'down' || record.standing.kind === 'key'
      ? (record.probeAnchorMs ?? record.standing.sinceMs) + deps.policy().intervalMs
      : undefined;

  const known = (): readonly string[] => [
    ...new Set([
      ...records.keys(),
      ...[...held.values()].map((one) => one.provider),
      ...[...openBreakers],
    ]),
  ];
  breakers.onMoved(({ name, to }) => {
    if (!name.startsWith(PREFIX)) return;
    const provider = name.slice(PREFIX.length);
    if (to !== 'closed') openBreakers.add(provider);
    else {
      openBreakers.delete(provider);
      // The contact that closed it is reported first.
      queueMicrotask(() => {
        take(onBreakerClosed(recordOf(provider), factsOf(provider)));
      });
    }
    freeSoon();
  });

  const blockedBy = (provider: string) => causeOf(recordOf(provider), viewOf(provider));
  const providerOfTurn = (turnId: number): string | undefined => {
    if (providers.has(turnId)) return providers.get(turnId);
    const row = reads.turn(turnId);
    const provider = row === undefined ? undefined : deps.providerOf(row);
    providers.set(turnId, provider);
    return provider;
  };
  const isQuiet = (): boolean =>
    held.size === 0 &&
    openBreakers.size === 0 &&
    [...records.values()].every((record) => record.standing.kind === 'answering');

  /** What a turn that has to wait does: wait, be put to a person, or go all the same. */
  const planFor = (
    turn: TurnRow,
    provider: string,
    wait: { readonly cause: HeldCause; readonly untilMs?: number },
  ): { readonly kind: 'go' } | Exclude<AfterCall, undefined> => {
    const record = recordOf(provider);
    const nowMs = clock.nowMs();
    const before = held.get(turn.id);
    const policy = deps.policy();
    const plan = planWait({
      cause: wait.cause,
      untilMs: wait.untilMs,
      sinceMs: before?.sinceMs ?? nowMs,
      nowMs,
      isAllowed: policy.isAutoWait && deps.mayWait(turn.agent),
      isQuotaAllowed: policy.isQuotaWait,
      maxWaitMs: policy.maxWaitMs,
      isAnswered: turn.isAnswered,
    });
    const reason = waitReason({ ...wait, record, untilMs: wait.untilMs, time: deps.time });
    if (plan.kind === 'go') return plan;
    if (plan.kind === 'park')
      return { kind: 'park', reason: parkReason(plan.reason, reason, policy.maxWaitText) };
    const outageId = outageOf(record);
    held.set(turn.id, {
      provider,
      cause: wait.cause,
      untilMs: wait.untilMs,
      sinceMs: before?.sinceMs ?? nowMs,
      rank: before?.rank ?? turn.id,
    });
    return {
      kind: 'wait',
      entries: [
        {
          kind: 'turn.waits',
          turnId: turn.id,
          provider,
          cause: wait.cause,
          ...(wait.untilMs === undefined ? {} : { untilMs: wait.untilMs }),
          ...(outageId === undefined ? {} : { outageId }),
          reason: reason.slice(0, 500),
        },
      ],
    };
  };

  const parked = (turn: TurnRow, reason: string): readonly JournalEntry[] => [
    { kind: 'turn.state', turnId: turn.id, state: 'parked', reason: reason.slice(0, 500) },
    {
      kind: 'inbox.opened',
      inboxId: journal.allocate('inbox'),
      item: 'replay_decision',
      turnId: turn.id,
      sessionId: turn.sessionId,
      title: turn.promptStart,
      detail: reason.slice(0, 1000),
      facts: { decision: 'parked' },
    },
  ];

  // What the tables say of waiting turns, so that both are told by the same entries.
  journal.onCommitted((entries) => {
    for (const entry of entries) {
      if (entry.kind === 'turn.closed') forget(entry.turnId);
      else if (entry.kind === 'turn.state') {
        if (entry.state !== 'queued' && entry.state !== 'running') forget(entry.turnId);
      } else if (entry.kind === 'turn.moved') {
        const one = held.get(entry.turnId);
        if (one !== undefined) held.set(entry.turnId, { ...one, rank: entry.rank });
      }
    }
  });
  const forget = (turnId: number): void => {
    providers.delete(turnId);
    passes.delete(turnId);
    if (held.delete(turnId)) freeSoon();
  };

  return {
    report(contact) {
      load();
      const record = recordOf(contact.provider);
      if (contact.kind === 'success' && isUntroubled(record) && held.size === 0) return;
      take(onContact(record, contact, factsOf(contact.provider)), contact);
    },
    look(queued) {
      load();
      if (isQuiet()) return OPEN;
      const batch: JournalEntry[] = [];
      const dropped = new Set<number>();
      const nowMs = clock.nowMs();
      const causes = new Map<string, ReturnType<typeof causeOf>>();
      for (const turnId of queued) {
        const provider = providerOfTurn(turnId);
        if (provider === undefined || passes.has(turnId)) continue;
        if (!causes.has(provider)) causes.set(provider, blockedBy(provider));
        const wait = causes.get(provider);
        if (wait === undefined) continue;
        const before = held.get(turnId);
        const isKnown =
          before !== undefined && before.cause === wait.cause && before.untilMs === wait.untilMs;
        if (isKnown && nowMs < before.sinceMs + deps.policy().maxWaitMs) continue;
        const turn = reads.turn(turnId);
        if (turn === undefined || turn.endedAtMs !== undefined) continue;
        const plan = planFor(turn, provider, wait);
        if (plan.kind === 'go') passes.add(turnId);
        else if (plan.kind === 'wait') batch.push(...plan.entries);
        else {
          dropped.add(turnId);
          batch.push(...parked(turn, plan.reason));
        }
      }
      if (batch.length > 0) {
        void write('turn.wait', batch).then(() => {
          deps.onChanged();
        });
        freeSoonAlarm();
      }
      const left = new Map<string, number>();
      return {
        dropped,
        rankOf: (turnId) => held.get(turnId)?.rank,
        admits(turnId) {
          const provider = providerOfTurn(turnId);
          if (provider === undefined || passes.has(turnId)) return true;
          const slots =
            left.get(provider) ?? slotsOf(recordOf(provider), viewOf(provider)) - outOf(provider);
          if (slots <= 0) return false;
          left.set(provider, slots - 1);
          return true;
        },
      };
    },
    started(turn) {
      const provider = deps.providerOf(turn);
      if (provider === undefined) return;
      running.set(turn.id, provider);
      if (!held.has(turn.id)) return;
      const { kind } = recordOf(provider).standing;
      if (kind === 'recovering' || viewOf(provider)?.state === 'half_open')
        canaries.set(provider, turn.id);
      freeSoon();
    },
    ended(turnId) {
      const provider = running.get(turnId);
      running.delete(turnId);
      if (!held.has(turnId)) providers.delete(turnId);
      if (provider === undefined) return;
      if (canaries.get(provider) === turnId) canaries.delete(provider);
      if (held.size > 0) freeSoon();
    },
    afterCall(turn, provider, end) {
      load();
      if (end.kind === 'later') {
        const policy = deps.policy();
        if (policy.isAutoWait && policy.isQuotaWait)
          take(
            onAppointment(
              recordOf(provider),
              { cause: end.cause, untilMs: end.untilMs, error: end.failure.message },
              factsOf(provider),
            ),
          );
        const { standing } = recordOf(provider);
        const untilMs = standing.kind === 'quota' ? standing.untilMs : end.untilMs;
        const plan = planFor(turn, provider, { cause: end.cause, untilMs });
        // A person who said "go on" has asked, and this is the answer.
        return plan.kind === 'go'
          ? { kind: 'park', reason: `${end.failure.message} ${end.failure.hint}` }
          : plan;
      }
      if (end.kind === 'failure') {
        const isKey = end.failure.kind === 'config' && end.failure.status === 401;
        if (!end.failure.isRetryable && !isKey) return undefined;
      }
      const wait = blockedBy(provider);
      if (wait === undefined) return undefined;
      passes.delete(turn.id);
      const plan = planFor(turn, provider, wait);
      return plan.kind === 'go' ? undefined : plan;
    },
    blocks(provider, turnId) {
      if (passes.has(turnId)) return false;
      switch (recordOf(provider).standing.kind) {
        case 'down':
        case 'quota':
        case 'key':
          return true;
        case 'recovering':
          return canaries.get(provider) !== turnId;
        case 'answering':
        case 'draining':
          return false;
      }
    },
    probe: (provider, isThroughBreaker) => ask(provider, isThroughBreaker ? 'ping' : 'asked'),
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
          `Turn ${String(wrong)} does not wait ${row === undefined || row.isOut ? 'for a provider' : `for ${row.provider}`} (any more).`,
          { hint: 'Nothing was moved. "holdfast outage queue" shows what waits.' },
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
        record: recordOf(provider),
        breaker: viewOf(provider) ?? breakerOf(provider).view(),
        policy: deps.policy(),
        waiting: waitingOf(provider),
        isProbing: probing.has(provider),
        next: nextOf(recordOf(provider)),
        time: deps.time,
      });
    },
    troubled() {
      load();
      if (isQuiet() && [...records.values()].every(isUntroubled)) return [];
      return known().filter(
        (provider) =>
          !isUntroubled(recordOf(provider)) ||
          openBreakers.has(provider) ||
          waitingOf(provider) > 0,
      );
    },
    waiting(provider) {
      load();
      return waitingOf(provider);
    },
    known() {
      load();
      return known();
    },
    isCanary: (row) => canaries.get(row.provider) === row.turnId,
    isFull: (provider, limit) =>
      held.size >= limit && reads.countHeld() >= limit && blockedBy(provider) !== undefined,
    mended(provider) {
      load();
      take(onMended(recordOf(provider), factsOf(provider)));
    },
    nudge(isSign) {
      load();
      const nowMs = clock.monotonicMs();
      if (isSign && isStarted && nowMs - nudgedAtMs >= NUDGE_EVERY_MS) {
        nudgedAtMs = nowMs;
        for (const provider of known())
          if (recordOf(provider).standing.kind === 'down' && !probing.has(provider))
            void ask(provider, 'asked');
      }
      freeSoon();
    },
    start() {
      load();
      isStarted = true;
      // A key that came by the environment is new with every start.
      for (const record of [...records.values()])
        if (record.standing.kind === 'key') take(onMended(record, factsOf(record.provider)));
      freeSoon();
    },
    stop() {
      isStarted = false;
      alarm?.abort();
      for (const abort of probing.values()) abort.abort();
    },
  };

  /** New turns wait: the instant at which waiting ends may be the next one. */
  function freeSoonAlarm(): void {
    if (alarm === undefined) arm();
  }
}

const OPEN: GateRound = { admits: () => true, dropped: new Set(), rankOf: () => undefined };

const POINTS = {
  'provider.contact': ['provider.contact.before', 'provider.contact.after'],
  'provider.probe': ['provider.probe.before', 'provider.probe.after'],
  'outage.declare': ['outage.declare.before', 'outage.declare.after'],
  'outage.recover': ['outage.recover.before', 'outage.recover.after'],
  'outage.resolve': ['outage.resolve.before', 'outage.resolve.after'],
  'turn.wait': ['turn.wait.before', 'turn.wait.after'],
} as const;
type Point = keyof typeof POINTS;
/** The weightiest of the entries names the instant. */
function pointOf(entries: readonly JournalEntry[]): Point | undefined {
  const has = (kind: JournalEntry['kind']): boolean => entries.some((one) => one.kind === kind);
  if (has('outage.resolved')) return 'outage.resolve';
  if (has('outage.declared')) return 'outage.declare';
  if (has('outage.recovering')) return 'outage.recover';
  if (has('provider.probed')) return 'provider.probe';
  return has('provider.contact') ? 'provider.contact' : undefined;
}

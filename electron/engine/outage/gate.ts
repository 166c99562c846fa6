import { failureReason } from '../retry/failure-reason';
import type { Reason } from '../../../shared/reason';
import { limitEnd, type LimitNotice, type UsageLimit } from '../../../shared/limits/read-limit';
import type { HeldCause } from '../../../shared/types/outage';
import type { NotedLimit } from '../../ports/journal/outage';
import type { TurnRow } from '../../ports/journal/rows';
import type { JournalEntry } from '../../ports/journal/entries';
import type { ProviderFailure } from '../../ports/provider';
import type { OutageState } from './state';
import { isNamedLimit, planWait, slotsOf, type causeOf } from './waiting-turns';
import type { OutagesDeps } from './outage-deps';
import { warningToStore } from './limit-use';
import { limitWaitMs, onRetryAt, outageOf, quietMs } from './plan-outage';
import { parkReason, savedReason, waitReason } from './describe-outage';
import type { Writer } from './writer';
import { waitForDecision } from '../inbox/entries';

/** What happens to a turn whose request got no answer; undefined: handle it normally. */
export type AfterCall =
  /** Commit these with the end of the run; the turn waits. */
  | { readonly kind: 'wait'; readonly entries: readonly JournalEntry[] }
  | { readonly kind: 'park'; readonly reason: Reason };

/** The provider answers later. */
export type NotNow =
  /** It named a time that is too far away for a sleep: a quota reset, or Retry-After. */
  | {
      readonly kind: 'later';
      readonly provider: string;
      readonly cause: 'quota' | 'retry_after';
      readonly untilMs: number;
      readonly failure: ProviderFailure;
    }
  /** Its usage limit is reached, with or without a reset time. */
  | {
      readonly kind: 'limit';
      readonly provider: string;
      readonly limit: UsageLimit;
      readonly failure: ProviderFailure;
    };

/** Why a call got no answer. */
type CallEnd =
  | { readonly kind: 'failure'; readonly failure: ProviderFailure }
  | { readonly kind: 'refused'; readonly provider: string }
  | NotNow;

/** One pass over the queued turns. */
interface GateRound {
  /** Called in start order; each admitted turn takes a slot. */
  readonly admits: (turnId: number) => boolean;
  /** Turns that now need review and have left the queue. */
  readonly dropped: ReadonlySet<number>;
  /** Place of a waiting turn; undefined for all others. */
  readonly rankOf: (turnId: number) => number | undefined;
}

/**
 * `untilMs` is absent if a limit is used up and the provider named no time: the gate then chooses
 * one.
 */
type NamedWait = Omit<Extract<CallEnd, { kind: 'later' }>, 'untilMs'> & {
  readonly untilMs?: number;
};

/** Decides which turns start, wait or need review. */
export interface Gate {
  /** Checks all queued turns and records on disk those that have to wait. */
  look(queued: readonly number[]): GateRound;
  started(turn: TurnRow): void;
  ended(turnId: number): void;
  /** What happens to a turn whose model request got no answer. */
  afterCall(turn: TurnRow, provider: string, end: CallEnd): AfterCall | undefined;
  /**
   * A provider told a turn when it will be back, but that turn needs review first. The other turns
   * wait until that time.
   */
  setRetryAt(provider: string, end: NamedWait): void;
  /** The same for a usage limit that an external agent reports. */
  noteLimit(provider: string, limit: UsageLimit, failure: ProviderFailure): void;
  /** Usage of a limit's window, as the agent reports during its work. LM-09 */
  noteWindow(provider: string, notice: LimitNotice): void;
  /**
   * A retried call received a Retry-After: no other turn calls the provider meanwhile. Ignored
   * during an outage: one response with a time does not end it. S0-+07
   */
  noteRetryAfter(provider: string, failure: ProviderFailure): void;
  /** Remaining Retry-After time of a provider in ms; 0 for none. */
  quietMs(provider: string): number;
  /** A running turn must not call its provider now. */
  blocks(provider: string, turnId: number): boolean;
}

const OPEN: GateRound = { admits: () => true, dropped: new Set(), rankOf: () => undefined };

export function createGate(
  deps: OutagesDeps,
  state: OutageState,
  { write, take }: Writer,
  on: {
    readonly freeSoon: () => void;
    /** Turns have started to wait. */
    readonly onWaits: () => void;
  },
): Gate {
  const { clock, journal, reads } = deps;
  const { load, isQuiet } = state;
  const { held, running, canaries, leaving, passes, outOf, providerOfTurn, dropProvider } =
    state.turns;
  const { recordOf, viewOf, factsOf, blockedBy, limitHolderOf, shownRecordOf, accountOf } =
    state.providers;

  /**
   * Number of the provider's turns that may start now. A limit counts the turns of the whole
   * account. LM-05, LM-06
   */
  const slotsLeft = (provider: string): number => {
    const own = slotsOf(recordOf(provider), viewOf(provider)) - outOf(provider);
    const holder = limitHolderOf(provider);
    if (holder === undefined) return own;
    const out = accountOf(provider).reduce((sum, one) => sum + outOf(one), 0);
    return Math.min(own, slotsOf(recordOf(holder), undefined) - out);
  };

  /** The plan for a turn that would have to wait: wait, needs review, or run anyway. */
  const planFor = (
    turn: TurnRow,
    provider: string,
    wait: { readonly cause: HeldCause; readonly untilMs?: number },
    windows?: number,
  ): { readonly kind: 'go' } | Exclude<AfterCall, undefined> => {
    const record = shownRecordOf(provider);
    const nowMs = clock.nowMs();
    const before = held.get(turn.id);
    const policy = deps.policy();
    const isNamed = isNamedLimit({ ...wait, record });
    const plan = planWait({
      cause: wait.cause,
      untilMs: wait.untilMs,
      ...(isNamed
        ? {
            limit: {
              windows: windows ?? before?.windows ?? 0,
              mostWindows: policy.limitWindows,
              mostMs: policy.limitNamedMaxMs,
            },
          }
        : {}),
      sinceMs: before?.sinceMs ?? nowMs,
      nowMs,
      isAllowed: policy.isAutoWait && deps.agents.mayWait(turn.agent),
      isQuotaAllowed: policy.isQuotaWait,
      maxWaitMs: policy.maxWaitMs,
      isAnswered: turn.isAnswered,
    });
    const reason = waitReason({ ...wait, record, untilMs: wait.untilMs, time: deps.time });
    if (plan.kind === 'go') return plan;
    if (plan.kind === 'park')
      return { kind: 'park', reason: parkReason(plan.reason, reason, policy) };
    const outageId = outageOf(record);
    held.set(turn.id, {
      provider,
      cause: wait.cause,
      untilMs: wait.untilMs,
      sinceMs: before?.sinceMs ?? nowMs,
      rank: before?.rank ?? turn.id,
      windows: windows ?? before?.windows ?? 0,
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
          ...(windows === undefined ? {} : { windows }),
          reason: savedReason(reason),
        },
      ],
    };
  };

  const parked = (turn: TurnRow, reason: Reason): readonly JournalEntry[] =>
    waitForDecision(journal.allocate('inbox'), turn, 'parked', reason);

  const setRetryAt: Gate['setRetryAt'] = (provider, { cause, untilMs, failure }) => {
    load();
    const policy = deps.policy();
    if (!policy.isAutoWait || !policy.isQuotaWait) return;
    const record = recordOf(provider);
    const error = failure.message;
    const when =
      untilMs === undefined
        ? ({ untilMs: clock.nowMs() + limitWaitMs(record, policy), isUnnamed: true } as const)
        : { untilMs, ...(cause === 'quota' ? { padMs: policy.limitMarginMs } : {}) };
    take(onRetryAt(record, { cause, error, ...when }, factsOf(provider)));
  };

  /** A limit without a reset time also waits, if waiting for limits is enabled. LM-04 */
  const limitOf = (provider: string, failure: ProviderFailure): NamedWait | undefined => {
    const { isAutoWait, isQuotaWait } = deps.policy();
    return failure.kind === 'quota' && isAutoWait && isQuotaWait
      ? { kind: 'later', provider, cause: 'quota', failure }
      : undefined;
  };

  const endOf = ({ resets }: UsageLimit) =>
    limitEnd(resets, { nowMs: clock.nowMs(), zone: deps.policy().zone() });
  const namedWaitOf = (
    provider: string,
    limit: UsageLimit,
    failure: ProviderFailure,
  ): NamedWait => {
    const end = endOf(limit);
    return {
      kind: 'later',
      provider,
      cause: 'quota',
      failure,
      ...(end === undefined ? {} : { untilMs: end.atMs }),
    };
  };

  return {
    setRetryAt,
    noteLimit(provider, limit, failure) {
      setRetryAt(provider, namedWaitOf(provider, limit, failure));
    },
    noteWindow: windowNoter(deps, state, take, endOf),
    noteRetryAfter(provider, failure) {
      load();
      const record = recordOf(provider);
      const toldMs = failure.retryAfterMs ?? 0;
      if (toldMs <= 0 || outageOf(record) !== undefined || record.standing.kind === 'key') return;
      const untilMs = clock.nowMs() + toldMs;
      setRetryAt(provider, { kind: 'later', provider, cause: 'retry_after', untilMs, failure });
    },
    quietMs: (provider) => quietMs(recordOf(provider), clock.nowMs()),
    look(queued) {
      load();
      if (isQuiet()) return OPEN;
      const batch: JournalEntry[] = [];
      const dropped = new Set<number>();
      const nowMs = clock.nowMs();
      const causes = new Map<string, ReturnType<typeof causeOf>>();
      for (const turnId of queued) {
        if (state.turns.hasLeft(turnId)) dropped.add(turnId);
        const provider = providerOfTurn(turnId);
        if (provider === undefined || passes.has(turnId) || dropped.has(turnId)) continue;
        if (leaving.has(turnId)) continue;
        if (!causes.has(provider)) causes.set(provider, blockedBy(provider));
        const wait = causes.get(provider);
        if (wait === undefined) continue;
        const before = held.get(turnId);
        const isKnown =
          before !== undefined && before.cause === wait.cause && before.untilMs === wait.untilMs;
        const isBounded = !isNamedLimit({ ...wait, record: shownRecordOf(provider) });
        if (isKnown && (!isBounded || nowMs < before.sinceMs + deps.policy().maxWaitMs)) continue;
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
          deps.on.changed();
        });
        on.onWaits();
      }
      const left = new Map<string, number>();
      return {
        dropped,
        rankOf: (turnId) => held.get(turnId)?.rank,
        admits(turnId) {
          if (leaving.has(turnId)) return false;
          const provider = providerOfTurn(turnId);
          if (provider === undefined || passes.has(turnId)) return true;
          const place = limitHolderOf(provider) ?? provider;
          const slots = left.get(place) ?? slotsLeft(provider);
          if (slots <= 0) return false;
          left.set(place, slots - 1);
          return true;
        },
      };
    },
    started(turn) {
      const provider = deps.agents.providerOf(turn);
      if (provider === undefined) return;
      running.set(turn.id, provider);
      if (!held.has(turn.id)) return;
      const { kind } = recordOf(provider).standing;
      if (kind === 'recovering' || viewOf(provider)?.state === 'half_open')
        canaries.set(provider, turn.id);
      on.freeSoon();
    },
    ended(turnId) {
      const provider = running.get(turnId);
      running.delete(turnId);
      if (!held.has(turnId)) dropProvider(turnId);
      if (provider === undefined) return;
      if (canaries.get(provider) === turnId) canaries.delete(provider);
      if (held.size > 0) on.freeSoon();
    },
    afterCall(turn, provider, end) {
      load();
      const later =
        end.kind === 'failure'
          ? limitOf(provider, end.failure)
          : end.kind === 'limit'
            ? namedWaitOf(provider, end.limit, end.failure)
            : end;
      if (later?.kind === 'later') {
        setRetryAt(provider, later);
        const { standing } = recordOf(provider);
        const untilMs = standing.kind === 'quota' ? standing.untilMs : later.untilMs;
        const wait = { cause: later.cause, ...(untilMs === undefined ? {} : { untilMs }) };
        const isNamed = isNamedLimit({ ...wait, record: recordOf(provider) });
        const windows = isNamed ? state.turns.windowsAgain(turn.id) : undefined;
        const plan = planFor(turn, provider, wait, windows);
        if (plan.kind === 'wait') passes.delete(turn.id);
        // The user chose Resume, which was the answer to this question.
        return plan.kind === 'go' ? { kind: 'park', reason: failureReason(later.failure) } : plan;
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
      switch (shownRecordOf(provider).standing.kind) {
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
  };
}

/** Shows the usage of a window, and stores its warnings. LM-09 */
const windowNoter =
  (
    deps: OutagesDeps,
    state: OutageState,
    take: Writer['take'],
    endOf: (limit: UsageLimit) => NotedLimit['end'],
  ): Gate['noteWindow'] =>
  (provider, notice) => {
    state.load();
    const nowMs = deps.clock.nowMs();
    const noted = { notice, atMs: nowMs, end: endOf(notice.limit) };
    state.windows.set(provider, noted);
    const { warned, ...record } = state.providers.recordOf(provider);
    const change = warningToStore(warned, noted, { nowMs, time: deps.time });
    // The report came with an answer, so the provider responds.
    if (change !== undefined)
      take({
        record: change.warned === undefined ? record : { ...record, warned: change.warned },
        steps: [{ kind: 'contact', ok: true }],
      });
    deps.on.changed();
  };

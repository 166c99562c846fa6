/**
 * One provider as its calls show: answering, failing, down, recovering, answering again. Pure.
 *
 *                  3 turns in a row fail              1st success
 *   answering ───────────────────────────▶ down ───────────────────▶ recovering: one canary
 *       ▲                                   ▲                             │            │
 *       │ no turn is waiting                │ any failure ◀───────────────┴──┐  2nd success
 *       └──────────── draining: 1, 2, 4 ────┴────────────────────────────────┘◀────────┘
 *
 * In addition, `quota` ends at a time that the provider named, `key` with a changed key. Neither is an
 * outage. Source: S0-14..S0-20, R1, R3, R4.
 */
import type { CallOutcome } from '../../ports/call-outcomes';
import type { ProviderRecord, HealthState } from '../../ports/journal/outage';

/**
 * Largest number of turns that run at once while the queue drains. Each success doubles the number.
 */
const LARGEST_RAMP = 4;
/** A provider's clock may be behind ours. */
const QUOTA_PAD_MS = 1_000;
/** A smaller step is a clock that is being corrected. */
const SET_BACK_MS = 5_000;
const MAX_ERROR = 500;

/** Facts outside the record. */
export interface OutageFacts {
  readonly nowMs: number;
  /** `resilience.outage_threshold` */
  readonly threshold: number;
  /** Number of turns that wait for the provider. */
  readonly waiting: number;
  /** Its breaker lets calls through. */
  readonly isBreakerClosed: boolean;
  /** ID of an outage, taken only when one is declared. */
  readonly newOutageId: () => number;
}

/** What just changed, in addition to the record. */
type OutageStep =
  | { readonly kind: 'contact'; readonly ok: boolean }
  | { readonly kind: 'declared'; readonly outageId: number; readonly reason: string }
  /**
   * A trial that only a turn can make, the first success, the second success, or a failure in
   * between.
   */
  | { readonly kind: 'recovering'; readonly phase: 'trial' | 'canary' | 'drain' | 'back' }
  | { readonly kind: 'resolved'; readonly outageId: number }
  | { readonly kind: 'quota'; readonly untilMs: number };

export interface OutageChange {
  readonly record: ProviderRecord;
  /** In order; empty if nothing worth writing happened. */
  readonly steps: readonly OutageStep[];
  /**
   * The provider was removed from the settings: its problem is over, but the provider is not back.
   */
  readonly isRemoved?: true;
}

/** A provider without known problems. */
export function newRecord(provider: string): ProviderRecord {
  return { provider, failedTurns: 0, tries: 0, standing: { kind: 'answering' } };
}

/** True if a successful call changes nothing: the path of every healthy call. */
export function isUntroubled(record: ProviderRecord): boolean {
  return (
    record.failedTurns === 0 &&
    record.unnamedLimits === undefined &&
    record.standing.kind === 'answering'
  );
}

/** Number of the current outage. */
export function outageOf(record: ProviderRecord): number | undefined {
  const { standing } = record;
  return 'outageId' in standing ? standing.outageId : undefined;
}

/** The rest of the named time, without our padding; 0 if the provider named no time. */
export function quietMs({ standing }: ProviderRecord, nowMs: number): number {
  return standing.kind === 'quota' ? Math.max(0, standing.untilMs - QUOTA_PAD_MS - nowMs) : 0;
}

/** Applies the outcome of one call to the record. */
export function onCallOutcome(
  record: ProviderRecord,
  outcome: Pick<CallOutcome, 'kind' | 'failure' | 'source'>,
  facts: OutageFacts,
): OutageChange {
  switch (outcome.kind) {
    case 'success':
      return onSuccess(record, facts, outcome.source);
    case 'failure':
      return onFailure(told(record, outcome.failure?.message ?? 'It failed.', facts), facts);
    case 'config':
      // The provider responds and rejects the credentials. Any other rejection concerns only the
      // single request, so it is neutral.
      return outcome.failure?.status === 401
        ? refusesKey(record, outcome.failure.message, facts)
        : { record, steps: [] };
    case 'quota':
      return { record, steps: [] };
  }
}

function told(record: ProviderRecord, error: string, facts: OutageFacts): ProviderRecord {
  return { ...record, lastError: error.slice(0, MAX_ERROR), lastErrorAtMs: facts.nowMs };
}

function onSuccess(
  record: ProviderRecord,
  facts: OutageFacts,
  source: CallOutcome['source'],
): OutageChange {
  const { standing } = record;
  // A light request succeeds even when a limit is used up.
  const isHeard = source === 'turn' || source === 'gateway';
  const { unnamedLimits, ...rest } = record;
  const good: ProviderRecord = { ...(isHeard ? rest : record), failedTurns: 0 };
  switch (standing.kind) {
    case 'answering':
      if (facts.waiting > 0 && facts.isBreakerClosed) return drain(good, {}, facts);
      return record.failedTurns === 0 && !(isHeard && unnamedLimits !== undefined)
        ? { record, steps: [] }
        : { record: good, steps: [{ kind: 'contact', ok: true }] };
    case 'down':
      return {
        record: { ...good, standing: { ...standing, kind: 'recovering' } },
        steps: [
          { kind: 'contact', ok: true },
          { kind: 'recovering', phase: 'canary' },
        ],
      };
    case 'recovering': {
      if (standing.isTrial !== true || facts.waiting === 0) return drain(good, standing, facts);
      // The first success of two: the canary is the next turn that waits.
      const { outageId, sinceMs } = standing;
      return {
        record: { ...good, standing: { kind: 'recovering', outageId, sinceMs } },
        steps: [
          { kind: 'contact', ok: true },
          { kind: 'recovering', phase: 'canary' },
        ],
      };
    }
    case 'draining': {
      const ramp = Math.min(standing.ramp * 2, LARGEST_RAMP) as 2 | 4;
      return { record: { ...good, standing: { ...standing, ramp } }, steps: [] };
    }
    case 'quota': {
      // A call after the Retry-After time ends the wait.
      return isHeard && standing.cause === 'retry_after' && quietMs(record, facts.nowMs) === 0
        ? drain(good, {}, facts)
        : { record, steps: [] };
    }
    case 'key':
      return source === 'gateway' ? { record, steps: [] } : drain(good, {}, facts);
  }
}

/**
 * Answers arrive again: the turns continue in order, a few at a time, as long as any of them waits.
 */
function drain(
  record: ProviderRecord,
  of: { readonly outageId?: number; readonly sinceMs?: number; readonly isAfterLimit?: true },
  facts: OutageFacts,
): OutageChange {
  const standing: HealthState = {
    kind: 'draining',
    ramp: 1,
    ...(of.outageId === undefined ? {} : { outageId: of.outageId, sinceMs: of.sinceMs ?? 0 }),
    ...(of.isAfterLimit === true ? { isAfterLimit: true } : {}),
  };
  const draining: OutageChange = {
    record: { ...record, tries: 0, standing },
    steps: [{ kind: 'recovering', phase: 'drain' }],
  };
  return facts.waiting > 0 ? draining : onDrained(draining.record);
}

/** No turn is waiting, so the outage is over. */
export function onDrained(record: ProviderRecord): OutageChange {
  if (record.standing.kind !== 'draining') return { record, steps: [] };
  const outageId = outageOf(record);
  return {
    record: { ...record, tries: 0, standing: { kind: 'answering' } },
    steps: [
      outageId === undefined ? { kind: 'contact', ok: true } : { kind: 'resolved', outageId },
    ],
  };
}

function onFailure(record: ProviderRecord, facts: OutageFacts): OutageChange {
  const failed = { ...record, failedTurns: record.failedTurns + 1 };
  const contact: OutageStep = { kind: 'contact', ok: false };
  const { standing } = failed;
  switch (standing.kind) {
    case 'answering':
      return declareAt(failed, facts.threshold, facts);
    case 'down':
      return { record: failed, steps: [contact] };
    case 'quota':
      // A provider that sends Retry-After and still fails has failed. S0-14
      return standing.cause === 'retry_after'
        ? declareAt(failed, facts.threshold, facts)
        : { record, steps: [contact] };
    case 'key':
      return { record, steps: [contact] };
    case 'recovering':
      return back(failed, standing, facts);
    case 'draining':
      return standing.outageId === undefined
        ? declareAt({ ...failed, standing: { ...standing, ramp: 1 } }, facts.threshold, facts)
        : back(failed, { outageId: standing.outageId, sinceMs: standing.sinceMs ?? 0 }, facts);
  }
}

/**
 * Another computer reported an outage, and a light request from this one failed too: no turn has to
 * fail here first. DW-25
 */
export function onOutageElsewhere(
  record: ProviderRecord,
  from: string,
  facts: OutageFacts,
): OutageChange {
  if (record.standing.kind !== 'answering') return { record, steps: [] };
  const change = declareAt(record, 0, facts);
  const { standing } = change.record;
  return standing.kind === 'down'
    ? { ...change, record: { ...change.record, standing: { ...standing, from } } }
    : change;
}

function declareAt(record: ProviderRecord, threshold: number, facts: OutageFacts): OutageChange {
  const contact: OutageStep = { kind: 'contact', ok: false };
  if (record.failedTurns < threshold) return { record, steps: [contact] };
  const outageId = facts.newOutageId();
  const standing: HealthState = { kind: 'down', outageId, sinceMs: facts.nowMs };
  return {
    record: {
      ...record,
      standing,
      tries: 0,
      lastTryAtMs: facts.nowMs,
      probeAnchorMs: facts.nowMs,
    },
    steps: [contact, { kind: 'declared', outageId, reason: record.lastError ?? '' }],
  };
}

/** The same outage continues: its record is still open, so there is no second notification. */
function back(
  record: ProviderRecord,
  of: { readonly outageId: number; readonly sinceMs: number },
  facts: OutageFacts,
): OutageChange {
  return {
    record: {
      ...record,
      standing: { kind: 'down', outageId: of.outageId, sinceMs: of.sinceMs },
      tries: record.tries + 1,
      lastTryAtMs: facts.nowMs,
    },
    steps: [
      { kind: 'contact', ok: false },
      { kind: 'recovering', phase: 'back' },
    ],
  };
}

/** A wrong key is not an outage. A current outage is over, because the provider answers. */
function refusesKey(record: ProviderRecord, error: string, facts: OutageFacts): OutageChange {
  if (record.standing.kind === 'key') return { record, steps: [] };
  const outageId = outageOf(record);
  return {
    record: {
      ...told(record, error, facts),
      standing: { kind: 'key', sinceMs: facts.nowMs },
      tries: 0,
      probeAnchorMs: facts.nowMs,
    },
    steps: [
      { kind: 'contact', ok: false },
      ...(outageId === undefined ? [] : [{ kind: 'resolved' as const, outageId }]),
    ],
  };
}

/** The key or the address changed: waiting turns try the provider, at first one by one. */
export function onMended(record: ProviderRecord, facts: OutageFacts): OutageChange {
  return record.standing.kind === 'key' ? drain(record, {}, facts) : { record, steps: [] };
}

/**
 * How long a provider whose limit names no time gets no requests: twice as long after each such
 * limit in a row. Pure. LM-04
 */
export const limitWaitMs = (
  record: ProviderRecord,
  { limitFirstMs, limitMaxMs }: { readonly limitFirstMs: number; readonly limitMaxMs: number },
): number =>
  Math.min(
    limitFirstMs * 2 ** Math.min(record.unnamedLimits ?? 0, 30),
    Math.max(limitFirstMs, limitMaxMs),
  );

/**
 * The provider named the time when it will be back: a time to retry at, not a failure. Without a
 * named time (`isUnnamed`) this is the time of the next check, and several calls that were running
 * when the limit began count as one limit.
 */
export function onRetryAt(
  record: ProviderRecord,
  wait: {
    readonly cause: 'quota' | 'retry_after';
    readonly untilMs: number;
    readonly error: string;
    readonly isUnnamed?: true;
    /** Added to the named time. */
    readonly padMs?: number;
    /** The computer that reached the limit. */
    readonly from?: string;
  },
  facts: OutageFacts,
): OutageChange {
  const { standing } = record;
  if (wait.isUnnamed === true && standing.kind === 'quota' && standing.untilMs > facts.nowMs)
    return { record, steps: [] };
  const untilMs = wait.untilMs + (wait.padMs ?? QUOTA_PAD_MS);
  if (standing.kind === 'quota' && standing.untilMs >= untilMs) return { record, steps: [] };
  const outageId = outageOf(record);
  const { unnamedLimits = 0, ...rest } = record;
  const unnamed = wait.isUnnamed === true ? { unnamedLimits: unnamedLimits + 1 } : {};
  return {
    record: {
      ...told({ ...rest, ...unnamed }, wait.error, facts),
      standing: {
        kind: 'quota',
        cause: wait.cause,
        untilMs,
        sinceMs: facts.nowMs,
        ...(wait.isUnnamed === true ? { isUnnamed: true } : {}),
        ...(wait.from === undefined ? {} : { from: wait.from }),
      },
      tries: 0,
    },
    steps: [
      ...(outageId === undefined ? [] : [{ kind: 'resolved' as const, outageId }]),
      { kind: 'quota', untilMs },
    ],
  };
}

/**
 * A clock that was set back makes no wait longer. What was done later than now counts as done now,
 * so the checks keep their rhythm, and a limit ends at its time or once its wait has passed again:
 * the named time may come from the wrong clock. At worst, the provider is asked too early and names
 * it again. Undefined if nothing changes.
 */
export function onSetBack(
  record: ProviderRecord,
  { nowMs }: Pick<OutageFacts, 'nowMs'>,
): OutageChange | undefined {
  const { standing, lastTryAtMs = 0, probeAnchorMs = 0 } = record;
  const sinceMs = 'sinceMs' in standing ? (standing.sinceMs ?? 0) : 0;
  if (Math.max(sinceMs, lastTryAtMs, probeAnchorMs) <= nowMs + SET_BACK_MS) return undefined;
  const before = {
    ...record,
    ...(lastTryAtMs > nowMs ? { lastTryAtMs: nowMs } : {}),
    ...(probeAnchorMs > nowMs ? { probeAnchorMs: nowMs } : {}),
  };
  if (!('sinceMs' in standing) || sinceMs <= nowMs) return { record: before, steps: [] };
  if (standing.kind !== 'quota')
    return { record: { ...before, standing: { ...standing, sinceMs: nowMs } }, steps: [] };
  const untilMs = Math.min(standing.untilMs, nowMs + standing.untilMs - sinceMs);
  return {
    record: { ...before, standing: { ...standing, sinceMs: nowMs, untilMs } },
    steps: [{ kind: 'quota', untilMs }],
  };
}

/** The named time has passed, or the user does not want to wait for it. */
export function onRetryAtPassed(record: ProviderRecord, facts: OutageFacts): OutageChange {
  const { standing } = record;
  if (standing.kind !== 'quota') return { record, steps: [] };
  // A Retry-After is not an answer: earlier failures still count as consecutive.
  const failedTurns = standing.cause === 'retry_after' ? record.failedTurns : 0;
  const isAfterLimit = standing.cause === 'quota' ? { isAfterLimit: true as const } : {};
  return drain({ ...record, failedTurns }, isAfterLimit, facts);
}

/**
 * It is time to check the provider, and only a turn can do it: the first waiting turn runs. Its
 * success is the first of two, and the canary after it provides the second (R3). If no other turn
 * waits, nothing needs to be held back, and the outage is over.
 */
export function onTurnTrial(
  record: ProviderRecord,
  tried: { readonly nowMs: number; readonly isInterval: boolean },
): OutageChange {
  const { standing } = record;
  if (standing.kind !== 'down') return { record, steps: [] };
  const { nowMs, isInterval } = tried;
  return {
    record: {
      ...record,
      standing: { ...standing, kind: 'recovering', isTrial: true },
      lastTryAtMs: nowMs,
      ...(isInterval ? { probeAnchorMs: nowMs } : {}),
    },
    steps: [{ kind: 'recovering', phase: 'trial' }],
  };
}

/** No turn can wait for a provider that the settings no longer name. */
export function onRemoved(record: ProviderRecord): OutageChange {
  if (isUntroubled(record)) return { record, steps: [] };
  const { provider, noticeId } = record;
  const outageId = outageOf(record);
  return {
    record: { ...newRecord(provider), ...(noticeId === undefined ? {} : { noticeId }) },
    steps: [
      outageId === undefined ? { kind: 'contact', ok: true } : { kind: 'resolved', outageId },
    ],
    isRemoved: true,
  };
}

/** The breaker closed, through its probe or by the user, so waiting turns continue. */
export function onBreakerClosed(record: ProviderRecord, facts: OutageFacts): OutageChange {
  return record.standing.kind === 'answering' && facts.waiting > 0
    ? drain(record, {}, facts)
    : { record, steps: [] };
}

/**
 * A light request ended. Its result is reported as a separate outcome; this records when it was
 * made.
 */
export function onTried(
  record: ProviderRecord,
  tried: { readonly ok: boolean; readonly startedAtMs: number; readonly isInterval: boolean },
): ProviderRecord {
  return {
    ...record,
    lastTryAtMs: tried.startedAtMs,
    tries: tried.ok ? record.tries : record.tries + 1,
    ...(tried.isInterval ? { probeAnchorMs: tried.startedAtMs } : {}),
  };
}

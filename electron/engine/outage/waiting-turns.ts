/**
 * Which turns wait for their provider, why, and how many may start. Pure. S0-18, S0-20, R1, R3,
 * R13.
 */
import type { BreakerView, HeldCause } from '../../../shared/types/outage';
import type { ProviderRecord } from '../../ports/journal/outage';

type BreakerFacts = Pick<BreakerView, 'state' | 'successes'>;

/** How many of a provider's turns may run at once. `Infinity`: no restriction. */
export function slotsOf(record: ProviderRecord, breaker: BreakerFacts | undefined): number {
  const byHealth = slotsOfHealth(record);
  if (breaker === undefined || breaker.state === 'closed') return byHealth;
  if (breaker.state === 'open') return 0;
  // Half-open: after the first success one turn provides the second; before that a light probe is
  // running.
  return breaker.successes > 0 || record.standing.kind === 'recovering' ? Math.min(1, byHealth) : 0;
}

function slotsOfHealth({ standing }: ProviderRecord): number {
  switch (standing.kind) {
    case 'answering':
      return Infinity;
    case 'down':
    case 'quota':
    case 'key':
      return 0;
    case 'recovering':
      return 1;
    case 'draining':
      return standing.ramp;
  }
}

/** A usage limit holds its turns back, or it has reset and they continue a few at a time. */
export const isUnderLimit = ({ standing }: Pick<ProviderRecord, 'standing'>): boolean =>
  (standing.kind === 'quota' && standing.cause === 'quota') ||
  (standing.kind === 'draining' && standing.isAfterLimit === true);

/** Why a turn of this provider must wait; undefined if nothing blocks it. */
export function causeOf(
  record: ProviderRecord,
  breaker: BreakerFacts | undefined,
): { readonly cause: HeldCause; readonly untilMs?: number } | undefined {
  const { standing } = record;
  switch (standing.kind) {
    case 'down':
    case 'recovering':
      return { cause: 'outage' };
    case 'quota':
      return { cause: standing.cause, untilMs: standing.untilMs };
    case 'key':
      return { cause: 'key' };
    case 'draining':
      return {
        cause:
          standing.isAfterLimit === true
            ? 'quota'
            : standing.outageId === undefined
              ? 'breaker'
              : 'outage',
      };
    case 'answering':
      return breaker === undefined || breaker.state === 'closed' ? undefined : { cause: 'breaker' };
  }
}

/** A place in the queue. Turns wait in order of rank; the default rank is the turn's ID. */
interface Placed {
  readonly turnId: number;
  readonly rank: number;
}

/** Ranks that are closer than this can no longer be told apart safely. */
const CLOSEST = 1e-6;

/**
 * New ranks that move a turn before another one, or to the end. Usually one rank; if the gap is too
 * small, the ranks of the whole queue. `queue` is in order. Undefined if one of the two turns does
 * not wait.
 */
export function planMove(
  queue: readonly Placed[],
  turnId: number,
  beforeTurnId: number | undefined,
): readonly Placed[] | undefined {
  const rest = queue.filter((one) => one.turnId !== turnId);
  if (rest.length === queue.length) return undefined;
  if (beforeTurnId === turnId) return [];
  const at =
    beforeTurnId === undefined ? rest.length : rest.findIndex((one) => one.turnId === beforeTurnId);
  if (at < 0) return undefined;
  const before = rest[at - 1]?.rank;
  const after = rest[at]?.rank;
  if (before === undefined && after === undefined) return [];
  const rank =
    before === undefined
      ? (after ?? 0) - 1
      : after === undefined
        ? before + 1
        : (before + after) / 2;
  if (before === undefined || after === undefined || after - before > CLOSEST)
    return [{ turnId, rank }];
  const order = [...rest.slice(0, at), { turnId, rank }, ...rest.slice(at)];
  const first = Math.floor(queue[0]?.rank ?? 0);
  return order.map((one, index) => ({ turnId: one.turnId, rank: first + index }));
}

/** What the settings allow for a turn that would have to wait. R9. */
type WaitPlan =
  | { readonly kind: 'wait' }
  /**
   * The user resumed the turn although it does not wait automatically, so it calls the provider.
   */
  | { readonly kind: 'go' }
  | { readonly kind: 'park'; readonly reason: 'off' | 'too_long' | 'far' | 'windows' };

/**
 * A usage limit with a reset time: its length depends on the plan, so `resilience.max_wait` does
 * not end the wait. Pure. LM-03
 */
export function isNamedLimit(wait: {
  readonly cause: HeldCause;
  readonly untilMs?: number | undefined;
  readonly record: Pick<ProviderRecord, 'standing'>;
}): boolean {
  const { standing } = wait.record;
  if (wait.cause !== 'quota') return false;
  if (standing.kind === 'quota') return standing.isUnnamed !== true;
  return wait.untilMs !== undefined || standing.kind === 'draining';
}

export function planWait(facts: {
  readonly cause: HeldCause;
  readonly untilMs: number | undefined;
  readonly sinceMs: number;
  readonly nowMs: number;
  /** `resilience.auto_wait` and the agent's own `wait`. */
  readonly isAllowed: boolean;
  /** `resilience.wait_for_quota` */
  readonly isQuotaAllowed: boolean;
  /** `resilience.max_wait` */
  readonly maxWaitMs: number;
  readonly isAnswered: boolean;
  /** For a usage limit with a reset time. */
  readonly limit?: {
    /** Windows whose limit this turn has reached, including this one. */
    readonly windows: number;
    /** `limits.max_windows` */
    readonly mostWindows: number;
    /** `limits.max_wait` */
    readonly mostMs: number;
  };
}): WaitPlan {
  const isNamedWait = facts.cause === 'quota' || facts.cause === 'retry_after';
  if (!facts.isAllowed || (isNamedWait && !facts.isQuotaAllowed))
    return facts.isAnswered ? { kind: 'go' } : { kind: 'park', reason: 'off' };
  const { limit } = facts;
  if (limit !== undefined) {
    if (limit.windows > limit.mostWindows) return { kind: 'park', reason: 'windows' };
    return facts.untilMs !== undefined && facts.untilMs - facts.nowMs > limit.mostMs
      ? { kind: 'park', reason: 'far' }
      : { kind: 'wait' };
  }
  const endMs = facts.sinceMs + facts.maxWaitMs;
  if (facts.nowMs >= endMs || (facts.untilMs !== undefined && facts.untilMs > endMs))
    return { kind: 'park', reason: 'too_long' };
  return { kind: 'wait' };
}

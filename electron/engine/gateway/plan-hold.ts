/** State of a client's request that got no answer. */
interface HoldFacts {
  readonly nowMs: number;
  /** When the client sent the request. */
  readonly beganMs: number;
  /** `resilience.max_wait`. */
  readonly maxWaitMs: number;
  /** The provider has named the earliest next try. */
  readonly notBeforeMs: number | undefined;
  /** The provider cannot be called now; its end is announced. */
  readonly isBlocked: boolean;
  /** When another provider may answer in its place. FB-05 */
  readonly fallbackAtMs: number | undefined;
  /** From 0 up to, not including, 1. */
  readonly random: number;
}

type HoldPlan =
  | {
      readonly kind: 'wait';
      readonly forMs: number;
      /** A change ends it earlier; otherwise it is the pause after a try that failed. */
      readonly isForChange: boolean;
    }
  | { readonly kind: 'give_up'; readonly reason: string };

/** The longest pause after a chain of tries that failed; the shortest is half of it. */
export const PAUSE_MS = 15_000;

/**
 * How long a held request waits: for a change as long as allowed, after its own failed try for a
 * jittered pause, or not at all because it has waited enough. Pure.
 */
export function planHold(facts: HoldFacts): HoldPlan {
  const { nowMs, beganMs, maxWaitMs, notBeforeMs, isBlocked, random, fallbackAtMs } = facts;
  const endMs = beganMs + maxWaitMs;
  const leftMs = endMs - nowMs;
  if (leftMs <= 0) {
    return {
      kind: 'give_up',
      reason: `No answer within ${waitWords(maxWaitMs)}.`,
    };
  }
  const otherMs = fallbackAtMs === undefined || fallbackAtMs > endMs ? undefined : fallbackAtMs;
  if (otherMs === undefined && notBeforeMs !== undefined && notBeforeMs > endMs) {
    return {
      kind: 'give_up',
      reason: `The next request to the provider is at ${new Date(notBeforeMs).toISOString()}, and that is longer than ${waitWords(maxWaitMs)}.`,
    };
  }
  const pauseMs = Math.ceil((PAUSE_MS / 2) * (1 + random));
  const forMs = isBlocked ? leftMs : Math.min(pauseMs, leftMs);
  return {
    kind: 'wait',
    forMs: otherMs === undefined ? forMs : Math.min(forMs, Math.max(0, otherMs - nowMs)),
    isForChange: isBlocked,
  };
}

function waitWords(ms: number): string {
  const minutes = Math.round(ms / 60_000);
  if (minutes < 1) return `${String(Math.round(ms / 1000))} s`;
  return minutes < 120 ? `${String(minutes)} min` : `${String(Math.round(minutes / 60))} h`;
}

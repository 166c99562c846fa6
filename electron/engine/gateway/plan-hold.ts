/** Where a request of a client stands that got no answer. */
interface HoldFacts {
  readonly nowMs: number;
  /** When the client asked. */
  readonly beganMs: number;
  /** `resilience.max_wait`. */
  readonly maxWaitMs: number;
  /** The provider, or its breaker, named the earliest next try. */
  readonly notBeforeMs: number | undefined;
}

type HoldPlan =
  | { readonly kind: 'wait'; readonly forMs: number }
  | { readonly kind: 'give_up'; readonly reason: string };

/** Between two looks at a provider that is down: it may be back without having said so. */
export const LOOK_AGAIN_MS = 15_000;
const SHORTEST_WAIT_MS = 250;

/** How long a held request sleeps before it looks again, or that it has waited enough. Pure. */
export function planHold({ nowMs, beganMs, maxWaitMs, notBeforeMs }: HoldFacts): HoldPlan {
  const leftMs = beganMs + maxWaitMs - nowMs;
  if (leftMs <= 0) {
    return {
      kind: 'give_up',
      reason: `No answer within ${waitWords(maxWaitMs)}.`,
    };
  }
  if (notBeforeMs !== undefined && notBeforeMs > beganMs + maxWaitMs) {
    return {
      kind: 'give_up',
      reason: `The provider answers again at ${new Date(notBeforeMs).toISOString()}, and that is longer than ${waitWords(maxWaitMs)}.`,
    };
  }
  const askedMs = notBeforeMs === undefined ? LOOK_AGAIN_MS : notBeforeMs - nowMs;
  return {
    kind: 'wait',
    forMs: Math.min(Math.max(askedMs, SHORTEST_WAIT_MS), LOOK_AGAIN_MS, leftMs),
  };
}

function waitWords(ms: number): string {
  const minutes = Math.round(ms / 60_000);
  if (minutes < 1) return `${String(Math.round(ms / 1000))} s`;
  return minutes < 120 ? `${String(minutes)} min` : `${String(Math.round(minutes / 60))} h`;
}

/** Wall and monotonic time, read together. */
export interface Look {
  readonly wallMs: number;
  readonly monotonicMs: number;
}

/** What lay between two looks at the clock. */
type Gap =
  | { readonly kind: 'none' }
  /** The computer slept, or this process was stopped: nothing could run in between. */
  | { readonly kind: 'asleep'; readonly forMs: number }
  /** The wall clock was set forward; the same rule as for sleep. */
  | { readonly kind: 'set_forward'; readonly byMs: number }
  /** The wall clock was set back: what has run does not run again. */
  | { readonly kind: 'set_back'; readonly byMs: number };

/** Looks are at most this far apart while anything is due some time. */
export const LOOK_EVERY_MS = 10_000;
/** A busy event loop is no sleep. */
const LATE_LOOK_MS = 5_000;
/** The clock is corrected by small steps all the time. */
const SMALL_STEP_MS = 2_000;

/**
 * Tells sleep and a changed clock from ordinary waiting. A monotonic clock that stops during sleep
 * cannot tell sleep from a clock set forward: both are handled alike, so `wasResumed` (reported by
 * the system) only selects the wording. Two reports of one wake count once: the second check
 * follows the first directly. Pure. Source: S0-22.
 */
export function gapBetween(before: Look, now: Look, wasResumed: boolean): Gap {
  const wall = now.wallMs - before.wallMs;
  const monotonic = now.monotonicMs - before.monotonicMs;
  const drift = wall - monotonic;
  if (drift < -SMALL_STEP_MS) return { kind: 'set_back', byMs: -drift };
  if (wall <= LOOK_EVERY_MS + LATE_LOOK_MS && drift <= SMALL_STEP_MS) return { kind: 'none' };
  if (drift > SMALL_STEP_MS && !wasResumed) return { kind: 'set_forward', byMs: drift };
  return { kind: 'asleep', forMs: wall };
}

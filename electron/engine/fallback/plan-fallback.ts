/** When a turn continues with another model or agent, and with which one. Pure. FB-01, FB-02, FB-04 */
import type { HealthState } from '../../ports/journal/outage';

type FallbackMode = 'by_vendor' | 'ask' | 'auto' | 'off';

/** A possible answerer in place of the first. */
export interface Candidate {
  /** Nothing blocks it: no outage, limit or open breaker. */
  readonly isOpen: boolean;
  /** It bills and fails with the first one's vendor: only the key, login or model differs. */
  readonly isSameVendor: boolean;
}

export interface FallbackFacts {
  readonly mode: FallbackMode;
  /** The first one, then its fallbacks in order. */
  readonly candidates: readonly Candidate[];
  /** Index of the candidate that the turn waits for. */
  readonly current: number;
  /** Known state of the candidate that the turn waits for. */
  readonly healthState: HealthState;
  readonly nowMs: number;
  /** `fallback.after` */
  readonly afterMs: number;
  /** What the user answered in this outage or window. */
  readonly answer: 'yes' | 'no' | undefined;
}

export type FallbackDecision =
  /** The turn keeps waiting for its own. */
  | { readonly kind: 'stay' }
  /** Not yet: look again then. */
  | { readonly kind: 'later'; readonly atMs: number }
  | { readonly kind: 'ask' | 'go'; readonly to: number };

const STAY: FallbackDecision = { kind: 'stay' };

/**
 * Since when the provider has been known to accept nothing; undefined unless it is an outage or a
 * limit. A rejected key, a bad request or a conversation that is too long comes from the request or
 * the settings, and another model would not help.
 */
export function declaredSinceMs(healthState: HealthState): number | undefined {
  return healthState.kind === 'down' || healthState.kind === 'quota'
    ? healthState.sinceMs
    : undefined;
}

/**
 * What a waiting turn does. Within a turn it only moves to a later entry of the list, never back;
 * the next turn starts with the first one again as soon as nothing blocks it.
 */
export function decideFallback(facts: FallbackFacts): FallbackDecision {
  const { mode, candidates, current, healthState, nowMs, answer } = facts;
  const sinceMs = declaredSinceMs(healthState);
  if (mode === 'off' || sinceMs === undefined || answer === 'no') return STAY;
  const to = nextOpen(candidates, current);
  if (to === undefined) return STAY;
  const dueAtMs = sinceMs + facts.afterMs;
  // It comes back earlier, so another one gains nothing.
  if (healthState.kind === 'quota' && healthState.untilMs <= dueAtMs && nowMs < healthState.untilMs)
    return STAY;
  if (nowMs < dueAtMs) return { kind: 'later', atMs: dueAtMs };
  return { kind: mayGo(mode, candidates, to) || answer === 'yes' ? 'go' : 'ask', to };
}

/** The next usable entry of the list; blocked ones are skipped. */
export function nextOpen(candidates: readonly Candidate[], current: number): number | undefined {
  const at = candidates.findIndex((one, index) => index > current && one.isOpen);
  return at < 0 ? undefined : at;
}

const mayGo = (mode: FallbackMode, candidates: readonly Candidate[], to: number): boolean =>
  mode === 'auto' || (mode === 'by_vendor' && candidates[to]?.isSameVendor === true);

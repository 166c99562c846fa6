/** When a turn continues with another model or agent, and with which one. Pure. FB-01, FB-02, FB-04 */
import type { Standing } from '../../ports/journal/outage';

type FallbackMode = 'by_vendor' | 'ask' | 'auto' | 'off';

/** One that may answer in place of the first. */
export interface Candidate {
  /** Nothing is in its way: no outage, no limit, no open breaker. */
  readonly isOpen: boolean;
  /** It bills and fails with the first one's vendor: only the key, login or model differs. */
  readonly isSameVendor: boolean;
}

export interface FallbackFacts {
  readonly mode: FallbackMode;
  /** The first one, then its fallbacks in order. */
  readonly candidates: readonly Candidate[];
  /** Place among the candidates of the one that the turn waits for. */
  readonly current: number;
  /** What is known of the one that the turn waits for. */
  readonly standing: Standing;
  readonly nowMs: number;
  /** `fallback.after` */
  readonly afterMs: number;
  /** What the user answered in this outage or window. */
  readonly answer: 'yes' | 'no' | undefined;
}

export type FallbackDecision =
  /** The turn waits for its own. */
  | { readonly kind: 'stay' }
  /** Not yet: look again then. */
  | { readonly kind: 'later'; readonly atMs: number }
  | { readonly kind: 'ask' | 'go'; readonly to: number };

const STAY: FallbackDecision = { kind: 'stay' };

/**
 * Since when the turn's provider has declared that it takes nothing; undefined for everything that
 * is neither an outage nor a limit. A rejected key, a bad request or a conversation that is too long
 * comes from the request or the settings, and another model would not make it right.
 */
export function declaredSinceMs(standing: Standing): number | undefined {
  return standing.kind === 'down' || standing.kind === 'quota' ? standing.sinceMs : undefined;
}

/**
 * What a waiting turn does. Within a turn it only goes on to a later one of the list, never back:
 * the next turn starts with the first one again as soon as nothing is in its way.
 */
export function decideFallback(facts: FallbackFacts): FallbackDecision {
  const { mode, candidates, current, standing, nowMs, answer } = facts;
  const sinceMs = declaredSinceMs(standing);
  if (mode === 'off' || sinceMs === undefined || answer === 'no') return STAY;
  const to = nextOpen(candidates, current);
  if (to === undefined) return STAY;
  const dueAtMs = sinceMs + facts.afterMs;
  // It comes back before: nothing is gained by another one.
  if (standing.kind === 'quota' && standing.untilMs <= dueAtMs && nowMs < standing.untilMs)
    return STAY;
  if (nowMs < dueAtMs) return { kind: 'later', atMs: dueAtMs };
  return { kind: mayGo(mode, candidates, to) || answer === 'yes' ? 'go' : 'ask', to };
}

/** The next one of the list that answers; those that do not are passed over. */
export function nextOpen(candidates: readonly Candidate[], current: number): number | undefined {
  const at = candidates.findIndex((one, index) => index > current && one.isOpen);
  return at < 0 ? undefined : at;
}

const mayGo = (mode: FallbackMode, candidates: readonly Candidate[], to: number): boolean =>
  mode === 'auto' || (mode === 'by_vendor' && candidates[to]?.isSameVendor === true);

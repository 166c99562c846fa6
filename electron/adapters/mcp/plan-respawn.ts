import { sentence } from '../../../shared/sentence';
import type { AttemptState } from '../../ports/attempts';

/**
 * When a server that ended may be started again. Pure. Row S2-19.
 *
 *   ended -> wait 1, 2, 4, 8, 16 s -> started again -> … -> after 5 of them in 300 s: failed
 */

/** Bounds of supervision; the documented ones are {@link RESPAWN_LIMITS}. */
export interface RespawnLimits {
  readonly windowMs: number;
  /** Wait before the first, second, … restart inside the window; its length is the maximum. */
  readonly backoffMs: readonly number[];
}

export const RESPAWN_LIMITS: RespawnLimits = {
  windowMs: 300_000,
  backoffMs: [1_000, 2_000, 4_000, 8_000, 16_000],
};

type RespawnPlan =
  /** Pass `restartsMs` in again next time. */
  | { readonly kind: 'respawn'; readonly atMs: number; readonly restartsMs: readonly number[] }
  | { readonly kind: 'give_up'; readonly restarts: number };

/**
 * Decides after an end. In every period of `windowMs` there are at most as many restarts as there
 * are steps of backoff.
 *
 * @param restartsMs monotonic times of the restarts so far, oldest first; without those that
 * the user requested.
 * @param nowMs monotonic.
 */
export function planRespawn(
  restartsMs: readonly number[],
  nowMs: number,
  limits: RespawnLimits,
): RespawnPlan {
  const since = (atMs: number): readonly number[] =>
    restartsMs.filter((restart) => restart > atMs - limits.windowMs);
  const delayMs = limits.backoffMs[since(nowMs).length];
  if (delayMs === undefined) return { kind: 'give_up', restarts: since(nowMs).length };
  const atMs = nowMs + delayMs;
  return { kind: 'respawn', atMs, restartsMs: [...since(atMs), atMs] };
}

/** The start of a run; `restartsMs` is monotonic, as {@link planRespawn} takes it. */
export type FirstStart = { readonly reason: string; readonly restartsMs: readonly number[] } & (
  { readonly kind: 'start'; readonly delayMs: number } | { readonly kind: 'give_up' }
);

/**
 * Decides the first start of a run: restarts of an earlier run still count, so that a restart of
 * Holdfast resets no count for a server that keeps ending. @param saved for exactly this
 * configuration
 */
export function planFirstStart(
  saved: AttemptState | undefined,
  now: { readonly wallMs: number; readonly monotonicMs: number },
  limits: RespawnLimits,
): FirstStart {
  const longestMs = Math.max(0, ...limits.backoffMs);
  const counted = (saved?.startsAtMs ?? [])
    .filter((atMs) => atMs > now.wallMs - limits.windowMs)
    // The clock may have been set back: none is further away than the longest wait.
    .map((atMs) => Math.min(atMs, now.wallMs + longestMs));
  const reason = saved?.lastError ?? '';
  const isGivenUp = saved !== undefined && saved.nextTryAtMs === undefined;
  const restartsMs = counted.map((atMs) => now.monotonicMs + (atMs - now.wallMs));
  if (isGivenUp && counted.length >= limits.backoffMs.length)
    return { kind: 'give_up', reason, restartsMs };
  const leftMs = (saved?.nextTryAtMs ?? 0) - now.wallMs;
  return {
    kind: 'start',
    delayMs: Math.min(Math.max(0, leftMs), longestMs),
    restartsMs,
    reason,
  };
}

/** The note of a server that is no longer restarted. The reasons of the SDK have no full stop. */
export function gaveUp(reason: string, restarts: number): string {
  return `${sentence(reason.trim())} It was restarted ${String(restarts)} times and ended each time.`.trim();
}

/** Maximum automatic restarts... */
const COME_BACK_LIMIT = 3;
/** ...within this many ms. */
const COME_BACK_WINDOW_MS = 600_000;

/** Whether the app may start itself again after an unexpected death. */
type RelaunchPlan =
  | { readonly kind: 'restart'; readonly attempt: number }
  | {
      readonly kind: 'stay_down';
      readonly restarts: number;
      readonly windowMs: number;
      /** Wall ms from which a restart would be allowed again. */
      readonly allowedAtMs: number;
      readonly reason: string;
    };

/**
 * Allows 3 automatic restarts in 10 minutes, then stays down and reports why at the next start. A
 * restart exactly 10 minutes old no longer counts. Entries up to 10 minutes in the future count
 * (the clock was set back), later ones do not.
 */
export function planRelaunch(historyAtMs: readonly number[], nowMs: number): RelaunchPlan {
  const recent = historyAtMs
    .filter((atMs) => Math.abs(nowMs - atMs) < COME_BACK_WINDOW_MS)
    .sort((left, right) => left - right);
  if (recent.length < COME_BACK_LIMIT) return { kind: 'restart', attempt: recent.length + 1 };
  const oldestThatCounts = recent[recent.length - COME_BACK_LIMIT] ?? nowMs;
  return {
    kind: 'stay_down',
    restarts: recent.length,
    windowMs: COME_BACK_WINDOW_MS,
    allowedAtMs: oldestThatCounts + COME_BACK_WINDOW_MS,
    reason: `Holdfast crashed ${recent.length} times within 10 minutes and did not restart automatically. All accepted work is on disk.`,
  };
}

/**
 * So far ahead a timer is trusted: it counts monotonic time, and the wall clock may be set, or the
 * computer sleep, meanwhile. Reading the clock again costs nothing and touches no table.
 */
const LONGEST_NAP_MS = 10_000;

/** How long to sleep before looking at the wall clock again; 0 when the wake is due. Pure. S3-+03. */
export function nextLookMs(dueAtMs: number, nowMs: number): number {
  return Math.min(Math.max(0, dueAtMs - nowMs), LONGEST_NAP_MS);
}

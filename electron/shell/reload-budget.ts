/** At most 3 reloads of a broken page within a minute (W10). */
const MAX_RELOADS = 3;
const WINDOW_MS = 60_000;

interface ReloadBudget {
  /** True if the page may be loaded again; counts it. */
  take(nowMs: number): boolean;
}

export function createReloadBudget(): ReloadBudget {
  let atMs: readonly number[] = [];
  return {
    take(nowMs) {
      atMs = atMs.filter((at) => nowMs - at < WINDOW_MS);
      if (atMs.length >= MAX_RELOADS) return false;
      atMs = [...atMs, nowMs];
      return true;
    },
  };
}

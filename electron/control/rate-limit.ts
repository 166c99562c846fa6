/** A token bucket on a monotonic clock: `burst` at once, then `perSecond`. */
interface RateLimit {
  /** Takes one token; false when there is none. */
  take(): boolean;
}

/** `monotonicMs` must never go back. */
export function createRateLimit(options: {
  readonly burst: number;
  readonly perSecond: number;
  readonly monotonicMs: () => number;
}): RateLimit {
  let tokens = options.burst;
  let lastMs = options.monotonicMs();
  return {
    take: () => {
      const nowMs = options.monotonicMs();
      tokens = Math.min(options.burst, tokens + ((nowMs - lastMs) / 1000) * options.perSecond);
      lastMs = nowMs;
      if (tokens < 1) return false;
      tokens -= 1;
      return true;
    },
  };
}

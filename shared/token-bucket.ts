/** Limits the calls of one client or window (I6). */
export interface TokenBucket {
  /** Takes one token; false if none is left. */
  take(nowMs: number): boolean;
}

/** A bucket that holds `capacity` tokens and regains `perSecond` of them each second. */
export function createTokenBucket(capacity: number, perSecond: number): TokenBucket {
  let tokens = capacity;
  let atMs: number | undefined;
  return {
    take(nowMs) {
      // A clock that was set back adds no tokens and removes none.
      const elapsedMs = atMs === undefined ? 0 : Math.max(0, nowMs - atMs);
      atMs = nowMs;
      tokens = Math.min(capacity, tokens + (elapsedMs / 1000) * perSecond);
      if (tokens < 1) return false;
      tokens -= 1;
      return true;
    },
  };
}

/** Calls `onTick` every ten seconds until stopped: when to look at the clock again. */
export type Ticker = (onTick: () => void) => { stop(): void };

/** Time as the engine sees it. Wall time for what is stored, monotonic for what has elapsed. */
export interface Clock {
  /** Wall time, ms since the epoch, UTC. */
  nowMs(): number;
  /** Monotonic ms from an arbitrary origin; not stopped by wall clock changes. */
  monotonicMs(): number;
  /** Resolves after `delayMs` or rejects with the signal's reason. */
  sleep(delayMs: number, signal?: AbortSignal): Promise<void>;
}

/**
 * Calls `onTick` every ten seconds until stopped, for clock checks.
 * Implemented by adapters/cron/cron-ticks.ts.
 */
export type Ticker = (onTick: () => void) => { stop(): void };

/**
 * Time for the engine: wall time for stored times, monotonic time for durations.
 * Implemented by adapters/clock/system-clock.ts.
 */
export interface Clock {
  /** Wall time, ms since the epoch, UTC. */
  nowMs(): number;
  /** Monotonic ms from an arbitrary origin; not stopped by wall clock changes. */
  monotonicMs(): number;
  /** Resolves after `delayMs` or rejects with the signal's reason. */
  sleep(delayMs: number, signal?: AbortSignal): Promise<void>;
}

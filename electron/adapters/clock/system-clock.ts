import { performance } from 'node:perf_hooks';
import type { Clock } from '../../ports/clock';

/** setTimeout fires at once above 2^31-1 ms (24.8 days); a day at a time stays far below. */
const MAX_TIMER_MS = 86_400_000;

/**
 * The clock of the computer. `sleep` counts monotonic time, so a change of the wall clock neither
 * shortens nor lengthens it, and it never resolves early.
 */
export function createSystemClock(
  options: { readonly longestTimerMs: number } = { longestTimerMs: MAX_TIMER_MS },
): Clock {
  const monotonicMs = (): number => performance.now();
  return {
    nowMs: () => Date.now(),
    monotonicMs,
    sleep(delayMs, signal) {
      if (Number.isNaN(delayMs)) return Promise.reject(new RangeError('sleep(NaN)'));
      return new Promise<void>((resolve, reject) => {
        if (signal?.aborted === true) {
          reject(signal.reason as Error);
          return;
        }
        const endMs = monotonicMs() + delayMs;
        let timer: NodeJS.Timeout;
        const onAbort = (): void => {
          clearTimeout(timer);
          reject(signal?.reason as Error);
        };
        const arm = (): void => {
          const leftMs = Math.max(0, endMs - monotonicMs());
          timer = setTimeout(
            () => {
              if (monotonicMs() < endMs) {
                arm();
                return;
              }
              signal?.removeEventListener('abort', onAbort);
              resolve();
            },
            Math.min(Math.ceil(leftMs), options.longestTimerMs),
          );
        };
        signal?.addEventListener('abort', onAbort, { once: true });
        arm();
      });
    },
  };
}

/** The computer's time zone; UTC if none is set, for example with an empty `TZ`. */
export function computerZone(): string {
  const zone = new Intl.DateTimeFormat().resolvedOptions().timeZone;
  return zone === '' || zone === 'Etc/Unknown' ? 'UTC' : zone;
}

/** One shared clock per window; it stops while the window is hidden (no timers at all). */
import { useSyncExternalStore } from 'react';

type Pace = 'second' | 'minute';
const PACE_MS: Readonly<Record<Pace, number>> = { second: 1000, minute: 30_000 };

interface Ticker {
  readonly subscribe: (listener: () => void) => () => void;
  readonly read: () => number;
}

const createTicker = (paceMs: number): Ticker => {
  const listeners = new Set<() => void>();
  let nowMs = Date.now();
  let timer: ReturnType<typeof setInterval> | undefined;
  const tick = (): void => {
    nowMs = Date.now();
    for (const listener of listeners) listener();
  };
  const arm = (): void => {
    const shouldRun = listeners.size > 0 && document.visibilityState === 'visible';
    if (shouldRun && timer === undefined) {
      timer = setInterval(tick, paceMs);
      tick();
    } else if (!shouldRun && timer !== undefined) {
      clearInterval(timer);
      timer = undefined;
    }
  };
  if (typeof document !== 'undefined') document.addEventListener('visibilitychange', arm);
  return {
    subscribe: (listener) => {
      listeners.add(listener);
      if (listeners.size === 1) nowMs = Date.now();
      arm();
      return () => {
        listeners.delete(listener);
        arm();
      };
    },
    read: () => nowMs,
  };
};

const tickers: Record<Pace, Ticker> = {
  second: createTicker(PACE_MS.second),
  minute: createTicker(PACE_MS.minute),
};

/** Wall time in ms, as fresh as the pace. */
export function useNow(pace: Pace): number {
  const ticker = tickers[pace];
  return useSyncExternalStore(ticker.subscribe, ticker.read);
}

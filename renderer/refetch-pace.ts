/**
 * How often events make a query load again. The engine reports one event to a window up to ten
 * times a second, and one event can make a dozen queries outdated. Without a limit, the window's
 * requests would be refused, including the user's own. The first event loads at once, later ones
 * are combined, and the last one always counts.
 */
export const REST_MS = 400;

interface PaceDeps {
  readonly nowMs: () => number;
  /** Calls back after this delay; the returned function cancels it. */
  readonly later: (run: () => void, delayMs: number) => () => void;
  readonly ask: () => void;
}

export interface Pace {
  /** An event made the result outdated. */
  readonly onEvent: () => void;
  readonly stop: () => void;
}

export function createPace({ nowMs, later, ask }: PaceDeps): Pace {
  let askedAtMs = Number.NEGATIVE_INFINITY;
  let cancel: (() => void) | undefined;
  const now = (): void => {
    cancel = undefined;
    askedAtMs = nowMs();
    ask();
  };
  return {
    onEvent() {
      if (cancel !== undefined) return;
      const restMs = askedAtMs + REST_MS - nowMs();
      if (restMs <= 0) now();
      else cancel = later(now, restMs);
    },
    stop() {
      cancel?.();
      cancel = undefined;
    },
  };
}

export const windowTimer: PaceDeps['later'] = (run, delayMs) => {
  const timer = window.setTimeout(run, delayMs);
  return () => window.clearTimeout(timer);
};

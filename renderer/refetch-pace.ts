/**
 * How often events make a query ask again. The engine tells a window of one event up to ten times a
 * second, and a page has a dozen queries that one event makes old: asked each time, the window would
 * be refused, and with it what a person presses. The first event asks at once, those after it
 * together; the last is never left out.
 */
export const REST_MS = 400;

interface PaceDeps {
  readonly nowMs: () => number;
  /** Calls back after this long; the returned function takes it back. */
  readonly later: (run: () => void, delayMs: number) => () => void;
  readonly ask: () => void;
}

export interface Pace {
  /** An event has made the answer old. */
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

/** One wait at a time; setting it again replaces the previous one. */
interface Alarm {
  readonly isSet: boolean;
  /** Fires once, after `delayMs`. */
  set(delayMs: number): void;
  /** Cancels the pending wait. */
  clear(): void;
}

export function createAlarm(
  clock: { sleep(delayMs: number, signal: AbortSignal): Promise<unknown> },
  ring: () => void,
): Alarm {
  let waiting: AbortController | undefined;
  const clear = (): void => {
    waiting?.abort();
    waiting = undefined;
  };
  return {
    get isSet() {
      return waiting !== undefined;
    },
    clear,
    set(delayMs) {
      clear();
      const mine = new AbortController();
      waiting = mine;
      clock.sleep(delayMs, mine.signal).then(
        () => {
          // It was set again at the moment it expired.
          if (waiting !== mine) return;
          waiting = undefined;
          ring();
        },
        () => undefined,
      );
    },
  };
}

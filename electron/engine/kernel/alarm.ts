/** One wait at a time: setting it again replaces the one before. */
interface Alarm {
  readonly isSet: boolean;
  /** Rings once, after `delayMs`. */
  set(delayMs: number): void;
  /** Whatever was set does not ring. */
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
          // Set again in the moment in which it was over.
          if (waiting !== mine) return;
          waiting = undefined;
          ring();
        },
        () => undefined,
      );
    },
  };
}

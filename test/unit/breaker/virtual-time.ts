import type { Clock } from '../../../electron/ports/clock';

/** Time that passes only when a test says so; sleepers wake in the order of their instants. */
interface VirtualTime {
  readonly clock: Clock;
  /** Wall time now. */
  wallMs(): number;
  /** Lets so much time pass, waking sleepers on the way. */
  advance(ms: number): Promise<void>;
  /** Wakes the earliest sleeper; false where nobody sleeps. */
  toNextSleeper(): Promise<boolean>;
  jumpWall(byMs: number): void;
  suspend(forMs: number): void;
  readonly sleeps: readonly number[];
}

export function createVirtualTime(startWallMs = 1_790_000_000_000): VirtualTime {
  let wall = startWallMs;
  let mono = 0;
  const sleeps: number[] = [];
  let sleepers: { readonly atMs: number; readonly wake: () => void }[] = [];
  const settle = async (): Promise<void> => {
    for (let turn = 0; turn < 50; turn++) await Promise.resolve();
  };
  const advance = async (ms: number): Promise<void> => {
    const end = mono + ms;
    for (;;) {
      await settle();
      const due = sleepers
        .filter((one) => one.atMs <= end)
        .toSorted((one, other) => one.atMs - other.atMs)[0];
      if (due === undefined) break;
      sleepers = sleepers.filter((one) => one !== due);
      wall += due.atMs - mono;
      mono = due.atMs;
      due.wake();
    }
    wall += end - mono;
    mono = end;
    await settle();
  };
  return {
    sleeps,
    wallMs: () => wall,
    advance,
    async toNextSleeper() {
      await settle();
      if (sleepers.length === 0) return false;
      await advance(Math.min(...sleepers.map((one) => one.atMs)) - mono);
      return true;
    },
    jumpWall(byMs) {
      wall += byMs;
    },
    suspend(forMs) {
      wall += forMs;
    },
    clock: {
      nowMs: () => wall,
      monotonicMs: () => mono,
      sleep(delayMs, signal) {
        sleeps.push(delayMs);
        return new Promise((resolve, reject) => {
          if (signal?.aborted === true) {
            reject(signal.reason as Error);
            return;
          }
          const sleeper = { atMs: mono + delayMs, wake: resolve };
          sleepers.push(sleeper);
          signal?.addEventListener('abort', () => {
            sleepers = sleepers.filter((one) => one !== sleeper);
            reject(signal.reason as Error);
          });
        });
      },
    },
  };
}

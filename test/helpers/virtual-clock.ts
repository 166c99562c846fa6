import type { Clock, Ticker } from '../../electron/ports/clock';

const TICK_MS = 10_000;

/** Time that passes only when a test says so; what it wakes has run when `advance` resolves. */
export interface VirtualClock extends Clock {
  /** Looks at the clock every ten seconds of it, as node-cron would. */
  readonly ticker: Ticker;
  /** Time passes as it does while everything runs. */
  advance(byMs: number): Promise<void>;
  /** The lid is shut for so long: the wall goes on, nothing else does. */
  suspend(forMs: number): void;
  /** Somebody sets the clock of the computer; negative: back. */
  set(byMs: number): void;
  /** What waits for time; an idle Holdfast has nothing here. */
  readonly pending: { readonly sleeps: number; readonly ticks: number };
}

interface Sleeper {
  readonly atMs: number;
  readonly wake: () => void;
}

/** Lets everything that was woken run, with its commits. */
async function settle(): Promise<void> {
  for (let round = 0; round < 10; round += 1) await new Promise(setImmediate);
}

export function createVirtualClock(startMs: number): VirtualClock {
  let wallMs = startMs;
  let monotonicMs = 0;
  const sleepers = new Set<Sleeper>();
  const ticking = new Set<() => void>();
  const nextTickMs = (): number => monotonicMs + TICK_MS - (monotonicMs % TICK_MS);

  const clock: VirtualClock = {
    nowMs: () => wallMs,
    monotonicMs: () => monotonicMs,
    sleep: (delayMs, signal) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted === true) {
          reject(signal.reason as Error);
          return;
        }
        const sleeper = { atMs: monotonicMs + Math.max(0, delayMs), wake: resolve };
        sleepers.add(sleeper);
        signal?.addEventListener('abort', () => {
          sleepers.delete(sleeper);
          reject(signal.reason as Error);
        });
        if (delayMs <= 0) {
          sleepers.delete(sleeper);
          resolve();
        }
      }),
    ticker(onTick) {
      ticking.add(onTick);
      return { stop: () => void ticking.delete(onTick) };
    },
    async advance(byMs) {
      const endMs = monotonicMs + byMs;
      for (;;) {
        const next = Math.min(
          endMs,
          ...[...sleepers].map((one) => one.atMs),
          ...(ticking.size === 0 ? [] : [nextTickMs()]),
        );
        const isTick = ticking.size > 0 && next === nextTickMs();
        wallMs += next - monotonicMs;
        monotonicMs = next;
        for (const sleeper of [...sleepers].filter((one) => one.atMs <= next)) {
          sleepers.delete(sleeper);
          sleeper.wake();
        }
        if (isTick) for (const onTick of [...ticking]) onTick();
        await settle();
        if (next >= endMs) return;
      }
    },
    suspend(forMs) {
      wallMs += forMs;
    },
    set(byMs) {
      wallMs += byMs;
    },
    get pending() {
      return { sleeps: sleepers.size, ticks: ticking.size };
    },
  };
  return clock;
}

/**
 * Time of the story: stands still until somebody moves it. What the world does takes story time,
 * what the engine does takes none, so one day with a hundred turns is played in seconds and always
 * gives the same times.
 */
import type { Clock } from '../../../electron/ports/clock';

interface Sleeper {
  readonly atMs: number;
  readonly order: number;
  readonly wake: () => void;
}

export interface StoryClock extends Clock {
  /** A call of the outside world: resolves `tookMs` of story time later. */
  spend(tookMs: number): Promise<void>;
  /** Work that the story does not watch moved the clock a little: a file was read. */
  probeSoon(tookMs: number): void;
  /** Calls of the outside world that are on their way. */
  onTheWay(): number;
  /** Moves to the next instant at which somebody wakes, not beyond `untilMs`. False: nobody does. */
  step(untilMs: number): boolean;
  moveTo(atMs: number): void;
}

export function createStoryClock(startMs: number): StoryClock {
  let nowMs = startMs;
  let order = 0;
  let world = 0;
  let sleepers: readonly Sleeper[] = [];
  const sleepUntil = (atMs: number, signal?: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      if (signal?.aborted === true) {
        reject(signal.reason as Error);
        return;
      }
      order += 1;
      const sleeper: Sleeper = { atMs, order, wake: resolve };
      sleepers = [...sleepers, sleeper].sort((a, b) => a.atMs - b.atMs || a.order - b.order);
      signal?.addEventListener('abort', () => {
        sleepers = sleepers.filter((one) => one !== sleeper);
        reject(signal.reason as Error);
      });
    });
  return {
    nowMs: () => nowMs,
    monotonicMs: () => nowMs - startMs,
    sleep: (delayMs, signal) => sleepUntil(nowMs + delayMs, signal),
    async spend(tookMs) {
      world += 1;
      await sleepUntil(nowMs + tookMs);
      world -= 1;
    },
    probeSoon(tookMs) {
      nowMs += tookMs;
    },
    onTheWay: () => world,
    step(untilMs) {
      const [next, ...rest] = sleepers;
      if (next === undefined || next.atMs > untilMs) return false;
      sleepers = rest;
      nowMs = Math.max(nowMs, next.atMs);
      next.wake();
      return true;
    },
    moveTo(atMs) {
      nowMs = Math.max(nowMs, atMs);
    },
  };
}

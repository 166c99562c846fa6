import type { Clock } from '../ports/clock';

/** One piece of work should take about this long: far below the 20 ms that a turn may wait. */
const TARGET_MS = 3;
const MIN_SIZE = 50;
const MAX_SIZE = 8_000;

/** Walks through a long history in pieces that fit the speed of the machine. */
interface Pacer {
  /** Rows of the next piece. */
  size(): number;
  /** Runs one piece and fits the size of the next one to the time it took. */
  timed<T>(work: () => T): T;
  /** Lets everything else that waits come first. */
  rest(): Promise<void>;
  /** Work so far, in ms, without the rests. */
  workedMs(): number;
}

export function createPacer(clock: Pick<Clock, 'monotonicMs'>): Pacer {
  let size = 400;
  let workedMs = 0;
  return {
    size: () => size,
    timed(work) {
      const beganMs = clock.monotonicMs();
      const result = work();
      const tookMs = clock.monotonicMs() - beganMs;
      workedMs += tookMs;
      if (tookMs > TARGET_MS * 1.5) size = Math.max(MIN_SIZE, Math.floor(size / 2));
      else if (tookMs < TARGET_MS / 2) size = Math.min(MAX_SIZE, size * 2);
      return result;
    },
    rest: () => new Promise((resolve) => setImmediate(resolve)),
    workedMs: () => workedMs,
  };
}

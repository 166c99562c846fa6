import type { Clock } from '../../ports/clock';

/** One piece of work should take about this long: far below the 20 ms that a turn may wait. */
const TARGET_MS = 3;
const MIN_SIZE = 50;
const MAX_SIZE = 8_000;

export interface SlicerDeps {
  readonly clock: Pick<Clock, 'monotonicMs'>;
  /** Resolves when everything else that waited has had its turn. */
  readonly rest: () => Promise<void>;
}

/** Walks through a long history in pieces that fit the speed of the machine. */
interface TimeSlicer {
  /** Rows of the next piece. */
  size(): number;
  /** Runs one piece and fits the size of the next one to the time it took. */
  timed<T>(work: () => T): T;
  /**
   * The same for rows processed one by one, with pauses if that takes longer than planned: a row
   * may be crafted to be slow.
   */
  piece<T, R>(read: () => readonly T[], work: (item: T) => R): Promise<readonly R[]>;
  /** Lets everything else that waits come first. */
  rest(): Promise<void>;
  /** Work so far, in ms, without the rests. */
  workedMs(): number;
}

export function createTimeSlicer({ clock, rest }: SlicerDeps): TimeSlicer {
  let size = 400;
  let workedMs = 0;
  const fit = (tookMs: number): void => {
    if (tookMs > TARGET_MS * 1.5) size = Math.max(MIN_SIZE, Math.floor(size / 2));
    else if (tookMs < TARGET_MS / 2) size = Math.min(MAX_SIZE, size * 2);
  };
  return {
    size: () => size,
    timed(work) {
      const beganMs = clock.monotonicMs();
      const result = work();
      const tookMs = clock.monotonicMs() - beganMs;
      workedMs += tookMs;
      fit(tookMs);
      return result;
    },
    async piece(read, work) {
      const beforeMs = workedMs;
      let sinceMs = clock.monotonicMs();
      const lap = (): void => {
        const nowMs = clock.monotonicMs();
        workedMs += nowMs - sinceMs;
        sinceMs = nowMs;
      };
      const results = [];
      const items = read();
      let restedMs = workedMs;
      for (const item of items) {
        results.push(work(item));
        lap();
        if (workedMs - restedMs < TARGET_MS) continue;
        await rest();
        sinceMs = clock.monotonicMs();
        restedMs = workedMs;
      }
      lap();
      fit(workedMs - beforeMs);
      return results;
    },
    rest,
    workedMs: () => workedMs,
  };
}

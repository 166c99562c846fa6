import type { Ticker } from '../../ports/clock';

/**
 * Calls `onTick` at every match of a cron expression with five fields, or six with seconds, in
 * local time; engine/schedule/due-loop.ts decides what is due. node-cron is loaded on first use, so no
 * start waits for it.
 */
export function every(expression: string, onTick: () => void): { stop(): void } {
  let isStopped = false;
  let task: { destroy(): unknown } | undefined;
  void import('node-cron').then(({ default: cron }) => {
    if (isStopped) return;
    // After sleep it would warn about every missed tick: thousands of lines for a night.
    task = cron.schedule(expression, onTick, { noOverlap: true, suppressMissedWarning: true });
  });
  return {
    stop() {
      isStopped = true;
      void task?.destroy();
    },
  };
}

/** A coarse clock check; anything sooner has a separate timer. */
export const everyTenSeconds: Ticker = (onTick) => every('*/10 * * * * *', onTick);

/**
 * For work while idle: `firstMs` after the start, in which the disk has better things to do, and
 * then with each match of a cron expression.
 */
export const idleTicks =
  (firstMs: number, expression: string): Ticker =>
  (work) => {
    let tick: { stop(): void } | undefined;
    const first = setTimeout(() => {
      work();
      tick = every(expression, work);
    }, firstMs);
    first.unref();
    return {
      stop() {
        clearTimeout(first);
        tick?.stop();
      },
    };
  };

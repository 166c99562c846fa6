import cron from 'node-cron';

/** A tick of the clockwork; what it does and which dates matter is decided elsewhere. */
interface Ticks {
  /** Calls `onTick` at every match of a five-field cron expression, local time. */
  every(expression: string, onTick: () => void): { stop(): void };
}

/** Ticks by node-cron. */
export function createCronTicks(): Ticks {
  return {
    every(expression, onTick) {
      const task = cron.schedule(expression, onTick, { noOverlap: true });
      return {
        stop: () => {
          void task.destroy();
        },
      };
    },
  };
}

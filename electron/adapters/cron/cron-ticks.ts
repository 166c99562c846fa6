import cron from 'node-cron';

/** A regular tick; its effect and the dates that matter are decided elsewhere. */
interface Ticks {
  /** Calls `onTick` at every match of a five-field cron expression, local time. */
  every(expression: string, onTick: () => void): { stop(): void };
}

/** Ticks by node-cron. */
export function createCronTicks(): Ticks {
  return {
    every(expression, onTick) {
      // After sleep it has a warning for every tick that did not come: thousands of lines for a night.
      const task = cron.schedule(expression, onTick, {
        noOverlap: true,
        suppressMissedWarning: true,
      });
      return {
        stop: () => {
          void task.destroy();
        },
      };
    },
  };
}

import type { Clock } from '../../ports/clock';
import { createAlarm } from './alarm';

/** Timers pause while the computer sleeps, so a longer wait re-checks the clock this often. */
const MAX_NAP_MS = 10_000;

/** Rings at the first of some instants of the wall clock, as each is by then; setting it replaces them. */
export function createWallAlarm(clock: Clock, ring: () => void) {
  let instants: readonly (() => number)[] = [];
  let isNap = false;
  const arm = (): void => {
    const delayMs =
      instants.reduce((next, dueMs) => Math.min(next, dueMs()), Infinity) - clock.nowMs();
    isNap = delayMs > MAX_NAP_MS;
    alarm.set(isNap ? MAX_NAP_MS : Math.max(0, delayMs));
  };
  const alarm = createAlarm(clock, () => {
    if (isNap) arm();
    else ring();
  });
  return {
    clear: () => alarm.clear(),
    /** Nothing ticks while nothing waits for time. */
    set(waits: readonly (() => number)[]): void {
      instants = waits;
      if (waits.length === 0) alarm.clear();
      else arm();
    },
  };
}

/**
 * Sleep and shutdown of the computer. Electron 33 reports each sleep and wake twice, so a second
 * one in the same direction is ignored.
 */
import type { PowerMonitor } from 'electron';

interface PowerDeps {
  readonly monitor: Pick<PowerMonitor, 'on'>;
  readonly onSuspend: () => void;
  readonly onResume: () => void;
  readonly onShutdown: () => void;
}

export function watchPower(deps: PowerDeps): void {
  let isAsleep = false;
  let isEnding = false;
  deps.monitor.on('suspend', () => {
    if (isAsleep) return;
    isAsleep = true;
    deps.onSuspend();
  });
  deps.monitor.on('resume', () => {
    if (!isAsleep) return;
    isAsleep = false;
    deps.onResume();
  });
  // Requests a delay: a graceful stop takes less than the system allows.
  deps.monitor.on('shutdown', (event?: { preventDefault(): void }) => {
    event?.preventDefault();
    if (isEnding) return;
    isEnding = true;
    deps.onShutdown();
  });
}

import type { BrowserWindow } from 'electron';
import type { Log } from '../ports/log';
import { createReloadBudget } from './reload-budget';

interface NurseDeps {
  /** The page ended more than three times in a minute; the window was given up. */
  readonly onGivenUp: () => void;
  readonly log: Log;
  readonly nowMs: () => number;
}

/** Loads a page again that died or hangs; the engine does not notice any of it (W10). */
export function nurseWindow(window: BrowserWindow, deps: NurseDeps): void {
  const contents = window.webContents;
  const budget = createReloadBudget();
  contents.on('render-process-gone', (_event, details) => {
    if (details.reason === 'clean-exit') return;
    deps.log.warn('window.page_gone', { reason: details.reason, exitCode: details.exitCode });
    const isAllowed = budget.take(deps.nowMs());
    // Not from within the event: Chromium is still taking the dead process apart.
    setImmediate(() => {
      if (window.isDestroyed()) return;
      if (isAllowed) {
        contents.reload();
        return;
      }
      window.destroy();
      deps.onGivenUp();
    });
  });
  window.on('unresponsive', () => {
    deps.log.warn('window.unresponsive', {});
    contents.forcefullyCrashRenderer();
  });
}

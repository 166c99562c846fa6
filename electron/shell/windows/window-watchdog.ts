import type { BrowserWindow } from 'electron';
import type { Log } from '../../ports/log';
import { isOwnPage } from './links';

/** At most 3 reloads of a broken page within a minute (W10). */
const MAX_RELOADS = 3;
const WINDOW_MS = 60_000;

interface ReloadBudget {
  /** True if the page may be loaded again; counts it. */
  take(nowMs: number): boolean;
}

export function createReloadBudget(): ReloadBudget {
  let atMs: readonly number[] = [];
  return {
    take(nowMs) {
      atMs = atMs.filter((at) => nowMs - at < WINDOW_MS);
      if (atMs.length >= MAX_RELOADS) return false;
      atMs = [...atMs, nowMs];
      return true;
    },
  };
}

interface WindowWatchdogDeps {
  /** The page ended more than three times in a minute; the window was given up. */
  readonly onGivenUp: () => void;
  readonly log: Log;
  readonly nowMs: () => number;
}

/**
 * Loads a page again that died, hangs or has left our pages; the engine does not notice any of it
 * (W5, W10).
 */
export function watchWindow(window: BrowserWindow, deps: WindowWatchdogDeps): void {
  const contents = window.webContents;
  const budget = createReloadBudget();
  /** The last page of ours that it showed. */
  let home = isOwnPage(contents.getURL()) ? contents.getURL() : undefined;
  const again = (load: (() => void) | undefined): void => {
    const isAllowed = budget.take(deps.nowMs());
    // Not from within the event: Chromium is still taking the old page apart.
    setImmediate(() => {
      if (window.isDestroyed()) return;
      if (isAllowed && load !== undefined) {
        load();
        return;
      }
      window.destroy();
      deps.onGivenUp();
    });
  };
  contents.on('render-process-gone', (_event, details) => {
    if (details.reason === 'clean-exit') return;
    deps.log.warn('window.page_gone', { reason: details.reason, exitCode: details.exitCode });
    again(() => contents.reload());
  });
  // A page can go to about:blank without an event to prevent it: it is loaded again as soon as that
  // happens.
  contents.on('did-navigate', (_event, url) => {
    if (isOwnPage(url)) {
      home = url;
      return;
    }
    deps.log.warn('window.page_left', {});
    const back = home;
    again(
      back === undefined ? undefined : () => void contents.loadURL(back).catch(() => undefined),
    );
  });
  contents.on('did-navigate-in-page', (_event, url, isMainFrame) => {
    if (isMainFrame && isOwnPage(url)) home = url;
  });
  window.on('unresponsive', () => {
    deps.log.warn('window.unresponsive', {});
    contents.forcefullyCrashRenderer();
  });
}

import type { BrowserWindow } from 'electron';
import type { Log } from '../../ports/log';
import { isOwnPage } from './links';

/** At most 3 reloads of a broken page within a minute (W10). */
const MAX_RELOADS = 3;
const WINDOW_MS = 60_000;

interface ReloadBudget {
  /** True if the page may be loaded again. Counts the reload. */
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

/** Reloads a page that died, hangs, or has left our pages. The engine does not notice (W5, W10). */
export function watchWindow(window: BrowserWindow, deps: WindowWatchdogDeps): void {
  const contents = window.webContents;
  const budget = createReloadBudget();
  /** The last of our pages that it showed. */
  let home = isOwnPage(contents.getURL()) ? contents.getURL() : undefined;
  const again = (load: (() => void) | undefined): void => {
    const isAllowed = budget.take(deps.nowMs());
    // Not inside the event, because Chromium is still removing the old page.
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
  // A page can open about:blank without an event that could prevent it, so it is reloaded as soon
  // as that happens.
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

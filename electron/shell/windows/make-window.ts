/**
 * One of our windows, not shown yet: its place, its size, and the restrictions of its page (W1).
 */
import { appIcon } from './app-icon';
import { BrowserWindow, nativeTheme, screen } from 'electron';
import type { Log } from '../../ports/log';
import { pageUrl, type Page } from './links';
import { WINDOW_SIZES, planBounds, type SavedBounds } from './window-state';

export const backgroundColor = (): string =>
  nativeTheme.shouldUseDarkColors ? '#0e1416' : '#f4f6f6';

/**
 * The window is in front of what the user is working on, and closes with the next click elsewhere.
 */
const QUICK = {
  frame: false,
  resizable: false,
  maximizable: false,
  minimizable: false,
  fullscreenable: false,
  skipTaskbar: true,
  alwaysOnTop: true,
} as const;

/** Starts loading the page. The window appears as soon as there is something to show. */
export function makeWindow(
  page: Page,
  facts: {
    readonly appPath: string;
    readonly isPackaged: boolean;
    readonly saved: SavedBounds | undefined;
    readonly route: string;
    /** The main window opens on the first-start tour. */
    readonly isFirstStart: boolean;
    readonly log: Log;
  },
): BrowserWindow {
  const { isFirstStart } = facts;
  const saved = isFirstStart ? undefined : facts.saved;
  const size = WINDOW_SIZES[isFirstStart ? 'firstStart' : page];
  const bounds = planBounds(
    saved,
    screen.getAllDisplays().map((display) => display.workArea),
    size,
  );
  const icon = appIcon(facts.appPath, process.platform);
  const window = new BrowserWindow({
    ...bounds,
    minWidth: isFirstStart ? bounds.width : size.minWidth,
    minHeight: isFirstStart ? bounds.height : size.minHeight,
    title: page === 'settings' ? 'Holdfast settings' : 'Holdfast',
    ...(icon === undefined ? {} : { icon }),
    ...(page === 'quick' ? QUICK : {}),
    show: false,
    backgroundColor: backgroundColor(),
    autoHideMenuBar: true,
    webPreferences: {
      preload: preloadPath(facts.appPath),
      contextIsolation: true,
      sandbox: true,
      nodeIntegration: false,
      nodeIntegrationInSubFrames: false,
      nodeIntegrationInWorker: false,
      webSecurity: true,
      allowRunningInsecureContent: false,
      webviewTag: false,
      spellcheck: false,
      devTools: !facts.isPackaged,
    },
  });
  if (saved?.isMaximised === true) window.maximize();
  window.once('ready-to-show', () => window.show());
  void window.loadURL(pageUrl(page, facts.route)).catch((error: unknown) => {
    // The window was closed while the page was loading.
    if (window.isDestroyed()) return;
    facts.log.error('window.load_failed', { page, message: String(error).slice(0, 200) });
  });
  return window;
}

/** The preload script of every page. */
const preloadPath = (appPath: string): string => `${appPath}/dist/electron/preload.cjs`;

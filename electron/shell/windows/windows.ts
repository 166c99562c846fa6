/**
 * The windows: how they are created, shown, hidden and given up. A hidden window is destroyed after
 * five minutes, because it costs memory and wake-ups, and its state is all in the engine.
 */
import { screen } from 'electron';
import type { BrowserWindow, ContextMenuParams, Rectangle } from 'electron';
import type { EventTarget } from '../../ipc/event-feed';
import type { Log } from '../../ports/log';
import { planClose } from './close-plan';
import type { CloseFacts, ClosePlan } from './close-plan';
import { routeOf } from './links';
import type { Page } from './links';
import { backgroundColor, makeWindow } from './make-window';
import { watchWindow } from './window-watchdog';
import type { ShellStateFile } from '../shell-state';
import { WINDOW_SIZES, growAfterFirstStart, planBounds } from './window-state';
import type { SavedBounds } from './window-state';

export const HIDDEN_LIFE_MS = 300_000;

export interface WindowsDeps {
  readonly appPath: string;
  readonly isPackaged: boolean;
  readonly state: ShellStateFile;
  readonly closeFacts: () => Omit<CloseFacts, 'page'>;
  readonly on: {
    /** The close button was pressed, and the window stays. The shell shows the notice or quits. */
    readonly close: (plan: ClosePlan, route: string) => void;
    readonly shown: (target: EventTarget) => void;
    readonly gone: (webContentsId: number) => void;
    /** The page ended more than three times in a minute; the window was given up. */
    readonly givenUp: () => void;
    /** A right click in a page. */
    readonly contextMenu: (
      window: BrowserWindow,
      target: EventTarget,
      clicked: ContextMenuParams,
    ) => void;
  };
  /** Tells a loaded window to go to a page. */
  readonly tellRoute: (target: EventTarget, route: string) => void;
  readonly log: Log;
  readonly nowMs: () => number;
  readonly hiddenLifeMs: number;
  readonly firstWindow: {
    /** The main window that was shown before the rest was loaded. */
    readonly window: BrowserWindow | undefined;
    /** That window has the size of the first start. */
    readonly isSmall: boolean;
    /** The first start is not done yet; checked for each new main window. */
    readonly isFirstStart: () => boolean;
  };
}

export interface Windows {
  /**
   * Brings a window to the front, and creates it if it does not exist. `route` is the page it
   * shows.
   */
  readonly open: (page: Page, route?: string) => void;
  readonly isOurs: (webContentsId: number) => boolean;
  readonly targets: () => readonly EventTarget[];
  /** The route of the focused window; undefined if another program has the focus. */
  readonly focusedRoute: () => string | undefined;
  /** The route of the main window, undefined if there is no such window. */
  readonly shownRoute: () => string | undefined;
  /** Shows a page in the main window without bringing it to the front. */
  readonly lead: (route: string) => void;
  /** Any window of ours that a dialog may belong to. */
  readonly front: () => BrowserWindow | undefined;
  /** Applies the theme, so that resizing does not flash in the colors of the other theme. */
  readonly recolour: () => void;
  /** The first start is done: its window becomes the main window. */
  readonly endFirstStart: () => void;
}

export function createWindows(deps: WindowsDeps): Windows {
  const windows = new Map<Page, BrowserWindow>();
  const targets = new Map<Page, EventTarget>();

  let isFirstFree = true;
  /** The main window while it has the size of the first start. */
  let small = deps.firstWindow.isSmall ? deps.firstWindow.window : undefined;

  const make = (page: Page, route: string): BrowserWindow => {
    const first = page === 'index' ? deps.firstWindow.window : undefined;
    if (first !== undefined && isFirstFree) {
      isFirstFree = false;
      if (!first.isDestroyed()) {
        watch(first, page);
        return first;
      }
    }
    const isFirstStart = page === 'index' && route === '/' && deps.firstWindow.isFirstStart();
    const window = makeWindow(page, {
      appPath: deps.appPath,
      isPackaged: deps.isPackaged,
      saved: page === 'quick' ? undefined : deps.state.get()[page],
      route,
      isFirstStart,
      log: deps.log,
    });
    if (isFirstStart) small = window;
    watch(window, page);
    return window;
  };

  const remember = (window: BrowserWindow, page: Page): void => {
    // The position during the first start is not stored.
    if (page === 'quick' || window.isMinimized() || window === small) return;
    deps.state.change({
      [page]: { ...window.getNormalBounds(), isMaximised: window.isMaximized() },
    });
  };

  /** A start after a crash shows the main window again at its place on the screen. */
  const rememberShown = (page: Page, isWindowShown: boolean): void => {
    if (page === 'index' && deps.state.get().isWindowShown !== isWindowShown) {
      deps.state.change({ isWindowShown });
    }
  };

  const watch = (window: BrowserWindow, page: Page): void => {
    const target = targetOf(window);
    targets.set(page, target);
    const hiddenLife = timerOf(deps.hiddenLifeMs, () => {
      if (!window.isDestroyed() && !window.isVisible()) window.destroy();
    });
    const keep = (): void => {
      hiddenLife.stop();
      deps.on.shown(target);
    };
    const shown = (): void => {
      keep();
      rememberShown(page, true);
    };
    window.on('show', shown);
    if (page === 'quick') passOn(window, (route) => api.open('index', route));
    // The first window may have become visible before this listener existed.
    if (window.isVisible()) shown();
    window.on('restore', keep);
    window.on('hide', () => {
      rememberShown(page, false);
      hiddenLife.start();
    });
    window.on('close', (event) => {
      remember(window, page);
      const plan = planClose({ page, ...deps.closeFacts() });
      if (plan.kind === 'close') return;
      event.preventDefault();
      if (plan.kind === 'hide') window.hide();
      if (plan.kind === 'minimise') window.minimize();
      deps.on.close(plan, routeOf(window.webContents.getURL()));
    });
    window.on('closed', () => {
      rememberShown(page, false);
      hiddenLife.stop();
      if (windows.get(page) === window) {
        windows.delete(page);
        targets.delete(page);
      }
      deps.on.gone(target.id);
    });
    window.webContents.on('context-menu', (_event, clicked) =>
      deps.on.contextMenu(window, target, clicked),
    );
    watchWindow(window, { ...deps, onGivenUp: deps.on.givenUp });
  };

  const api: Windows = {
    open(page, route = '/') {
      const existing = windows.get(page);
      if (existing === undefined || existing.isDestroyed()) {
        windows.set(page, make(page, route));
        return;
      }
      const target = targets.get(page);
      if (existing.isMinimized()) existing.restore();
      existing.show();
      existing.focus();
      if (
        target !== undefined &&
        route !== '/' &&
        routeOf(existing.webContents.getURL()) !== route
      ) {
        if (existing.webContents.isLoading()) {
          existing.webContents.once('did-finish-load', () => deps.tellRoute(target, route));
        } else deps.tellRoute(target, route);
      }
    },
    isOurs: (webContentsId) =>
      [...windows.values()].some(
        (window) => !window.isDestroyed() && window.webContents.id === webContentsId,
      ),
    targets: () => [...targets.values()],
    focusedRoute() {
      for (const [page, window] of windows) {
        // The small window lists open questions and does not show them completely.
        if (page !== 'quick' && !window.isDestroyed() && window.isFocused())
          return routeOf(window.webContents.getURL());
      }
      return undefined;
    },
    shownRoute() {
      const window = windows.get('index');
      return window === undefined || window.isDestroyed()
        ? undefined
        : routeOf(window.webContents.getURL());
    },
    lead(route) {
      const target = targets.get('index');
      if (target !== undefined) deps.tellRoute(target, route);
    },
    front: () =>
      [...windows.values()].find((window) => !window.isDestroyed() && window.isVisible()),
    recolour() {
      for (const window of windows.values()) {
        if (!window.isDestroyed()) window.setBackgroundColor(backgroundColor());
      }
    },
    endFirstStart() {
      const window = small;
      small = undefined;
      if (window === undefined || window.isDestroyed()) return;
      const { minWidth, minHeight } = WINDOW_SIZES.index;
      window.setMinimumSize(minWidth, minHeight);
      if (window.isMaximized() || window.isFullScreen()) return;
      window.setBounds(afterFirstStart(window, deps.state.get().index));
    },
  };
  return api;
}

/** A menu that closes takes the focus and returns it; typed text must not be lost with that. */
const BLUR_MS = 150;
/** On a busy computer the menu that opened the window takes longer for it. */
const SETTLE_MS = 1_000;

/**
 * A link in the small window opens its page in the main window, and a click elsewhere closes the
 * small window.
 */
function passOn(window: BrowserWindow, open: (route: string) => void): void {
  window.webContents.on('did-navigate-in-page', (_event, url) => {
    const route = routeOf(url);
    if (route === '/') return;
    open(route);
    window.close();
  });
  let settledAtMs = performance.now() + SETTLE_MS;
  window.on('show', () => {
    settledAtMs = performance.now() + SETTLE_MS;
  });
  const { start } = timerOf(BLUR_MS, () => {
    if (window.isDestroyed() || window.isFocused()) return;
    if (performance.now() < settledAtMs) start();
    else if (!window.webContents.isDevToolsOpened()) window.close();
  });
  window.on('blur', start);
}

/** The position from an earlier day, otherwise the center of its display. */
function afterFirstStart(window: BrowserWindow, saved: SavedBounds | undefined): Rectangle {
  const now = window.getBounds();
  const displays = screen.getAllDisplays().map(({ workArea }) => workArea);
  const again = saved && planBounds(saved, displays, WINDOW_SIZES.index);
  return again?.x !== undefined && again.y !== undefined
    ? { ...again, x: again.x, y: again.y }
    : growAfterFirstStart(now, screen.getDisplayMatching(now).workArea);
}

/** A window as the target of events. */
function targetOf(window: BrowserWindow): EventTarget {
  const contents = window.webContents;
  return {
    id: contents.id,
    isVisible: () => !window.isDestroyed() && window.isVisible() && !window.isMinimized(),
    send(channel, payload) {
      if (!window.isDestroyed() && !contents.isDestroyed()) contents.send(channel, payload);
    },
  };
}

/** A single timer; starting it again resets it. */
function timerOf(delayMs: number, run: () => void) {
  let timer: NodeJS.Timeout | undefined;
  const stop = (): void => clearTimeout(timer);
  const start = (): void => {
    stop();
    timer = setTimeout(run, delayMs);
  };
  return { start, stop };
}

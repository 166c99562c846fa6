/**
 * The main window before the engine is loaded: its frame is drawn while the rest of the program is
 * read. The windows take it over once the data directory is ours.
 */
import { randomBytes } from 'node:crypto';
import { app, nativeTheme, protocol } from 'electron';
import type { BrowserWindow } from 'electron';
import type { Log } from '../../ports/log';
import { createAppProtocol, rendererRoot } from './app-protocol';
import { readBeforeSettings } from '../first-start';
import { makeWindow } from './make-window';
import { createShellStateFile, type ShellStateFile } from '../shell-state';
import { systemFormats } from '../system/system-formats';

export interface FirstPages {
  readonly state: ShellStateFile;
  /** The main window should be visible. If `window` is absent, it does not exist yet. */
  readonly isWanted: boolean;
  /** `window` has the size of the first start. */
  readonly isFirstStart: boolean;
  readonly window: BrowserWindow | undefined;
  /**
   * The window is on the screen, or there is none, or it takes too long: the rest may be loaded.
   * Loading keeps this process from serving the page, so the user waits only for the frame.
   */
  readonly shown: Promise<void>;
  /**
   * The engine answers from now on: scripts of pages may run, and a close that was requested
   * earlier is decided like any other.
   */
  answer(): void;
}

/**
 * Longest wait for the frame before the engine is read in any case. While code is loaded, no page
 * is served, so loading that starts before the frame is visible delays the frame by the whole load.
 * A slow computer needs a second.
 */
const FRAME_LIMIT_MS = 1_500;

/**
 * How long the system needs to show the icon in its tray; it does not report when it has. Loading
 * the engine at once would delay the icon until the engine runs.
 */
const ICON_WAIT_MS = 100;

/** Call after `ready`, at most once. */
export function showFirstWindow(facts: {
  readonly appPath: string;
  readonly dataDir: string;
  readonly flags: { readonly hidden: boolean; readonly afterCrash: boolean };
  /** The page that a link requested. */
  readonly route: string | undefined;
  /** Another process may hold the data directory. In that case its window comes to the front. */
  readonly mayBeHeld: boolean;
  readonly log: Log;
}): FirstPages {
  const { appPath, flags, route } = facts;
  let answer = (): void => undefined;
  const mayRun = new Promise<void>((resolve) => {
    answer = resolve;
  });
  // Runs with the first window, before it loads: the Chromium session that serves pages takes a
  // tenth of a start, and an app that starts in the tray needs none.
  app.once('browser-window-created', () => {
    protocol.handle(
      'holdfast',
      createAppProtocol({
        root: rendererRoot(appPath),
        newNonce: () => randomBytes(18).toString('base64'),
        formats: systemFormats(),
        mayRun,
      }),
    );
  });
  const state = createShellStateFile(facts.dataDir);
  // If the window was visible when the process died, it is shown again. An app in the tray stays
  // there.
  const isBack = flags.afterCrash && state.get().isWindowShown;
  const isWanted = !flags.hidden || isBack || route !== undefined;
  if (!isWanted || facts.mayBeHeld)
    return {
      state,
      isWanted,
      isFirstStart: false,
      window: undefined,
      // If another process may be the one that stays, we show no icon.
      shown: facts.mayBeHeld
        ? Promise.resolve()
        : new Promise((resolve) => void setTimeout(resolve, ICON_WAIT_MS)),
      answer,
    };
  const said = readBeforeSettings(facts.dataDir);
  const isFirst = route === undefined && said.isFirstStart;
  nativeTheme.themeSource = said.theme ?? state.get().theme;
  const window = makeWindow('index', {
    appPath,
    isPackaged: app.isPackaged,
    saved: state.get().index,
    route: route ?? '/',
    isFirstStart: isFirst,
    log: facts.log,
  });
  const takeClose = keepOpen(window);
  const shown = new Promise<void>((resolve) => {
    window.once('show', () => resolve());
    setTimeout(resolve, FRAME_LIMIT_MS);
  });
  return {
    state,
    isWanted,
    isFirstStart: isFirst,
    window,
    shown,
    answer() {
      answer();
      takeClose();
    },
  };
}

/**
 * Holds a close back while it is not known yet whether it hides, minimizes or quits. A quit closes
 * at once.
 */
function keepOpen(window: BrowserWindow): () => void {
  let isAsked = false;
  const wait = (event: { preventDefault(): void }): void => {
    event.preventDefault();
    isAsked = true;
  };
  const letGo = (): void => void window.off('close', wait);
  window.on('close', wait);
  app.once('before-quit', letGo);
  return () => {
    app.off('before-quit', letGo);
    if (window.isDestroyed()) return;
    letGo();
    if (isAsked) window.close();
  };
}

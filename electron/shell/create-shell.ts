/**
 * The desktop around the engine: windows, tray, notifications, login item, auto-restart, quitting.
 * Everything here reads the facade; nothing here decides about turns.
 */
import { join } from 'node:path';
import {
  Menu,
  Notification,
  app,
  clipboard,
  globalShortcut,
  ipcMain,
  nativeTheme,
  powerMonitor,
  powerSaveBlocker,
} from 'electron';
import type { BrowserWindow, ContextMenuParams } from 'electron';
import { homeFolder } from '../data-dir';
import type { StatusSnapshot } from '../../shared/types';
import type { StartFlags } from '../compose/options';
import type { Desktop, OwnedEngine } from '../engine/api/desktop';
import type { Lifecycle } from '../lifecycle';
import type { Holdfast } from '../engine/api/facade';
import { toHoldfastError } from '../engine/kernel/errors';
import { createEventFeed } from '../ipc/event-feed';
import type { EventFeed, EventTarget } from '../ipc/event-feed';
import { registerIpc } from '../ipc/register';
import type { IpcRegistration } from '../ipc/register';
import { appMenu } from './windows/app-menu';
import { callWhenUp, deferred } from './call-when-up';
import { createQuickShortcut } from './windows/quick-shortcut';
import { createRelaunch, type RelaunchRule } from './relaunch';
import { contextMenu } from './windows/context-menu';
import { createDecisionWatch } from './notices/decision-watch';
import type { DecisionWatch } from './notices/decision-watch';
import { createDesktopVerbs } from './desktop-verbs';
import { desktopPaths } from './system/desktop-paths';
import {
  confirmCopy,
  confirmOpenLink,
  confirmStopAll,
  tellFailed,
  tellFailedStart,
} from './windows/dialogs';
import { iconPath, type FirstIcon } from './tray/first-icon';
import type { FirstPages } from './windows/first-window';
import { followEngine } from './follow-engine';
import { createKeyring } from './system/keyring';
import { leadingArguments, routeFromArguments } from './launch-arguments';
import type { LaunchFacts } from './launch-arguments';
import { parseLink } from './windows/links';
import { createLanding } from './windows/landing';
import { createLoginItem } from './system/login-item';
import type { LoginItem } from './system/login-item';
import { stayedDownNotice, windowGivenUpNotice } from './notices/notices';
import { openConfirmed } from './windows/open-external';
import { createLinkOpener } from './windows/open-link';
import { createNotifications } from './notices/notifications';
import type { Notifier } from './notices/notifier';
import { watchPower } from './system/power';
import { createStayAwake } from './system/stay-awake';
import { askTrayHost } from './system/session-bus';
import { createTrayPlace, type TrayPlace } from './tray/tray-place';
import { appIcon } from './windows/app-icon';
import { createPageSettler } from './windows/settle-pages';
import type { ShellState } from './shell-state';
import type { StartLog } from './start-log';
import { systemFormats } from './system/system-formats';
import { terminalOf } from './windows/terminal';
import { createTray } from './tray/tray';
import { createTrayController, type TrayController } from './tray/tray-controller';
import { createWaysOut, type WaysOut } from './ways-out';
import { createWindowChannel } from './windows/window-channel';
import { HIDDEN_LIFE_MS, createWindows } from './windows/windows';
import type { Windows } from './windows/windows';

interface ShellOptions {
  readonly dataDir: string;
  readonly flags: StartFlags;
  readonly version: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** How this process was started, so that it can be restarted. */
  readonly launch: LaunchFacts;
  /** The user's own arguments. A link among them selects the first page. */
  readonly args: readonly string[];
  readonly relaunchRule: RelaunchRule;
  readonly log: StartLog;
  /** The icon that is already in the tray. */
  readonly firstIcon: FirstIcon | undefined;
  readonly firstPages: FirstPages;
}

interface Shell {
  readonly desktop: Desktop;
  /** Once this is called, every way out of the process goes through the ordered stop. */
  own(lifecycle: Lifecycle): void;
  /**
   * Call after the start has succeeded: pages get answers, notices are shown, and the app is
   * restarted after a crash.
   */
  attach(): void;
  /** The start failed: shows the reason to the user. */
  fail(error: unknown): Promise<void>;
}

const TRAY_HOST_TIMEOUT_MS = 1_000;
/** A page that hangs must not delay a stop for longer than this. */
const SETTLE_LIMIT_MS = 500;

/** Call after `prepareProcess`; the engine may load afterward. */
export function createShell(options: ShellOptions): Shell {
  const { env, log, firstPages } = options;
  const { state } = firstPages;

  let engine: OwnedEngine | undefined;
  let trayControl: TrayController | undefined;
  const up = deferred();

  const watch = createDecisionWatch();
  const { loginItem, comeBack } = waysBack(options);
  const waysOut = createWaysOut({
    engine: () => engine,
    windows: () => windows,
    trayControl: () => trayControl,
    notify: (notice) => notifier.notify(notice),
    disarmRelaunch: () => comeBack.disarm(),
    log,
  });
  const trayPlace = trayPlaceOf(env, () => engine);
  const pages = createPages(log);
  const windows = windowsOf(options, {
    waysOut,
    trayPlace,
    pages,
    onGivenUp: () => void notifier.notify(windowGivenUpNotice),
  });

  let following: ReturnType<typeof followEngine> | undefined;
  const { notifier, isQuiet, endQuiet } = createNotifications({
    state,
    windows,
    icon: appIcon(options.launch.appPath, process.platform),
    engine: () => engine,
    following: () => following,
    onFailed: (notice) => trayControl?.addUnseen(notice),
    log,
  });
  const shortcut = shortcutOf(windows, log);
  const desktop: Desktop = {
    ...desktopOf(options, {
      engine: () => engine,
      trayControl: () => trayControl,
      windows,
      pages,
      waysOut,
      trayPlace,
      loginItem,
      notifier,
      isQuiet,
      watch,
      onReminder: () => following?.lookAtReminders(),
      isShortcutTaken: shortcut.isTaken,
    }),
    owned,
    settlePages() {
      if (engine === undefined || !waysOut.isUp()) return Promise.resolve();
      return pages.settle(windows.targets(), engine.holdfast.status());
    },
    disarmRelaunch: () => comeBack.disarm(),
  };

  /** Stored, so that the next first window has the right colors before the settings are read. */
  const applyTheme = (theme: ShellState['theme']): void => {
    nativeTheme.themeSource = theme;
    if (state.get().theme !== theme) state.change({ theme });
  };

  const applySettings = (isAsked: boolean): void => {
    if (engine === undefined) return;
    applyTheme(engine.settings.get('app.theme'));
    trayControl?.refresh();
    shortcut.apply(engine.settings.get('app.quick_shortcut'));
    if (!waysOut.isFirstStart()) windows.endFirstStart();
    try {
      loginItem.apply(engine.settings.get('app.start_at_login'), isAsked);
    } catch (error) {
      log.warn('login_item.failed', { message: String(error).slice(0, 300) });
    }
  };

  /** Tray and window appear while the engine starts, and show that it is starting. */
  function owned(given: OwnedEngine): void {
    engine = given;
    log.handOver(given.log);
    // No window is on the screen yet, so after a crash from here on none is shown again.
    if (state.get().isWindowShown) state.change({ isWindowShown: false });
    applyTheme(given.settings.get('app.theme'));
    if (!waysOut.isFirstStart()) windows.endFirstStart();
    const { tray, control } = openTray(options, { given, windows, waysOut, isQuiet, endQuiet });
    trayControl = control;
    control.refresh();
    followComputer({
      onTheme() {
        windows.recolour();
        control.refresh();
      },
      onResume() {
        tray.revive();
        trayPlace.look();
        control.refresh();
        given.woke();
      },
      onShutdown: waysOut.shutDown,
      log,
    });
    pages.answer(given.holdfast, windows, up.promise);
    if (firstPages.isWanted) windows.open('index', routeFromArguments(options.args));
    firstPages.answer();
    trayPlace.look();
  }

  return {
    desktop,
    own: waysOut.own,
    attach() {
      if (!waysOut.begin()) return;
      if (engine === undefined || trayControl === undefined) return;
      const { holdfast, settings } = engine;
      up.resolve();
      trayControl.refresh();
      applySettings(false);
      const stayedDown = comeBack.begin(
        env['HOLDFAST_NO_RELAUNCH'] !== '1' && settings.get('instance.restart_after_crash'),
      );
      if (stayedDown !== undefined) void notifier.notify(stayedDownNotice(stayedDown));
      following = followEngine({
        engine: holdfast,
        control: trayControl,
        settings,
        watch,
        notify: notifier.notify,
        reminder: {
          atMs: () => state.get().remindAtMs,
          forget: () => state.change({ remindAtMs: undefined }),
        },
        applySettings,
        log,
      });
      // The last process died after the quiet hours ended and before it showed the summary.
      if (!isQuiet() && state.get().held.length > 0) void endQuiet();
      followApp(windows, waysOut.leaveAndQuit);
    },
    fail(error) {
      comeBack.disarm();
      return tellFailedStart(toHoldfastError(error), { isHidden: options.flags.hidden, log });
    },
  };
}

const shortcutOf = (windows: Windows, log: StartLog) =>
  createQuickShortcut({
    keys: globalShortcut,
    pressed: () => windows.open('quick'),
    onRefused: (keys) => log.warn('shortcut.refused', { keys }),
  });

const trayPlaceOf = (env: ShellOptions['env'], engine: () => OwnedEngine | undefined): TrayPlace =>
  createTrayPlace({
    platform: process.platform,
    ask: () => askTrayHost(env, TRAY_HOST_TIMEOUT_MS),
    isOff: () => engine()?.settings.get('app.tray_icon') === 'off',
  });

/** The requests of pages, and the events that are sent to them. */
function createPages(log: StartLog) {
  let ipc: IpcRegistration | undefined;
  let feed: EventFeed | undefined;
  const settler = createPageSettler(SETTLE_LIMIT_MS, (delayMs, run) => {
    setTimeout(run, delayMs);
  });
  return {
    navigate: (target: EventTarget, route: string): void =>
      feed?.tell(target, 'navigate', { route }),
    contextMenu: (window: BrowserWindow, target: EventTarget, clicked: ContextMenuParams): void => {
      const items = contextMenu(clicked, () => feed?.tell(target, 'copy.markdown', {}));
      if (items.length > 0) Menu.buildFromTemplate(items).popup({ window });
    },
    refresh: (target: EventTarget): void => feed?.refresh(target),
    forget(id: number): void {
      feed?.forget(id);
      ipc?.forget(id);
    },
    /**
     * Tells the windows that Holdfast is ending, so that they save what is only in memory. Bounded.
     */
    settle(targets: readonly EventTarget[], status: StatusSnapshot): Promise<void> {
      for (const target of targets)
        feed?.tell(target, 'status.changed', { ...status, phase: 'stopping', tray: 'stopped' });
      return settler.ask(targets.length);
    },
    settled: () => settler.settled(),
    /** From now on pages may send requests; most of these wait for `up`. */
    answer(holdfast: Holdfast, windows: Windows, up: Promise<void>): void {
      ipc = registerIpc({
        ipc: ipcMain,
        holdfast: callWhenUp(holdfast, up),
        isOurs: windows.isOurs,
        log,
        nowMs: () => performance.now(),
      });
      feed = createEventFeed({
        holdfast,
        targets: windows.targets,
        nowMs: () => performance.now(),
        later: (delayMs, run) => void setTimeout(run, delayMs),
      });
    },
  };
}

function windowsOf(
  { launch, log, firstPages }: ShellOptions,
  deps: {
    readonly waysOut: WaysOut;
    readonly trayPlace: TrayPlace;
    readonly pages: ReturnType<typeof createPages>;
    readonly onGivenUp: () => void;
  },
): Windows {
  const { waysOut, trayPlace, pages } = deps;
  return createWindows({
    appPath: launch.appPath,
    isPackaged: app.isPackaged,
    state: firstPages.state,
    closeFacts: () => ({ ...waysOut.closeFacts(), tray: trayPlace.now() }),
    on: {
      close: waysOut.onClose,
      shown(target) {
        trayPlace.look();
        pages.refresh(target);
      },
      gone: (id) => pages.forget(id),
      givenUp: deps.onGivenUp,
      contextMenu: pages.contextMenu,
    },
    tellRoute: pages.navigate,
    log,
    nowMs: () => performance.now(),
    hiddenLifeMs: HIDDEN_LIFE_MS,
    firstWindow: {
      window: firstPages.window,
      isSmall: firstPages.isFirstStart,
      isFirstStart: waysOut.isFirstStart,
    },
  });
}

const appOf = (options: ShellOptions) => ({
  dataDir: options.dataDir,
  version: options.version,
  electronVersion: process.versions['electron'] ?? '',
  terminal: () => terminalOf(options),
});

const reminderOf = (state: ShellOptions['firstPages']['state'], onChange: () => void) => ({
  atMs: () => state.get().remindAtMs,
  set(remindAtMs: number | undefined): void {
    state.change({ remindAtMs });
    onChange();
  },
});

/** What the engine and the pages need from the desktop. */
function desktopOf(
  options: ShellOptions,
  deps: {
    readonly engine: () => OwnedEngine | undefined;
    readonly trayControl: () => TrayController | undefined;
    readonly windows: Windows;
    readonly pages: ReturnType<typeof createPages>;
    readonly waysOut: WaysOut;
    readonly trayPlace: TrayPlace;
    readonly loginItem: LoginItem;
    readonly notifier: Notifier;
    readonly isQuiet: () => boolean;
    readonly watch: DecisionWatch;
    readonly onReminder: () => void;
    readonly isShortcutTaken: () => boolean;
  },
): Pick<Desktop, 'storeClass' | 'keyring' | 'awake' | 'channel' | 'handle'> {
  const { engine, waysOut, notifier } = deps;
  const { state } = options.firstPages;
  let askLanding: ReturnType<typeof createLanding> | undefined;
  const channel = createWindowChannel({
    isReady: () => deps.trayControl() !== undefined && !waysOut.isQuitting(),
    restart: () => engine()?.holdfast.status().restart,
    notify: notifier.notify,
    isQuiet: deps.isQuiet,
    showDetails: () => engine()?.settings.get('notifications.show_details') ?? false,
    onRestartTold(restart, outcome) {
      if (outcome.kind !== 'suppressed') deps.watch.toldByRestart(restart);
    },
  });
  const handle = createDesktopVerbs({
    app: { ...appOf(options), isShortcutTaken: deps.isShortcutTaken },
    loginItem: deps.loginItem,
    notifications: {
      notifier,
      isSupported: () => Notification.isSupported(),
      reminder: reminderOf(state, deps.onReminder),
    },
    tray: () => deps.trayPlace.now(),
    open: deps.windows.open,
    answerQuit: waysOut.answerQuit,
    openLink: createLinkOpener({
      confirm: (link) => confirmOpenLink(link, deps.windows.front()),
      open: openConfirmed,
    }),
    paths: desktopPaths({ env: options.env, engine, front: deps.windows.front }),
    landing(asked) {
      const holdfast = engine()?.holdfast;
      if (holdfast === undefined) return Promise.resolve({ route: asked, isStoryOver: false });
      askLanding ??= createLanding({
        holdfast,
        isFirstStartDone: () => !waysOut.isFirstStart(),
        place: () => state.get().place,
      });
      return askLanding(asked);
    },
    place: (place) => state.change({ place }),
    settled: deps.pages.settled,
    nowMs: Date.now,
  });
  return {
    storeClass: { load: async () => (await import('electron-store')).default },
    keyring: createKeyring(process.platform),
    awake: createStayAwake(powerSaveBlocker, process.platform, options.env),
    channel,
    handle,
  };
}

function openTray(
  { env, launch, firstIcon, firstPages, log }: ShellOptions,
  deps: {
    readonly given: OwnedEngine;
    readonly windows: Windows;
    readonly waysOut: WaysOut;
    readonly isQuiet: () => boolean;
    readonly endQuiet: () => Promise<void>;
  },
) {
  const { given, windows, waysOut } = deps;
  const { state } = firstPages;
  const tray = createTray({
    iconPath: (trayState) =>
      iconPath(launch.appPath, env, trayState, given.settings.get('app.tray_icon')),
    first: firstIcon,
    onAction: (action) => control.act(action),
    platform: process.platform,
  });
  const control = createTrayController({
    holdfast: given.holdfast,
    tray,
    isQuiet: () => state.get().isDoNotDisturb,
    setQuiet(isDoNotDisturb) {
      state.change({ isDoNotDisturb });
      if (isDoNotDisturb || deps.isQuiet()) return;
      void deps.endQuiet();
      given.tellAnswers();
    },
    open: windows.open,
    confirm: {
      stopAll: (open) => confirmStopAll(open, windows.front()),
      copy: (text) => confirmCopy(text, windows.front()),
      failed: (trouble) => tellFailed(trouble, windows.front()),
    },
    // Newer Electron returns a promise; there is nothing to wait for.
    copyText: (text) => void clipboard.writeText(text),
    quit: waysOut.leaveAndQuit,
    onQuitWanted: () => void waysOut.leaveFirstStart(),
    locale: systemFormats(),
    log,
    nowMs: Date.now,
  });
  return { tray, control };
}

/** Follows the theme, sleep and shutdown of the system. */
function followComputer(deps: {
  readonly onTheme: () => void;
  readonly onResume: () => void;
  readonly onShutdown: () => void;
  readonly log: StartLog;
}): void {
  nativeTheme.on('updated', deps.onTheme);
  watchPower({
    monitor: powerMonitor,
    onSuspend: () => deps.log.info('power.suspend', {}),
    onResume() {
      deps.log.info('power.resume', {});
      deps.onResume();
    },
    onShutdown: deps.onShutdown,
  });
}

/** How this app is started again: at login, and after a crash. */
function waysBack({ dataDir, env, launch, flags, relaunchRule, log }: ShellOptions) {
  const loginItem = createLoginItem({
    app,
    platform: process.platform,
    env,
    home: homeFolder(),
    command: [process.execPath, ...leadingArguments(launch)],
    dataDir: dataDir === join(homeFolder(), '.holdfast') ? undefined : dataDir,
  });
  const comeBack = createRelaunch({
    dataDir,
    isAfterCrash: flags.afterCrash,
    rule: relaunchRule,
    platform: process.platform,
    pid: process.pid,
    relaunch: (args) => app.relaunch({ args: [...args] }),
    leadingArgs: leadingArguments(launch),
    log,
    nowMs: Date.now,
  });
  return { loginItem, comeBack };
}

/** The menu, the dock and links of a running app open windows. */
function followApp(windows: Windows, onQuit: () => void): void {
  Menu.setApplicationMenu(
    Menu.buildFromTemplate(
      appMenu({
        platform: process.platform,
        isPackaged: app.isPackaged,
        onSettings: () => windows.open('settings'),
        onGo: (route) => windows.open('index', route),
        onQuit,
      }),
    ),
  );
  app.on('activate', () => windows.open('index'));
  app.on('open-url', (event, url) => {
    event.preventDefault();
    windows.open('index', parseLink(url));
  });
}

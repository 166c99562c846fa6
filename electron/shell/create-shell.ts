/**
 * The desktop around the engine: windows, tray, notifications, login item, coming back, quitting.
 * Everything here reads the facade; nothing here decides about turns.
 */
import { homedir } from 'node:os';
import { join } from 'node:path';
import {
  Menu,
  Notification,
  app,
  clipboard,
  ipcMain,
  nativeTheme,
  powerMonitor,
  shell as electronShell,
} from 'electron';
import type { Desktop, Lifecycle, OwnedEngine, StartFlags, StopReason } from '../compose/options';
import { toHoldfastError } from '../engine/kernel/errors';
import { createEventFeed } from '../ipc/event-feed';
import type { EventFeed } from '../ipc/event-feed';
import { registerIpc } from '../ipc/register';
import type { IpcRegistration } from '../ipc/register';
import { appMenu } from './app-menu';
import type { ClosePlan } from './close-plan';
import { callWhenUp, deferred } from './call-when-up';
import { createRelaunch } from './relaunch';
import type { RelaunchRule } from './relaunch';
import { createDecisionWatch } from './decision-watch';
import { createDesktopVerbs } from './desktop-verbs';
import { askAboutQuit, confirmCopy, confirmStopAll, tellFailedStart } from './dialogs';
import { iconPath, type FirstIcon } from './first-icon';
import type { FirstPages } from './first-window';
import { followEngine } from './follow-engine';
import { createKeyring } from './keyring';
import { leadingArguments, routeFromArguments } from './launch-arguments';
import type { LaunchFacts } from './launch-arguments';
import { parseLink } from './links';
import { createLanding } from './landing';
import { createLoginItem } from './login-item';
import { closeNotice, stayedDownNotice, windowGivenUpNotice } from './notices';
import { createNotifications } from './notifications';
import { watchPower } from './power';
import { createQuit, quitLimitMs } from './quit';
import { askTrayHost } from './session-bus';
import type { TrayHost } from './session-bus';
import { preloadPath } from './make-window';
import { createPageSettler } from './settle-pages';
import type { ShellState } from './shell-state';
import type { StartLog } from './start-log';
import { systemFormats } from './system-formats';
import { terminalOf } from './terminal';
import { createTray } from './tray';
import { createTrayController, foreseeQuit } from './tray-controller';
import type { TrayController } from './tray-controller';
import type { WantedIcon } from './tray-icons';
import { createWindowChannel } from './window-channel';
import { HIDDEN_LIFE_MS, createWindows } from './windows';
import type { Windows } from './windows';

interface ShellOptions {
  readonly dataDir: string;
  readonly flags: StartFlags;
  readonly version: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** How this process was started, so that it can be started once more. */
  readonly launch: LaunchFacts;
  /** The user's own arguments; a link among them is the first page. */
  readonly args: readonly string[];
  readonly relaunchRule: RelaunchRule;
  readonly log: StartLog;
  /** The icon that is already in the tray. */
  readonly firstIcon: FirstIcon | undefined;
  readonly firstPages: FirstPages;
}

interface Shell {
  readonly desktop: Desktop;
  /** From here on every way out of the process goes through the ordered stop. */
  own(lifecycle: Lifecycle): void;
  /** Call after the start has succeeded: the pages may ask, notices are shown, a crash is followed. */
  attach(): void;
  /** The start failed: shows the reason to the user. */
  fail(error: unknown): Promise<void>;
}

const TRAY_HOST_TIMEOUT_MS = 1_000;
/** A page that hangs keeps nothing from stopping. */
const SETTLE_LIMIT_MS = 500;

/** Call after `prepareProcess`; the engine may load afterwards. */
export function createShell(options: ShellOptions): Shell {
  const { dataDir, env, launch } = options;
  const { log, firstPages } = options;
  const { state } = firstPages;

  let house: OwnedEngine | undefined;
  let trayControl: TrayController | undefined;
  let feed: EventFeed | undefined;
  let trayHost: TrayHost = process.platform === 'linux' ? 'unknown' : 'available';
  let stopped: StopReason | undefined;
  let stop: (reason: StopReason) => Promise<void> = () => Promise.resolve();
  let isCloseNoticeShown = false;
  let isAsking = false;
  /** The start has completed. */
  let isUp = false;
  const up = deferred();

  const watch = createDecisionWatch();
  const { loginItem, comeBack } = waysBack(options);
  const quit = createQuit({
    app,
    stop: (reason) => stop(reason),
    disarmRelaunch: () => comeBack.disarm(),
    limitMs: quitLimitMs,
    log,
  });

  const askHost = (): void => {
    if (process.platform !== 'linux') return;
    void askTrayHost(env, TRAY_HOST_TIMEOUT_MS).then((host) => {
      trayHost = host;
    });
  };

  const isFirstStart = (): boolean => !(house?.settings.get('app.first_start_done') ?? true);

  const wantedIcon = (): WantedIcon => house?.settings.get('app.tray_icon') ?? 'auto';
  const trayNow = (): TrayHost | 'off' => (wantedIcon() === 'off' ? 'off' : trayHost);

  /** Closing the window or quitting is one way out of the first start; it does not come again. */
  const leaveFirstStart = async (route: string): Promise<void> => {
    if (route !== '/welcome' || !isFirstStart()) return;
    try {
      await house?.settings.set('app.first_start_done', true);
      windows.lead('/');
    } catch (error) {
      log.warn('shell.setting_failed', { message: String(error).slice(0, 200) });
    }
  };

  /** Quit in the tray or in the menu is a way out of it, too. */
  const leaveAndQuit = (): void => {
    void leaveFirstStart(windows.shownRoute() ?? '').then(() => quit.request('stop'));
  };

  const askToQuit = async (route: string): Promise<void> => {
    if (isAsking) return;
    isAsking = true;
    const foreseen = house && (await foreseeQuit(house.holdfast).catch(() => undefined));
    const waitsFor = house?.holdfast.status().quitsBehind;
    const wish = await askAboutQuit(foreseen, waitsFor, windows.front()).finally(
      () => (isAsking = false),
    );
    if (wish === 'nothing') return;
    if (wish !== 'quit') {
      trayControl?.act({ kind: 'quit_when_done', isWanted: wish === 'quit_when_done' });
      return;
    }
    await leaveFirstStart(route);
    quit.request('stop');
  };

  const answerQuit = async (isNow: boolean): Promise<boolean> => {
    const isWaiting = house?.holdfast.status().quitsBehind !== undefined;
    if (!isWaiting || house === undefined) return quit.isQuitting();
    if (isNow) {
      leaveAndQuit();
      return true;
    }
    return (await house.holdfast.call('instance.quitWhenDone', { isWanted: false }, 'window'))
      .isWanted;
  };

  const onClose = (plan: ClosePlan, route: string): void => {
    if (plan.kind === 'quit') void leaveFirstStart(route).then(() => quit.request('stop'));
    if (plan.kind === 'ask') void askToQuit(route);
    if (plan.kind !== 'hide' && plan.kind !== 'minimise') return;
    void leaveFirstStart(route);
    if (!plan.notice) return;
    // The file follows; a second close may come before it is written.
    isCloseNoticeShown = true;
    house?.settings.set('app.close_notice_shown', true).catch((error: unknown) => {
      log.warn('shell.setting_failed', { message: String(error).slice(0, 200) });
    });
    void notifier.notify(closeNotice(plan.kind));
  };

  const windows = createWindows({
    preloadPath: preloadPath(launch.appPath),
    isPackaged: app.isPackaged,
    state,
    closeFacts: () => ({
      isQuitting: quit.isQuitting(),
      closeToTray: house?.settings.get('app.close_to_tray') ?? true,
      tray: trayNow(),
      isNoticeShown: isCloseNoticeShown || (house?.settings.get('app.close_notice_shown') ?? true),
    }),
    onClose,
    onShown(target) {
      askHost();
      feed?.refresh(target);
    },
    onGone(id) {
      feed?.forget(id);
      ipc?.forget(id);
    },
    onGivenUp: () => void notifier.notify(windowGivenUpNotice),
    tellRoute: (target, route) => feed?.tell(target, 'navigate', { route }),
    log,
    nowMs: () => performance.now(),
    hiddenLifeMs: HIDDEN_LIFE_MS,
    first: firstPages.window,
    isFirstSmall: firstPages.isFirstStart,
    isFirstStart,
  });
  let ipc: IpcRegistration | undefined;

  let following: ReturnType<typeof followEngine> | undefined;
  const { notifier, isQuiet, endQuiet } = createNotifications({
    state,
    windows,
    house: () => house,
    following: () => following,
    onFailed: (notice) => trayControl?.addUnseen(notice),
    log,
  });
  const settler = createPageSettler(SETTLE_LIMIT_MS, (delayMs, run) => {
    setTimeout(run, delayMs);
  });
  let askLanding: ReturnType<typeof createLanding> | undefined;
  const landing = (asked: string): ReturnType<ReturnType<typeof createLanding>> => {
    if (house === undefined) return Promise.resolve({ route: asked, isStoryOver: false });
    askLanding ??= createLanding({
      holdfast: house.holdfast,
      isFirstStartDone: () => !isFirstStart(),
      place: () => state.get().place,
    });
    return askLanding(asked);
  };
  const desktop: Desktop = {
    storeClass: { load: async () => (await import('electron-store')).default },
    keyring: createKeyring(process.platform),
    channel: createWindowChannel({
      isReady: () => trayControl !== undefined && !quit.isQuitting(),
      restart: () => house?.holdfast.status().restart,
      notify: notifier.notify,
      isQuiet,
      showDetails: () => house?.settings.get('notifications.show_details') ?? false,
      onRestartTold(restart, outcome) {
        if (outcome.kind !== 'suppressed') watch.toldByRestart(restart);
      },
    }),
    handle: createDesktopVerbs({
      dataDir,
      version: options.version,
      electronVersion: process.versions['electron'] ?? '',
      terminal: () => terminalOf(options),
      loginItem,
      notifier,
      isNotificationSupported: () => Notification.isSupported(),
      tray: trayNow,
      open: windows.open,
      answerQuit,
      openPath: (path) => electronShell.openPath(path),
      landing: (asked) => landing(asked),
      place: (place) => state.change({ place }),
      settled: () => settler.settled(),
      reminder: {
        atMs: () => state.get().remindAtMs,
        set(remindAtMs) {
          state.change({ remindAtMs });
          following?.lookAtReminders();
        },
      },
      nowMs: Date.now,
    }),
    owned,
    settlePages() {
      const pages = windows.targets();
      if (house === undefined || !isUp) return Promise.resolve();
      const status = { ...house.holdfast.status(), phase: 'stopping' } as const;
      for (const page of pages) feed?.tell(page, 'status.changed', status);
      return settler.ask(pages.length);
    },
    disarmRelaunch: () => comeBack.disarm(),
  };

  /** Remembered, so that the next first window has its colours before the settings are read. */
  const applyTheme = (theme: ShellState['theme']): void => {
    nativeTheme.themeSource = theme;
    if (state.get().theme !== theme) state.change({ theme });
  };

  const applySettings = (isAsked: boolean): void => {
    if (house === undefined) return;
    applyTheme(house.settings.get('app.theme'));
    trayControl?.refresh();
    if (!isFirstStart()) windows.endFirstStart();
    try {
      loginItem.apply(house.settings.get('app.start_at_login'), isAsked);
    } catch (error) {
      log.warn('login_item.failed', { message: String(error).slice(0, 300) });
    }
  };

  const openTray = (given: OwnedEngine) => {
    const tray = createTray({
      iconPath: (trayState) => iconPath(launch.appPath, env, trayState, wantedIcon()),
      first: options.firstIcon,
      onAction: (action) => control.act(action),
      platform: process.platform,
    });
    const control = createTrayController({
      holdfast: given.holdfast,
      tray,
      isQuiet: () => state.get().isDoNotDisturb,
      setQuiet(isDoNotDisturb) {
        state.change({ isDoNotDisturb });
        if (isDoNotDisturb || isQuiet()) return;
        void endQuiet();
        given.tellAnswers();
      },
      open: windows.open,
      confirmStopAll: (open) => confirmStopAll(open, windows.front()),
      confirmCopy: (text) => confirmCopy(text, windows.front()),
      // Newer Electron returns a promise; there is nothing to wait for.
      copyText: (text) => void clipboard.writeText(text),
      quit: leaveAndQuit,
      onQuitWanted: () => void leaveFirstStart(windows.shownRoute() ?? ''),
      locale: systemFormats(),
      log,
      nowMs: Date.now,
    });
    return { tray, control };
  };

  const followComputer = (
    given: OwnedEngine,
    { tray, control }: ReturnType<typeof openTray>,
  ): void => {
    nativeTheme.on('updated', () => {
      windows.recolour();
      control.refresh();
    });
    watchPower({
      monitor: powerMonitor,
      onSuspend: () => log.info('power.suspend', {}),
      onResume() {
        log.info('power.resume', {});
        tray.revive();
        askHost();
        control.refresh();
        given.woke();
      },
      onShutdown: () => quit.request('os_shutdown'),
    });
  };

  const answerPages = ({ holdfast }: OwnedEngine): void => {
    ipc = registerIpc({
      ipc: ipcMain,
      holdfast: callWhenUp(holdfast, up.promise),
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
    if (firstPages.isWanted) windows.open('index', routeFromArguments(options.args));
    firstPages.answer();
  };

  /** Tray and window appear while the engine starts: both show that. */
  function owned(given: OwnedEngine): void {
    house = given;
    log.handOver(given.log);
    // Nothing is on the screen yet: a crash before the first window leaves it that way.
    if (state.get().isWindowShown) state.change({ isWindowShown: false });
    applyTheme(given.settings.get('app.theme'));
    if (!isFirstStart()) windows.endFirstStart();
    const icon = openTray(given);
    trayControl = icon.control;
    trayControl.refresh();
    followComputer(given, icon);
    answerPages(given);
    askHost();
  }

  return {
    desktop,
    own(lifecycle) {
      stop = (reason) => lifecycle.stop(reason);
      // A failed start also stops what it had started; the reason is then still to be shown.
      void lifecycle.stopped.then((reason) => {
        stopped = reason;
        if (isUp) quit.finish(reason);
      });
    },
    attach() {
      isUp = true;
      if (stopped !== undefined) {
        quit.finish(stopped);
        return;
      }
      if (house === undefined || trayControl === undefined) return;
      const { holdfast, settings } = house;
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
      // A death between the end of the quiet and its summary.
      if (!isQuiet() && state.get().held.length > 0) void endQuiet();
      followApp(windows, leaveAndQuit);
    },
    fail(error) {
      comeBack.disarm();
      return tellFailedStart(toHoldfastError(error), { isHidden: options.flags.hidden, log });
    },
  };
}

/** How this app is started again: with the computer, and after a death. */
function waysBack({ dataDir, env, launch, flags, relaunchRule, log }: ShellOptions) {
  const loginItem = createLoginItem({
    app,
    platform: process.platform,
    env,
    home: homedir(),
    command: [process.execPath, ...leadingArguments(launch)],
    dataDir: dataDir === join(homedir(), '.holdfast') ? undefined : dataDir,
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

/** Menu, dock and links of a running app lead to windows. */
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

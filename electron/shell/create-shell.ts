/**
 * The desktop around the engine: windows, tray, notifications, login item, coming back, quitting.
 * Everything here reads the facade; nothing here decides about turns.
 */
import { randomBytes } from 'node:crypto';
import { homedir } from 'node:os';
import { join } from 'node:path';
import {
  Menu,
  Notification,
  app,
  clipboard,
  dialog,
  ipcMain,
  nativeTheme,
  powerMonitor,
  protocol,
  screen,
  shell as electronShell,
} from 'electron';
import ElectronStore from 'electron-store';
import type { Desktop, Lifecycle, StartFlags, StopReason } from '../compose-options';
import type { Holdfast } from '../engine/facade';
import { toHoldfastError } from '../engine/kernel/errors';
import { createEventFeed } from '../ipc/event-feed';
import type { EventFeed } from '../ipc/event-feed';
import { registerIpc } from '../ipc/register';
import type { IpcRegistration } from '../ipc/register';
import type { Log } from '../ports/log';
import { appMenu } from './app-menu';
import { createAppProtocol, rendererRoot } from './app-protocol';
import type { ClosePlan } from './close-plan';
import { createComeBack } from './come-back';
import type { ComeBackRule } from './come-back';
import { installContentGuard } from './content-guard';
import { createDecisionWatch } from './decision-watch';
import { createDesktopVerbs } from './desktop-verbs';
import { followEngine } from './follow-engine';
import { createKeyring } from './keyring';
import { leadingArguments, routeFromArguments } from './launch-arguments';
import type { LaunchFacts } from './launch-arguments';
import { parseLink } from './links';
import { createLoginItem } from './login-item';
import { closeNotice, stayedDownNotice, windowGivenUpNotice } from './notices';
import type { Notice, NoticeMode } from './notification-policy';
import { createNotifier } from './notifier';
import { openAllowedExternal } from './open-external';
import { watchPower } from './power';
import { createQuit, quitLimitMs } from './quit';
import { askTrayHost } from './session-bus';
import type { TrayHost } from './session-bus';
import { createSettingsView } from './settings-view';
import type { SettingsView } from './settings-view';
import { createShellStateFile } from './shell-state';
import { stopAllQuestion } from './stop-question';
import { createStartLog } from './start-log';
import { createTray } from './tray';
import { createTrayController } from './tray-controller';
import type { TrayController } from './tray-controller';
import { trayIconPath, trayVariant } from './tray-icons';
import { createWindowChannel } from './window-channel';
import { HIDDEN_LIFE_MS, createWindows } from './windows';

export interface ShellOptions {
  readonly dataDir: string;
  readonly flags: StartFlags;
  readonly version: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** How this process was started, so that it can be started once more. */
  readonly launch: LaunchFacts;
  /** The user's own arguments; a link among them is the first page. */
  readonly args: readonly string[];
  readonly comeBackRule: ComeBackRule;
}

export interface Shell {
  readonly desktop: Desktop;
  /** From here on every way out of the process goes through the ordered stop. */
  own(lifecycle: Lifecycle): void;
  /** Call after the start has succeeded. Resolves when the tray is up and the first window is made. */
  attach(holdfast: Holdfast): Promise<void>;
  /** The start did not succeed: says why, where a person can see it. */
  fail(error: unknown): Promise<void>;
}

const TRAY_HOST_TIMEOUT_MS = 1_000;

/** Call before `ready`: sandbox, scheme and content guard have to be in place by then. */
export function createShell(options: ShellOptions): Shell {
  const { dataDir, env, launch } = options;
  const log = createStartLog();
  prepareProcess(log);

  let holdfast: Holdfast | undefined;
  let settings: SettingsView | undefined;
  let trayControl: TrayController | undefined;
  let feed: EventFeed | undefined;
  let trayHost: TrayHost = process.platform === 'linux' ? 'unknown' : 'available';
  let stopped: StopReason | undefined;
  let stop: (reason: StopReason) => Promise<void> = () => Promise.resolve();

  const state = createShellStateFile(dataDir);
  const wasWindowShown = state.get().isWindowShown;
  // Nothing is on the screen yet: a death before the first window leaves it that way.
  if (wasWindowShown) state.change({ isWindowShown: false });
  const watch = createDecisionWatch();
  const loginItem = createLoginItem({
    app,
    platform: process.platform,
    env,
    home: homedir(),
    command: [process.execPath, ...leadingArguments(launch)],
    dataDir: dataDir === join(homedir(), '.holdfast') ? undefined : dataDir,
  });
  const comeBack = createComeBack({
    dataDir,
    isAfterCrash: options.flags.afterCrash,
    rule: options.comeBackRule,
    platform: process.platform,
    pid: process.pid,
    relaunch: (args) => app.relaunch({ args: [...args] }),
    leadingArgs: leadingArguments(launch),
    log,
    nowMs: Date.now,
  });
  const quit = createQuit({
    app,
    stop: (reason) => stop(reason),
    disarmComeBack: () => comeBack.disarm(),
    limitMs: quitLimitMs,
    log,
  });

  const askHost = (): void => {
    if (process.platform !== 'linux') return;
    void askTrayHost(env, TRAY_HOST_TIMEOUT_MS).then((host) => {
      trayHost = host;
    });
  };

  const onClose = (plan: ClosePlan): void => {
    if (plan.kind === 'quit') quit.request('stop');
    if ((plan.kind !== 'hide' && plan.kind !== 'minimise') || !plan.notice) return;
    void settings?.set('app.close_notice_shown', true).catch((error: unknown) => {
      log.warn('shell.setting_failed', { message: String(error).slice(0, 200) });
    });
    void notifier.notify(closeNotice(plan.kind));
  };

  const windows = createWindows({
    preloadPath: join(launch.appPath, 'dist', 'electron', 'preload.cjs'),
    isPackaged: app.isPackaged,
    state,
    closeFacts: () => ({
      isQuitting: quit.isQuitting(),
      closeToTray: settings?.get('app.close_to_tray') ?? true,
      tray: trayHost,
      isNoticeShown: settings?.get('app.close_notice_shown') ?? true,
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
  });
  let ipc: IpcRegistration | undefined;

  const noticeMode = (notice: Notice): NoticeMode => {
    switch (notice.kind) {
      case 'restart':
        return settings?.get('notifications.restart') ?? 'on';
      case 'decision':
        return settings?.get('notifications.decisions') ?? 'on';
      case 'problem':
      case 'close_to_tray':
      case 'test':
        return 'on';
    }
  };
  const notifier = createNotifier({
    mode: noticeMode,
    focusedRoute: windows.focusedRoute,
    onClick: (route) => windows.open('index', route),
    onFailed: (notice) => trayControl?.addUnseen(notice),
    isQuiet: () => state.get().isDoNotDisturb,
    log,
    nowMs: Date.now,
  });

  const desktop: Desktop = {
    storeClass: ElectronStore,
    keyring: createKeyring(process.platform),
    channel: createWindowChannel({
      isReady: () => trayControl !== undefined && !quit.isQuitting(),
      restart: () => holdfast?.status().restart,
      notify: notifier.notify,
      onRestartTold(restart, outcome) {
        if (outcome.kind !== 'suppressed' || outcome.reason === 'do_not_disturb') {
          watch.toldByRestart(restart);
        }
      },
    }),
    handle: createDesktopVerbs({
      dataDir,
      version: options.version,
      electronVersion: process.versions['electron'] ?? '',
      loginItem,
      notifier,
      isNotificationSupported: () => Notification.isSupported(),
      trayHost: () => trayHost,
      open: windows.open,
      openPath: (path) => electronShell.openPath(path),
    }),
    disarmComeBack: () => comeBack.disarm(),
  };

  const applySettings = (view: SettingsView, isAsked: boolean): void => {
    nativeTheme.themeSource = view.get('app.theme');
    try {
      loginItem.apply(view.get('app.start_at_login'), isAsked);
    } catch (error) {
      log.warn('login_item.failed', { message: String(error).slice(0, 300) });
    }
  };

  return {
    desktop,
    own(lifecycle) {
      stop = (reason) => lifecycle.stop(reason);
      // A start that fails stops what it had begun, too: then the reason is still to be told.
      void lifecycle.stopped.then((reason) => {
        stopped = reason;
        if (trayControl !== undefined) quit.finish(reason);
      });
    },
    async attach(engine) {
      if (stopped !== undefined) {
        quit.finish(stopped);
        return;
      }
      holdfast = engine;
      const view = createSettingsView(engine);
      settings = view;
      await view.reload();
      applySettings(view, false);
      if (process.platform === 'linux') trayHost = await askTrayHost(env, TRAY_HOST_TIMEOUT_MS);
      protocol.handle(
        'holdfast',
        createAppProtocol({
          root: rendererRoot(launch.appPath),
          newNonce: () => randomBytes(18).toString('base64'),
        }),
      );
      ipc = registerIpc({
        ipc: ipcMain,
        holdfast: engine,
        isOurs: windows.isOurs,
        log,
        nowMs: () => performance.now(),
      });
      feed = createEventFeed({
        holdfast: engine,
        targets: windows.targets,
        nowMs: () => performance.now(),
        later: (delayMs, run) => void setTimeout(run, delayMs),
      });
      const tray = createTray({
        iconPath: (trayState) =>
          trayIconPath(
            launch.appPath,
            trayState,
            trayVariant({
              platform: process.platform,
              isDark: nativeTheme.shouldUseDarkColors,
              desktop: env['XDG_CURRENT_DESKTOP'] ?? '',
            }),
            process.platform,
            Math.max(...screen.getAllDisplays().map((display) => display.scaleFactor)),
          ),
        onAction: (action) => control.act(action),
        platform: process.platform,
      });
      const control = createTrayController({
        holdfast: engine,
        tray,
        isQuiet: () => state.get().isDoNotDisturb,
        setQuiet(isQuiet) {
          state.change({ isDoNotDisturb: isQuiet });
          if (!isQuiet) void notifier.endQuiet();
        },
        open: windows.open,
        confirmStopAll: async (open) => {
          const question = {
            type: 'question' as const,
            buttons: ['Let them run', 'Stop all turns'],
            defaultId: 0,
            cancelId: 0,
            ...stopAllQuestion(open),
          };
          const front = windows.front();
          const answer =
            front === undefined
              ? await dialog.showMessageBox(question)
              : await dialog.showMessageBox(front, question);
          return answer.response === 1;
        },
        // Newer Electron answers with a promise; there is nothing to wait for.
        copyText: (text) => void clipboard.writeText(text),
        quit: () => quit.request('stop'),
        locale: app.getLocale() || 'en',
        log,
        nowMs: Date.now,
      });
      trayControl = control;
      control.refresh();

      const stayedDown = comeBack.begin(
        env['HOLDFAST_NO_RELAUNCH'] !== '1' && view.get('instance.restart_after_crash'),
      );
      if (stayedDown !== undefined) void notifier.notify(stayedDownNotice(stayedDown));

      followEngine({
        engine,
        control,
        view,
        watch,
        notify: notifier.notify,
        applySettings: (isAsked) => applySettings(view, isAsked),
        log,
      });
      watchPower({
        monitor: powerMonitor,
        onSuspend: () => log.info('power.suspend', {}),
        onResume() {
          log.info('power.resume', {});
          tray.revive();
          askHost();
          control.refresh();
        },
        onShutdown: () => quit.request('os_shutdown'),
      });
      nativeTheme.on('updated', () => {
        windows.recolour();
        control.refresh();
      });
      Menu.setApplicationMenu(
        Menu.buildFromTemplate(
          appMenu({
            platform: process.platform,
            isPackaged: app.isPackaged,
            onSettings: () => windows.open('settings'),
            onQuit: () => quit.request('stop'),
          }),
        ),
      );
      app.on('activate', () => windows.open('index'));
      app.on('open-url', (event, url) => {
        event.preventDefault();
        windows.open('index', parseLink(url));
      });
      const route = routeFromArguments(options.args);
      // Who was looking at the window when it died sees it again; a tray app stays in the tray.
      const isBack = options.flags.afterCrash && wasWindowShown;
      if (!options.flags.hidden || isBack || route !== undefined) windows.open('index', route);
    },
    async fail(error) {
      comeBack.disarm();
      const known = toHoldfastError(error);
      log.error('app.start_failed', { code: known.code });
      process.stderr.write(
        `${known.message}\n${known.hint === undefined ? '' : `${known.hint}\n`}`,
      );
      if (options.flags.hidden) return;
      await app.whenReady();
      dialog.showErrorBox(
        'Holdfast could not start',
        [known.message, known.hint ?? ''].join('\n\n'),
      );
    },
  };
}

/** What has to be settled before `ready` (W2, W4, W5, W7). */
function prepareProcess(log: Log): void {
  // The call would undo `--no-sandbox`, with which launchers start us where there is no sandbox
  // (root, kernels without namespaces); every page asks for it again in its own preferences.
  if (!app.commandLine.hasSwitch('no-sandbox')) app.enableSandbox();
  if (process.platform === 'win32') app.setAppUserModelId('dev.holdfast.app');
  protocol.registerSchemesAsPrivileged([
    { scheme: 'holdfast', privileges: { standard: true, secure: true, supportFetchAPI: true } },
  ]);
  installContentGuard({
    app,
    openInBrowser: openAllowedExternal,
    onRefused: (what) => log.warn('window.refused', { what }),
  });
}

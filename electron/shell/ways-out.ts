/**
 * The ways out of the app: closing the window, quitting, the end of the engine. Leaving during the
 * first start counts as having seen it; it does not come again.
 */
import { app } from 'electron';
import type { OwnedEngine } from '../engine/api/desktop';
import type { Lifecycle, StopReason } from '../lifecycle';
import type { CloseFacts, ClosePlan } from './windows/close-plan';
import { askAboutQuit } from './windows/dialogs';
import { closeNotice } from './notices/notices';
import type { Notice } from './notices/notification-policy';
import { createQuit, quitLimitMs } from './quit';
import type { StartLog } from './start-log';
import { foreseeQuit } from './tray/tray-controller';
import type { TrayController } from './tray/tray-controller';
import type { Windows } from './windows/windows';

interface WaysOutDeps {
  /** Absent until the data directory is ours. */
  readonly engine: () => OwnedEngine | undefined;
  readonly windows: () => Windows;
  readonly trayControl: () => TrayController | undefined;
  readonly notify: (notice: Notice) => Promise<unknown>;
  readonly disarmRelaunch: () => void;
  readonly log: StartLog;
}

export interface WaysOut {
  readonly isQuitting: () => boolean;
  readonly isFirstStart: () => boolean;
  readonly closeFacts: () => Omit<CloseFacts, 'page' | 'tray'>;
  /** The close button was pressed and the window stays. */
  readonly onClose: (plan: ClosePlan, route: string) => void;
  /** The wish to quit ends the first start, too. */
  readonly leaveFirstStart: () => Promise<void>;
  /** Quit in the tray, in the menu or in the window. */
  readonly leaveAndQuit: () => void;
  readonly answerQuit: (isNow: boolean) => Promise<boolean>;
  readonly shutDown: () => void;
  /** From here on every way out of the process goes through the ordered stop. */
  readonly own: (lifecycle: Lifecycle) => void;
  readonly isUp: () => boolean;
  /** The start has completed; false if the engine has stopped since, which ends the process. */
  readonly begin: () => boolean;
}

export function createWaysOut(deps: WaysOutDeps): WaysOut {
  const { engine, windows, log } = deps;
  let stop: (reason: StopReason) => Promise<void> = () => Promise.resolve();
  let stopped: StopReason | undefined;
  let isUp = false;
  let isCloseNoticeShown = false;
  let isAsking = false;

  const quit = createQuit({
    app,
    stop: (reason) => stop(reason),
    disarmRelaunch: deps.disarmRelaunch,
    limitMs: quitLimitMs,
    log,
  });

  const isFirstStart = (): boolean => !(engine()?.settings.get('app.first_start_done') ?? true);

  const leaveFirstStart = async (route = windows().shownRoute() ?? ''): Promise<void> => {
    if (route !== '/welcome' || !isFirstStart()) return;
    try {
      await engine()?.settings.set('app.first_start_done', true);
      windows().lead('/');
    } catch (error) {
      log.warn('shell.setting_failed', { message: String(error).slice(0, 200) });
    }
  };

  const leaveAndQuit = (route?: string): void => {
    void leaveFirstStart(route).then(() => quit.request('stop'));
  };

  const askToQuit = async (route: string): Promise<void> => {
    if (isAsking) return;
    isAsking = true;
    const holdfast = engine()?.holdfast;
    const foreseen =
      holdfast &&
      (await foreseeQuit(holdfast).catch((error: unknown) => {
        log.warn('quit.not_foreseen', { message: String(error).slice(0, 200) });
        return undefined;
      }));
    const waitsFor = engine()?.holdfast.status().quitsBehind;
    const wish = await askAboutQuit(foreseen, waitsFor, windows().front()).finally(
      () => (isAsking = false),
    );
    if (wish === 'nothing') return;
    if (wish !== 'quit') {
      deps.trayControl()?.act({ kind: 'quit_when_done', isWanted: wish === 'quit_when_done' });
      return;
    }
    await leaveFirstStart(route);
    quit.request('stop');
  };

  return {
    isQuitting: () => quit.isQuitting(),
    isFirstStart,
    closeFacts: () => ({
      isQuitting: quit.isQuitting(),
      closeToTray: engine()?.settings.get('app.close_to_tray') ?? true,
      isNoticeShown:
        isCloseNoticeShown || (engine()?.settings.get('app.close_notice_shown') ?? true),
    }),
    onClose(plan, route) {
      if (plan.kind === 'quit') leaveAndQuit(route);
      if (plan.kind === 'ask') void askToQuit(route);
      if (plan.kind !== 'hide' && plan.kind !== 'minimise') return;
      void leaveFirstStart(route);
      if (!plan.notice) return;
      // The file follows; a second close may come before it is written.
      isCloseNoticeShown = true;
      engine()
        ?.settings.set('app.close_notice_shown', true)
        .catch((error: unknown) => {
          log.warn('shell.setting_failed', { message: String(error).slice(0, 200) });
        });
      void deps.notify(closeNotice(plan.kind));
    },
    leaveFirstStart: () => leaveFirstStart(),
    leaveAndQuit: () => leaveAndQuit(),
    async answerQuit(isNow) {
      const holdfast = engine()?.holdfast;
      if (holdfast?.status().quitsBehind === undefined) return quit.isQuitting();
      if (isNow) {
        leaveAndQuit();
        return true;
      }
      return (await holdfast.call('instance.quitWhenDone', { isWanted: false }, 'window')).isWanted;
    },
    shutDown: () => quit.request('os_shutdown'),
    own(lifecycle) {
      stop = (reason) => lifecycle.stop(reason);
      // A failed start also stops what it had started; the reason is then still to be shown.
      void lifecycle.stopped.then((reason) => {
        stopped = reason;
        if (isUp) quit.finish(reason);
      });
    },
    isUp: () => isUp,
    begin() {
      isUp = true;
      if (stopped === undefined) return true;
      quit.finish(stopped);
      return false;
    },
  };
}

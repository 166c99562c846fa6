/** Which kinds become native notifications, when, and what is held back. */
import type { OwnedEngine } from '../../engine/api/desktop';
import type { followEngine } from '../follow-engine';
import { modeSetting } from './notification-policy';
import type { Notice } from './notification-policy';
import { createNotifier } from './notifier';
import type { Notifier } from './notifier';
import { createQuiet } from './quiet-hours';
import type { ShellStateFile } from '../shell-state';
import type { StartLog } from '../start-log';
import type { Windows } from '../windows/windows';

interface NotificationsDeps {
  readonly state: ShellStateFile;
  readonly windows: Windows;
  readonly icon: string | undefined;
  /** Absent until the data directory is ours. */
  readonly engine: () => OwnedEngine | undefined;
  /** Absent until the engine has started. */
  readonly following: () => ReturnType<typeof followEngine> | undefined;
  /** The system did not show it: the tray shows it instead. */
  readonly onFailed: (notice: Notice) => void;
  readonly log: StartLog;
}

interface Notifications {
  readonly notifier: Notifier;
  readonly isQuiet: () => boolean;
  /** Shows one summary of the held-back notices. */
  readonly endQuiet: () => Promise<void>;
}

export function createNotifications(deps: NotificationsDeps): Notifications {
  const { state, windows, engine } = deps;
  const { isQuiet } = createQuiet({
    isSwitchedOn: () => state.get().isDoNotDisturb,
    span: () => engine()?.settings.get('notifications.quiet_hours') ?? '',
    onEnd() {
      void endQuiet();
      engine()?.tellAnswers();
    },
    nowMs: Date.now,
  });
  const notifier = createNotifier({
    mode(notice) {
      const setting = modeSetting(notice.kind);
      return setting === undefined ? 'on' : (engine()?.settings.get(setting) ?? 'on');
    },
    icon: deps.icon,
    focusedRoute: windows.focusedRoute,
    onClick: (route) => windows.open('index', route),
    onSettings: () => windows.open('settings'),
    onFailed: deps.onFailed,
    isQuiet,
    hide: (text) => engine()?.hideSecrets(text) ?? text,
    held: { get: () => state.get().held, set: (held) => state.change({ held }) },
    record: (facts) => engine()?.audit.record('notification', facts),
    nowMs: Date.now,
  });
  const endQuiet = async (): Promise<void> => {
    const questions = await deps
      .following()
      ?.heldBack()
      .catch((error: unknown) => {
        deps.log.warn('notification.failed', { message: String(error).slice(0, 300) });
      });
    await notifier.endQuiet(questions ?? []);
  };
  return { notifier, isQuiet, endQuiet };
}

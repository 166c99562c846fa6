/**
 * The `window` channel: a restart notice becomes a notification; an answer is already in the
 * session that the window shows, so it counts as delivered. It notifies of answers of scheduled
 * runs.
 */
import type { RestartNotice } from '../../../shared/types';
import { HoldfastError } from '../../engine/kernel/errors';
import type { Channel } from '../../ports/channel';
import { answersNotice, restartNotice } from '../notices/notices';
import type { Notice, NoticeOutcome } from '../notices/notification-policy';

interface WindowChannelDeps {
  readonly isReady: () => boolean;
  readonly restart: () => RestartNotice | undefined;
  readonly notify: (notice: Notice) => Promise<NoticeOutcome>;
  /** "Do not disturb" is on. */
  readonly isQuiet: () => boolean;
  /** The user also wants names on the lock screen. */
  readonly showDetails: () => boolean;
  /** The restart was reported, in one way or another. */
  readonly onRestartTold: (restart: RestartNotice | undefined, outcome: NoticeOutcome) => void;
}

export function createWindowChannel(deps: WindowChannelDeps): Channel {
  const taken = new Set<string>();
  return {
    name: 'window',
    isReady: deps.isReady,
    timed: {
      isHeld: deps.isQuiet,
      async tell(answers) {
        const notice = answersNotice(answers, deps.showDetails());
        if (notice === undefined) return;
        // Here it would be held back only in memory. On disk it waits just as well.
        if (deps.isQuiet()) throw new HoldfastError('CHANNEL_DOWN', 'Not to be disturbed.');
        await deps.notify(notice);
      },
    },
    async deliver(delivery, signal) {
      signal.throwIfAborted();
      // After a crash of the outbox the same delivery may come again; it is shown once (R12).
      if (delivery.kind === 'answer' || taken.has(delivery.deliveryId)) return;
      taken.add(delivery.deliveryId);
      const restart = deps.restart();
      const outcome = await deps.notify(restartNotice(restart, delivery.deliveryId, delivery.text));
      // It counts as delivered: if the system shows nothing, the tray does, and the inbox lists it.
      deps.onRestartTold(restart, outcome);
    },
  };
}

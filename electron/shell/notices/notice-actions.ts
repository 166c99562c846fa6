/**
 * The buttons of a notification: an extra where the system draws them, so nothing depends on one and
 * a click anywhere else does the same as the first that opens something. Pure.
 */
import type { Notice } from './notification-policy';
import { say } from '../say';

interface NoticeAction {
  readonly label: string;
  /** `dismiss` only closes it: what it points to stays where it is, reminders included. */
  readonly does: 'open' | 'dismiss' | 'settings';
  /** Its destination, if it differs from the click's. */
  readonly route?: string;
}

const OPEN: NoticeAction = { label: say('notice.action.open'), does: 'open' };

/** In the order in which they are drawn; some systems show the first alone. */
export function actionsOf({
  kind,
  turnId,
}: Pick<Notice, 'kind' | 'turnId'>): readonly NoticeAction[] {
  switch (kind) {
    case 'decision':
      return [
        { label: say('notice.action.review'), does: 'open' },
        { label: say('notice.action.later'), does: 'dismiss' },
        // It leads to the button that does it: nothing is decided in a notification. D3
        ...(turnId === undefined
          ? []
          : [
              {
                label: say('notice.action.cancelTurn'),
                does: 'open',
                route: `/turns/${String(turnId)}`,
              } as const,
            ]),
      ];
    case 'restart':
      return [{ label: say('notice.action.happened'), does: 'open' }];
    case 'outage':
    case 'delivery':
    case 'answer':
    case 'problem':
      return [OPEN];
    case 'close_to_tray':
      return [
        { label: say('notice.action.understood'), does: 'dismiss' },
        { label: say('notice.action.change'), does: 'settings' },
      ];
    case 'test':
      return [];
  }
}

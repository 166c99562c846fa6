/**
 * The buttons of a notification. Some systems show none, so a click on the notification does the
 * same as the first button that opens something. Pure.
 */
import type { Notice } from './notification-policy';
import { say } from '../say';

interface NoticeAction {
  readonly label: string;
  /** `dismiss` only closes it: the item stays open, reminders included. */
  readonly does: 'open' | 'dismiss' | 'settings';
  /** The page that it opens, if a click on the notification opens another one. */
  readonly route?: string;
}

const OPEN: NoticeAction = { label: say('notice.action.open'), does: 'open' };

/** In display order; some systems show only the first. */
export function actionsOf({
  kind,
  turnId,
}: Pick<Notice, 'kind' | 'turnId'>): readonly NoticeAction[] {
  switch (kind) {
    case 'decision':
      return [
        { label: say('notice.action.review'), does: 'open' },
        { label: say('notice.action.later'), does: 'dismiss' },
        // Opens the page with the button: a notification decides nothing. D3
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

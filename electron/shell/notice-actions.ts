/**
 * The buttons of a notification: an extra where the system draws them, so nothing depends on one and
 * a click anywhere else does the same as the first that opens something. Pure.
 */
import type { Notice } from './notification-policy';

interface NoticeAction {
  readonly label: string;
  /** `dismiss` only closes it: what it points to stays where it is, reminders included. */
  readonly does: 'open' | 'dismiss' | 'settings';
}

const OPEN: NoticeAction = { label: 'Open', does: 'open' };

/** In the order in which they are drawn; some systems show the first alone. */
export function actionsOf({ kind }: Pick<Notice, 'kind'>): readonly NoticeAction[] {
  switch (kind) {
    case 'decision':
      return [
        { label: 'Review', does: 'open' },
        { label: 'Later', does: 'dismiss' },
      ];
    case 'restart':
      return [{ label: 'See what happened', does: 'open' }];
    case 'outage':
    case 'delivery':
    case 'answer':
    case 'problem':
      return [OPEN];
    case 'close_to_tray':
      return [
        { label: 'Understood', does: 'dismiss' },
        { label: 'Change', does: 'settings' },
      ];
    case 'test':
      return [];
  }
}

import { useWindowEvent } from '@mantine/hooks';
import { placeOfFocus } from './key-place';
import { isKey } from './keys-view';

/**
 * `.` opens the actions of the focused row, or of the page if no row has the focus. True if
 * something was opened.
 */
export function useRowActions(onAsk: (focused: Element | null) => boolean): void {
  useWindowEvent('keydown', (event) => {
    if (event.defaultPrevented || !isKey('rowActions', event)) return;
    const place = placeOfFocus(event.target);
    if (place.isTyping || place.isInDialog) return;
    if (onAsk(document.activeElement)) event.preventDefault();
  });
}

const MENU = '[aria-haspopup="menu"]:not(:disabled)';
const ROW = '[role="row"], li, tr';
/** The panes next to a list, in search order. */
const PANES = ['.split-pane', '.task-pane', 'aside', '.agent'];
const ACTION = 'button:not(:disabled), a[href]';

/**
 * Opens the menu of the focused row, or that of the pane next to the list. If there is no menu, the
 * first action in the pane gets the focus. False if there is none.
 */
export function openActions(focused: Element | null, content: Element): boolean {
  const ofRow = focused?.closest(ROW)?.querySelector<HTMLElement>(MENU);
  const panes = PANES.flatMap((pane) => [...content.querySelectorAll(pane)]);
  const ofPane = panes.flatMap((pane) => pane.querySelector<HTMLElement>(MENU) ?? []);
  const menu = ofRow ?? ofPane[0] ?? content.querySelector<HTMLElement>(`.page-top ${MENU}`);
  if (menu) {
    // Once the menu is closed, the focus returns to where it was: to the row, if it has its own menu.
    if (ofRow == null) menu.focus();
    menu.click();
    return true;
  }
  const first = panes.flatMap((pane) => pane.querySelector<HTMLElement>(ACTION) ?? [])[0];
  first?.focus();
  return first !== undefined;
}

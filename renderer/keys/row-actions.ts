import { useEffect, useRef } from 'react';
import { placeOfFocus } from './key-place';
import { isKey } from './keys-view';

/**
 * `.` asks for the actions of the row that has the focus, or of the page where no row has it. True
 * where something was opened.
 */
export function useRowActions(onAsk: (focused: Element | null) => boolean): void {
  const latest = useRef(onAsk);
  useEffect(() => {
    latest.current = onAsk;
  });
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || !isKey('rowActions', event)) return;
      const place = placeOfFocus(event.target);
      if (place.isTyping || place.isInDialog) return;
      if (latest.current(document.activeElement)) event.preventDefault();
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, []);
}

const MENU = '[aria-haspopup="menu"]:not(:disabled)';
const ROW = '[role="row"], li, tr';
/** Panes next to a page's list, in the order in which they are searched. */
const PANES = ['.split-pane', '.task-pane', 'aside', '.agent'];
const ACTION = 'button:not(:disabled), a[href]';

/**
 * Opens the menu of the focused row; otherwise that of the pane next to the list. Without a menu,
 * the focus moves to the first action of the pane. False if there is nothing to act on.
 */
export function openActions(focused: Element | null, content: Element): boolean {
  const ofRow = focused?.closest(ROW)?.querySelector<HTMLElement>(MENU);
  const panes = PANES.flatMap((pane) => [...content.querySelectorAll(pane)]);
  const ofPane = panes.flatMap((pane) => pane.querySelector<HTMLElement>(MENU) ?? []);
  const menu = ofRow ?? ofPane[0] ?? content.querySelector<HTMLElement>(`.page-top ${MENU}`);
  if (menu) {
    menu.focus();
    menu.click();
    return true;
  }
  const first = panes.flatMap((pane) => pane.querySelector<HTMLElement>(ACTION) ?? [])[0];
  first?.focus();
  return first !== undefined;
}

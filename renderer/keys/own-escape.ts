import type { KeyboardEvent } from 'react';

/** What opens a list, a menu or a dialog, while it is open. */
const OPENER = '[role="combobox"][aria-expanded="true"], [aria-haspopup][aria-expanded="true"]';

const OVERLAY = '[role="menu"], [role="listbox"], [role="dialog"]';

/** A list, a menu or a dialog is open in this window: Esc closes that first. */
export const isSomethingOpen = (): boolean =>
  document.querySelector(`${OPENER}, [role="menu"], [role="dialog"]`) !== null;

/**
 * Whether Esc closes the part that the handler is on: nothing in it has taken the key, and nothing that
 * it opened is still open. React hands on keys of its menus and dialogs wherever they are drawn.
 */
export function isOwnEscape(event: KeyboardEvent<HTMLElement>): boolean {
  const { currentTarget, target } = event;
  if (event.key !== 'Escape' || event.defaultPrevented || !(target instanceof Element))
    return false;
  const inner = target.closest(`${OPENER}, ${OVERLAY}`);
  const isInside = inner !== null && inner !== currentTarget && currentTarget.contains(inner);
  return currentTarget.contains(target) && !isInside;
}

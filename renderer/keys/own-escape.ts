import { useEffect, useRef } from 'react';
import type { KeyboardEvent } from 'react';
import { placeOfFocus } from './key-place';

/** What opens a list, a menu or a dialog, while it is open. */
const OPENER = '[role="combobox"][aria-expanded="true"], [aria-haspopup][aria-expanded="true"]';

const OVERLAY = '[role="menu"], [role="listbox"], [role="dialog"]';

/** A part of the page that Esc closes, wherever the focus is. */
const PANEL = '[data-esc-closes="true"]';

const isThere = (selector: string): boolean => document.querySelector(selector) !== null;

/** A list, a menu or a dialog is open in this window: Esc closes that first. */
const isMenuOpen = (): boolean => isThere(`${OPENER}, [role="menu"], [role="dialog"]`);

/** A part of the page is open that Esc closes before it leaves the page. */
export const isPanelOpen = (): boolean => isThere(PANEL);

/** Something is open in this window that Esc closes. */
export const isSomethingOpen = (): boolean => isMenuOpen() || isPanelOpen();

/**
 * Closes an open part of the page by Esc with the focus anywhere: leaving the page with it open would
 * pass over it. A field is left first, and a menu is closed first. The part carries `data-esc-closes`.
 */
export function useEscCloses(isOpen: boolean, onClose: () => void): void {
  const latest = useRef(onClose);
  useEffect(() => {
    latest.current = onClose;
  });
  useEffect(() => {
    if (!isOpen) return undefined;
    /** By the time a key reaches the window, it has closed what it closes. */
    let wasMenu = false;
    const before = (): void => {
      wasMenu = isMenuOpen();
    };
    const onKey = (event: globalThis.KeyboardEvent): void => {
      if (event.key !== 'Escape' || event.defaultPrevented || wasMenu) return;
      const { isTyping, isInDialog } = placeOfFocus(event.target);
      if (isTyping || isInDialog) return;
      event.preventDefault();
      latest.current();
    };
    window.addEventListener('keydown', before, { capture: true });
    window.addEventListener('keydown', onKey);
    return () => {
      window.removeEventListener('keydown', before, { capture: true });
      window.removeEventListener('keydown', onKey);
    };
  }, [isOpen]);
}

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

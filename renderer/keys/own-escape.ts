import { useEffect, useEffectEvent } from 'react';
import type { KeyboardEvent } from 'react';
import { placeOfFocus } from './key-place';

/** An element that opens a list, a menu, or a dialog, while that is open. */
const OPENER = '[role="combobox"][aria-expanded="true"], [aria-haspopup][aria-expanded="true"]';

const OVERLAY = '[role="menu"], [role="listbox"], [role="dialog"]';

/** A part of the page that Esc closes wherever the focus is. */
const PANEL = '[data-esc-closes="true"]';

const isThere = (selector: string): boolean => document.querySelector(selector) !== null;

/** A list, menu, or dialog is open in this window: Esc closes that first. */
const isMenuOpen = (): boolean => isThere(`${OPENER}, [role="menu"], [role="dialog"]`);

/** The page has an open part that Esc closes before it leaves the page. */
export const isPanelOpen = (): boolean => isThere(PANEL);

/** Something in this window is open that Esc closes. */
export const isSomethingOpen = (): boolean => isMenuOpen() || isPanelOpen();

/**
 * Makes Esc close an open part of the page wherever the focus is, instead of leaving the page. Esc
 * leaves a field and closes a menu first. The part has `data-esc-closes`.
 */
export function useEscCloses(isOpen: boolean, onClose: () => void): void {
  const close = useEffectEvent(onClose);
  useEffect(() => {
    if (!isOpen) return undefined;
    /** When a key reaches the window, menus and dialogs have already closed on it. */
    let wasMenu = false;
    const before = (): void => {
      wasMenu = isMenuOpen();
    };
    const onKey = (event: globalThis.KeyboardEvent): void => {
      if (event.key !== 'Escape' || event.defaultPrevented || wasMenu) return;
      const { isTyping, isInDialog } = placeOfFocus(event.target);
      if (isTyping || isInDialog) return;
      event.preventDefault();
      close();
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
 * Whether Esc should close the part with this handler: nothing inside it handled the key, and
 * nothing it opened is still open. React passes on keys from its menus and dialogs wherever they
 * are in the DOM.
 */
export function isOwnEscape(event: KeyboardEvent<HTMLElement>): boolean {
  const { currentTarget, target } = event;
  if (event.key !== 'Escape' || event.defaultPrevented || !(target instanceof Element))
    return false;
  const inner = target.closest(`${OPENER}, ${OVERLAY}`);
  const isInside = inner !== null && inner !== currentTarget && currentTarget.contains(inner);
  return currentTarget.contains(target) && !isInside;
}

/** Where the focus is, for the keyboard map. */
import type { KeyPlace } from './keys-view';

/** Cmd instead of Ctrl. */
export const isMac = (): boolean => /^mac/i.test(navigator.platform);

const FIELDS = 'input:not([type="checkbox"], [type="radio"]), textarea, select, [contenteditable]';
const OWN_KEYS = '[role="dialog"], [role="menu"], [role="listbox"]';

export function placeOfFocus(target: EventTarget | null): KeyPlace {
  const element = target instanceof HTMLElement ? target : null;
  return {
    isMac: isMac(),
    isTyping: element !== null && element.closest(FIELDS) !== null,
    isInDialog:
      (element !== null && element.closest(OWN_KEYS) !== null) ||
      document.querySelector('[role="dialog"][aria-modal="true"]') !== null,
  };
}

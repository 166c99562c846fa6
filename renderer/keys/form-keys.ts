/**
 * Keys that every text field and form has. Esc leaves a field, so that the keys of the page work
 * again; a second Esc then goes back. Ctrl+Enter sends the form that the field belongs to.
 */
import { isMac, placeOfFocus } from './key-place';
import { isKey } from './keys-view';

/** Watches the fields of this window until the function that it returns is called. */
export function watchFormKeys(): () => void {
  /** Esc closes an open list of choices first; by the time it reaches the window, the list is closed. */
  let isListOpen = false;
  const before = (event: KeyboardEvent): void => {
    const { target } = event;
    isListOpen = target instanceof HTMLElement && target.closest('[aria-expanded="true"]') !== null;
  };
  const onKey = (event: KeyboardEvent): void => {
    const { target } = event;
    if (event.defaultPrevented || event.isComposing || !(target instanceof HTMLElement)) return;
    if (isKey('submit', event, isMac())) {
      const form = target.closest('form');
      if (form === null) return;
      event.preventDefault();
      form.requestSubmit();
      return;
    }
    if (event.key !== 'Escape' || isListOpen) return;
    const place = placeOfFocus(target);
    if (place.isTyping && !place.isInDialog) target.blur();
  };
  window.addEventListener('keydown', before, { capture: true });
  window.addEventListener('keydown', onKey);
  return () => {
    window.removeEventListener('keydown', before, { capture: true });
    window.removeEventListener('keydown', onKey);
  };
}

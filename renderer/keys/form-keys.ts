/**
 * Keys of every text field and form. Esc leaves a field, so that the page's keys work again; a
 * second Esc goes back. Ctrl+Enter submits the form that contains the field.
 */
import { isMac, placeOfFocus } from './key-place';
import { isKey } from './keys-view';

/** Watches this window's fields until the returned function is called. */
export function watchFormKeys(): () => void {
  /**
   * Esc closes an open list of choices first; when the key reaches the window, the list is already
   * closed.
   */
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

import { useEffect, useRef } from 'react';
import { placeOfFocus } from './key-place';
import { actOf } from './keys-view';
import type { KeyAct } from './keys-view';

/** Calls `onAct` for the keys that work everywhere. A page that has used a key keeps it. */
export function useShellKeys(onAct: (act: KeyAct) => boolean): void {
  const latest = useRef(onAct);
  useEffect(() => {
    latest.current = onAct;
  });
  useEffect(() => {
    /** A dialog that is not drawn yet closes by Esc before the key gets here: the page was not meant then. */
    let whenPressed = latest.current;
    const before = (): void => {
      whenPressed = latest.current;
    };
    const onKey = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.isComposing) return;
      const act = actOf(event, placeOfFocus(event.target));
      if (act && whenPressed(act)) event.preventDefault();
    };
    window.addEventListener('keydown', before, { capture: true });
    window.addEventListener('keydown', onKey);
    return () => {
      window.removeEventListener('keydown', before, { capture: true });
      window.removeEventListener('keydown', onKey);
    };
  }, []);
}

/** Puts the focus into the search field of the page; false if it has none. */
export function focusPageSearch(): boolean {
  const field = document.querySelector<HTMLInputElement>(
    '#content [data-page-search], #content input[type="search"]',
  );
  field?.focus();
  field?.select();
  return field !== null;
}

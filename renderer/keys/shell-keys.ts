import { useEffect, useRef } from 'react';
import { placeOfFocus } from './key-place';
import { actOf } from './keys-view';
import type { KeyAct } from './keys-view';

/** Calls `onAct` for the keys that work everywhere. A key that the page handled is skipped. */
export function useShellKeys(onAct: (act: KeyAct) => boolean): void {
  const latest = useRef(onAct);
  useEffect(() => {
    latest.current = onAct;
  });
  useEffect(() => {
    /** Esc can close a dialog before it is drawn, so the key was not meant for the page. */
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

/** Focuses the search field of the page; false if it has none. */
export function focusPageSearch(): boolean {
  const field = document.querySelector<HTMLInputElement>(
    '#content [data-page-search], #content input[type="search"]',
  );
  field?.focus();
  field?.select();
  return field !== null;
}

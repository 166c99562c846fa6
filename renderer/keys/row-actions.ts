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

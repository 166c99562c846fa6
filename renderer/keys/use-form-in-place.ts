import { useEffect, useRef } from 'react';
import type { RefObject } from 'react';
import { isFocusLost } from './keep-focus';

/**
 * For a button that is replaced by its form: the form gets the focus when it opens, and the button
 * gets it back when the form is saved or canceled.
 */
export function useFormInPlace(isOpen: boolean): {
  readonly opener: RefObject<HTMLButtonElement | null>;
  readonly place: RefObject<HTMLElement | null>;
} {
  const opener = useRef<HTMLButtonElement>(null);
  const place = useRef<HTMLElement>(null);
  const wasOpen = useRef(isOpen);
  useEffect(() => {
    if (wasOpen.current === isOpen) return;
    wasOpen.current = isOpen;
    if (!isFocusLost()) return;
    if (isOpen) place.current?.querySelector<HTMLElement>('input, select, textarea')?.focus();
    else opener.current?.focus({ preventScroll: true });
  }, [isOpen]);
  return { opener, place };
}

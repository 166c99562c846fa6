import { useEffect, useRef } from 'react';
import type { RefObject } from 'react';
import { isFocusLost } from './keep-focus';

/** For a page that is a form: focuses its first field when the page opens. */
export function useFirstField<Place extends HTMLElement>(): RefObject<Place | null> {
  const place = useRef<Place>(null);
  useEffect(() => {
    if (!isFocusLost()) return;
    place.current
      ?.querySelector<HTMLElement>('input:not([type="hidden"]), select, textarea')
      ?.focus({ preventScroll: true });
  }, []);
  return place;
}

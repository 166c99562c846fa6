import { useEffect } from 'react';
import type { RefObject } from 'react';

const CONTROLS = 'a[href], button, input, [tabindex]';

/**
 * One tab stop per list (a roving tabindex): the focused row, or the current one, or the first. J
 * and K move to the others. The controls inside that row can still be reached by Tab.
 */
export function useOneTabStop(list: RefObject<HTMLElement | null>, selector: string): void {
  useEffect(() => {
    const place = list.current;
    if (place === null) return;
    const apply = (): void => {
      const rows = [...place.querySelectorAll<HTMLElement>(selector)];
      const stop =
        rows.find((row) => row.contains(document.activeElement)) ??
        rows.find((row) => row.getAttribute('aria-current') === 'true') ??
        rows.find((row) => row.matches('[data-tab-stop]')) ??
        rows[0];
      for (const row of rows) {
        const isStop = row === stop;
        row.toggleAttribute('data-tab-stop', isStop);
        const controls = row.matches(CONTROLS)
          ? [row]
          : row.querySelectorAll<HTMLElement>(CONTROLS);
        for (const control of controls) {
          const index = isStop ? 0 : -1;
          if (control.tabIndex !== index) control.tabIndex = index;
        }
      }
    };
    apply();
    const observer = new MutationObserver(apply);
    observer.observe(place, { childList: true, subtree: true });
    place.addEventListener('focusin', apply);
    return () => {
      observer.disconnect();
      place.removeEventListener('focusin', apply);
    };
  });
}

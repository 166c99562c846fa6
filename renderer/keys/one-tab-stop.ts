import { useEffect } from 'react';
import type { RefObject } from 'react';

const CONTROLS = 'a[href], button, input, [tabindex]';

/**
 * One stop of the Tab key per list (a roving tabindex): the row with the focus, else the row that
 * is marked as current, else the first. J and K lead to the others. The controls inside the row that
 * has the stop stay reachable.
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

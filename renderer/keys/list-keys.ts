import { useWindowEvent } from '@mantine/hooks';
import type { RefObject } from 'react';
import { placeOfFocus } from './key-place';
import { isKey, nextIndex } from './keys-view';
import { useOneTabStop } from './one-tab-stop';

/**
 * J and K move through the rows of a list from anywhere on the page, arrows while the focus is in
 * it; Tab stops at one row. The row gets the focus; `onMove` may show it at once.
 */
export function useListKeys(
  list: RefObject<HTMLElement | null>,
  selector: string,
  onMove?: (row: HTMLElement) => void,
): void {
  useOneTabStop(list, selector);
  useWindowEvent('keydown', (event) => {
    const step = isKey('next', event) ? 1 : isKey('previous', event) ? -1 : undefined;
    const place = placeOfFocus(event.target);
    if (step === undefined || place.isTyping || place.isInDialog || !list.current) return;
    const isInList = list.current.contains(document.activeElement);
    if (event.key.startsWith('Arrow') && !isInList) return;
    const rows = [...list.current.querySelectorAll<HTMLElement>(selector)];
    const current = rows.findIndex((row) =>
      (row.closest('li') ?? row).contains(document.activeElement),
    );
    const marked = rows.findIndex((row) => row.getAttribute('aria-current') === 'true');
    const next = rows[nextIndex(rows.length, current < 0 ? marked : current, step)];
    if (!next) return;
    event.preventDefault();
    next.focus();
    onMove?.(next);
  });
}

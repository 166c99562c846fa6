import { useWindowEvent } from '@mantine/hooks';
import type { RefObject } from 'react';
import { placeOfFocus } from './key-place';
import { isKey, nextIndex } from './keys-view';

/** All rows of a page, in document order. */
const ROWS = '.rows > li, .grid > tbody > tr, .waiting-rows > [role="row"]';
/**
 * The link that a row opens. Rows without one are skipped: Enter would press one of their buttons.
 */
const OPENS = 'a[href]';

const linkOf = (row: Element): HTMLElement | null =>
  row.querySelector<HTMLElement>('a.row-link') ?? row.querySelector<HTMLElement>(OPENS);

/**
 * J and K move through the rows of a page with several lists, from one list to the next; arrows do
 * so while the focus is in a row. The row's link gets the focus, so that Enter opens it. Tab stops
 * are unchanged, because these rows have controls of their own. A list that has its own keys takes
 * precedence.
 */
export function usePageRows(page: RefObject<HTMLElement | null>): void {
  useWindowEvent('keydown', (event) => {
    const step = isKey('next', event) ? 1 : isKey('previous', event) ? -1 : undefined;
    const place = placeOfFocus(event.target);
    if (step === undefined || event.defaultPrevented || place.isTyping || place.isInDialog) return;
    const rows = [...(page.current?.querySelectorAll(ROWS) ?? [])].filter(
      (row) => linkOf(row) !== null,
    );
    const at = rows.findIndex((row) => row.contains(document.activeElement));
    if (event.key.startsWith('Arrow') && at < 0) return;
    const row = rows[nextIndex(rows.length, at, step)];
    if (row === undefined) return;
    event.preventDefault();
    linkOf(row)?.focus();
  });
}

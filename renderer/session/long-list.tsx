/**
 * A list of any length as a table with a sticky header; only visible rows are rendered. J and K
 * move through it from anywhere on the page, arrows while the focus is in it; it has one tab stop.
 */
import { useWindowEvent } from '@mantine/hooks';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef } from 'react';
import type { ReactElement, ReactNode } from 'react';
import { placeOfFocus } from '../keys/key-place';
import { useOneTabStop } from '../keys/one-tab-stop';
import { useRowActions } from '../keys/row-actions';
import { placeBelow } from '../parts/row-menu';
import type { MenuPlace } from '../parts/row-menu';

const ROW_PX = 40;
/** The header that stays above the rows. */
const HEAD_PX = 31;
/** The next page is loaded when only this many rows are left below. */
const AHEAD = 60;

interface Column {
  readonly name: string;
  readonly label: string;
}

export function LongList({
  label,
  name,
  columns,
  count,
  hasMore,
  onNearEnd,
  rowKey,
  onRowMenu,
  children,
}: {
  label: string;
  /** Class that sets the column widths. */
  name: string;
  columns: readonly Column[];
  count: number;
  hasMore: boolean;
  onNearEnd?: () => void;
  rowKey: (index: number) => number | string;
  /** Right click on a row, or `.` while the focus is in it. */
  onRowMenu?: (index: number, place: MenuPlace) => void;
  /** The cells of a row. */
  children: (index: number) => ReactNode;
}): ReactElement {
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PX,
    getItemKey: rowKey,
    overscan: 6,
    scrollMargin: HEAD_PX,
    scrollPaddingStart: HEAD_PX,
  });
  const items = virtual.getVirtualItems();
  const lastShown = items.at(-1)?.index ?? 0;
  useEffect(() => {
    if (hasMore && lastShown + AHEAD >= count) onNearEnd?.();
  }, [hasMore, lastShown, count, onNearEnd]);

  const wanted = useRef<number | undefined>(undefined);
  /** The row last reached by keys, from where they continue. */
  const lastAt = useRef(-1);
  const focusRow = (index: number): boolean => {
    const link = scroller.current?.querySelector<HTMLElement>(`[data-row="${index}"] a`);
    link?.focus({ preventScroll: true });
    return link !== null && link !== undefined;
  };
  useEffect(() => {
    // The row was not rendered when the key was pressed.
    if (wanted.current !== undefined && focusRow(wanted.current)) wanted.current = undefined;
  });
  useWindowEvent('keydown', (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    const place = placeOfFocus(event.target);
    const row = document.activeElement?.closest<HTMLElement>('[data-row]');
    const isInside = row != null && scroller.current?.contains(row) === true;
    if (place.isTyping || place.isInDialog || count === 0) return;
    // J and K work from anywhere on the page; the other keys only while the focus is in the list.
    if (!isInside && event.key !== 'j' && event.key !== 'k') return;
    const at = isInside ? Number(row.dataset['row']) : lastAt.current;
    const page = Math.max(1, Math.floor((scroller.current?.clientHeight ?? 0) / ROW_PX) - 2);
    const steps: Readonly<Record<string, number>> = {
      ArrowDown: at + 1,
      j: at + 1,
      ArrowUp: at - 1,
      k: at - 1,
      PageDown: at + page,
      PageUp: at - page,
      Home: 0,
      End: count - 1,
    };
    const to = steps[event.key];
    if (to === undefined) return;
    event.preventDefault();
    const next = Math.min(Math.max(to, 0), count - 1);
    lastAt.current = next;
    virtual.scrollToIndex(next);
    if (!focusRow(next)) wanted.current = next;
  });
  useOneTabStop(scroller, '[data-row]');
  useRowActions((focused) => {
    const row = focused?.closest<HTMLElement>('[data-row]');
    if (row == null || focused === null || !scroller.current?.contains(row)) return false;
    onRowMenu?.(Number(row.dataset['row']), placeBelow(focused));
    return onRowMenu !== undefined;
  });

  return (
    <div
      className={`card long-list ${name}`}
      ref={scroller}
      role="table"
      aria-label={label}
      aria-rowcount={hasMore ? -1 : count + 1}
    >
      <div role="rowgroup" className="long-head">
        <div role="row" aria-rowindex={1} className="long-row">
          {columns.map((column) => (
            <span key={column.name} role="columnheader" className={`l-${column.name}`}>
              {column.label}
            </span>
          ))}
        </div>
      </div>
      <div role="rowgroup" className="long-rows" style={{ height: virtual.getTotalSize() }}>
        {items.map((item) => (
          <div
            key={item.key}
            role="row"
            aria-rowindex={item.index + 2}
            data-row={item.index}
            onContextMenu={(event) => {
              if (onRowMenu === undefined) return;
              event.preventDefault();
              onRowMenu(item.index, { x: event.clientX, y: event.clientY });
            }}
            className="long-row at"
            style={{ top: item.start - HEAD_PX }}
          >
            {children(item.index)}
          </div>
        ))}
      </div>
    </div>
  );
}

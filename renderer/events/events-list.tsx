/** The rows of the events page. Only the visible ones are rendered. */
import { useVirtualizer } from '@tanstack/react-virtual';
import { memo, useCallback, useEffect, useImperativeHandle, useRef, useState } from 'react';
import type { KeyboardEvent, ReactElement, ReactNode, Ref } from 'react';
import { t } from '../../shared/messages';
import { isKey } from '../keys/keys-view';
import { oneLine } from '../parts/inert-view';
import { Mark } from '../parts/state-chip';
import { Moment } from '../parts/texts';
import { clockText, dayOf } from '../parts/time-view';
import { goTo, hrefOf } from '../route';
import { eventLook, rowText, stepRow } from './events-view';
import type { ListRow } from './events-view';

const ROW_REM = 1.875;
/** The next page is fetched this many rows before the end. */
const AHEAD = 60;

const rootPx = (): number =>
  Number.parseFloat(getComputedStyle(document.documentElement).fontSize) || 16;
const rowId = (id: string): string => `event-${id}`;

/** What the list needs from the page. */
export interface ListHandle {
  readonly isAtTop: () => boolean;
  readonly toTop: () => void;
  readonly step: (step: 1 | -1) => void;
}

export function EventsList({
  rows,
  chosen,
  onChoose,
  onEnd,
  isWhole,
  foot,
  handle,
}: {
  rows: readonly ListRow[];
  /** Id of the chosen event. */
  chosen: string | undefined;
  onChoose: (id: string) => void;
  /** The end of the loaded rows scrolled into view. */
  onEnd: () => void;
  /** True when the oldest event is loaded. */
  isWhole: boolean;
  foot: ReactNode;
  handle: Ref<ListHandle>;
}): ReactElement {
  const scroller = useRef<HTMLDivElement>(null);
  // All rows have the same height. Both functions must be stable between renders: a new one makes
  // the list measure every row again, which takes 0.1 s for 100,000 rows.
  const [rowPx] = useState(() => ROW_REM * rootPx());
  const estimateSize = useCallback(() => rowPx, [rowPx]);
  const getScrollElement = useCallback(() => scroller.current, []);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement,
    estimateSize,
    overscan: 12,
  });
  const items = virtual.getVirtualItems();
  const lastSeen = items.at(-1)?.index ?? 0;
  useEffect(() => {
    if (rows.length > 0 && lastSeen >= rows.length - AHEAD) onEnd();
  }, [lastSeen, rows.length, onEnd]);

  const chosenAt = (): number =>
    rows.findIndex((row) => row.kind === 'event' && row.event.id === chosen);
  const step = (by: 1 | -1): void => {
    const at = stepRow(rows, chosenAt(), by);
    const row = rows[at];
    if (row?.kind !== 'event') return;
    onChoose(row.event.id);
    virtual.scrollToIndex(at, { align: 'auto' });
  };
  useImperativeHandle(handle, () => ({
    isAtTop: () => (scroller.current?.scrollTop ?? 0) < 40,
    toTop: () => scroller.current?.scrollTo({ top: 0 }),
    step: (by) => {
      // The list gets the focus, so that Enter opens the turn of the selected event.
      scroller.current?.closest<HTMLElement>('[role="grid"]')?.focus({ preventScroll: true });
      step(by);
    },
  }));

  const onKeyDown = (event: KeyboardEvent): void => {
    if (isKey('next', event) || isKey('previous', event)) {
      event.preventDefault();
      step(isKey('next', event) ? 1 : -1);
    } else if (isKey('open', event) && event.target === event.currentTarget) {
      const row = rows[chosenAt()];
      if (row?.kind !== 'event' || row.event.turnId === undefined) return;
      event.preventDefault();
      goTo({ kind: 'turn', turnId: row.event.turnId });
    }
  };
  const isChosenDrawn = items.some((item) => {
    const row = rows[item.index];
    return row?.kind === 'event' && row.event.id === chosen;
  });

  return (
    <div
      className="card stack events-grid"
      role="grid"
      tabIndex={0}
      aria-label={t('events.list')}
      aria-rowcount={isWhole ? rows.length + 1 : -1}
      {...(isChosenDrawn && chosen !== undefined ? { 'aria-activedescendant': rowId(chosen) } : {})}
      onKeyDown={onKeyDown}
    >
      <div className="event-row event-head" role="row" aria-rowindex={1}>
        <span role="columnheader">{t('events.column.time')}</span>
        <span role="columnheader">{t('events.column.what')}</span>
        <span role="columnheader" className="event-turn">
          {t('events.column.turn')}
        </span>
      </div>
      <div className="events-scroll" ref={scroller} role="presentation">
        <div role="rowgroup" className="events-rows" style={{ height: virtual.getTotalSize() }}>
          {items.map((item) => {
            const row = rows[item.index];
            return row === undefined ? null : (
              <Line
                key={row.kind === 'event' ? row.event.id : `day-${row.atMs}`}
                row={row}
                at={item.index}
                top={item.start}
                isChosen={row.kind === 'event' && row.event.id === chosen}
                onChoose={onChoose}
              />
            );
          })}
        </div>
        {foot}
      </div>
    </div>
  );
}

/** Memoized: scrolling moves rows without changing them. */
const Line = memo(function DrawnLine({
  row,
  at,
  top,
  isChosen,
  onChoose,
}: {
  row: ListRow;
  at: number;
  top: number;
  isChosen: boolean;
  onChoose: (id: string) => void;
}): ReactElement {
  const style = { transform: `translateY(${top}px)` };
  if (row.kind === 'day') {
    return (
      <div className="event-row event-day" role="row" aria-rowindex={at + 2} style={style}>
        <span role="gridcell" aria-colspan={3}>
          {dayOf(row.atMs, { dateStyle: 'full' })}
        </span>
      </div>
    );
  }
  const { event } = row;
  const shown = eventLook(event);
  const line = oneLine(rowText(row), 220);
  return (
    <div
      id={rowId(event.id)}
      className="event-row"
      role="row"
      aria-rowindex={at + 2}
      aria-selected={isChosen}
      style={style}
      onClick={() => onChoose(event.id)}
    >
      <span role="gridcell" className="t3">
        <Moment atMs={event.atMs}>{clockText(event.atMs, event.atMs, undefined, true)}</Moment>
      </span>
      <span role="gridcell" className="flex event-what">
        <span className={shown.tone === 'line' ? 't3' : `ink-${shown.tone}`}>
          <Mark name={shown.mark} className="icon small" />
        </span>
        <span className="ellipsis" title={line}>
          {line}
        </span>
      </span>
      <span role="gridcell" className="event-turn">
        {event.turnId === undefined ? null : (
          <a
            tabIndex={-1}
            href={hrefOf({ kind: 'turn', turnId: event.turnId })}
            aria-label={t('events.openTurn', { id: event.turnId })}
          >
            {event.turnId}
          </a>
        )}
      </span>
    </div>
  );
});

/** Turns that wait for a provider, in execution order; movable by pointer, keys, or menu. */
import { ActionIcon, Menu } from '@mantine/core';
import { useVirtualizer } from '@tanstack/react-virtual';
import { Ellipsis, GripVertical } from 'lucide-react';
import { useCallback, useEffect, useRef, useState } from 'react';
import type { KeyboardEvent, PointerEvent, ReactElement } from 'react';
import { t } from '../../shared/messages';
import type { HeldItem } from '../../shared/types/outage';
import { useCommand, useVerb } from '../bridge';
import { useNow } from '../clock';
import { isKey } from '../keys/keys-view';
import { HMark } from '../parts/icons';
import { At, SectionHead, TroubleNote } from '../parts/texts';
import { clockText } from '../parts/time-view';
import { hrefOf } from '../route';
import { actLater, usePending } from '../toasts/toasts';
import { fromText, movedItems, planMove, rowUnder, titleOfItem } from './queue-view';
import { titleOf } from './outages-view';

const ROW_REM = 1.875;
/** More rows than anyone orders by hand; the others are only counted. */
const LOADED = 1000;

const rootPx = (): number =>
  Number.parseFloat(getComputedStyle(document.documentElement).fontSize) || 16;

/** The actions of a row, implemented by the queue. */
interface RowActs {
  readonly move: (at: number, to: number) => void;
  readonly remove: (item: HeldItem) => void;
  readonly choose: (item: HeldItem, choice: 'now' | 'hold') => void;
  readonly drag: (at: number, event: PointerEvent<HTMLElement>) => void;
}

const removeKey = (turnId: number): string => `remove-${String(turnId)}`;

export function WaitingQueue({ provider }: { provider: string }): ReactElement {
  const queue = useVerb('outage.queue', { provider, limit: LOADED });
  const move = useCommand('outage.move');
  const cancel = useCommand('turns.cancel');
  const now = useCommand('outage.now');
  const hold = useCommand('outage.hold');
  const [said, setSaid] = useState('');
  /** An order that is newer than the query's result: being written, or just written. */
  const [newer, setNewer] = useState<{
    readonly than: unknown;
    readonly items: readonly HeldItem[];
    readonly moving: number | undefined;
  }>();
  const known = queue.data?.items ?? [];
  const own = newer !== undefined && newer.than === queue.data ? newer : undefined;
  const pending = usePending();
  const all = own?.items ?? known;
  const items = all.filter(({ turnId }) => !pending.has(removeKey(turnId)));
  const total = (queue.data?.total ?? 0) - (all.length - items.length);

  const moveTo = (at: number, to: number): void => {
    const wanted = planMove(items, at, to, total);
    const item = items[at];
    if (wanted === undefined || item === undefined || own?.moving !== undefined) return;
    const next = movedItems(items, wanted);
    const than = queue.data;
    setNewer({ than, items: next, moving: item.turnId });
    // The row keeps its new place once the order is on disk; a refusal moves it back.
    void move.run(wanted).then((answer) => {
      if (!answer.ok) {
        setNewer(undefined);
        return;
      }
      const written = answer.value.items.filter((one) => one.provider === provider);
      setNewer({ than, items: written, moving: undefined });
      setSaid(
        t('queue.said.moved', {
          title: titleOfItem(item),
          count: written.find((one) => one.turnId === item.turnId)?.position ?? 0,
          text: String(total),
        }),
      );
    });
  };
  const remove = (item: HeldItem): void => {
    const title = titleOfItem(item);
    actLater(removeKey(item.turnId), t('toast.removed', { title }), () => {
      void cancel.run({ turnId: item.turnId }).then((answer) => {
        if (answer.ok) setSaid(t('queue.said.removed', { title }));
      });
    });
  };

  const choose = (item: HeldItem, choice: 'now' | 'hold'): void => {
    const title = titleOfItem(item);
    void (choice === 'now' ? now : hold).run({ turnId: item.turnId }).then((answer) => {
      if (answer.ok) setSaid(t(choice === 'now' ? 'queue.said.now' : 'queue.said.held', { title }));
    });
  };

  return (
    <section className="card waiting-queue" aria-label={t('queue.title')}>
      <div className="waiting-head">
        <SectionHead title={t('queue.title')} count={queue.data ? total : undefined}>
          {items.length > 1 ? <span className="end sm t3">{t('queue.hint')}</span> : null}
        </SectionHead>
      </div>
      <TroubleNote
        trouble={queue.trouble ?? move.trouble ?? cancel.trouble ?? now.trouble ?? hold.trouble}
      />
      {queue.data && items.length === 0 ? (
        <p className="waiting-none t2">{t('queue.none', { name: titleOf(provider) })}</p>
      ) : (
        <Rows
          items={items}
          total={total}
          moving={own?.moving}
          onMove={moveTo}
          onRemove={remove}
          onChoose={choose}
        />
      )}
      {total > items.length ? (
        <p className="waiting-none sm t3">
          {t('queue.notLoaded', { count: total - items.length })}
        </p>
      ) : null}
      <p className="sr-only" role="status">
        {said}
      </p>
    </section>
  );
}

function Rows({
  items,
  total,
  moving,
  onMove,
  onRemove,
  onChoose,
}: {
  items: readonly HeldItem[];
  total: number;
  moving: number | undefined;
  onMove: (at: number, to: number) => void;
  onRemove: (item: HeldItem) => void;
  onChoose: RowActs['choose'];
}): ReactElement {
  const scroller = useRef<HTMLDivElement>(null);
  const body = useRef<HTMLDivElement>(null);
  const [rowPx] = useState(() => ROW_REM * rootPx());
  const estimateSize = useCallback(() => rowPx, [rowPx]);
  const virtual = useVirtualizer({
    count: items.length,
    getScrollElement: () => scroller.current,
    estimateSize,
    getItemKey: (at) => items[at]?.turnId ?? at,
    overscan: 8,
  });
  /** The turn whose row gets the focus after a move. */
  const wanted = useRef<number | undefined>(undefined);
  const focusRow = (turnId: number): boolean => {
    const link = scroller.current?.querySelector<HTMLElement>(`[data-turn="${turnId}"] a`);
    link?.focus({ preventScroll: true });
    return link !== null && link !== undefined;
  };
  useEffect(() => {
    if (wanted.current !== undefined && focusRow(wanted.current)) wanted.current = undefined;
  });
  const goTo = (at: number): void => {
    const turnId = items[at]?.turnId;
    if (turnId === undefined) return;
    virtual.scrollToIndex(at);
    if (!focusRow(turnId)) wanted.current = turnId;
  };

  const onKeyDown = (event: KeyboardEvent<HTMLElement>): void => {
    const row = (event.target as HTMLElement).closest<HTMLElement>('[data-row]')?.dataset['row'];
    const at = row === undefined ? -1 : Number(row);
    const isUp = isKey('queueMove', event) && event.key === 'ArrowUp';
    if (isKey('queueMove', event)) {
      if (at < 0) return;
      event.preventDefault();
      wanted.current = items[at]?.turnId;
      onMove(at, isUp ? at - 1 : at + 1);
    } else if (isKey('next', event) || isKey('previous', event)) {
      if ((event.target as HTMLElement).closest('[role="menu"]')) return;
      const to = isKey('next', event) ? at + 1 : at - 1;
      // At the ends of this list, the page moves on to its other lists.
      if (items[to] === undefined) return;
      event.preventDefault();
      goTo(to);
    }
  };
  const drag = useDrag({ body, rowPx, count: items.length, onMove });
  const isLong = virtual.getTotalSize() > (virtual.scrollRect?.height ?? Number.POSITIVE_INFINITY);

  return (
    <div
      className={isLong ? 'waiting-table long' : 'waiting-table'}
      role="table"
      aria-label={t('queue.title')}
      aria-rowcount={total + 1}
      onKeyDown={onKeyDown}
    >
      <div role="rowgroup">
        <div role="row" aria-rowindex={1} className="waiting-row head">
          <span role="columnheader">
            <span className="sr-only">{t('queue.column.move')}</span>
          </span>
          <span role="columnheader">
            <span className="sr-only">{t('queue.column.number')}</span>
          </span>
          <span role="columnheader">{t('queue.column.turn')}</span>
          <span role="columnheader" className="waiting-from">
            {t('queue.column.from')}
          </span>
          <span role="columnheader">{t('queue.column.since')}</span>
          <span role="columnheader">{t('queue.column.kept')}</span>
          <span role="columnheader">
            <span className="sr-only">{t('queue.column.menu')}</span>
          </span>
        </div>
      </div>
      <div className="waiting-scroll" ref={scroller} role="presentation">
        <div
          role="rowgroup"
          className="waiting-rows"
          ref={body}
          style={{ height: virtual.getTotalSize() }}
        >
          {virtual.getVirtualItems().map(({ index, start }) => {
            const item = items[index];
            return item === undefined ? null : (
              <Row
                key={item.turnId}
                item={item}
                at={index}
                top={start}
                last={items.length - 1}
                isMoving={moving === item.turnId}
                isDragged={drag.from === index}
                acts={{ move: onMove, remove: onRemove, choose: onChoose, drag: drag.begin }}
              />
            );
          })}
          {drag.line === undefined ? null : (
            <span className="waiting-drop" style={{ top: drag.line * rowPx }} />
          )}
        </div>
      </div>
    </div>
  );
}

/** Follows the pointer from the handle of a row to where it is dropped. */
function useDrag({
  body,
  rowPx,
  count,
  onMove,
}: {
  readonly body: { readonly current: HTMLElement | null };
  readonly rowPx: number;
  readonly count: number;
  readonly onMove: (at: number, to: number) => void;
}): {
  readonly from: number | undefined;
  /** The dragged row would be inserted before this one. */
  readonly line: number | undefined;
  readonly begin: (at: number, event: PointerEvent<HTMLElement>) => void;
} {
  const [dragged, setDragged] = useState<{ readonly from: number; readonly to: number }>();
  const begin = (from: number, event: PointerEvent<HTMLElement>): void => {
    if (event.button !== 0) return;
    event.preventDefault();
    const handle = event.currentTarget;
    handle.setPointerCapture(event.pointerId);
    const placeOf = (moved: globalThis.PointerEvent): number =>
      rowUnder(moved.clientY - (body.current?.getBoundingClientRect().top ?? 0), rowPx, count);
    const onPointerMove = (moved: globalThis.PointerEvent): void =>
      setDragged({ from, to: placeOf(moved) });
    const end = (moved: globalThis.PointerEvent): void => {
      handle.removeEventListener('pointermove', onPointerMove);
      handle.removeEventListener('pointerup', end);
      handle.removeEventListener('pointercancel', end);
      setDragged(undefined);
      if (moved.type === 'pointerup') onMove(from, placeOf(moved));
    };
    handle.addEventListener('pointermove', onPointerMove);
    handle.addEventListener('pointerup', end);
    handle.addEventListener('pointercancel', end);
  };
  const line =
    dragged === undefined || dragged.to === dragged.from
      ? undefined
      : dragged.to > dragged.from
        ? dragged.to + 1
        : dragged.to;
  return { from: dragged?.from, line, begin };
}

function Row({
  item,
  at,
  top,
  last,
  isMoving,
  isDragged,
  acts,
}: {
  item: HeldItem;
  at: number;
  top: number;
  last: number;
  isMoving: boolean;
  isDragged: boolean;
  acts: RowActs;
}): ReactElement {
  const title = titleOfItem(item);
  const look = `waiting-row${isMoving ? ' moving' : ''}${isDragged ? ' dragged' : ''}`;
  return (
    <div
      role="row"
      aria-rowindex={item.position + 1}
      aria-busy={isMoving || undefined}
      data-row={at}
      data-turn={item.turnId}
      className={look}
      style={{ transform: `translateY(${top}px)` }}
    >
      <span role="cell">
        {item.isCanary ? null : (
          <span
            className="waiting-grip"
            title={t('queue.drag', { title })}
            onPointerDown={(event) => acts.drag(at, event)}
          >
            <GripVertical className="icon small" />
          </span>
        )}
      </span>
      <span role="cell" className="t3 waiting-number">
        {item.position}
      </span>
      <span role="cell" className="ellipsis">
        <a
          className="row-link m5"
          href={hrefOf({ kind: 'turn', turnId: item.turnId })}
          aria-keyshortcuts="Alt+ArrowUp Alt+ArrowDown"
        >
          {title}
        </a>
        {item.untilMs === undefined ? null : <Until atMs={item.untilMs} />}
      </span>
      <span role="cell" className="t2 ellipsis waiting-from" title={fromText(item)}>
        {fromText(item)}
      </span>
      <span role="cell" className="nw">
        <At atMs={item.sinceMs} withSeconds withDay={false} />
      </span>
      <span role="cell" className="nw ellipsis">
        <Kept item={item} />
      </span>
      <span role="cell">
        <RowMenu item={item} title={title} at={at} last={last} acts={acts} />
      </span>
    </div>
  );
}

/** This wait ends at a time, whatever the provider does. */
function Until({ atMs }: { atMs: number }): ReactElement {
  const nowMs = useNow('minute');
  return <span className="t3"> {t('queue.until', { time: clockText(atMs, nowMs) })}</span>;
}

function Kept({ item }: { item: HeldItem }): ReactElement {
  if (item.isCanary) return <span className="ink-working m5">{t('queue.canary')}</span>;
  if (item.keptSteps === 0) return <span className="t3">{t('queue.notStarted')}</span>;
  return (
    <span className="ink-kept m5 waiting-kept">
      <HMark size={10} />
      {t('queue.kept', { count: item.keptSteps })}
    </span>
  );
}

function RowMenu({
  item,
  title,
  at,
  last,
  acts,
}: {
  item: HeldItem;
  title: string;
  at: number;
  last: number;
  acts: RowActs;
}): ReactElement {
  return (
    <Menu position="bottom-end" width={240}>
      <Menu.Target>
        <ActionIcon variant="subtle" size={26} aria-label={t('queue.menuOf', { title })}>
          <Ellipsis className="icon" />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item component="a" href={hrefOf({ kind: 'turn', turnId: item.turnId })}>
          {t('queue.open')}
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item disabled={item.isCanary || at === 0} onClick={() => acts.move(at, 0)}>
          {t('queue.front')}
        </Menu.Item>
        <Menu.Item
          disabled={item.isCanary || at === 0}
          rightSection={<kbd className="xs t3">Alt ↑</kbd>}
          onClick={() => acts.move(at, at - 1)}
        >
          {t('queue.up')}
        </Menu.Item>
        <Menu.Item
          disabled={item.isCanary || at === last}
          rightSection={<kbd className="xs t3">Alt ↓</kbd>}
          onClick={() => acts.move(at, at + 1)}
        >
          {t('queue.down')}
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item disabled={item.isCanary} onClick={() => acts.choose(item, 'now')}>
          {t('queue.now')}
        </Menu.Item>
        <Menu.Item disabled={item.isCanary} onClick={() => acts.choose(item, 'hold')}>
          {t('queue.hold')}
        </Menu.Item>
        <Menu.Item className="ink-outage" onClick={() => acts.remove(item)}>
          {t('queue.remove')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

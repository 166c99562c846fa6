/** The timeline of a turn: one tab stop, one row per step, stops as breaks. */
import { SegmentedControl } from '@mantine/core';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useCallback, useEffect, useId, useMemo, useRef, useState } from 'react';
import type { KeyboardEvent, ReactElement } from 'react';
import { t } from '../../shared/messages';
import { shortNames } from '../parts/tool-name';
import { Axis, Overlay, Strip } from './step-timeline-axis';
import { Legend } from './step-timeline-legend';
import { LaneHead } from './step-timeline-lane';
import { linesOf } from './step-timeline-lanes';
import { FIT, VIRTUAL_FROM } from './step-timeline-shapes';
import type { TimelinePlan } from './step-timeline-plan';
import { HatchDefs, ROW_PX, TimelineRow } from './step-timeline-row';
import { useInitialRow } from './step-timeline-scroll';
import { useTimelineView } from './step-timeline-view';
import { SPANS_MS, jumpStop, zoomTo } from './step-timeline-zoom';
import './step-timeline.css';

interface StepTimelineProps {
  /** The key under which its zoom is remembered. */
  readonly zoomKey: string;
  readonly plan: TimelinePlan;
  readonly isScripted: boolean;
  /** Step whose pane is open. */
  readonly openStep: number | undefined;
  readonly onOpen: (step: number) => void;
}

const ZOOMS = [
  { value: 'fit', label: 'timeline.fit' },
  { value: 'minute', label: 'timeline.minute' },
  { value: 'tenSeconds', label: 'timeline.tenSeconds' },
] as const;
/** Up to this many rows are shown in full, unless the window is small. */
const SHORT_ROWS = 15;
const NOTHING: readonly never[] = [];

type ZoomName = (typeof ZOOMS)[number]['value'];

export function StepTimeline(props: StepTimelineProps): ReactElement {
  const { plan, isScripted, openStep, onOpen } = props;
  const bodyRef = useRef<HTMLDivElement>(null);
  const view = useTimelineView(props.zoomKey, plan, bodyRef);
  const { frame, zoom } = view;
  const [active, setActive] = useState(0);
  const [isKeyed, setKeyed] = useState(false);
  const keysId = useId();
  const [folded, setFolded] = useState<ReadonlyMap<string, boolean>>(() => new Map());
  const lines = useMemo(() => linesOf(plan, folded), [plan, folded]);
  const hasHeads = lines.some((line) => line.kind === 'head');
  const lineOf = (row: number): number =>
    Math.max(
      0,
      lines.findIndex((line) => line.kind === 'row' && line.row.at === row),
    );
  const count = frame.isDense ? 0 : lines.length;
  const isVirtual = count > VIRTUAL_FROM;
  const drawnLines = view.isMeasured ? lines : NOTHING;
  const rowPx = ROW_PX * frame.textScale;
  const virtual = useVirtualizer({
    count: isVirtual && view.isMeasured ? count : 0,
    getScrollElement: () => bodyRef.current,
    estimateSize: () => rowPx,
    overscan: 5,
  });
  const { measure } = virtual;
  useEffect(() => measure(), [measure, rowPx]);
  const latest = useRef({ lines, view, onOpen });
  useEffect(() => {
    latest.current = { lines, view, onOpen };
  });

  const openRow = useCallback((at: number) => {
    const now = latest.current;
    const line = now.lines[at];
    if (line === undefined) return;
    setActive(at);
    if (line.kind === 'row') now.onOpen(line.row.last.step.index);
    else setFolded((before) => new Map(before).set(line.key, !line.isOpen));
  }, []);
  // The end of a drag is also a click, which must open nothing.
  const clickRow = useCallback(
    (at: number) => {
      if (!latest.current.view.hasDragged()) openRow(at);
    },
    [openRow],
  );
  const goTo = (at: number): void => {
    const next = Math.min(Math.max(at, 0), count - 1);
    setActive(next);
    if (isVirtual) virtual.scrollToIndex(next);
    else document.getElementById(`tl-line-${next}`)?.scrollIntoView?.({ block: 'nearest' });
  };
  const jump = (direction: -1 | 1): void => {
    const line = lines[active];
    const from = line?.kind === 'head' ? (line.lane.rows[0]?.at ?? 0) : (line?.row.at ?? 0);
    const to = jumpStop(plan, from, direction);
    if (!to) return;
    goTo(placeOf(to.row));
    view.showMoment(to.atMs);
  };
  /** A row, or the header of the closed phase that contains it. */
  const placeOf = (row: number): number => {
    const own = lines.findIndex((line) =>
      line.kind === 'row'
        ? line.row.at === row
        : !line.isOpen && line.lane.rows.some((one) => one.at === row),
    );
    return Math.max(0, own);
  };
  /** Left closes a phase or moves to its header; Right opens it. False if neither applies. */
  const fold = (isOpening: boolean): boolean => {
    const line = lines[active];
    if (line?.kind === 'head') {
      if (line.isOpen !== isOpening) openRow(active);
      return true;
    }
    if (!hasHeads || isOpening || zoom.kind === 'span') return false;
    const head = lines.findLastIndex((one, at) => at < active && one.kind === 'head');
    if (head < 0) return false;
    goTo(head);
    return true;
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target !== event.currentTarget)
      return;
    const page = Math.max(1, Math.floor((bodyRef.current?.clientHeight ?? 0) / rowPx) - 1);
    const moves: Readonly<Record<string, () => void>> = {
      ArrowUp: () => goTo(active - 1),
      k: () => goTo(active - 1),
      ArrowDown: () => goTo(active + 1),
      j: () => goTo(active + 1),
      Home: () => goTo(0),
      End: () => goTo(count - 1),
      PageUp: () => goTo(active - page),
      PageDown: () => goTo(active + page),
      Enter: () => openRow(active),
      '[': () => jump(-1),
      ']': () => jump(1),
    };
    const move = moves[event.key];
    const hasFolded =
      (event.key === 'ArrowLeft' && fold(false)) || (event.key === 'ArrowRight' && fold(true));
    if (!move && !hasFolded && !view.onKey(event)) return;
    move?.();
    event.preventDefault();
    event.stopPropagation();
  };
  useInitialRow(bodyRef, plan, lineOf, view.isMeasured);
  const chosen: ZoomName | '' =
    zoom.kind === 'fit'
      ? 'fit'
      : zoom.spanMs === SPANS_MS.minute
        ? 'minute'
        : zoom.spanMs === SPANS_MS.tenSeconds
          ? 'tenSeconds'
          : '';
  const nameOf = useMemo(() => shortNames(plan.rows.map((row) => row.last.step.tool)), [plan.rows]);
  const drawn = (at: number): ReactElement | null => {
    const line = lines[at];
    if (line === undefined) return null;
    const isActive = isKeyed && at === active;
    if (line.kind === 'head') {
      return (
        <LaneHead
          key={`head-${line.key}`}
          frame={frame}
          lane={line.lane}
          at={at}
          isOpen={line.isOpen}
          isActive={isActive}
          isScripted={isScripted}
          onToggle={clickRow}
        />
      );
    }
    const { row } = line;
    return (
      <TimelineRow
        key={line.key}
        frame={frame}
        plan={row}
        at={at}
        level={hasHeads ? 2 : undefined}
        isActive={isActive}
        isOpen={row.calls.some((call) => call.step.index === openStep)}
        isScripted={isScripted}
        tool={nameOf(row.last.step.tool)}
        onOpen={clickRow}
      />
    );
  };

  return (
    <section className="card tl" aria-label={t('timeline.label')}>
      <HatchDefs />
      <div className="tl-head">
        <div className="tl-zoom">
          <SegmentedControl
            aria-label={t('timeline.zoom')}
            size="xs"
            value={chosen}
            data={ZOOMS.map(({ value, label }) => ({ value, label: t(label) }))}
            onChange={(value) =>
              view.setZoom(
                value === 'minute' || value === 'tenSeconds'
                  ? zoomTo(frame, SPANS_MS[value], frame.widthPx / 2)
                  : FIT,
              )
            }
          />
        </div>
        <div ref={view.trackRef} className="tl-track-head">
          <Axis frame={frame} />
        </div>
        <div className="tl-took xs t3">{t('timeline.took')}</div>
      </div>
      <p id={keysId} className="sr-only">
        {t('timeline.keys')} {hasHeads ? t('timeline.keysPhases') : null}
      </p>
      <div
        className="tl-body-scroll"
        ref={bodyRef}
        data-zoomed={zoom.kind === 'span' || undefined}
        data-short={count <= SHORT_ROWS || undefined}
        {...(frame.isDense
          ? { role: 'img', 'aria-label': t('timeline.density', { count: plan.rows.length }) }
          : {
              role: hasHeads ? 'treegrid' : 'grid',
              tabIndex: 0,
              'aria-label': t('timeline.label'),
              'aria-describedby': keysId,
              'aria-rowcount': count + 1,
              'aria-activedescendant': isKeyed ? `tl-line-${active}` : undefined,
              onKeyDown,
              onFocus: () => setKeyed(true),
              onBlur: () => setKeyed(false),
            })}
        {...view.drag}
      >
        {frame.isDense ? null : (
          <div role="row" aria-rowindex={1} className="sr-only">
            <span role="columnheader">{t('timeline.step')}</span>
            <span role="columnheader">{t('timeline.when')}</span>
            <span role="columnheader">{t('timeline.took')}</span>
          </div>
        )}
        <div
          className="tl-rows"
          role="presentation"
          style={isVirtual ? { height: virtual.getTotalSize() } : undefined}
        >
          {frame.isDense
            ? frame.lanes.map((lane, at) => (
                <div key={at} className="tl-lane-strip">
                  <Strip columns={lane.strip} frame={frame} />
                </div>
              ))
            : isVirtual
              ? virtual.getVirtualItems().map((item) => (
                  <div
                    key={item.key}
                    role="presentation"
                    className="tl-at"
                    style={{ top: item.start }}
                  >
                    {drawn(item.index)}
                  </div>
                ))
              : drawnLines.map((_line, at) => drawn(at))}
          <Overlay frame={frame} />
        </div>
      </div>
      <Legend plan={plan} frame={frame} />
    </section>
  );
}

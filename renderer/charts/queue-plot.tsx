/** Turns that wait for a provider: its states, failed calls and trials, and what comes next. */
import './queue-plot.css';
import { Button, SegmentedControl } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import { useId, useState } from 'react';
import type { KeyboardEvent, PointerEvent, ReactElement, ReactNode } from 'react';
import { t } from '../../shared/messages';
import type { PlotRange } from '../../shared/types/outage';
import { usePageKey } from '../keys/page-key';
import { At } from '../parts/texts';
import { ChartCursor } from './chart-cursor';
import {
  momentAt,
  PLOT,
  plotRows,
  plotSentence,
  queuePlotModel,
  readingAt,
  shareOf,
  spanOf,
} from './queue-plot-view';
import type { PlotMarks, PlotView } from './queue-plot-view';
import { scaledPicture, type ScaledPicture } from './text-scale';
import { table } from '../../shared/table';

/** Not imported from the schemas: that would add them to the window's bundle. */
const RANGES = ['30m', '6h', '7d'] as const satisfies readonly PlotRange[];
/** `fit`: the current outage. */
const CHOICES = ['fit', ...RANGES] as const;
export type PlotChoice = (typeof CHOICES)[number];
/** Number of positions for the arrow keys. */
const PLACES = 120;
const STEPS_OF_KEYS = table<number>({
  ArrowLeft: -1,
  ArrowRight: 1,
  PageUp: -10,
  PageDown: 10,
  Home: -PLACES,
  End: PLACES,
});

export function QueuePlot({
  view,
  name,
  choice,
  onChoose,
  children,
}: {
  view: PlotView | undefined;
  name: string;
  /** Absent if the picture shows a past outage. */
  choice?: PlotChoice;
  onChoose?: (choice: PlotChoice) => void;
  /** Shown next to the title. */
  children?: ReactNode;
}): ReactElement {
  const [isTable, setTable] = useState(false);
  usePageKey('plotTable', () => setTable(!isTable));
  return (
    <section className="card queue-plot" aria-label={t('plot.title')}>
      <div className="aligned flex-wrap queue-plot-head">
        <h2>{t('plot.title')}</h2>
        <span className="grow" />
        {children}
        <Button
          size="xs"
          variant="subtle"
          aria-pressed={isTable}
          aria-keyshortcuts="T"
          onClick={() => setTable(!isTable)}
        >
          {isTable ? t('plot.asPicture') : t('plot.asTable')}
        </Button>
        {choice === undefined ? null : (
          <SegmentedControl
            aria-label={t('plot.range')}
            value={choice}
            onChange={(range) => onChoose?.(CHOICES.find((one) => one === range) ?? 'fit')}
            data={CHOICES.map((range) => ({ value: range, label: t(`plot.range.${range}`) }))}
          />
        )}
      </div>
      {view === undefined ? (
        <div className="queue-plot-place" />
      ) : isTable ? (
        <PlotTable view={view} />
      ) : (
        <Plot view={view} name={name} />
      )}
    </section>
  );
}

function Plot({ view, name }: { view: PlotView; name: string }): ReactElement {
  const { ref, width } = useElementSize<HTMLDivElement>();
  const [back, setBack] = useState<number | undefined>(undefined);
  const sentenceId = useId();
  const picture = scaledPicture(width);
  const marks = queuePlotModel(view, picture.width);
  // A position is an offset from now, so it stays in place while the picture advances.
  const atMs = view.nowMs - (back ?? 0);
  const slotMs = spanOf(view) / PLACES;
  const place = PLACES - Math.round((back ?? 0) / slotMs);

  const onMove = (event: PointerEvent<HTMLDivElement>): void => {
    const box = event.currentTarget.getBoundingClientRect();
    const at = momentAt(view, (event.clientX - box.left) / Math.max(1, box.width));
    setBack(Math.max(0, view.nowMs - at));
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = STEPS_OF_KEYS[event.key];
    if (step !== undefined) {
      event.preventDefault();
      setBack(Math.min(spanOf(view), Math.max(0, (back ?? 0) - step * slotMs)));
    } else if (event.key === 'Escape' && back !== undefined) {
      event.preventDefault();
      setBack(undefined);
    }
  };
  return (
    <>
      <p className="sr-only" id={sentenceId}>
        {plotSentence(view, name)}
      </p>
      <div
        ref={ref}
        className="queue-plot-area"
        role="slider"
        tabIndex={0}
        aria-label={t('plot.title')}
        aria-describedby={sentenceId}
        aria-valuemin={0}
        aria-valuemax={PLACES}
        aria-valuenow={place}
        aria-valuetext={readingAt(view, atMs)}
        onPointerMove={onMove}
        onPointerLeave={() => setBack(undefined)}
        onBlur={() => setBack(undefined)}
        onKeyDown={onKeyDown}
      >
        {width > 0 ? <Picture marks={marks} picture={picture} /> : null}
        {back === undefined ? null : (
          <ChartCursor chart="plot" at={shareOf(view, atMs)} words={readingAt(view, atMs)} />
        )}
      </div>
    </>
  );
}

function Picture({ marks, picture }: { marks: PlotMarks; picture: ScaledPicture }): ReactElement {
  const fill = useId();
  const { width, scale } = picture;
  return (
    <svg
      width={width * scale}
      height={PLOT.height * scale}
      viewBox={`0 0 ${width} ${PLOT.height}`}
      aria-hidden
    >
      <defs>
        <linearGradient id={fill} x1="0" x2="0" y1="0" y2="1">
          <stop offset="0" stopColor="var(--hf-waiting)" stopOpacity="0.3" />
          <stop offset="1" stopColor="var(--hf-waiting)" stopOpacity="0.08" />
        </linearGradient>
      </defs>
      <Bands marks={marks} />
      {marks.grid.map((line) => (
        <g key={line.y} className="plot-grid">
          <path d={`M0 ${line.y}H${width}`} />
          <text x={width} y={line.y - 3} textAnchor="end">
            {line.text}
          </text>
        </g>
      ))}
      <path className="plot-base" d={`M0 ${PLOT.base}H${width}`} />
      {marks.line === '' ? null : (
        <>
          <path d={marks.area} fill={`url(#${fill})`} />
          <path className="plot-line" d={marks.line} />
        </>
      )}
      {marks.declared.map((one) => (
        <g key={one.x} className="plot-declared">
          <path d={`M${one.x} 24V${PLOT.base}`} />
          {one.label === undefined ? null : (
            <text x={one.x + 6} y={38}>
              {one.label}
            </text>
          )}
        </g>
      ))}
      <path className="plot-now" d={`M${marks.now.x} 0V${PLOT.tickY - 1}`} />
      <circle className="plot-dot" cx={marks.now.x} cy={marks.now.y} r={4} />
      <text className="plot-count" x={marks.now.x - 9} y={marks.now.y - 6} textAnchor="end">
        {marks.now.text}
      </text>
      <Calls marks={marks} />
      {marks.ticks.map((tick, at) => (
        <g key={tick.x} className={at === marks.ticks.length - 1 ? 'plot-tick now' : 'plot-tick'}>
          <path d={`M${tick.x} ${PLOT.tickY}v3`} />
          <text x={tick.x} y={PLOT.tickY + 15} textAnchor="middle">
            {tick.text}
          </text>
        </g>
      ))}
    </svg>
  );
}

function Bands({ marks }: { marks: PlotMarks }): ReactElement {
  return (
    <>
      {marks.bands.map((band) => (
        <g key={band.x} className={`plot-band is-${band.state}`}>
          <rect x={band.x} y={PLOT.bandY} width={band.width} height={PLOT.bandHeight} rx={3} />
          {band.label === undefined ? null : (
            <text x={band.x + 7} y={PLOT.bandY + 12.5}>
              {band.label}
            </text>
          )}
        </g>
      ))}
      {marks.ahead.width < 1 ? null : (
        <rect
          className="plot-ahead"
          x={marks.ahead.x}
          y={PLOT.bandY + 0.5}
          width={marks.ahead.width}
          height={PLOT.bandHeight - 1}
          rx={3}
        />
      )}
    </>
  );
}

function Calls({ marks }: { marks: PlotMarks }): ReactElement {
  const first = marks.calls[0]?.x ?? marks.now.x;
  return (
    <>
      {first > 110 ? (
        <text className="plot-calls" x={0} y={PLOT.callsY + 4}>
          {t('plot.calls')}
        </text>
      ) : null}
      {marks.calls.map((call) => (
        <path
          key={`${call.x} ${call.kind} ${String(call.isOk)}`}
          className={`plot-call ${call.isOk ? 'is-ok' : call.kind}`}
          transform={`translate(${call.x} ${PLOT.callsY})`}
          d={call.isOk ? 'M-3.5 0.5-1 3 3.5-3' : 'M-3-3 3 3M3-3-3 3'}
        >
          {call.count > 1 ? <title>{String(call.count)}</title> : null}
        </path>
      ))}
      {marks.nextX === undefined ? null : (
        <circle className="plot-next" cx={marks.nextX} cy={PLOT.callsY} r={4} />
      )}
    </>
  );
}

function PlotTable({ view }: { view: PlotView }): ReactElement {
  const { rows, more } = plotRows(view);
  return (
    <div className="queue-plot-table" tabIndex={0} role="region" aria-label={t('plot.asTable')}>
      <table className="grid">
        <thead>
          <tr>
            <th scope="col">{t('plot.column.time')}</th>
            <th scope="col">{t('plot.column.what')}</th>
            <th scope="col" className="right">
              {t('plot.column.waiting')}
            </th>
          </tr>
        </thead>
        <tbody>
          {view.nextTryAtMs === undefined || view.nextTryAtMs < view.nowMs ? null : (
            <tr>
              <td className="nw">
                <At atMs={view.nextTryAtMs} withSeconds />
              </td>
              <td>{t('plot.row.next')}</td>
              <td />
            </tr>
          )}
          {rows.map((row, at) => (
            <tr key={`${row.atMs} ${String(at)}`}>
              <td className="nw">
                <At atMs={row.atMs} withSeconds />
              </td>
              <td>{row.words}</td>
              <td className="right">{row.waiting}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {more > 0 ? <p className="sm t3">{t('plot.row.more', { count: more })}</p> : null}
    </div>
  );
}

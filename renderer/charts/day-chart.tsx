/** The past as one line: finished steps, when the engine ran, and where it stopped. */
import { Button, SegmentedControl } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import { useId, useState, type KeyboardEvent, type PointerEvent, type ReactElement } from 'react';
import { t } from '../../shared/messages';
import type { DayLine as Day } from '../../shared/types';
import { ChartCursor } from './chart-cursor';
import { CHOSEN_RANGES, type DayChoice } from './day-chart-data';
import {
  closerLook,
  DAY_BAR_MAX,
  dayChartModel,
  dayChartSentence,
  dayTitle,
  fromFirstStart,
  readingOf,
  slotAt,
  type DayBand,
  type DayMarks,
} from './day-chart-view';
import { textScale } from './text-scale';
import './day-chart.css';
import { table } from '../../shared/table';

/** The legend explains only what the picture shows. */
function DayLegend({ has, range }: { has: DayMarks['has']; range: Day['range'] }): ReactElement {
  return (
    <span className="xs t3 end day-legend" aria-hidden="true">
      <span>
        <i className="day-key-bar" />
        {t(`day.steps.${range}`)}
      </span>
      <span>
        <i className="day-key-run" />
        {t('day.running')}
      </span>
      {has.asleep ? (
        <span>
          <i className="day-key-sleep" />
          {t('day.asleep')}
        </span>
      ) : null}
      {has.stops ? (
        <span>
          <svg width="8" height="11" viewBox="0 0 8 11" className="day-stop">
            <path d="M4 4v7" className="day-stop-line" />
            <path d="M0 0h8L4 6z" />
          </svg>
          {t('day.stop')}
        </span>
      ) : null}
      {has.outages ? (
        <span>
          <i className="day-key-outage" />
          {t('day.outage')}
        </span>
      ) : null}
    </span>
  );
}

const HEIGHT = 66;
/** A separate line below the band, shown only if there was an outage. */
const OUTAGE_LINE = 12;
/** Baseline of the bars. */
const BASE = 30;
const BAND_Y = 34;
const BAND = 8;

const STEPS_OF_KEYS = table<number>({
  ArrowLeft: -1,
  ArrowRight: 1,
  PageUp: -6,
  PageDown: 6,
  Home: -1000,
  End: 1000,
});

interface Shown {
  readonly day: Day;
  readonly nowMs: number;
  readonly choice: DayChoice;
  readonly onChoose: (choice: DayChoice) => void;
  /** Called with the end of the slot selected in the closest zoom. */
  readonly onOpen: (untilMs: number) => void;
}

export function DayChart({ day: whole, nowMs, choice, onChoose, onOpen }: Shown): ReactElement {
  const day = fromFirstStart(whole);
  const isPast = choice.untilMs !== undefined;
  const title = dayTitle(day, isPast, nowMs);
  const marks = useMarks(day);
  return (
    <div className="day-chart">
      <div className="aligned flex-wrap day-head">
        <h2>{title}</h2>
        {isPast ? (
          <Button size="xs" variant="subtle" onClick={() => onChoose({ range: 'day' })}>
            {t('day.backToNow')}
          </Button>
        ) : null}
        <DayLegend has={marks.has} range={day.range} />
        <SegmentedControl
          className="day-range"
          aria-label={t('day.range')}
          value={day.range}
          onChange={(range) =>
            onChoose({ range: CHOSEN_RANGES.find((one) => one === range) ?? 'day' })
          }
          data={CHOSEN_RANGES.map((range) => ({ value: range, label: t(`day.range.${range}`) }))}
        />
      </div>
      <DayPlot
        day={day}
        title={title}
        isPast={isPast}
        marks={marks}
        onPick={(reading) => {
          const closer = closerLook(day, (reading.fromMs + reading.toMs) / 2, nowMs);
          if (closer === undefined) onOpen(reading.toMs);
          else onChoose(closer);
        }}
      />
    </div>
  );
}

/** The picture with its cursor, moved by pointer or keys. */
function DayPlot({
  day,
  title,
  isPast,
  marks: { ref, width, ...marks },
  onPick,
}: {
  day: Day;
  title: string;
  isPast: boolean;
  marks: ReturnType<typeof useMarks>;
  onPick: (reading: ReturnType<typeof readingOf>) => void;
}): ReactElement {
  const [slot, setSlot] = useState<number | undefined>(undefined);
  const sentenceId = useId();
  const last = day.steps.length - 1;
  const reading = slot === undefined ? undefined : readingOf(day, Math.min(slot, last));
  const current = readingOf(day, Math.min(slot ?? last, last));

  // A zoom has other slots.
  const pick = (): void => {
    setSlot(undefined);
    onPick(current);
  };
  const onMove = (event: PointerEvent<HTMLDivElement>): void => {
    const box = event.currentTarget.getBoundingClientRect();
    setSlot(slotAt(day, (event.clientX - box.left) / Math.max(1, box.width)));
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = STEPS_OF_KEYS[event.key];
    if (step !== undefined) {
      event.preventDefault();
      setSlot(Math.min(last, Math.max(0, (slot ?? last) + step)));
    } else if (event.key === 'Enter') {
      event.preventDefault();
      pick();
    } else if (event.key === 'Escape') setSlot(undefined);
  };

  return (
    <>
      <p className="sr-only" id={sentenceId}>
        {dayChartSentence(day, undefined, isPast ? title : undefined)}{' '}
        {t(day.range === 'hour' ? 'day.open' : 'day.zoom')}
      </p>
      <div
        ref={ref}
        className={marks.has.outages ? 'day-plot with-outages' : 'day-plot'}
        role="slider"
        tabIndex={0}
        aria-label={title}
        aria-describedby={sentenceId}
        aria-valuemin={0}
        aria-valuemax={last}
        aria-valuenow={current.slot}
        aria-valuetext={current.words}
        onPointerMove={onMove}
        onPointerLeave={() => setSlot(undefined)}
        onBlur={() => setSlot(undefined)}
        onClick={pick}
        onKeyDown={onKeyDown}
      >
        {width > 0 ? <Picture marks={marks} width={width} isPast={isPast} /> : null}
        {reading ? (
          <ChartCursor
            chart="day"
            at={(reading.slot + 0.5) / day.steps.length}
            words={reading.words}
          />
        ) : null}
      </div>
    </>
  );
}

function useMarks(day: Day): DayMarks & ReturnType<typeof useElementSize<HTMLDivElement>> {
  const size = useElementSize<HTMLDivElement>();
  return { ...size, ...dayChartModel(day, Math.max(200, size.width), undefined, textScale()) };
}

function Picture({
  marks,
  width,
  isPast,
}: {
  marks: DayMarks;
  width: number;
  isPast: boolean;
}): ReactElement {
  const lower = marks.has.outages ? OUTAGE_LINE : 0;
  const height = HEIGHT + lower;
  const hatch = useId();
  return (
    <svg width={width} height={height} viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
      <defs>
        <pattern
          id={hatch}
          width="4"
          height="4"
          patternUnits="userSpaceOnUse"
          patternTransform="rotate(45)"
        >
          <path d="M0 2H4" className="day-hatch" />
        </pattern>
      </defs>
      {marks.outages.map((outage) => (
        <g key={outage.x} className="day-outage">
          <rect
            x={outage.x}
            y={BAND_Y + BAND + 4}
            width={outage.width}
            height={6}
            rx={1.5}
            fill={`url(#${hatch})`}
          />
          {outage.label === undefined ? null : (
            <text x={outage.x + outage.width + 6} y={BAND_Y + BAND + 11}>
              {outage.label}
            </text>
          )}
        </g>
      ))}
      {marks.bars.map((bar) => (
        <rect
          key={bar.x}
          className="day-bar"
          x={bar.x}
          y={BASE - bar.height}
          width={bar.width}
          height={bar.height}
          rx={Math.min(1, bar.width / 2)}
        />
      ))}
      {marks.bands.map((band) => (
        <Band key={band.x} band={band} />
      ))}
      {marks.stops.map((stop) => (
        <g key={stop.x} className="day-stop" transform={`translate(${stop.x} 0)`}>
          <path d={`M0 4V${BAND_Y + BAND + 6}`} className="day-stop-line" />
          <path d="M-4 0h8L0 6z" />
          {stop.label === undefined ? null : (
            <text
              x={stop.label.isLeft ? -8 : 8}
              y={8}
              textAnchor={stop.label.isLeft ? 'end' : 'start'}
            >
              {stop.label.text}
            </text>
          )}
        </g>
      ))}
      {marks.ticks.map((tick) => (
        <g key={tick.x} transform={`translate(${tick.x} 0)`}>
          <path d={`M0 ${49 + lower}v4`} className="day-tick" />
          <text y={64 + lower} textAnchor="middle">
            {tick.text}
          </text>
        </g>
      ))}
      {isPast ? null : (
        <text className="day-now" x={marks.nowX} y={64 + lower} textAnchor="end">
          {t('day.now')}
        </text>
      )}
    </svg>
  );
}

function Band({ band }: { band: DayBand }): ReactElement | null {
  const middle = band.x + band.width / 2;
  const words = band.label ? (
    <text x={middle} y={BASE - DAY_BAR_MAX / 2 + 8} textAnchor="middle">
      {band.label}
    </text>
  ) : null;
  switch (band.kind) {
    case 'running':
      return (
        <rect className="day-run" x={band.x} y={BAND_Y} width={band.width} height={BAND} rx={1.5} />
      );
    case 'asleep':
      return (
        <>
          <path
            className="day-sleep"
            d={`M${band.x + 3} ${BAND_Y + BAND / 2}H${Math.max(band.x + 3, band.x + band.width - 3)}`}
          />
          {words}
        </>
      );
    case 'stopped':
      return words;
  }
}

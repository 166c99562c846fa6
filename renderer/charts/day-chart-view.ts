/**
 * The 24-hour line as marks: bars of finished steps, the engine's band, stops, and ticks. Pure; the
 * component only draws, and the values under the pointer come from the same data.
 */
import { t } from '../../shared/messages';
import type { DayLine } from '../../shared/types';
import { titleOf } from '../outages/outages-view';
import { clockText, dayOf, durationText } from '../parts/time-view';

interface DayBar {
  readonly x: number;
  readonly width: number;
  readonly height: number;
  readonly steps: number;
}
export interface DayBand {
  readonly kind: DayLine['stretches'][number]['kind'];
  readonly x: number;
  readonly width: number;
  /** Kind and duration, if the text fits. */
  readonly label?: string;
}
interface DayStop {
  readonly x: number;
  /** More than one if they would overlap. */
  readonly count: number;
  /** The count as text, if it fits; always left or right of the mark. */
  readonly label?: { readonly text: string; readonly isLeft: boolean };
}
interface DayOutage {
  readonly x: number;
  readonly width: number;
  /** Right of the mark, if the text fits. */
  readonly label?: string;
}
interface DayTick {
  readonly x: number;
  readonly text: string;
}
export interface DayMarks {
  readonly bars: readonly DayBar[];
  readonly bands: readonly DayBand[];
  readonly stops: readonly DayStop[];
  readonly outages: readonly DayOutage[];
  readonly ticks: readonly DayTick[];
  /** Where the data ends. */
  readonly nowX: number;
  /** The kinds that appear in the picture: the legend shows only these. */
  readonly has: {
    readonly asleep: boolean;
    readonly stopped: boolean;
    readonly stops: boolean;
    readonly outages: boolean;
  };
}

export const DAY_BAR_MAX = 24;
const DAY_BAR_MIN = 3;
const CHAR_PX = 6.3;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const TICK_MINUTES = [1, 2, 5, 10, 15, 20, 30, 60, 120, 180, 360, 720, 1440];
/** Width of a tick's label, with margin. */
const TICK_ROOM = 80;
/** Two stops closer than this become one mark. */
const STOP_ROOM = 12;
/** Maximum width of a bar, however short the axis is. */
const BAR_MAX = 14;
/** Minimum width of a gap, so that a stop of four minutes is visible. */
const GAP_MIN = 3;

/** Minimum length of the axis, however short the history is. */
const MIN_SPAN_MS: Readonly<Record<DayLine['range'], number>> = {
  hour: 15 * MINUTE_MS,
  day: 3 * HOUR_MS,
  week: DAY_MS,
};

/**
 * The same data on an axis that begins with the first known start: before that there is nothing to
 * show.
 */
export function fromFirstStart(day: DayLine): DayLine {
  const first = day.stretches[0];
  if (first === undefined) return day;
  const wantedMs = Math.min(first.fromMs, day.toMs - MIN_SPAN_MS[day.range]);
  const skipped = Math.floor((wantedMs - day.fromMs) / day.slotMs);
  if (skipped <= 0) return day;
  return { ...day, fromMs: day.fromMs + skipped * day.slotMs, steps: day.steps.slice(skipped) };
}

/** A zoom into one slot: from a week to a day, from a day to an hour; an hour has none. */
export function closerLook(
  day: DayLine,
  atMs: number,
  nowMs: number,
): { readonly range: 'hour' | 'day'; readonly untilMs?: number } | undefined {
  if (day.range === 'hour') return undefined;
  const range = day.range === 'week' ? 'day' : 'hour';
  const endMs = Math.round(atMs + (range === 'day' ? DAY_MS : HOUR_MS) / 2);
  return endMs >= nowMs ? { range } : { range, untilMs: endMs };
}

/** What the picture shows: its length up to now, or its start and end. */
export function dayTitle(day: DayLine, isPast: boolean, nowMs: number, locale?: string): string {
  if (!isPast) return t(`day.title.${day.range}`);
  return t('day.title.past', {
    time: clockText(day.fromMs, nowMs, locale),
    text: clockText(day.toMs, day.fromMs, locale),
  });
}

const round = (value: number): number => Math.round(value * 10) / 10;

/**
 * Marks for a picture of `width` px with text at `textScale` times the usual size. Kinds and
 * heights carry the meaning, never color alone.
 */
export function dayChartModel(
  day: DayLine,
  width: number,
  locale?: string,
  textScale = 1,
): DayMarks {
  const span = Math.max(1, day.toMs - day.fromMs);
  const x = (atMs: number): number =>
    round((Math.min(Math.max(atMs, day.fromMs), day.toMs) - day.fromMs) * (width / span));
  const slotPx = day.slotMs * (width / span);
  const peak = Math.max(1, ...day.steps);

  const bars = day.steps.flatMap((steps, slot): DayBar[] => {
    if (steps === 0) return [];
    const wide = Math.min(slotPx * 0.74, BAR_MAX);
    const left = Math.min(
      x(day.fromMs + slot * day.slotMs) + Math.min((slotPx - wide) / 2, slotPx * 0.13),
      width - 1,
    );
    return [
      {
        x: round(left),
        width: round(Math.max(1, Math.min(wide, width - left))),
        height: round(Math.max(DAY_BAR_MIN, (steps / peak) * DAY_BAR_MAX)),
        steps,
      },
    ];
  });

  const bands = day.stretches.map((stretch): DayBand => {
    const left = x(stretch.fromMs);
    const room = x(stretch.toMs) - left;
    const duration = durationText(roundedMs(stretch.toMs - stretch.fromMs));
    const label =
      stretch.kind === 'running' ? undefined : t(`day.label.${stretch.kind}`, { duration });
    const fits = label !== undefined && label.length * CHAR_PX * textScale + 12 <= room;
    return { kind: stretch.kind, x: left, width: round(room), ...(fits ? { label } : {}) };
  });

  return {
    bars,
    bands: widenGaps(joined(bands)),
    stops: stopMarks(day, { x, width, textScale }),
    outages: outageMarks(day, { x, width, textScale }),
    ticks: ticksOf(day, { width, textScale, locale }, x),
    nowX: x(day.toMs),
    has: {
      asleep: day.stretches.some(({ kind }) => kind === 'asleep'),
      stopped: day.stretches.some(({ kind }) => kind === 'stopped'),
      stops: day.stops.length > 0,
      outages: (day.outages ?? []).length > 0,
    },
  };
}

/** Seconds are left out above an hour. */
const roundedMs = (ms: number): number => (ms >= HOUR_MS ? Math.round(ms / 60_000) * 60_000 : ms);

/** Shortens the runs around a short gap, so that the gap is visible. */
function widenGaps(bands: readonly DayBand[]): readonly DayBand[] {
  return bands.map((band, at) => {
    if (band.kind !== 'running') return band;
    const missing = (other: DayBand | undefined): number =>
      other === undefined || other.kind === 'running' ? 0 : Math.max(0, GAP_MIN - other.width) / 2;
    const left = missing(bands[at - 1]);
    const right = missing(bands[at + 1]);
    const width = Math.max(1, band.width - left - right);
    return { ...band, x: round(band.x + left), width: round(width) };
  });
}

/** A run between two gaps that is too short to see is drawn as part of them. */
function joined(bands: readonly DayBand[]): readonly DayBand[] {
  const shown: DayBand[] = [];
  bands.forEach((band, at) => {
    const last = shown.at(-1);
    const next = bands[at + 1];
    const isUnseen = band.kind === 'running' && band.width < GAP_MIN && next !== undefined;
    if (last?.kind === 'stopped' && (isUnseen || band.kind === 'stopped'))
      shown[shown.length - 1] = { ...last, width: round(band.x + band.width - last.x) };
    else shown.push(band);
  });
  return shown;
}

interface DayChartScale {
  readonly x: (atMs: number) => number;
  readonly width: number;
  readonly textScale: number;
}

/** Each outage as a bar; adjacent ones are merged. The label is to the right if it fits. */
function outageMarks(day: DayLine, { x, width, textScale }: DayChartScale): readonly DayOutage[] {
  const marks: { left: number; right: number; names: Set<string>; count: number; ms: number }[] =
    [];
  for (const one of day.outages ?? []) {
    const toMs = one.toMs ?? day.toMs;
    const left = Math.min(x(one.fromMs), width - GAP_MIN);
    const right = Math.max(left + GAP_MIN, x(toMs));
    const last = marks.at(-1);
    if (last !== undefined && left - last.right < GAP_MIN) {
      last.right = Math.max(last.right, right);
      last.names.add(titleOf(one.provider));
      last.count += 1;
    } else {
      const names = new Set([titleOf(one.provider)]);
      marks.push({ left, right, names, count: 1, ms: toMs - one.fromMs });
    }
  }
  return marks.map(({ left, right, names, count, ms }, at) => {
    const name = [...names].join(', ');
    const label =
      count > 1
        ? t('day.label.outages', { name, count })
        : t('day.label.outage', { name, duration: durationText(roundedMs(ms)) });
    const room = (marks[at + 1]?.left ?? width) - right;
    const fits = label.length * CHAR_PX * textScale + 10 <= room;
    return { x: left, width: round(right - left), ...(fits ? { label } : {}) };
  });
}

function stopMarks(day: DayLine, { x, width, textScale }: DayChartScale): readonly DayStop[] {
  const marks: { x: number; count: number }[] = [];
  for (const stop of day.stops) {
    // The middle of an interval without data: the gap is drawn around it.
    const at = x((stop.atMs + Math.min(stop.backAtMs, stop.atMs + 300_000)) / 2);
    const last = marks.at(-1);
    if (last !== undefined && at - last.x < STOP_ROOM) last.count += 1;
    else marks.push({ x: at, count: 1 });
  }
  return marks.map((mark, at) => {
    if (mark.count === 1) return mark;
    const text = t('day.label.stops', { count: mark.count });
    const room = text.length * CHAR_PX * textScale + 12;
    const isLeft = mark.x + room > Math.min(width, (marks[at + 1]?.x ?? Infinity) - 6);
    const hasRoom = !isLeft || mark.x - room >= (marks[at - 1]?.x ?? -6) + 6;
    return hasRoom ? { ...mark, label: { text, isLeft } } : mark;
  });
}

function ticksOf(
  day: DayLine,
  {
    width,
    textScale,
    locale,
  }: {
    readonly width: number;
    readonly textScale: number;
    readonly locale: string | undefined;
  },
  x: (atMs: number) => number,
): readonly DayTick[] {
  const span = Math.max(1, day.toMs - day.fromMs);
  // In local time: a day may have 23 or 25 hours.
  const isDays = day.range === 'week' && span > 2 * DAY_MS;
  const minutes = isDays
    ? 1440
    : (TICK_MINUTES.find(
        (step) => ((step * MINUTE_MS) / span) * width >= TICK_ROOM * textScale - 0.01,
      ) ?? 720);
  const ticks: DayTick[] = [];
  const at = new Date(day.fromMs);
  at.setHours(0, 0, 0, 0);
  const next = (): void =>
    void (minutes >= 60
      ? at.setHours(at.getHours() + minutes / 60)
      : at.setTime(at.getTime() + minutes * MINUTE_MS));
  for (; at.getTime() <= day.toMs; next()) {
    const atMs = at.getTime();
    if (atMs < day.fromMs) continue;
    const left = x(atMs);
    // The right end is reserved for the label "now".
    if (left < 18 * textScale || left > width - 46 * textScale) continue;
    const text = isDays
      ? dayOf(atMs, { weekday: 'short', day: 'numeric' }, locale)
      : clockText(atMs, atMs, locale);
    ticks.push({ x: left, text });
  }
  return ticks;
}

/** One slot under the pointer. */
interface DayReading {
  readonly slot: number;
  readonly fromMs: number;
  readonly toMs: number;
  readonly words: string;
}

/** The slot at a position in the picture. */
export function slotAt(day: DayLine, share: number): number {
  const atMs = day.fromMs + Math.min(1, Math.max(0, share)) * (day.toMs - day.fromMs);
  return Math.min(day.steps.length - 1, Math.floor((atMs - day.fromMs) / day.slotMs));
}

/** Days are named if there are several. */
const dayNamedFrom = (day: DayLine, atMs: number): number =>
  day.range === 'week' ? day.toMs : atMs;

/** Everything known about one slot, in one line. */
export function readingOf(day: DayLine, slot: number, locale?: string): DayReading {
  const fromMs = day.fromMs + slot * day.slotMs;
  const toMs = Math.min(fromMs + day.slotMs, day.toMs);
  const inside = day.stretches.filter((one) => one.fromMs < toMs && one.toMs > fromMs);
  const kinds = [...new Set(inside.map(({ kind }) => kind))];
  const stops = day.stops.filter(({ atMs }) => atMs >= fromMs && atMs < toMs);
  const last = stops.at(-1);
  const away = (day.outages ?? []).filter(
    (one) => one.fromMs < toMs && (one.toMs ?? day.toMs) > fromMs,
  );
  const names = [...new Set(away.map(({ provider }) => titleOf(provider)))];
  const count = day.steps[slot] ?? 0;
  const parts = [
    t('day.at.range', {
      time: clockText(fromMs, dayNamedFrom(day, fromMs), locale),
      text: clockText(toMs, fromMs, locale),
    }),
    ...(kinds.includes('running') || count > 0 ? [t('day.at.steps', { count })] : []),
    kinds.length === 0 ? t('day.at.unknown') : kinds.map((kind) => t(`day.${kind}`)).join(', '),
    ...(last === undefined
      ? []
      : [
          t('day.at.stops', {
            count: stops.length,
            time: clockText(last.atMs, fromMs, locale),
          }),
        ]),
    ...names.map((name) => t('day.at.outage', { name })),
  ];
  return { slot, fromMs, toMs, words: parts.join(' · ') };
}

/** More interruptions than this are only counted. */
const MAX_SAID = 4;

/** The whole picture as text for screen readers. `past`: its title if it does not end now. */
export function dayChartSentence(day: DayLine, locale?: string, past?: string): string {
  const steps = day.steps.reduce((sum, one) => sum + one, 0);
  const at = (atMs: number): string => clockText(atMs, dayNamedFrom(day, atMs), locale);
  const stops = day.stops.map(({ atMs, backAtMs }) => ({
    atMs,
    words: t('day.say.stop', { time: at(atMs), text: at(backAtMs) }),
  }));
  const known = new Set(day.stops.map(({ atMs }) => atMs));
  const pauses = day.stretches.flatMap(({ kind, fromMs, toMs }) =>
    kind === 'running' || known.has(fromMs)
      ? []
      : [{ atMs: fromMs, words: t(`day.say.${kind}`, { time: at(fromMs), text: at(toMs) }) }],
  );
  const outages = (day.outages ?? []).map(({ provider, fromMs, toMs }) => ({
    atMs: fromMs,
    words:
      toMs === undefined
        ? t('day.say.outageOpen', { name: titleOf(provider), time: at(fromMs) })
        : t('day.say.outage', { name: titleOf(provider), time: at(fromMs), text: at(toMs) }),
  }));
  const all = [...stops, ...pauses, ...outages].toSorted((a, b) => a.atMs - b.atMs);
  const said = all.slice(-MAX_SAID);
  const more = all.length - said.length;
  return [
    past === undefined
      ? t(`day.say.steps.${day.range}`, { count: steps })
      : t('day.say.steps.past', { text: past, count: steps }),
    ...said.map(({ words }) => words),
    ...(more > 0 ? [t('day.say.more', { count: more })] : []),
  ].join(' ');
}

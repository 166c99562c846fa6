/**
 * The 24-hour line as marks: bars of finished steps, the band of the engine, stops, ticks. Pure; the
 * component only draws, and its reading of a moment comes from the same data.
 */
import { t } from '../../shared/messages';
import type { DayLine } from '../../shared/types';
import { titleOf } from '../outages/outages-view';
import { clockText, durationText } from '../parts/time-view';

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
  /** What it is and how long, if the text fits. */
  readonly label?: string;
}
interface DayStop {
  readonly x: number;
  /** More than one where they would lie on each other. */
  readonly count: number;
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
  /** What appears in the picture: the legend shows only that. */
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
const HOUR_MS = 3_600_000;
const TICK_HOURS = [1, 2, 3, 6, 12];
/** Width of a tick's label, with margin. */
const TICK_ROOM = 80;
/** Two stops nearer than this are one mark. */
const STOP_ROOM = 7;
/** A stop of four minutes is still a gap that can be seen. */
const GAP_MIN = 3;

const round = (value: number): number => Math.round(value * 10) / 10;

/**
 * Marks for a picture of `width` px, with text `textScale` times the usual size. Color carries no
 * meaning: kinds and heights carry it all.
 */
export function dayLineModel(
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
    const left = Math.min(x(day.fromMs + slot * day.slotMs) + slotPx * 0.13, width - 1);
    return [
      {
        x: round(left),
        width: round(Math.max(1, Math.min(slotPx * 0.74, width - left))),
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
    bands: widenGaps(bands),
    stops: stopMarks(day, x),
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

/** Takes a little from the runs around a short gap, so that the gap is visible. */
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

/** Each outage as a stretch; its label is right of it if nothing else is there. */
function outageMarks(
  day: DayLine,
  {
    x,
    width,
    textScale,
  }: { readonly x: (atMs: number) => number; readonly width: number; readonly textScale: number },
): readonly DayOutage[] {
  const outages = day.outages ?? [];
  return outages.map((one, at) => {
    const left = Math.min(x(one.fromMs), width - GAP_MIN);
    const wide = round(Math.max(GAP_MIN, x(one.toMs ?? day.toMs) - left));
    const label = t('day.label.outage', {
      name: titleOf(one.provider),
      duration: durationText(roundedMs((one.toMs ?? day.toMs) - one.fromMs)),
    });
    const next = outages[at + 1];
    const room = (next === undefined ? width : x(next.fromMs)) - left - wide;
    const fits = label.length * CHAR_PX * textScale + 10 <= room;
    return { x: left, width: wide, ...(fits ? { label } : {}) };
  });
}

function stopMarks(day: DayLine, x: (atMs: number) => number): readonly DayStop[] {
  const marks: { x: number; count: number }[] = [];
  for (const stop of day.stops) {
    // The middle of what could not be seen: the gap is drawn around it.
    const at = x((stop.atMs + Math.min(stop.backAtMs, stop.atMs + 300_000)) / 2);
    const last = marks.at(-1);
    if (last !== undefined && at - last.x < STOP_ROOM) last.count += 1;
    else marks.push({ x: at, count: 1 });
  }
  return marks;
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
  const hours = TICK_HOURS.find((step) => (24 / step) * TICK_ROOM * textScale <= width) ?? 12;
  const ticks: DayTick[] = [];
  const first = new Date(day.fromMs);
  first.setMinutes(0, 0, 0);
  // By the clock of the wall: a day may have 23 or 25 hours.
  for (const at = first; at.getTime() <= day.toMs; at.setHours(at.getHours() + 1)) {
    const atMs = at.getTime();
    if (at.getHours() % hours !== 0 || atMs < day.fromMs) continue;
    const left = x(atMs);
    // The right end is reserved for the label "now".
    if (left < 18 * textScale || left > width - 46 * textScale) continue;
    ticks.push({ x: left, text: clockText(atMs, atMs, locale) });
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

/** The slot at a place of the picture. */
export function slotAt(day: DayLine, share: number): number {
  const atMs = day.fromMs + Math.min(1, Math.max(0, share)) * (day.toMs - day.fromMs);
  return Math.min(day.steps.length - 1, Math.floor((atMs - day.fromMs) / day.slotMs));
}

/** What is known about ten minutes, in one line. */
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
      time: clockText(fromMs, fromMs, locale),
      text: clockText(toMs, toMs, locale),
    }),
    ...(kinds.includes('running') || count > 0 ? [t('day.at.steps', { count })] : []),
    kinds.length === 0 ? t('day.at.unknown') : kinds.map((kind) => t(`day.${kind}`)).join(', '),
    ...(last === undefined
      ? []
      : [
          t('day.at.stops', {
            count: stops.length,
            time: clockText(last.atMs, last.atMs, locale),
          }),
        ]),
    ...names.map((name) => t('day.at.outage', { name })),
  ];
  return { slot, fromMs, toMs, words: parts.join(' · ') };
}

/** More interruptions than this are only counted. */
const MAX_SAID = 4;

/** The whole picture as one text, for screen readers. */
export function dayLineSentence(day: DayLine, locale?: string): string {
  const steps = day.steps.reduce((sum, one) => sum + one, 0);
  const at = (atMs: number): string => clockText(atMs, atMs, locale);
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
    t('day.say.steps', { count: steps }),
    ...said.map(({ words }) => words),
    ...(more > 0 ? [t('day.say.more', { count: more })] : []),
  ].join(' ');
}

/**
 * The turns that wait for one provider over time, as marks: the band of states, the stepped area,
 * failed calls and trials, declared outages, and what comes next. Pure; the component only draws,
 * and its table and the values under the pointer come from the same data.
 */
import type { OutagePlot, PlotRange, ProviderState } from '../../shared/types/outage';
import { t } from '../../shared/messages';
import { clockText } from '../parts/time-view';

const MINUTE_MS = 60_000;
const RANGE_MS: Readonly<Record<PlotRange, number>> = {
  '30m': 30 * MINUTE_MS,
  '6h': 360 * MINUTE_MS,
  '7d': 7 * 1440 * MINUTE_MS,
};

/** Vertical positions in the picture, from the top. With its card's header it is 210 px high. */
export const PLOT = {
  height: 164,
  bandY: 4,
  bandHeight: 18,
  top: 47,
  base: 116,
  callsY: 131,
  tickY: 143,
} as const;

interface PlotBand {
  readonly state: ProviderState;
  readonly x: number;
  readonly width: number;
  /** If there is room for the text. */
  readonly label?: string;
}
interface PlotCall {
  readonly x: number;
  readonly kind: 'call' | 'trial';
  readonly isOk: boolean;
  /** More than one if they would overlap. */
  readonly count: number;
}
interface PlotDeclared {
  readonly x: number;
  readonly label?: string;
}
export interface PlotMarks {
  readonly bands: readonly PlotBand[];
  /** Between now and the right end: the future. */
  readonly ahead: { readonly x: number; readonly width: number };
  /** The top of the area; empty if nothing waited in the whole range. */
  readonly line: string;
  readonly area: string;
  readonly grid: readonly { readonly y: number; readonly text: string }[];
  readonly calls: readonly PlotCall[];
  readonly declared: readonly PlotDeclared[];
  readonly nextX?: number;
  readonly now: { readonly x: number; readonly y: number; readonly text: string };
  readonly ticks: readonly { readonly x: number; readonly text: string }[];
}

/** The data, and the moment until which it is drawn. */
export interface PlotView {
  readonly plot: OutagePlot;
  readonly range: PlotRange;
  /** At or after `plot.nowMs`: the picture advances while nothing happens. */
  readonly nowMs: number;
  /** The next trial or probe, if one is due. */
  readonly nextTryAtMs?: number;
  /** The part of the range that is drawn, if not all of it. */
  readonly spanMs?: number;
  /** Where the picture ends, if it shows a past outage. */
  readonly untilMs?: number;
  readonly locale?: string;
}

/** The time span that the picture shows. */
export const spanOf = ({ range, spanMs }: Pick<PlotView, 'range' | 'spanMs'>): number =>
  spanMs ?? RANGE_MS[range];

const endOf = ({ untilMs, nowMs, plot }: PlotView): number =>
  untilMs ?? Math.max(nowMs, plot.nowMs);

/** The shortest picture of one outage, and the range to request for it. */
const LEAST_LEAD_MS = MINUTE_MS;
const LEAST_SPAN_MS = 4 * MINUTE_MS;

/** An axis that fits an outage, with some time before and after it. */
export function fitOutage(
  { sinceMs, untilMs }: { readonly sinceMs: number; readonly untilMs?: number | undefined },
  nowMs: number,
): Pick<PlotView, 'range' | 'spanMs' | 'untilMs'> {
  const lengthMs = Math.max(0, (untilMs ?? nowMs) - sinceMs);
  const leadMs = Math.max(LEAST_LEAD_MS, lengthMs * 0.15);
  const endMs = untilMs === undefined ? nowMs : Math.min(nowMs, untilMs + leadMs);
  const wantedMs = Math.max(LEAST_SPAN_MS, endMs - sinceMs + leadMs);
  const backMs = nowMs - (endMs - wantedMs);
  const range =
    (['30m', '6h', '7d'] as const).find((one) => backMs <= RANGE_MS[one]) ?? ('7d' as const);
  const spanMs = Math.min(wantedMs, RANGE_MS[range]);
  return { range, spanMs, ...(untilMs === undefined ? {} : { untilMs: endMs }) };
}

const CHAR_PX = 6.3;
/** The share of the width after now; for a past outage only half of its last label. */
const AHEAD_SHARE = 0.11;
const OVER_SHARE = 0.035;
const aheadOf = ({ untilMs }: Pick<PlotView, 'untilMs'>): number =>
  untilMs === undefined ? AHEAD_SHARE : OVER_SHARE;
/** Crosses closer than this are merged. */
const CALL_ROOM = 4;
const TICK_ROOM = 84;
const STEPS = [1, 2, 5] as const;

const round = (value: number): number => Math.round(value * 10) / 10;

/** The count at a moment: that of the last change at or before it. */
export function waitingAt(plot: Pick<OutagePlot, 'waiting'>, atMs: number): number {
  return plot.waiting.findLast((one) => one.atMs <= atMs)?.count ?? 0;
}

/** The state at a moment; before the first known one, nothing had failed. */
export function stateAt(plot: Pick<OutagePlot, 'states'>, atMs: number): ProviderState {
  return plot.states.findLast((one) => one.atMs <= atMs)?.state ?? 'answering';
}

/**
 * True if a moment is before the first recorded state. The engine's list begins at the start of the
 * range, before anything is known.
 */
const isBeforeAny = (plot: Pick<OutagePlot, 'states' | 'fromMs'>, atMs: number): boolean => {
  const [first, second] = plot.states;
  if (first === undefined) return true;
  const isMadeUp = first.atMs === plot.fromMs && first.state === 'answering';
  return isMadeUp ? second === undefined || atMs < second.atMs : atMs < first.atMs;
};

/** Marks for a picture of `width` px. */
export function queuePlotModel(view: PlotView, width: number): PlotMarks {
  const { plot } = view;
  const nowMs = endOf(view);
  const spanMs = spanOf(view);
  const fromMs = nowMs - spanMs;
  const nowX = round(width * (1 - aheadOf(view)));
  const x = (atMs: number): number =>
    round(((Math.min(Math.max(atMs, fromMs), nowMs) - fromMs) / spanMs) * nowX);
  const steps = stepsIn(plot, fromMs, nowMs);
  const peak = Math.max(1, ...steps.map((step) => step.count));
  const y = (count: number): number => round(PLOT.base - (count / peak) * (PLOT.base - PLOT.top));
  // Nothing is drawn until something waits.
  const from = steps.findIndex((step) => step.count > 0);
  const drawn = from < 0 ? [] : steps.slice(Math.max(0, from - 1));
  const left = from < 1 ? 0 : x(drawn[1]?.atMs ?? fromMs);
  const line =
    drawn.length > 0
      ? `M${String(left)} ${String(y(drawn[0]?.count ?? 0))}${drawn
          .slice(1)
          .map((step) => `H${String(x(step.atMs))}V${String(y(step.count))}`)
          .join('')}H${String(nowX)}`
      : '';
  const last = steps.at(-1)?.count ?? 0;
  const nextMs = view.nextTryAtMs;
  // After the right end: written as text only.
  const next =
    nextMs === undefined || nextMs < nowMs ? undefined : nowX + ((nextMs - nowMs) / spanMs) * nowX;
  return {
    bands: bandsOf(plot, { fromMs, nowMs, x, nowX }),
    ahead: {
      x: round(nowX + 1.5),
      width: view.untilMs === undefined ? round(Math.max(0, width - nowX - 2)) : 0,
    },
    line,
    area: line === '' ? '' : `${line}V${String(PLOT.base)}H${String(left)}z`,
    grid: gridOf(peak).map((value) => ({ y: y(value), text: String(value) })),
    calls: callsIn(plot, { fromMs, nowMs }, x),
    declared: declaredIn(plot, { fromMs, nowMs, x, nowX }),
    ...(next === undefined || next > width - 5 ? {} : { nextX: round(Math.max(next, nowX + 9)) }),
    now: { x: nowX, y: y(last), text: t('plot.waiting', { count: last }) },
    ticks: ticksOf(view, { fromMs, nowMs, nowX, x }),
  };
}

/** Changes within the range, starting with the state before it. */
function stepsIn(
  plot: OutagePlot,
  fromMs: number,
  nowMs: number,
): readonly { readonly atMs: number; readonly count: number }[] {
  const inside = plot.waiting.filter(({ atMs }) => atMs > fromMs && atMs <= nowMs);
  return [{ atMs: fromMs, count: waitingAt(plot, fromMs) }, ...inside];
}

/** One or two grid lines behind the area, at round numbers. */
function gridOf(peak: number): readonly number[] {
  let step = 1;
  for (let ten = 1; ten <= peak; ten *= 10) {
    for (const one of STEPS) if (one * ten * 2 <= peak) step = one * ten;
  }
  return peak < 2 ? [1] : [step, step * 2];
}

interface Axis {
  readonly fromMs: number;
  readonly nowMs: number;
  readonly nowX: number;
  readonly x: (atMs: number) => number;
}

function bandsOf(plot: OutagePlot, axis: Axis): readonly PlotBand[] {
  const { fromMs, nowMs, nowX, x } = axis;
  const inside = plot.states.filter(({ atMs }) => atMs > fromMs && atMs <= nowMs);
  const all = [{ atMs: fromMs, state: stateAt(plot, fromMs) }, ...inside];
  return all.flatMap((one, at): PlotBand[] => {
    // There was no request yet, so whether the provider was up is unknown.
    if (at === 0 && isBeforeAny(plot, one.atMs)) return [];
    const left = x(one.atMs);
    const right = at + 1 < all.length ? x(all[at + 1]?.atMs ?? nowMs) - 1.5 : nowX;
    // A momentary state stays visible, unless another one starts at the same place.
    const width = round(Math.max(at + 1 < all.length ? 0 : 1, right - left));
    if (width < 1) return [];
    const words =
      one.state === 'down'
        ? [t('plot.state.down'), t('plot.short.down')]
        : [t(`plot.state.${one.state}`)];
    const label = words.find((text) => text.length * CHAR_PX + 14 <= width);
    return [{ state: one.state, x: left, width, ...(label === undefined ? {} : { label }) }];
  });
}

function callsIn(
  plot: OutagePlot,
  { fromMs, nowMs }: { readonly fromMs: number; readonly nowMs: number },
  x: (atMs: number) => number,
): readonly PlotCall[] {
  const marks: { x: number; kind: 'call' | 'trial'; isOk: boolean; count: number }[] = [];
  for (const call of plot.calls) {
    if (call.atMs < fromMs || call.atMs > nowMs) continue;
    const kind = call.what === 'call' ? 'call' : 'trial';
    const at = x(call.atMs);
    const last = marks.at(-1);
    if (last?.kind === kind && last.isOk === call.ok && at - last.x < CALL_ROOM) last.count += 1;
    else marks.push({ x: at, kind, isOk: call.ok, count: 1 });
  }
  return marks;
}

function declaredIn(plot: OutagePlot, { fromMs, nowMs, x, nowX }: Axis): readonly PlotDeclared[] {
  const inside = plot.declaredAtMs.filter(({ atMs }) => atMs >= fromMs && atMs <= nowMs);
  return inside.map((one, at) => {
    const left = x(one.atMs);
    const label = t('plot.declared', { count: one.failedTurns });
    const next = inside[at + 1];
    // Up to the next line, without overlapping the label "now".
    const room = (next === undefined ? nowX - 80 : x(next.atMs)) - left;
    return { x: left, ...(label.length * CHAR_PX + 10 <= room ? { label } : {}) };
  });
}

const TICK_MINUTES = [1, 2, 4, 5, 10, 15, 30, 60, 120, 180, 360, 720, 1440, 2880] as const;

/** At round local times, with room for the labels; "now" has its own. */
function ticksOf(
  { range, spanMs = RANGE_MS[range], locale }: PlotView,
  axis: Axis,
): PlotMarks['ticks'] {
  const { fromMs, nowMs, nowX, x } = axis;
  const hasDays = spanMs > RANGE_MS['6h'] * 3;
  const room = (hasDays ? 1.5 : 1) * TICK_ROOM;
  const minutes = TICK_MINUTES.find((one) => (one * MINUTE_MS * nowX) / spanMs >= room) ?? 2880;
  const ticks: { x: number; text: string }[] = [];
  const at = new Date(fromMs);
  at.setHours(0, 0, 0, 0);
  for (; at.getTime() < nowMs; at.setMinutes(at.getMinutes() + minutes)) {
    const atMs = at.getTime();
    if (atMs < fromMs) continue;
    const left = x(atMs);
    if (left < 20 || left > nowX - 52) continue;
    // Days are named if the range has several.
    ticks.push({ x: left, text: clockText(atMs, hasDays ? nowMs : atMs, locale) });
  }
  ticks.push({ x: nowX, text: clockText(nowMs, nowMs, locale) });
  return ticks;
}

/** The values at one moment, under the pointer or chosen by keys. */
export function readingAt(view: PlotView, atMs: number): string {
  const { plot, locale } = view;
  const near = spanOf(view) / 240;
  const failed = plot.calls.filter((call) => !call.ok && Math.abs(call.atMs - atMs) <= near).length;
  const text = [
    isBeforeAny(plot, atMs) ? t('plot.state.unknown') : t(`plot.state.${stateAt(plot, atMs)}`),
    ...(failed > 0 ? [t('plot.at.failed', { count: failed })] : []),
  ].join(', ');
  return t('plot.at', {
    time: clockText(atMs, view.nowMs, locale, spanOf(view) <= RANGE_MS['30m']),
    text,
    count: waitingAt(plot, atMs),
  });
}

/** The moment at a share of the width; the future has no values. */
export function momentAt(view: PlotView, share: number): number {
  const nowMs = endOf(view);
  const spanMs = spanOf(view);
  return Math.min(nowMs, nowMs - spanMs + (Math.max(0, share) / (1 - aheadOf(view))) * spanMs);
}

/** Position of a moment, as a share of the width. */
export function shareOf(view: PlotView, atMs: number): number {
  return (1 - (endOf(view) - atMs) / spanOf(view)) * (1 - aheadOf(view));
}

/** The whole picture as text for screen readers. */
export function plotSentence(view: PlotView, name: string): string {
  const { plot, nextTryAtMs, locale } = view;
  const nowMs = endOf(view);
  const fromMs = nowMs - spanOf(view);
  const counts = stepsIn(plot, fromMs, nowMs).map((step) => step.count);
  const failed = plot.calls.filter(
    (call) => !call.ok && call.atMs >= fromMs && call.atMs <= nowMs,
  ).length;
  return [
    t('plot.say', {
      name,
      count: counts.at(-1) ?? 0,
      text: String(Math.max(0, ...counts)),
      what: t(`plot.state.${stateAt(plot, nowMs)}`),
    }),
    t('plot.say.failed', { count: failed }),
    ...(nextTryAtMs === undefined || nextTryAtMs < nowMs
      ? []
      : [t('plot.say.next', { time: clockText(nextTryAtMs, nowMs, locale, true) })]),
  ].join(' ');
}

interface PlotRow {
  readonly atMs: number;
  readonly words: string;
  readonly waiting: number;
}
/** Limits the table to a readable length. */
const MAX_ROWS = 300;

/** Everything in the picture as table rows, newest first. */
export function plotRows(view: PlotView): {
  readonly rows: readonly PlotRow[];
  /** The number of older rows that are left out. */
  readonly more: number;
} {
  const { plot } = view;
  const untilMs = endOf(view);
  const fromMs = untilMs - spanOf(view);
  const said: { readonly atMs: number; readonly words: string }[] = [
    ...plot.states
      .filter(({ atMs }) => !isBeforeAny(plot, atMs))
      .map(({ atMs, state }) => ({
        atMs,
        words: t('plot.row.state', { text: t(`plot.state.${state}`) }),
      })),
    ...plot.calls.map(({ atMs, what, ok }) => ({
      atMs,
      words:
        what === 'call' ? t('plot.row.call') : t(`plot.row.${what}.${ok ? 'ok' : 'no'}` as const),
    })),
    ...plot.declaredAtMs.map(({ atMs, failedTurns }) => ({
      atMs,
      words: t('plot.declared', { count: failedTurns }),
    })),
  ];
  const known = new Set(said.map(({ atMs }) => atMs));
  const all = [
    ...said,
    // A change of the queue alone gets a row too.
    ...plot.waiting
      .filter(({ atMs }) => !known.has(atMs))
      .map(({ atMs, count }) => ({ atMs, words: t('plot.waiting', { count }) })),
  ]
    .filter(({ atMs }) => atMs >= fromMs && atMs <= untilMs)
    .toSorted((one, other) => other.atMs - one.atMs);
  return {
    rows: all.slice(0, MAX_ROWS).map((row) => ({ ...row, waiting: waitingAt(plot, row.atMs) })),
    more: Math.max(0, all.length - MAX_ROWS),
  };
}

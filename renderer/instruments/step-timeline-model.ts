/**
 * The timeline of a turn as marks: lanes, rows with bars and captions, breaks, lines and ticks for
 * a width and a zoom. Pure; the component only draws. look.md section 11.
 */
import { t } from '../../shared/messages';
import type { MessageKey } from '../../shared/messages';
import type { Purity } from '../../shared/model';
import { shownStep } from '../parts/state-model';
import type { MarkName, Tone } from '../parts/state-model';
import { durationText } from '../parts/time-model';
import { notchesOf } from './step-tries';
import type { Notch } from './step-tries';
import { planTimeline, tookMsOf } from './step-timeline-plan';
import type {
  Call,
  Downtime,
  Phase,
  RowPlan,
  TimelinePlan,
  TimelineTurn,
} from './step-timeline-plan';
import { TIME_PX, scaleOf, ticksOf } from './step-timeline-scale';
import type { Scale, Tick } from './step-timeline-scale';

/** All of the turn, or so much time in the width, panned by pixels. */
export type Zoom =
  | { readonly kind: 'fit' }
  | { readonly kind: 'span'; readonly spanMs: number; readonly leftPx: number };
export const FIT: Zoom = { kind: 'fit' };

/** How a bar is drawn, by what became of its step. */
export type BarLook =
  | 'plain'
  | 'reused'
  | 'was'
  | 'ring'
  | 'cut'
  | 'unknown'
  | 'hollow'
  | 'recorded'
  | 'failed'
  | 'working'
  /** Waits for leave: has a place, nothing runs. */
  | 'asks';

export interface Bar {
  readonly step: number;
  readonly purity: Purity;
  readonly look: BarLook;
  readonly x: number;
  readonly widthPx: number;
  /** External steps end in an arrow tip. */
  readonly hasTip: boolean;
  /** Failed tries, and where the next ones began; empty for a call that was tried once. */
  readonly notches: readonly Notch[];
}

/** A dotted line from a call to the one that repeats it. */
interface Link {
  readonly x: number;
  readonly toX: number;
  readonly tone: 'reissued' | 'line';
}

export interface Caption {
  readonly text: string;
  readonly tone: Tone;
  readonly mark: MarkName;
  readonly x: number;
  /** `end`: the text ends at `x`, left of its bar. */
  readonly anchor: 'start' | 'end';
  /** Covers a part of the dotted line. */
  readonly isOnLink: boolean;
}

export interface Row {
  readonly plan: RowPlan;
  readonly bars: readonly Bar[];
  readonly links: readonly Link[];
  readonly captions: readonly Caption[];
  /** What found no room beside its bar: as a mark at the end of the label. */
  readonly dropped: readonly Said[];
  readonly tookMs: number | undefined;
}

/** A stop on the axis: a break of fixed width, or hatched to scale where it is short. */
export interface Break {
  readonly kind: 'stop' | 'idle';
  readonly x: number;
  readonly widthPx: number;
  readonly fromMs: number;
  readonly toMs: number;
  /** A short stop, drawn as long as it was. */
  readonly isToScale: boolean;
  /** False where the words would not fit; they are in the tooltip and the table. */
  readonly isLabelled: boolean;
  readonly reason: string;
}

type Mark =
  | {
      readonly kind: 'stop' | 'restart' | 'drift';
      readonly x: number;
      readonly atMs: number;
      /** Which side its time stands on; undefined where there is no room. */
      readonly side: 'left' | 'right' | undefined;
    }
  | {
      readonly kind: 'wait';
      readonly x: number;
      readonly widthPx: number;
      readonly tone: Tone;
      readonly label: string;
    };

/** One column of the strip above 2,000 steps. */
export interface Column {
  readonly x: number;
  readonly widthPx: number;
  readonly count: number;
  /** 0 to 1, by the fullest column. */
  readonly share: number;
  readonly look: BarLook;
}

interface Lane {
  readonly phase: Phase | undefined;
  readonly rows: readonly RowPlan[];
  /** Only above 2,000 steps; empty otherwise. */
  readonly strip: readonly Column[];
}

/** How times are written here: where the day begins, and how wide a time with seconds is. */
interface AxisWords {
  readonly utcOffsetMs: number;
  readonly timePx: number;
  /** Of the text, by the system or the person: 1 is 11 px. */
  readonly textScale: number;
}

/** What does not depend on which rows are on the screen. */
export interface Frame {
  readonly plan: TimelinePlan;
  readonly scale: Scale;
  readonly widthPx: number;
  readonly leftPx: number;
  readonly lanes: readonly Lane[];
  readonly breaks: readonly Break[];
  readonly marks: readonly Mark[];
  readonly ticks: readonly Tick[];
  readonly isDense: boolean;
  readonly textScale: number;
}

export interface TimelineModel extends Frame {
  readonly rows: readonly Row[];
}

/** Above this only the rows on the screen are in the page. */
export const VIRTUAL_FROM = 200;
/** Above this a lane is a strip, and the steps are a list beside it. */
export const DENSE_FROM = 2000;
export const LEAST_BAR_PX = 7;
const TIP_PX = 5;
const CAPTION_GAP_PX = 7;
const COLUMN_PX = 4;

/** Estimated width of a text at 11 px. */
const wordPx = (text: string): number => text.length * 5.5;

const clamp = (value: number, low: number, high: number): number =>
  Math.min(Math.max(value, low), Math.max(low, high));

/** Where the view of a zoom begins, never outside of the turn. */
const leftOf = (scale: Scale, widthPx: number, zoom: Zoom): number =>
  zoom.kind === 'fit' ? 0 : clamp(zoom.leftPx, 0, scale.contentPx - widthPx);

/** Room for what the gap is and, below it, how long it was. */
const hasRoom = (kind: Break['kind'], ms: number, widthPx: number): boolean =>
  widthPx >=
  Math.max(
    wordPx(t(kind === 'stop' ? 'timeline.stopped' : 'timeline.idle')) * 1.12,
    wordPx(durationText(ms)),
  );

const breaksOf = (
  plan: TimelinePlan,
  scale: Scale,
  leftPx: number,
  textScale: number,
): readonly Break[] => {
  const broken = new Set<Downtime>();
  const breaks: Break[] = [];
  for (const { gap, leftPx: x, widthPx, fromMs, toMs } of scale.segments) {
    if (!gap) continue;
    if (gap.kind === 'stop') broken.add(gap.stop);
    breaks.push({
      kind: gap.kind,
      x: x - leftPx,
      widthPx,
      fromMs,
      toMs,
      isToScale: false,
      isLabelled: hasRoom(gap.kind, toMs - fromMs, widthPx / textScale),
      reason: gap.kind === 'stop' ? gap.stop.reason : '',
    });
  }
  for (const stop of plan.downtimes) {
    if (broken.has(stop)) continue;
    const x = scale.xOf(stop.fromMs);
    const widthPx = scale.xOf(stop.toMs) - x;
    breaks.push({
      kind: 'stop',
      x: x - leftPx,
      widthPx,
      fromMs: stop.fromMs,
      toMs: stop.toMs,
      isToScale: true,
      isLabelled: hasRoom('stop', stop.toMs - stop.fromMs, widthPx / textScale),
      reason: stop.reason,
    });
  }
  return breaks.toSorted((a, b) => a.x - b.x);
};

const driftPx = (): number => wordPx(t('timeline.drift')) + 10;

/** Lines of stops, restarts, drift and waiting; times only where they do not meet another time. */
const marksOf = (
  plan: TimelinePlan,
  scale: Scale,
  breaks: readonly Break[],
  leftPx: number,
  widthPx: number,
  timePx: number,
): readonly Mark[] => {
  const flagPx = timePx + 8;
  const marks: Mark[] = [];
  let takenTo = 0;
  const place = (x: number, wanted: 'left' | 'right'): 'left' | 'right' | undefined => {
    for (const side of wanted === 'left' ? (['left', 'right'] as const) : (['right'] as const)) {
      const [from, to] = side === 'left' ? [x - flagPx, x] : [x, x + flagPx];
      if (from < takenTo || to > widthPx) continue;
      takenTo = to;
      return side;
    }
    return undefined;
  };
  for (const stop of breaks) {
    if (stop.kind !== 'stop') continue;
    const isBack = plan.downtimes.some((down) => down.toMs === stop.toMs && down.isBack);
    marks.push({ kind: 'stop', x: stop.x, atMs: stop.fromMs, side: place(stop.x, 'left') });
    if (!isBack) continue;
    const x = stop.x + stop.widthPx;
    marks.push({ kind: 'restart', x, atMs: stop.toMs, side: place(x, 'right') });
  }
  if (plan.driftAtMs !== undefined) {
    const x = scale.xOf(plan.driftAtMs) - leftPx;
    const toX = x + driftPx();
    const isFree = toX <= widthPx && !marks.some((mark) => mark.x > x - 1 && mark.x <= toX);
    marks.push({
      kind: 'drift',
      x,
      atMs: plan.driftAtMs,
      side: isFree ? 'right' : undefined,
    });
  }
  if (plan.waiting) {
    // Not at the restart line itself, where the last thing that happened was the restart.
    const end = scale.segments.at(-1);
    const x = (end ? end.leftPx + end.widthPx : scale.xOf(plan.toMs)) - leftPx;
    const toX = scale.contentPx - leftPx;
    marks.push({ kind: 'wait', x, widthPx: toX - x, ...plan.waiting });
  }
  return marks;
};

/** The look of a call; `next` is the call that repeats it. */
export function lookOf({ step }: Call, next: Call | undefined): BarLook {
  if (step.asks === true) return 'asks';
  if (step.state === 'ambiguous') return 'unknown';
  if (step.state === 'skipped' || step.fate === 'skipped_by_you') return 'hollow';
  if (step.state === 'confirmed' || step.fate === 'recorded_as_done') return 'recorded';
  if (step.fate === 'cut_off') return 'cut';
  if (step.state === 'started') return 'working';
  if (step.state === 'failed') return 'failed';
  if (next?.step.fate === 'asked_again') return 'was';
  if (step.fate === 'asked_again') return 'ring';
  if (step.fate === 'reused' || step.reusedCount > 0) return 'reused';
  return 'plain';
}

/** Pieces of a call outside of the stops, as x and width; a bar never lies over a break. */
const piecesOf = (
  call: Call,
  scale: Scale,
  breaks: readonly Break[],
  leftPx: number,
): readonly { x: number; widthPx: number }[] => {
  const from = scale.xOf(call.fromMs) - leftPx;
  const to = Math.max(from, scale.xOf(call.toMs) - leftPx);
  const pieces: { x: number; widthPx: number }[] = [];
  let at = from;
  for (const gap of breaks) {
    const end = gap.x + gap.widthPx;
    if (gap.kind === 'idle' || end <= at || gap.x >= to) continue;
    if (gap.x > at) pieces.push({ x: at, widthPx: gap.x - at });
    at = end;
  }
  if (to > at || pieces.length === 0) pieces.push({ x: at, widthPx: Math.max(0, to - at) });
  return pieces.map((piece) => {
    if (piece.widthPx >= LEAST_BAR_PX) return piece;
    // Grows to the right, but not into a break: then it grows to the left.
    const right = piece.x + LEAST_BAR_PX;
    const wall = breaks.find(
      (gap) => gap.kind === 'stop' && gap.widthPx > 0 && gap.x < right && gap.x >= piece.x - 0.01,
    );
    const floor = breaks.reduce((most, gap) => {
      const end = gap.x + gap.widthPx;
      return gap.kind === 'stop' && !gap.isToScale && end <= piece.x + 0.01
        ? Math.max(most, end)
        : most;
    }, Number.NEGATIVE_INFINITY);
    const x = wall ? Math.max(wall.x - LEAST_BAR_PX, floor) : piece.x;
    return { x, widthPx: LEAST_BAR_PX };
  });
};

const barsOf = (row: RowPlan, frame: Frame): readonly Bar[] =>
  row.calls.flatMap((call, at) => {
    const look = lookOf(call, row.calls[at + 1]);
    const pieces = piecesOf(call, frame.scale, frame.breaks, frame.leftPx);
    const notches = notchesOf(call, pieces, (atMs) => frame.scale.xOf(atMs) - frame.leftPx);
    return pieces.map((piece, index) => ({
      step: call.step.index,
      purity: call.step.purity,
      look,
      ...piece,
      hasTip:
        call.step.purity === 'external' &&
        index === pieces.length - 1 &&
        look !== 'unknown' &&
        look !== 'cut',
      notches: notches[index] ?? [],
    }));
  });

const linksOf = (row: RowPlan, bars: readonly Bar[]): readonly Link[] =>
  row.calls.slice(1).flatMap((call, at): Link[] => {
    const before = bars.findLast((bar) => bar.step === row.calls[at]?.step.index);
    const after = bars.find((bar) => bar.step === call.step.index);
    if (!before || !after) return [];
    const [x, toX] = [before.x + before.widthPx + 2, after.x - 2];
    const tone = call.step.fate === 'asked_again' ? 'reissued' : 'line';
    return toX > x ? [{ x, toX, tone }] : [];
  });

interface Said {
  readonly text: string;
  /** Said where the whole does not fit. */
  readonly short?: string;
  readonly tone: Tone;
  readonly mark: MarkName;
}

/** What stands beside a bar; plain finished work says nothing. */
const saidOf = (call: Call, next: Call | undefined): Said | undefined => {
  const { step } = call;
  if (step.duplicateRisk && step.state !== 'ambiguous') {
    return { text: t('turn.duplicate'), tone: 'attention', mark: 'triangle' };
  }
  const shown = shownStep(step);
  const look = lookOf(call, next);
  if (look === 'plain' && step.approvedBy !== undefined) {
    return { text: t('approval.approvedByYou'), tone: 'ok', mark: 'shield' };
  }
  if (look === 'plain' || look === 'was') return undefined;
  if (look === 'cut' && !next) {
    return { text: t('timeline.cutOff'), tone: shown.tone, mark: shown.mark };
  }
  const label = shown.label as Extract<MessageKey, 'fate.done'>;
  // The loop beside it says that it was asked again.
  const short =
    step.drift === undefined
      ? {}
      : {
          short: t(step.drift === 'same' ? 'timeline.sameResult' : 'timeline.changedResult'),
        };
  return { text: t(label), ...short, tone: shown.tone, mark: shown.mark };
};

/** Estimated width of a caption with its mark. */
export const captionPx = (text: string): number => 15 + wordPx(text);

const captionsOf = (
  row: RowPlan,
  bars: readonly Bar[],
  frame: Frame,
): Pick<Row, 'captions' | 'dropped'> => {
  const wait = frame.marks.find((mark) => mark.kind === 'wait');
  const edgePx = Math.min(frame.widthPx, wait?.x ?? frame.widthPx);
  const taken: [number, number][] = [
    ...bars.map((bar): [number, number] => [bar.x, bar.x + bar.widthPx]),
    ...frame.breaks
      .filter((gap) => gap.kind === 'stop')
      .map((gap): [number, number] => [gap.x, gap.x + Math.max(gap.widthPx, 2)]),
  ];
  const links = linksOf(row, bars).map((link): [number, number] => [link.x, link.toX]);
  const isFree = (from: number, to: number, others: readonly [number, number][]): boolean =>
    from >= 2 &&
    to <= edgePx - 2 &&
    ![...taken, ...others].some(([left, right]) => from < right + 2 && to > left - 3);
  const captions: Caption[] = [];
  const dropped: Said[] = [];
  row.calls.forEach((call, at) => {
    const own = bars.filter((bar) => bar.step === call.step.index);
    const [first, last] = [own[0], own.at(-1)];
    const said = saidOf(call, row.calls[at + 1]);
    if (!first || !last || !said) return;
    const right = last.x + last.widthPx + CAPTION_GAP_PX + (last.hasTip ? TIP_PX : 0);
    const left = first.x - CAPTION_GAP_PX;
    // Rather beside the dotted line of a repeat than on it, rather on it than nowhere.
    const tries = [links, []].flatMap((others) =>
      [said.text, said.short].flatMap((text) => (text === undefined ? [] : [{ text, others }])),
    );
    for (const { text, others } of tries) {
      const width = captionPx(text) * frame.textScale;
      const isRight = isFree(right, right + width, others);
      if (!isRight && !isFree(left - width, left, others)) continue;
      captions.push({
        text,
        tone: said.tone,
        mark: said.mark,
        x: isRight ? right : left,
        anchor: isRight ? 'start' : 'end',
        isOnLink: others !== links,
      });
      taken.push(isRight ? [right, right + width] : [left - width, left]);
      return;
    }
    dropped.push(said);
  });
  return { captions, dropped };
};

/** The marks of one row; asked for only by rows that are on the screen. */
export function drawRow(frame: Frame, plan: RowPlan): Row {
  const inView = (x: number, toX: number): boolean => toX >= -20 && x <= frame.widthPx + 20;
  const bars = barsOf(plan, frame);
  return {
    plan,
    bars: bars.filter((bar) => inView(bar.x, bar.x + bar.widthPx)),
    links: linksOf(plan, bars).filter((link) => inView(link.x, link.toX)),
    ...captionsOf(plan, bars, frame),
    tookMs: tookMsOf(plan.last),
  };
}

/** Which look wins in a column: what an operator looks for comes first. */
const TELLING: readonly BarLook[] = [
  'unknown',
  'asks',
  'failed',
  'working',
  'cut',
  'ring',
  'was',
  'hollow',
  'recorded',
  'reused',
  'plain',
];

/** Steps that began in each column of the view, and the most telling of their fates. */
function stripOf(rows: readonly RowPlan[], frame: Omit<Frame, 'lanes'>): readonly Column[] {
  const columns = new Map<number, { count: number; rank: number }>();
  for (const row of rows) {
    row.calls.forEach((call, at) => {
      const x = frame.scale.xOf(call.fromMs) - frame.leftPx;
      if (x < 0 || x > frame.widthPx) return;
      const slot = Math.floor(x / COLUMN_PX);
      const rank = TELLING.indexOf(lookOf(call, row.calls[at + 1]));
      const known = columns.get(slot);
      if (!known) columns.set(slot, { count: 1, rank });
      else {
        known.count += 1;
        known.rank = Math.min(known.rank, rank);
      }
    });
  }
  let most = 1;
  for (const { count } of columns.values()) most = Math.max(most, count);
  return [...columns.entries()]
    .toSorted(([a], [b]) => a - b)
    .map(([slot, { count, rank }]) => ({
      x: slot * COLUMN_PX,
      widthPx: COLUMN_PX - 1,
      count,
      share: count / most,
      look: TELLING[rank] ?? 'plain',
    }));
}

/** A stop narrower than this is a line: a tick beside it is read all the same. */
const TIGHT_PX = 10;

/** Axis, breaks, lines and lanes; rows are drawn one by one with {@link drawRow}. */
export function frameOf(
  plan: TimelinePlan,
  widthPx: number,
  zoom: Zoom,
  words: Partial<AxisWords> = {},
): Frame {
  const { utcOffsetMs = 0, timePx = TIME_PX, textScale = 1 } = words;
  const scale = scaleOf(plan, widthPx, zoom.kind === 'fit' ? undefined : zoom.spanMs);
  const leftPx = leftOf(scale, widthPx, zoom);
  const breaks = breaksOf(plan, scale, leftPx, textScale);
  const marks = marksOf(plan, scale, breaks, leftPx, widthPx, timePx);
  const wait = marks.find((mark) => mark.kind === 'wait');
  const reserved = marks.filter((mark) => mark.kind !== 'drift').map((mark) => mark.x);
  const ticks = ticksOf(scale, { leftPx, widthPx }, reserved, { utcOffsetMs, timePx }).filter(
    (tick) =>
      (!wait || tick.x < wait.x) &&
      // A stop that is drawn to scale has its length written in it, like a break.
      !breaks.some(
        (gap) => gap.widthPx >= TIGHT_PX && tick.x > gap.x && tick.x < gap.x + gap.widthPx,
      ) &&
      !marks.some(
        (mark) =>
          mark.kind === 'drift' &&
          mark.side !== undefined &&
          tick.x > mark.x - timePx / 2 &&
          tick.x < mark.x + driftPx() + timePx / 2,
      ),
  );
  const calls = plan.rows.reduce((count, row) => count + row.calls.length, 0);
  const isDense = calls > DENSE_FROM;
  const frame = { plan, scale, widthPx, leftPx, breaks, marks, ticks, isDense, textScale };
  return {
    ...frame,
    lanes: plan.lanes.map((lane) => ({
      ...lane,
      strip: isDense ? stripOf(lane.rows, frame) : [],
    })),
  };
}

/** The whole timeline of a turn as marks. */
export function timelineModel(
  turn: TimelineTurn,
  widthPx: number,
  zoom: Zoom,
  words: Partial<AxisWords> = {},
): TimelineModel {
  const frame = frameOf(planTimeline(turn), widthPx, zoom, words);
  const rows = frame.isDense ? [] : frame.plan.rows.map((row) => drawRow(frame, row));
  return { ...frame, rows };
}

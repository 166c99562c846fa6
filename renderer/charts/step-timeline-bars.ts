/** The marks of one row: bars, the lines between them, and captions. Pure. */
import { t } from '../../shared/messages';
import type { MessageKey } from '../../shared/messages';
import { shownStep } from '../parts/state-view';
import { notchesOf } from './step-tries';
import { tookMsOf } from './step-timeline-plan';
import type { Call, RowPlan } from './step-timeline-plan';
import type { Scale } from './step-timeline-scale';
import { LEAST_BAR_PX, wordPx } from './step-timeline-shapes';
import type {
  BarLook,
  Bar,
  Link,
  Caption,
  BarText,
  Row,
  Break,
  Frame,
} from './step-timeline-shapes';

const TIP_PX = 5;
const CAPTION_GAP_PX = 7;

/** The look of a call; `next` is the call that repeats it. */
export function lookOf({ step }: Call, next: Call | undefined): BarLook {
  if (step.asks === true) return 'asks';
  if (step.state === 'ambiguous') return 'unknown';
  if (step.state === 'skipped' || step.fate === 'skipped_by_you') return 'hollow';
  if (step.state === 'confirmed' || step.fate === 'recorded_as_done') return 'recorded';
  if (step.fate === 'cut_off') return 'cut';
  if (step.state === 'started') return 'working';
  if (step.state === 'failed') return step.again === undefined ? 'failed' : 'plain';
  if (next?.step.fate === 'asked_again') return 'was';
  if (step.fate === 'asked_again') return 'ring';
  if (step.fate === 'reused' || step.reusedCount > 0) return 'reused';
  return 'plain';
}

/** Parts of a call outside the stops, as x and width; a bar never overlaps a break. */
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
    // Extends to the right unless a break is there, then to the left.
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

/** Caption of a bar; ordinary finished work has none. */
const saidOf = (call: Call, next: Call | undefined): BarText | undefined => {
  const { step } = call;
  if (step.duplicateRisk && step.state !== 'ambiguous') {
    return { text: t('turn.duplicate'), tone: 'attention', mark: 'triangle' };
  }
  const shown = shownStep(step);
  const look = lookOf(call, next);
  if (look === 'plain' && step.approvedBy !== undefined) {
    return { text: t('approval.approvedByYou'), tone: 'ok', mark: 'shield' };
  }
  if ((look === 'plain' && step.again === undefined) || look === 'was') return undefined;
  if (look === 'cut' && !next) {
    return { text: t('timeline.cutOff'), tone: shown.tone, mark: shown.mark };
  }
  const label = shown.label as Extract<MessageKey, 'fate.done'>;
  // The loop icon next to it shows that it was re-read.
  const short =
    step.drift === undefined
      ? {}
      : {
          short: t(step.drift === 'same' ? 'timeline.sameResult' : 'timeline.changedResult'),
        };
  return { text: t(label), ...short, tone: shown.tone, mark: shown.mark };
};

/** Estimated width of a caption with its mark. */
const captionPx = (text: string): number => 15 + wordPx(text);

/** Where no caption fits: a stop, and idle time that is labeled above the rows. */
const takenByBreaks = ({ breaks }: Frame): readonly [number, number][] =>
  breaks
    .filter((gap) => gap.kind === 'stop' || gap.isLabelled)
    .map((gap): [number, number] => [gap.x, gap.x + Math.max(gap.widthPx, 2)]);

/** Whether a caption at this position of a closed lane is clear of the edges and breaks. */
export const hasCaptionRoom = (frame: Frame, text: string, fromPx: number): boolean => {
  const toPx = fromPx + captionPx(text) * frame.textScale;
  return (
    toPx <= frame.widthPx &&
    !takenByBreaks(frame).some(([left, right]) => fromPx < right && toPx > left)
  );
};

const captionsOf = (
  row: RowPlan,
  bars: readonly Bar[],
  frame: Frame,
): Pick<Row, 'captions' | 'dropped'> => {
  const wait = frame.marks.find((mark) => mark.kind === 'wait');
  const edgePx = Math.min(frame.widthPx, wait?.x ?? frame.widthPx);
  const taken: [number, number][] = [
    ...bars.map((bar): [number, number] => [bar.x, bar.x + bar.widthPx]),
    ...takenByBreaks(frame),
  ];
  const links = linksOf(row, bars).map((link): [number, number] => [link.x, link.toX]);
  const isFree = (from: number, to: number, others: readonly [number, number][]): boolean =>
    from >= 2 &&
    to <= edgePx - 2 &&
    ![...taken, ...others].some(([left, right]) => from < right + 2 && to > left - 3);
  const captions: Caption[] = [];
  const dropped: BarText[] = [];
  row.calls.forEach((call, at) => {
    const own = bars.filter((bar) => bar.step === call.step.index);
    const [first, last] = [own[0], own.at(-1)];
    const said = saidOf(call, row.calls[at + 1]);
    if (!first || !last || !said) return;
    const right = last.x + last.widthPx + CAPTION_GAP_PX + (last.hasTip ? TIP_PX : 0);
    const left = first.x - CAPTION_GAP_PX;
    // Preferably next to the dotted line of a repeat; over it if there is no other room.
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

/** The marks of one row; computed only for visible rows. */
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

/**
 * The practice turn as a small live timeline: bars as percentages of the width, stops as breaks.
 * Pure.
 */
import type { VerbOutput } from '../../shared/contract';
import type { StepView } from '../../shared/types';
import { t } from '../../shared/messages';
import { planTimeline } from '../charts/step-timeline-plan';
import type { Call } from '../charts/step-timeline-plan';
import { shownStep } from '../parts/state-view';
import type { MarkName, Tone } from '../parts/state-view';

type PracticeLook = 'plain' | 'reused' | 'was' | 'ring' | 'cut' | 'unknown' | 'working';

interface PracticeBar {
  readonly step: number;
  readonly look: PracticeLook;
  readonly leftPercent: number;
  readonly widthPercent: number;
}

export interface PracticeRow {
  /** The newest call of the row: the row's texts describe it. */
  readonly step: StepView;
  readonly bars: readonly PracticeBar[];
  /** Dotted, from the lost call to the one that repeats it. */
  readonly link: { readonly leftPercent: number; readonly widthPercent: number } | undefined;
  readonly caption: {
    readonly text: string;
    readonly tone: Tone;
    readonly mark: MarkName;
    /** Next to the bar; `end`: the text ends there, left of it. */
    readonly atPercent: number;
    readonly anchor: 'start' | 'end';
  };
}

export interface PracticeStop {
  readonly leftPercent: number;
  readonly widthPercent: number;
  readonly isBack: boolean;
  readonly downMs: number;
}

interface PracticeTimeline {
  readonly rows: readonly PracticeRow[];
  readonly stops: readonly PracticeStop[];
}

/** A break has a fixed width, however long the stop was. */
const BREAK_PERCENT = 7;
/** Reserved at the right for the captions of the last bars. */
const WORDS_PERCENT = 24;
/**
 * Less time than this does not fill the width, so that the first bars grow instead of shrinking.
 */
const LEAST_SPAN_MS = 6000;
const LEAST_BAR_PERCENT = 1.2;
/** Caption widths, measured in the narrowest window: per letter, and for a mark with gaps. */
const WORD_PERCENT_PER_LETTER = 0.95;
const MARK_PERCENT = 5;

const lookOf = (call: Call, isRepeated: boolean): PracticeLook => {
  const { step } = call;
  if (step.state === 'ambiguous') return 'unknown';
  if (isRepeated) return step.fate === 'cut_off' || step.endedAtMs === undefined ? 'cut' : 'was';
  if (step.fate === 'cut_off') return 'cut';
  if (step.state === 'started') return 'working';
  if (step.fate === 'asked_again') return 'ring';
  return step.fate === 'reused' || step.reusedCount > 0 ? 'reused' : 'plain';
};

/**
 * The caption of a row: as on every page, except that a file that was written is "written once".
 */
const wordsOf = (step: StepView): { text: string; tone: Tone; mark: MarkName } => {
  const shown = shownStep(step);
  const isWritten =
    (step.purity === 'side_effect' || step.purity === 'external') &&
    (step.fate === 'reused' || step.reusedCount > 0);
  return {
    text: isWritten ? t('try.writtenOnce') : t(shown.label as 'fate.done'),
    tone: shown.tone,
    mark: shown.mark,
  };
};

export function practiceTimeline(
  data: Pick<VerbOutput<'turns.show'>, 'turn' | 'steps' | 'stops'>,
  nowMs: number,
): PracticeTimeline {
  const plan = planTimeline({
    steps: data.steps,
    stops: data.stops,
    startedAtMs: data.turn.startedAtMs,
    isRunning: data.turn.state === 'running',
    nowMs,
  });
  const downMs = plan.downtimes.reduce((sum, down) => sum + (down.toMs - down.fromMs), 0);
  const activeMs = Math.max(LEAST_SPAN_MS, plan.toMs - plan.fromMs - downMs);
  const forTime = Math.max(20, 100 - WORDS_PERCENT - plan.downtimes.length * BREAK_PERCENT);
  const at = (ms: number): number => {
    let active = ms - plan.fromMs;
    let breaks = 0;
    for (const down of plan.downtimes) {
      if (ms <= down.fromMs) break;
      active -= Math.min(ms, down.toMs) - down.fromMs;
      // Nothing happened inside a break; time continues on its other side.
      breaks += ms >= down.toMs ? 1 : 0;
    }
    return (Math.max(0, active) / activeMs) * forTime + breaks * BREAK_PERCENT;
  };
  const rows = plan.rows.map(({ calls, last }): PracticeRow => {
    const bars = calls.map((call): PracticeBar => {
      const right = at(call.toMs);
      const widthPercent = Math.max(LEAST_BAR_PERCENT, right - at(call.fromMs));
      // A bar that ended before a stop is left of its line, however narrow it becomes.
      const line = plan.downtimes.find((down) => call.fromMs <= down.fromMs);
      const most = line === undefined ? 100 : at(line.fromMs);
      const left = call.toMs <= (line?.fromMs ?? 0) ? most - widthPercent : 100;
      return {
        step: call.step.index,
        look: lookOf(call, call !== last),
        leftPercent: Math.max(0, Math.min(at(call.fromMs), left)),
        widthPercent,
      };
    });
    const [first] = bars;
    const end = bars.at(-1);
    const rightEdge = (end?.leftPercent ?? 0) + (end?.widthPercent ?? 0);
    const from = (first?.leftPercent ?? 0) + (first?.widthPercent ?? 0);
    const words = wordsOf(last.step);
    const needed = WORD_PERCENT_PER_LETTER * words.text.length + MARK_PERCENT;
    const startsAt = first?.leftPercent ?? 0;
    // A caption never crosses the line of a stop; its other position is left of the bar.
    const isCut = plan.downtimes.some((down) => {
      const line = at(down.fromMs);
      return line >= rightEdge - LEAST_BAR_PERCENT && line < rightEdge + needed;
    });
    const hasRoom = rightEdge + needed <= 100 && !(isCut && startsAt >= needed);
    // Without room on the left, it is on the dotted line rather than on the row's name.
    const endsAt = startsAt >= needed ? startsAt : (end?.leftPercent ?? startsAt);
    return {
      step: last.step,
      bars,
      link:
        bars.length < 2 || !end
          ? undefined
          : { leftPercent: from, widthPercent: Math.max(0, end.leftPercent - from) },
      caption: {
        ...words,
        atPercent: hasRoom ? rightEdge : endsAt,
        anchor: hasRoom ? 'start' : 'end',
      },
    };
  });
  return {
    rows,
    stops: plan.downtimes.map((down) => ({
      leftPercent: at(down.fromMs),
      widthPercent: BREAK_PERCENT,
      isBack: down.isBack,
      downMs: down.toMs - down.fromMs,
    })),
  };
}

/** The step that was running when Holdfast was killed, for the sentence; the last stop counts. */
export function killedDuring(
  data: Pick<VerbOutput<'turns.show'>, 'steps' | 'stops'>,
): number | undefined {
  const stop = data.stops.at(-1);
  if (!stop) return undefined;
  const back = stop.backAtMs ?? Number.POSITIVE_INFINITY;
  return data.steps
    .filter((step) => step.startedAtMs < back && step.fate === 'cut_off')
    .toSorted((a, b) => b.index - a.index)[0]?.index;
}

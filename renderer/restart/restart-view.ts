/** A turn as a thin strip: its steps over time, with the stop drawn as a break. Pure. */
import { t } from '../../shared/messages';
import type { StepView, TurnSummary } from '../../shared/types';
import { downtimesOf, type Stop } from '../charts/step-timeline-plan';
import { shownStep, type Tone } from '../parts/state-view';

interface StripBar {
  readonly x: number;
  readonly width: number;
  readonly tone: Tone;
}
interface StripBreak {
  readonly x: number;
  readonly width: number;
}
export interface Strip {
  readonly bars: readonly StripBar[];
  readonly breaks: readonly StripBreak[];
  /** For screen readers. */
  readonly sentence: string;
}

interface StripTurn {
  readonly steps: readonly StepView[];
  readonly stops: readonly Stop[];
  readonly startedAtMs: number;
  /** The end of the turn, or now. */
  readonly toMs: number;
}

const BREAK_PX = 26;
const BAR_MIN = 3;
/** A step with unknown outcome has no known end, and must still be visible. */
const UNKNOWN_MIN = 12;
const round = (value: number): number => Math.round(value * 10) / 10;

/** For `width` px. Downtime always has the same width, because the strip is about the work. */
export function turnStrip(turn: StripTurn, width: number): Strip {
  const fromMs = Math.min(turn.startedAtMs, ...turn.steps.map(({ startedAtMs }) => startedAtMs));
  const toMs = Math.max(turn.toMs, fromMs + 1);
  const gaps = downtimesOf(turn.steps, turn.stops, toMs).filter(
    (gap) => gap.toMs > fromMs && gap.fromMs < toMs,
  );
  const downMs = gaps.reduce((sum, gap) => sum + lengthIn(gap, fromMs, toMs), 0);
  const workPx = Math.max(1, width - gaps.length * BREAK_PX);
  const perMs = workPx / Math.max(1, toMs - fromMs - downMs);
  const x = (atMs: number): number => {
    const at = Math.min(Math.max(atMs, fromMs), toMs);
    let place = (at - fromMs) * perMs;
    for (const gap of gaps) {
      const passedMs = lengthIn(gap, fromMs, Math.min(at, toMs));
      const wholeMs = lengthIn(gap, fromMs, toMs);
      place += wholeMs === 0 ? 0 : (passedMs / wholeMs) * BREAK_PX - passedMs * perMs;
    }
    return place;
  };
  return {
    bars: turn.steps.map((step) => {
      const least = step.state === 'ambiguous' ? UNKNOWN_MIN : BAR_MIN;
      const left = Math.min(x(step.startedAtMs), width - least);
      const right = x(endOf(step, gaps, toMs));
      return {
        x: round(Math.max(0, left)),
        width: round(Math.max(least, right - left - 1)),
        tone: shownStep(step).tone,
      };
    }),
    breaks: gaps.map((gap) => ({
      x: round(x(gap.fromMs)),
      width: round(x(gap.toMs) - x(gap.fromMs)),
    })),
    sentence: sentenceOf(turn.steps, gaps.length),
  };
}

function sentenceOf(steps: readonly StepView[], stops: number): string {
  const reused = steps.filter(({ reusedCount }) => reusedCount > 0).length;
  const unknown = steps.filter(({ state }) => state === 'ambiguous').length;
  return [
    t('restart.strip.steps', { count: steps.length }),
    ...(reused > 0 ? [t('restart.strip.reused', { count: reused })] : []),
    ...(unknown > 0 ? [t('restart.strip.unknown', { count: unknown })] : []),
    ...(stops > 0 ? [t('restart.strip.stops', { count: stops })] : []),
  ].join(', ');
}

type Gap = { readonly fromMs: number; readonly toMs: number };

const lengthIn = (gap: Gap, fromMs: number, toMs: number): number =>
  Math.max(0, Math.min(gap.toMs, toMs) - Math.max(gap.fromMs, fromMs));

/** Where the strip of a turn ends: with the turn, now while it runs, or at the last known event. */
export function stripEnd(
  turn: Pick<TurnSummary, 'state' | 'endedAtMs'>,
  steps: readonly StepView[],
  stops: readonly Stop[],
  nowMs: number,
): number {
  if (turn.endedAtMs !== undefined) return turn.endedAtMs;
  if (turn.state === 'running') return nowMs;
  return Math.max(
    ...steps.map(({ startedAtMs, endedAtMs }) => endedAtMs ?? startedAtMs),
    ...stops.map(({ stoppedAtMs, backAtMs }) => backAtMs ?? stoppedAtMs),
  );
}

/** A step without an end is drawn up to the stop that interrupted it, or else up to now. */
function endOf(step: StepView, gaps: readonly Gap[], toMs: number): number {
  if (step.endedAtMs !== undefined) return step.endedAtMs;
  return gaps.find((gap) => gap.fromMs >= step.startedAtMs)?.fromMs ?? toMs;
}

/**
 * The parts of a step timeline that do not depend on its width: the times Holdfast was down, the
 * rows, and the moment each step was last known to run. Pure.
 */
import type { StepView } from '../../shared/types';
import type { Tone } from '../parts/state-view';

/** A stop of Holdfast during the turn, as reported by the engine. */
export interface Stop {
  readonly stoppedAtMs: number;
  readonly backAtMs?: number | undefined;
  readonly reason: string;
}

/** A span of wall time, `fromMs <= toMs`. */
export interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

/** A time in which nothing could run. */
export interface Downtime extends Span {
  /** False while Holdfast is still down: `toMs` is now. */
  readonly isBack: boolean;
  readonly reason: string;
}

/** Steps under one heading. Outside of skills there is no heading, and the lane is always open. */
export interface Phase {
  readonly name: string;
  readonly phrase: string;
  readonly firstStep: number;
  readonly lastStep: number;
}

/** What a blocked turn waits for; drawn as a line with a fading background. */
export interface Waiting {
  readonly tone: Tone;
  readonly label: string;
  /** Steps whose result the user is asked about. */
  readonly steps: readonly number[];
}

/** A step, or a call waiting for permission: it has a position, but nothing runs. */
export type TimelineStep = StepView & { readonly asks?: true };

/** The input of a timeline. */
export interface TimelineTurn {
  readonly steps: readonly TimelineStep[];
  readonly stops: readonly Stop[];
  readonly phases?: readonly Phase[];
  readonly startedAtMs?: number | undefined;
  readonly isRunning: boolean;
  readonly waiting?: Waiting | undefined;
  readonly nowMs: number;
}

/** One call of a tool and the moment it was last known to run. */
export interface Call extends Span {
  readonly step: TimelineStep;
}

/** A row: a step, followed by the calls that re-read or re-ran it. */
export interface RowPlan {
  /** Position among all rows, from 0. */
  readonly at: number;
  /** Never empty, in start order. */
  readonly calls: readonly Call[];
  /** The newest call: the texts of the row describe it. */
  readonly last: Call;
  readonly needsYou: boolean;
}

export interface LanePlan {
  readonly phase: Phase | undefined;
  readonly rows: readonly RowPlan[];
}

export interface TimelinePlan extends Span {
  readonly rows: readonly RowPlan[];
  readonly lanes: readonly LanePlan[];
  readonly downtimes: readonly Downtime[];
  readonly waiting: Waiting | undefined;
  readonly isRunning: boolean;
  /** Start of the first read whose result differed after a stop. */
  readonly driftAtMs: number | undefined;
}

/** First index whose value is at least `wanted`; `valueAt` must not decrease. */
const lowerBound = (length: number, valueAt: (index: number) => number, wanted: number): number => {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (valueAt(middle) < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
};

/**
 * Stops in order, without overlap. The engine knows only when Holdfast was last known to run: a
 * step that started (or finished) after that, but before the restart, moves the stop to that
 * moment.
 */
export function downtimesOf(
  steps: readonly StepView[],
  stops: readonly Stop[],
  nowMs: number,
): readonly Downtime[] {
  const ordered = stops
    .toSorted((a, b) => a.stoppedAtMs - b.stoppedAtMs)
    .map((stop) => ({
      fromMs: stop.stoppedAtMs,
      toMs: Math.max(stop.stoppedAtMs, stop.backAtMs ?? nowMs),
      isBack: stop.backAtMs !== undefined,
      reason: stop.reason,
    }));
  for (let at = 1; at < ordered.length; at += 1) {
    const [before, stop] = [ordered[at - 1], ordered[at]];
    if (!before || !stop) continue;
    stop.fromMs = Math.max(stop.fromMs, before.toMs);
    stop.toMs = Math.max(stop.toMs, stop.fromMs);
  }
  const push = (atMs: number): void => {
    const stop = ordered[lowerBound(ordered.length, (at) => ordered[at]?.toMs ?? 0, atMs + 1)];
    if (stop && atMs > stop.fromMs) stop.fromMs = atMs;
  };
  for (const step of steps) {
    push(step.startedAtMs);
    if (step.state === 'completed' && step.endedAtMs !== undefined) push(step.endedAtMs);
  }
  return ordered;
}

/**
 * The moment a step was last known to run. For an interrupted step the restart recorded the end,
 * for a confirmed one the user's answer: neither is its run time.
 */
export function knownEndMs(
  step: TimelineStep,
  downtimes: readonly Downtime[],
  nowMs: number,
): number {
  const started = step.startedAtMs;
  // The answer may take days: the wait is shown as the line after the step, not as its length.
  if (step.asks === true) return started;
  const written = step.endedAtMs ?? (step.state === 'started' ? nowMs : started);
  if (step.state === 'completed') return Math.max(started, written);
  const stop = downtimes[lowerBound(downtimes.length, (at) => downtimes[at]?.fromMs ?? 0, started)];
  if (stop && stop.fromMs < written) return stop.fromMs;
  return step.state === 'confirmed' || step.state === 'skipped'
    ? started
    : Math.max(started, written);
}

/** How long a step ran, if known: not for one whose result the user entered. */
export function tookMsOf(call: Call): number | undefined {
  const { state, endedAtMs } = call.step;
  if (call.step.asks === true) return undefined;
  if (state === 'confirmed' || state === 'skipped') return undefined;
  return endedAtMs === undefined && state !== 'started' ? undefined : call.toMs - call.fromMs;
}

/** The first step of a chain of repeats; a missing link ends the chain. */
const rootOf = (step: StepView, byIndex: ReadonlyMap<number, StepView>): number => {
  let at = step;
  while (at.againOf !== undefined && at.againOf < at.index) {
    const before = byIndex.get(at.againOf);
    if (!before) break;
    at = before;
  }
  return at.index;
};

const rowsOf = (turn: TimelineTurn, downtimes: readonly Downtime[]): readonly RowPlan[] => {
  const ordered = turn.steps.toSorted((a, b) => a.index - b.index);
  const byIndex = new Map(ordered.map((step) => [step.index, step]));
  const chains = new Map<number, Call[]>();
  for (const step of ordered) {
    const root = rootOf(step, byIndex);
    const call = {
      step,
      fromMs: step.startedAtMs,
      toMs: knownEndMs(step, downtimes, turn.nowMs),
    };
    const chain = chains.get(root);
    if (chain) chain.push(call);
    else chains.set(root, [call]);
  }
  const asked = new Set(turn.waiting?.steps);
  const rows: RowPlan[] = [];
  for (const calls of chains.values()) {
    const last = calls.at(-1);
    if (!last) continue;
    rows.push({ at: rows.length, calls, last, needsYou: asked.has(last.step.index) });
  }
  return rows;
};

const lanesOf = (rows: readonly RowPlan[], phases: readonly Phase[]): readonly LanePlan[] => {
  if (phases.length === 0) return [{ phase: undefined, rows }];
  const lanes: { phase: Phase | undefined; rows: RowPlan[] }[] = [];
  for (const row of rows) {
    const step = row.calls[0]?.step.index ?? 0;
    const phase = phases.find((one) => step >= one.firstStep && step <= one.lastStep);
    const lane = lanes.at(-1);
    if (lane && lane.phase === phase) lane.rows.push(row);
    else lanes.push({ phase, rows: [row] });
  }
  return lanes;
};

/** Rows, stops and ends of a turn, ready to be drawn at any width. */
export function planTimeline(turn: TimelineTurn): TimelinePlan {
  const downtimes = downtimesOf(turn.steps, turn.stops, turn.nowMs);
  const rows = rowsOf(turn, downtimes);
  let fromMs = turn.startedAtMs ?? Number.POSITIVE_INFINITY;
  let toMs = turn.isRunning ? turn.nowMs : Number.NEGATIVE_INFINITY;
  for (const { calls } of rows) {
    for (const call of calls) {
      fromMs = Math.min(fromMs, call.fromMs);
      toMs = Math.max(toMs, call.toMs);
    }
  }
  for (const stop of downtimes) {
    fromMs = Math.min(fromMs, stop.fromMs);
    toMs = Math.max(toMs, stop.toMs);
  }
  if (!Number.isFinite(fromMs)) fromMs = turn.nowMs;
  const drifted = rows
    .flatMap((row) => row.calls)
    .filter(({ step }) => step.drift === 'changed')
    .map((call) => call.fromMs);
  return {
    rows,
    lanes: lanesOf(rows, turn.phases ?? []),
    downtimes,
    waiting: turn.waiting,
    isRunning: turn.isRunning,
    fromMs,
    toMs: Math.max(toMs, fromMs + 1),
    driftAtMs: drifted.length === 0 ? undefined : drifted.reduce((a, b) => Math.min(a, b)),
  };
}

/** The phases of a run as a bar, and its steps as a timeline. Pure. */
import { t } from '../../shared/messages';
import type { VerbOutput } from '../../shared/contract';
import type { RunPlan, RunView, StepView } from '../../shared/types';
import type { TimelineTurn } from '../charts/step-timeline-plan';
import { downtimesOf, knownEndMs } from '../charts/step-timeline-plan';
import { oneLine } from '../parts/inert-view';
import type { MarkName, Tone } from '../parts/state-view';
import { durationText } from '../parts/time-view';
import { timelineOf } from '../turn/turn-story-view';
import type { DrawnTurn } from '../turn/turn-story-view';
import { phaseRows } from './runs-view';

type ShownTurn = VerbOutput<'turns.show'>;

/** One pass through one phase, as the bar shows it. */
export interface PhaseCell {
  readonly key: string;
  readonly name: string;
  /** A count of 1 is not shown. */
  readonly visit: number;
  readonly state: 'done' | 'now' | 'waits' | 'next' | 'ended';
  readonly tone: Tone;
  /** A phase that has not started has no mark. */
  readonly mark: MarkName | undefined;
  readonly text: string;
  /** Steps and their time, or empty. */
  readonly detail: string;
  readonly leftAtMs: number | undefined;
}

const LOOKS: Readonly<Record<PhaseCell['state'], readonly [Tone, MarkName | undefined]>> = {
  done: ['ok', 'check'],
  now: ['working', 'play'],
  waits: ['attention', 'shield'],
  next: ['muted', undefined],
  ended: ['muted', 'stop'],
};

/** Steps and how long they ran; a stop of Holdfast is not counted. */
function detailOf(steps: readonly StepView[], data: ShownTurn, nowMs: number): string {
  if (steps.length === 0) return '';
  const count = t('runs.stepCount', { count: steps.length });
  const downtimes = downtimesOf(data.steps, data.stops, nowMs);
  const ms = steps.reduce(
    (sum, step) => sum + knownEndMs(step, downtimes, nowMs) - step.startedAtMs,
    0,
  );
  return ms < 100 ? count : t('runs.stepsTook', { what: count, duration: durationText(ms) });
}

/** Whether the run itself, and not only its turn, waits for the user. */
const isWaiting = (run: RunView): boolean => run.awaiting !== undefined;

/**
 * Every past, current, and upcoming pass of the run, in order. A run that ended inside a phase
 * shows where. While the turn is still loading, the cells have no counts.
 */
export function phaseCells(
  run: RunView,
  plan: RunPlan | undefined,
  data: ShownTurn | undefined,
  nowMs: number,
): readonly PhaseCell[] {
  const rows = phaseRows(run, plan);
  const isListed = rows.some((row) => row.phase === run.phase && row.visit === run.visit);
  const isCutShort =
    run.state !== 'running' && run.state !== 'completed' && run.visit > 0 && run.phase !== '';
  const all = [
    ...rows.map((row) => ({
      ...row,
      state:
        row.state === 'done'
          ? ('done' as const)
          : row.state === 'to_run'
            ? ('next' as const)
            : isWaiting(run)
              ? ('waits' as const)
              : ('now' as const),
    })),
    ...(isCutShort && !isListed
      ? [{ phase: run.phase, visit: run.visit, state: 'ended' as const, leftAtMs: run.endedAtMs }]
      : []),
  ];
  return all.map(({ phase, visit, state, leftAtMs }, at) => {
    const steps =
      data?.steps.filter(
        ({ run: own }) => own?.runId === run.id && own.phase === phase && own.visit === visit,
      ) ?? [];
    const [tone, mark] = LOOKS[state];
    return {
      key: `${String(at)} ${phase} ${String(visit)}`,
      name: oneLine(phase, 64),
      visit,
      state,
      tone: state === 'ended' && run.state === 'failed' ? 'outage' : tone,
      mark: state === 'ended' && run.state === 'failed' ? 'cross' : mark,
      text: state === 'ended' ? t(`runs.state.${run.state}`) : t(`runs.cell.${state}`),
      detail: data === undefined ? '' : detailOf(steps, data, nowMs),
      leftAtMs,
    };
  });
}

/** The run in one sentence. */
export function runStory(run: RunView, cells: readonly PhaseCell[]): string {
  const done = cells.filter((cell) => cell.state === 'done').length;
  const name = oneLine(run.phase, 64);
  const duration = durationText((run.endedAtMs ?? run.startedAtMs) - run.startedAtMs);
  const at = cells.findIndex((cell) => ['now', 'waits', 'next'].includes(cell.state));
  switch (run.state) {
    case 'completed':
      return cells.length > 1
        ? t('runs.story.completed', { count: cells.length, duration })
        : t('runs.story.completedOne', { duration });
    case 'running':
      if (run.phase === '' || at < 0) return t('runs.story.notStarted');
      if (cells.length === 1) return t(`runs.story.one.${isWaiting(run) ? 'waits' : 'now'}`);
      return t(`runs.story.${isWaiting(run) ? 'waits' : run.visit === 0 ? 'next' : 'now'}`, {
        name,
        step: at + 1,
        count: cells.length,
      });
    case 'failed':
    case 'discarded':
    case 'cancelled':
      return name === ''
        ? t('runs.story.endedBefore', { what: t(`runs.state.${run.state}`) })
        : t('runs.story.ended', { what: t(`runs.state.${run.state}`), name, count: done });
  }
}

/** The run and every run below it. */
export function familyOf(run: RunView, runs: readonly RunView[]): ReadonlySet<number> {
  const family = new Set([run.id]);
  // A child always has a higher number than the run that started it.
  for (const one of runs.toSorted((a, b) => a.id - b.id)) {
    if (one.parentRunId !== undefined && family.has(one.parentRunId)) family.add(one.id);
  }
  return family;
}

/** The steps of a run and of the runs it started, with the stops during it. */
export function runTimeline(
  data: DrawnTurn,
  run: RunView,
  family: ReadonlySet<number>,
  nowMs: number,
): TimelineTurn {
  const steps = data.steps.filter((step) => step.run !== undefined && family.has(step.run.runId));
  const endMs = run.endedAtMs ?? nowMs;
  const isOpen = run.state === 'running';
  const whole = timelineOf({ ...data, steps }, nowMs);
  return {
    ...whole,
    stops: data.stops.filter(
      (stop) => stop.stoppedAtMs <= endMs && (stop.backAtMs ?? nowMs) >= run.startedAtMs,
    ),
    startedAtMs: run.startedAtMs,
    isRunning: whole.isRunning && isOpen,
    waiting: isOpen ? whole.waiting : undefined,
  };
}

/** Lanes of a timeline as lines: phase headers, closed or open, and the rows below them. Pure. */
import { t } from '../../shared/messages';
import { tookMsOf } from './step-timeline-plan';
import type { LanePlan, Phase, RowPlan, TimelinePlan, TimelineStep } from './step-timeline-plan';

/** One line of the grid. */
type Line =
  | {
      readonly kind: 'head';
      readonly lane: LanePlan;
      readonly key: string;
      readonly isOpen: boolean;
    }
  | { readonly kind: 'row'; readonly row: RowPlan; readonly key: string };

/**
 * The phases of a turn, in the order of their first step. A phase that is entered again, or
 * continues after a nested run, is a separate one: lines stay in time order.
 */
export function phasesOf(steps: readonly TimelineStep[]): readonly Phase[] {
  const phases: (Phase & { lastStep: number })[] = [];
  let key = '';
  const hasSkills = new Set(steps.flatMap(({ run }) => (run ? [run.skill] : []))).size > 1;
  for (const { run, index } of steps.toSorted((a, b) => a.index - b.index)) {
    const own = run === undefined ? '' : `${String(run.runId)} ${run.phase} ${String(run.visit)}`;
    const last = phases.at(-1);
    if (run !== undefined && own === key && last !== undefined) last.lastStep = index;
    else if (run !== undefined) {
      const name =
        run.visit > 1 ? t('timeline.phaseVisit', { name: run.phase, count: run.visit }) : run.phase;
      phases.push({ name, phrase: hasSkills ? run.skill : '', firstStep: index, lastStep: index });
    }
    key = own;
  }
  return phases;
}

/** The key under which a lane is remembered as open or closed. */
const laneKey = (lane: LanePlan): string => String(lane.phase?.firstStep ?? '');

const isSettled = ({ last, needsYou }: RowPlan): boolean =>
  !needsYou &&
  last.step.asks !== true &&
  last.step.state !== 'started' &&
  last.step.state !== 'ambiguous';

/** All its steps ended, and the turn moved on to another lane or is over. */
const isFinished = (lane: LanePlan, plan: TimelinePlan): boolean =>
  lane.rows.every(isSettled) && (lane !== plan.lanes.at(-1) || (!plan.isRunning && !plan.waiting));

/** Text in the header next to the name. */
export function lanePhrase(lane: LanePlan, plan: TimelinePlan): string {
  const waits = lane.rows.filter((row) => row.needsYou || row.last.step.asks === true).length;
  const text =
    waits > 0
      ? t('timeline.phaseWaits', { count: waits })
      : isFinished(lane, plan)
        ? t('timeline.phaseDone', { count: lane.rows.length })
        : t('timeline.phaseRuns');
  const skill = lane.phase?.phrase ?? '';
  return skill === '' ? text : t('timeline.phaseOf', { title: skill, text });
}

/** Total run time of its steps, repeats included; undefined if none is known. */
export function laneTookMs(lane: LanePlan): number | undefined {
  const known = lane.rows.flatMap((row) => row.calls).flatMap((call) => tookMsOf(call) ?? []);
  return known.length === 0 ? undefined : known.reduce((sum, ms) => sum + ms, 0);
}

/** Steps in it whose stored result was reused. */
export const laneReused = (lane: LanePlan): number =>
  lane.rows.filter(({ last }) => last.step.reusedCount > 0 || last.step.fate === 'reused').length;

/** The lines to draw; `set` contains the lanes that the user opened or closed. */
export function linesOf(plan: TimelinePlan, set: ReadonlyMap<string, boolean>): readonly Line[] {
  return plan.lanes.flatMap((lane): Line[] => {
    const rows = lane.rows.map((row): Line => ({ kind: 'row', row, key: `row-${row.at}` }));
    if (lane.phase === undefined) return rows;
    const key = laneKey(lane);
    const isOpen = set.get(key) ?? !isFinished(lane, plan);
    return [{ kind: 'head', lane, key, isOpen }, ...(isOpen ? rows : [])];
  });
}

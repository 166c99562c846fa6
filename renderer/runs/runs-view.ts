/** Texts of skills and runs: trees, states, plans. Pure. S4-05, S4-28, S4-+06. */
import { t } from '../../shared/messages';
import type { RunPlan, RunView, SkillView } from '../../shared/types';
import type { Look, MarkName, Tone } from '../parts/state-view';

/** Mark, label and tone of a state. */
interface RunLook extends Look {
  readonly text: string;
}

/** A run that waits for the user shows that, whatever its other state. */
export function runLook(run: Pick<RunView, 'state' | 'awaiting'>): RunLook {
  if (run.state === 'running' && run.awaiting !== undefined)
    return { tone: 'attention', mark: 'shield', text: t('runs.state.waits') };
  const looks: Readonly<Record<RunView['state'], readonly [Tone, MarkName]>> = {
    running: ['working', 'play'],
    completed: ['ok', 'check'],
    failed: ['outage', 'cross'],
    discarded: ['muted', 'skip'],
    cancelled: ['muted', 'stop'],
  };
  const [tone, mark] = looks[run.state];
  return { tone, mark, text: t(`runs.state.${run.state}`) };
}

export function skillLook(skill: Pick<SkillView, 'state'>): RunLook {
  const looks: Readonly<Record<SkillView['state'], readonly [Tone, MarkName]>> = {
    ready: ['ok', 'check'],
    skipped: ['muted', 'skip'],
    broken: ['outage', 'cross'],
    shadowed: ['muted', 'pause'],
  };
  const [tone, mark] = looks[skill.state];
  return { tone, mark, text: t(`skills.state.${skill.state}`) };
}

/**
 * Each run below the one that started it: roots in list order (newest first), children in start
 * order. A run whose parent is not in the list is a root. S4-+06.
 */
export function runTree(runs: readonly RunView[]): readonly { run: RunView; depth: number }[] {
  const ids = new Set(runs.map((run) => run.id));
  const below = new Map<number, RunView[]>();
  const roots: RunView[] = [];
  for (const run of runs) {
    if (run.parentRunId === undefined || !ids.has(run.parentRunId) || run.parentRunId === run.id)
      roots.push(run);
    else below.set(run.parentRunId, [...(below.get(run.parentRunId) ?? []), run]);
  }
  const rows: { run: RunView; depth: number }[] = [];
  const put = (run: RunView, depth: number): void => {
    rows.push({ run, depth });
    for (const child of (below.get(run.id) ?? []).toSorted((a, b) => a.id - b.id))
      put(child, depth + 1);
  };
  for (const root of roots) put(root, 0);
  return rows;
}

/** `send, visit 2`; a phase that was not entered yet is shown as such. */
export function phaseText({ phase, visit }: Pick<RunView, 'phase' | 'visit'>): string {
  if (phase === '') return t('runs.notEntered');
  if (visit === 0) return `${t('runs.phase', { name: phase })}, ${t('runs.notEntered')}`;
  return visit === 1
    ? t('runs.phase', { name: phase })
    : `${t('runs.phase', { name: phase })}, ${t('runs.visit', { count: visit })}`;
}

/** The phases of a skill in one line; loops show their maximum number of visits. */
/** The default maximum for a phase that states none, which is not shown. */
const USUAL_VISITS = 5;

export function phasesText(skill: Pick<SkillView, 'phases'>): string {
  if (skill.phases.length === 0) return t('skills.noPhases');
  const names = skill.phases.map((phase) =>
    phase.maxVisits !== USUAL_VISITS && phase.maxVisits > 1
      ? t('skills.visits', { name: phase.name, count: phase.maxVisits })
      : phase.name,
  );
  return t('skills.phases', { count: skill.phases.length, text: names.join(' → ') });
}

/** What a resume does with the run; a condition of the turn takes precedence. */
export function planSentences(plan: RunPlan): readonly string[] {
  return [
    ...(plan.turnAction === 'resume' || plan.turnAction === 'none'
      ? []
      : [t('runs.turnFirst', { text: plan.turnReason })]),
    ...(plan.isVersionChanged ? [t('runs.versionChanged')] : []),
    ...(plan.doesPlanMatch ? [] : [t('runs.planMismatch')]),
    ...(plan.problem === undefined ? [] : [plan.problem]),
  ];
}

/** Past, current, and upcoming phases of a run, with the time each ended. */
export function phaseRows(
  run: RunView,
  plan: RunPlan | undefined,
): readonly {
  phase: string;
  visit: number;
  state: 'done' | 'in_flight' | 'to_run';
  leftAtMs?: number;
}[] {
  const left = new Map(
    run.history.map((one) => [`${one.phase} ${String(one.visit)}`, one.leftAtMs]),
  );
  const rows =
    plan?.phases ??
    run.history.map(({ phase, visit }) => ({ phase, visit, state: 'done' as const }));
  return rows.map(({ phase, visit, state }) => {
    const leftAtMs = left.get(`${phase} ${String(visit)}`);
    return { phase, visit, state, ...(leftAtMs === undefined ? {} : { leftAtMs }) };
  });
}

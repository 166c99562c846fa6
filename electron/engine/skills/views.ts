import type { VerbOutput } from '../../../shared/contract';
import type { ResumePlan, RunPlan, RunView, SkillView } from '../../../shared/types';
import type { Blobs } from '../../ports/blobs';
import type { ApprovalReads } from '../../ports/journal/approvals';
import type { InboxReads, TurnReads } from '../../ports/journal/reads';
import type { StepRow, TurnRow } from '../../ports/journal/rows';
import type { InboxRow } from '../../ports/journal/inbox';
import type { RunRow } from '../../ports/journal/skills';
import type { SettingsPort } from '../../ports/settings';
import type { SkillDefinition, SkillFinding } from '../../ports/skills';
import { showText } from '../journal/show-text';
import { plainName } from '../../../shared/tool-id';
import { textOf } from '../journal/stored-text';
import type { SkillFound } from './plan';

const SHOWN_CHARS = 4_000;

/** Each run's depth below the others in the list, and whether its parent is missing. */
export function depthsOf(
  rows: readonly RunRow[],
): ReadonlyMap<number, { readonly depth: number; readonly isOrphan: boolean }> {
  const byId = new Map(rows.map((row) => [row.id, row]));
  const depths = new Map<number, { depth: number; isOrphan: boolean }>();
  for (const row of [...rows].sort((a, b) => a.id - b.id)) {
    const parent = row.parentRunId === undefined ? undefined : byId.get(row.parentRunId);
    depths.set(row.id, {
      depth: parent === undefined ? 0 : (depths.get(parent.id)?.depth ?? 0) + 1,
      isOrphan: row.parentRunId !== undefined && parent === undefined,
    });
  }
  return depths;
}

/**
 * What a run waits for: the call if there is one, because it is more specific than the original
 * message.
 */
function awaitedTitle(reads: ApprovalReads & InboxReads & TurnReads, item: InboxRow): string {
  const call = item.item === 'approval' ? reads.request(item.id) : undefined;
  const title =
    call === undefined ? item.title : [plainName(call.tool), call.hint].filter(Boolean).join(': ');
  return showText(title, 300).text;
}

/** A run as shown in lists and `runs show`; texts escaped and truncated. S4-04. */
export async function runView(
  deps: {
    readonly blobs: Blobs;
    readonly reads: ApprovalReads & InboxReads & TurnReads;
    readonly nowMs: () => number;
  },
  row: RunRow,
  place: { readonly depth: number; readonly isOrphan: boolean } | undefined,
): Promise<RunView> {
  const turn = deps.reads.turn(row.turnId);
  const item =
    row.awaitingInboxId === undefined ? undefined : deps.reads.inboxItem(row.awaitingInboxId);
  const input = showText(await textOf(deps.blobs, row.input), SHOWN_CHARS);
  const artifact =
    row.artifact === undefined
      ? undefined
      : showText(await textOf(deps.blobs, row.artifact), SHOWN_CHARS);
  return {
    id: row.id,
    turnId: row.turnId,
    turnState: turn?.state ?? 'discarded',
    agent: turn?.agent ?? '',
    sessionKey: turn?.sessionKey ?? '',
    attempt: turn?.attempt ?? 0,
    ...(row.parentRunId === undefined ? {} : { parentRunId: row.parentRunId }),
    depth: place?.depth ?? 0,
    isOrphan: place?.isOrphan ?? false,
    skill: row.skill,
    version: row.version,
    state: row.state,
    reason: (row.damage ?? row.reason).slice(0, 500),
    phase: row.phase,
    visit: row.visit,
    visits: { ...row.visits },
    history: row.history.map((one) => ({ ...one })),
    input: input.text,
    ...(artifact === undefined ? {} : { artifact: artifact.text }),
    isTruncated: input.isTruncated || artifact?.isTruncated === true,
    ...(item === undefined
      ? {}
      : { awaiting: { inboxId: item.id, kind: item.item, title: awaitedTitle(deps.reads, item) } }),
    ...(row.action === undefined
      ? {}
      : { action: row.action, actionReason: row.actionReason.slice(0, 500) }),
    startedAtMs: row.startedAtMs,
    ...(row.endedAtMs === undefined ? {} : { endedAtMs: row.endedAtMs }),
    ageMs: Math.max(0, (row.endedAtMs ?? deps.nowMs()) - row.startedAtMs),
  };
}

/** What a resume would do with one run, taken from its turn's plan. Pure. S4-05, S4-06, S4-+08. */
export function planOfRun(facts: {
  readonly run: RunRow;
  readonly turn: TurnRow;
  readonly steps: readonly StepRow[];
  readonly plan: ResumePlan;
  readonly found: SkillFound;
  readonly planKey: string | undefined;
}): RunPlan {
  const { run, turn, plan, found, planKey } = facts;
  const mine = new Set(
    facts.steps.filter((step) => step.scope?.runId === run.id).map((step) => step.step),
  );
  const steps = plan.steps.filter((step) => mine.has(step.index));
  const current = found.kind === 'ready' ? found.skill.version : undefined;
  const isChanged = current !== undefined && current !== run.version;
  const isSamePlan = planKey !== undefined && (run.visit === 0 || planKey === run.planKey);
  const verdict = plan.runs?.find((one) => one.runId === run.id);
  const isOpen = run.state === 'running' && turn.endedAtMs === undefined;
  const problem = !isOpen
    ? undefined
    : (run.damage ??
      (found.kind === 'none'
        ? found.reason
        : isChanged && run.phase !== '' && !isSamePlan
          ? 'The skill has changed in this phase: a resume needs your decision first.'
          : undefined));
  return {
    runId: run.id,
    turnId: run.turnId,
    skill: run.skill,
    phase: run.phase,
    visit: run.visit,
    version: run.version,
    ...(current === undefined ? {} : { currentVersion: current }),
    isVersionChanged: isChanged,
    doesPlanMatch: isSamePlan,
    action: isOpen && verdict !== undefined ? verdict.action : 'none',
    reason: (isOpen
      ? (verdict?.reason ?? '')
      : `It is ${run.state}: nothing of it will run again.`
    ).slice(0, 500),
    turnAction: isOpen ? plan.action : 'none',
    turnReason: plan.reason,
    ...(problem === undefined ? {} : { problem: problem.slice(0, 500) }),
    phases: phasesOf(run, found.kind === 'ready' ? found.skill : undefined),
    steps: isOpen ? [...steps] : [],
    reused: isOpen ? steps.filter((step) => step.action === 'reuse').length : 0,
    ambiguous: isOpen ? plan.ambiguous.filter((step) => mine.has(step)) : [],
    toRun: isOpen
      ? steps.filter((step) => step.action === 'run_again' || step.action === 'ask').length + 1
      : 0,
  };
}

function phasesOf(run: RunRow, skill: SkillDefinition | undefined): RunPlan['phases'] {
  const done = run.history.map(({ phase, visit }) => ({ phase, visit, state: 'done' as const }));
  if (run.state !== 'running') return done;
  const comes = Object.hasOwn(run.visits, run.phase) ? (run.visits[run.phase] ?? 0) + 1 : 1;
  const now =
    run.phase === ''
      ? []
      : run.visit === 0
        ? [{ phase: run.phase, visit: comes, state: 'to_run' as const }]
        : [{ phase: run.phase, visit: run.visit, state: 'in_flight' as const }];
  const seen = new Set([...Object.keys(run.visits), ...now.map((one) => one.phase)]);
  const later = (skill?.phases ?? [])
    .filter((one) => !seen.has(one.name))
    .map((one) => ({ phase: one.name, visit: 1, state: 'to_run' as const }));
  return [...done, ...now, ...later];
}

/** `/skill list`: runs in progress, then the available skills. */
export function runListText(
  rows: readonly RunRow[],
  nowMs: number,
  skills: readonly Pick<SkillDefinition, 'name' | 'description'>[],
): string {
  const byId = new Map(rows.map((row) => [row.id, row]));
  const lineage = (row: RunRow): string => {
    const parent = row.parentRunId === undefined ? undefined : byId.get(row.parentRunId);
    return parent === undefined ? row.skill : `${lineage(parent)} > ${row.skill}`;
  };
  const runs = rows.map(
    (row) =>
      `${String(row.id)}  ${lineage(row)}  phase ${row.phase === '' ? '-' : row.phase}  ${String(Math.round((nowMs - row.startedAtMs) / 1000))} s`,
  );
  const ready = skills.map(({ name, description }) => `${name}: ${description.slice(0, 200)}`);
  return [
    runs.length === 0
      ? 'No skill runs are in progress.'
      : ['Skill runs in progress:', ...runs].join('\n'),
    ready.length === 0 ? 'There are no skills yet.' : ['Skills:', ...ready].join('\n'),
  ].join('\n\n');
}

/** A skill as lists show it. */
export function skillView(found: SkillFinding): SkillView {
  const { name, source, folder } = found;
  const skill = found.kind === 'ready' ? found.skill : undefined;
  return {
    name,
    source,
    folder,
    state: found.kind,
    reason: found.kind === 'ready' ? '' : found.reason.slice(0, 1000),
    ...(found.kind === 'broken' && found.line !== undefined ? { line: found.line } : {}),
    description: skill?.description ?? '',
    ...(skill === undefined ? {} : { version: skill.version }),
    phases: (skill?.phases ?? []).map((phase) => ({
      name: phase.name,
      next: [...phase.next],
      maxVisits: phase.maxVisits,
    })),
  };
}

/** The complete text that a skill gives its agent. */
export function skillDetail(
  found: SkillFinding,
  settings: SettingsPort,
): VerbOutput<'skills.show'> {
  const perSkill = settings.get('skill_resume.per_skill');
  const own = Object.hasOwn(perSkill, found.name) ? perSkill[found.name] : undefined;
  const skill = found.kind === 'ready' ? found.skill : undefined;
  const all =
    skill === undefined ? [] : skill.phases.map((one) => `[${one.name}]\n${one.instructions}`);
  return {
    skill: skillView(found),
    instructions: [skill?.instructions ?? '', ...all].join('\n\n').trim().slice(0, 100_000),
    ...(skill?.tools === undefined ? {} : { tools: [...skill.tools] }),
    policy: own ?? settings.get('skill_resume.default'),
  };
}

/** Likely mistakes in the settings: they stay unchanged and are reported. */
export function skillHints(found: readonly SkillFinding[], settings: SettingsPort): string[] {
  const names = new Set(found.map((one) => one.name));
  const policies = settings.get('skill_resume.per_skill');
  const broken = found.filter((one) => one.kind === 'broken').length;
  return [
    ...Object.keys(policies)
      .filter((name) => !names.has(name))
      .map((name) => `skill_resume.per_skill names "${name}": this skill was not found.`),
    ...Object.entries(policies)
      .filter(([, policy]) => policy === 'prompt')
      .map(([name]) => `"prompt" acts as retry for "${name}": a start never waits for an answer.`),
    ...(broken === 0
      ? []
      : [
          broken === 1
            ? '1 skill cannot be read; the others work.'
            : `${String(broken)} skills cannot be read; the others work.`,
        ]),
  ];
}

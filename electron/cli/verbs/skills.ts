/** `holdfast skills list|show` and `holdfast runs list|show|plan|discard` */
import { type Command, Option } from 'commander';
import type { VerbOutput } from '../../../shared/contract';
import type { RunDiscardPreview, RunPlan, RunView, SkillView } from '../../../shared/types';
import type { Program, Run } from '../command';
import { asks, calls, optional, where, wholeNumber, withOldNames, yesOption } from '../command';
import { EXIT } from '../exit-codes';
import { countText, facts, ifKnown, inert, inertLine, joinParts, spanText } from '../render';
import { ACTION_WORDS, PLAN_WORDS, stateText } from './turn-text';

const RUN_WORDS: Readonly<Record<RunView['state'], string>> = {
  running: 'running',
  completed: 'completed',
  failed: 'failed',
  discarded: 'discarded',
  cancelled: 'canceled',
};

/** What a resume does with a run; the reason after it explains the rest. */
const RUN_ACTION_WORDS: Readonly<Record<RunPlan['action'], string>> = {
  resume: 'resumes',
  retry: 'resumes',
  skip: 'resumes',
  discard: 'is discarded',
  none: 'stays unchanged',
};

const POLICY_WORDS: Readonly<Record<VerbOutput<'skills.show'>['policy'], string>> = {
  retry: 'runs again on a resume',
  skip: 'is skipped on a resume',
  discard_skill: 'discards the run on a resume',
  prompt: 'needs your review',
};

const SKILL_WORDS: Readonly<Record<SkillView['state'], string>> = {
  ready: 'ready',
  skipped: 'skipped',
  broken: 'invalid',
  shadowed: 'shadowed by another',
};

const SOURCE_WORDS: Readonly<Record<SkillView['source'], string>> = {
  data: 'data directory',
  folder: 'configured folder',
  workspace: 'workspace',
};

/** Enough of a sha256 to tell two versions apart; `--json` shows all of it. */
const shortVersion = (version: string): string => version.slice(0, 12);

const atLine = (skill: SkillView): string =>
  skill.line === undefined ? '' : ` (line ${String(skill.line)})`;

/** `send, visit 2`; a phase that a run only comes to next has not been visited. */
function phaseText(phase: string, visit: number): string {
  if (phase === '') return '-';
  return `${inertLine(phase)}, ${visit === 0 ? 'not entered yet' : `pass ${String(visit)}`}`;
}

const indented = (text: string): string =>
  inert(text)
    .split('\n')
    .map((line) => `  ${line}`.trimEnd())
    .join('\n');

const blocksOf = (blocks: readonly (string | undefined)[]): string => joinParts(blocks, '\n\n');

/** `outer > inner`, as far as the list knows the parents. */
function lineage(view: RunView, byId: ReadonlyMap<number, RunView>): string {
  const parent = view.parentRunId === undefined ? undefined : byId.get(view.parentRunId);
  return parent === undefined ? view.skill : `${lineage(parent, byId)} > ${view.skill}`;
}

function runText(view: RunView, run: Run): string {
  const orphan = view.isOrphan ? ', which no longer exists' : '';
  return blocksOf([
    `Run ${String(view.id)} of the skill ${inertLine(view.skill)} is ${RUN_WORDS[view.state]}${view.reason === '' ? '' : `: ${inertLine(view.reason)}`}`,
    facts([
      ['turn', `${String(view.turnId)}, ${stateText(view.turnState, run.paint)}`],
      ['agent', inertLine(run.agentName(view.agent))],
      ['session', inertLine(view.sessionKey)],
      ['attempt', String(view.attempt)],
      ['started by', ifKnown(view.parentRunId, (id) => `run ${String(id)}${orphan}`)],
      ['phase', phaseText(view.phase, view.visit)],
      ['started', run.when(view.startedAtMs)],
      ['ended', ifKnown(view.endedAtMs, (atMs) => run.when(atMs))],
      ['version', shortVersion(view.version)],
      [
        'needs you',
        ifKnown(
          view.awaiting,
          ({ inboxId, title }) => `inbox item ${String(inboxId)}: ${inertLine(title)}`,
        ),
      ],
      [
        'last start',
        ifKnown(view.action, (action) =>
          `run ${RUN_ACTION_WORDS[action]}. ${inertLine(view.actionReason ?? '')}`.trim(),
        ),
      ],
    ]),
    run.table(
      ['COMPLETED PHASE', 'PASS', 'NEXT', 'WHEN'],
      view.history.map((one) => [
        inertLine(one.phase),
        String(one.visit),
        inertLine(one.next ?? 'end'),
        run.when(one.leftAtMs),
      ]),
    ),
    view.input === '' ? '' : `Input:\n${indented(view.input)}`,
    ifKnown(view.artifact, (text) => `Output of the previous phase:\n${indented(text)}`),
    view.isTruncated ? 'Longer texts are truncated here.' : '',
  ]);
}

function versionText(plan: RunPlan): string {
  if (plan.currentVersion === undefined) return "The skill can't be read now.";
  if (!plan.isVersionChanged) return '';
  const fit = plan.doesPlanMatch ? 'still match' : 'no longer match';
  return `The skill has changed: the run started with version ${shortVersion(plan.version)}, the current version is ${shortVersion(plan.currentVersion)}. The stored steps of this phase ${fit}.`;
}

function runPlanText(plan: RunPlan, run: Run): string {
  const turn = `Turn ${String(plan.turnId)} comes first: ${inertLine(plan.turnReason)}`;
  return blocksOf([
    joinParts([
      `On a resume, run ${String(plan.runId)} of the skill ${inertLine(plan.skill)} ${RUN_ACTION_WORDS[plan.action]}. ${inertLine(plan.reason)}`.trim(),
      plan.turnAction === 'none' || plan.turnAction === 'resume'
        ? ''
        : `${turn}${/[.!?]$/.test(turn) ? '' : '.'} ${PLAN_WORDS[plan.turnAction]}`,
      versionText(plan),
      ifKnown(plan.problem, inertLine),
      `${countText(plan.reused, 'step')} reused, ${String(plan.ambiguous.length)} with unknown outcome, ${String(plan.toRun)} to run`,
    ]),
    run.table(
      ['PHASE', 'PASS', 'STATE'],
      plan.phases.map((one) => [
        inertLine(one.phase),
        String(one.visit),
        one.state.replaceAll('_', ' '),
      ]),
    ),
    run.table(
      ['STEP', 'TOOL', 'ON RESUME', 'REASON', 'ABOUT'],
      plan.steps.map((step) => [
        String(step.index),
        inertLine(step.tool),
        ACTION_WORDS[step.action],
        inertLine(step.reason),
        inertLine(step.hint),
      ]),
    ),
  ]);
}

function previewText(preview: RunDiscardPreview): string {
  const runs = preview.runs.map(
    (one) =>
      `  run ${String(one.runId)} of ${inertLine(one.skill)}${one.phase === '' ? '' : `, in the phase ${inertLine(one.phase)}`}`,
  );
  return [
    'This would end:',
    ...runs,
    preview.endsTurn
      ? `Turn ${String(preview.turnId)} ends too: its prompt started this run.`
      : `Its caller in turn ${String(preview.turnId)} is notified and continues.`,
    ...(preview.openSteps.length === 0
      ? []
      : [`Steps with unknown outcome that no longer need review: ${preview.openSteps.join(', ')}`]),
    'Files in the workspace stay.',
  ].join('\n');
}

function skillsText({ skills, hints }: VerbOutput<'skills.list'>, run: Run): string {
  const table = run.table(
    ['SKILL', 'STATE', 'FROM', 'ABOUT'],
    skills.map((one) => [
      inertLine(one.name),
      SKILL_WORDS[one.state],
      SOURCE_WORDS[one.source],
      inertLine(one.state === 'ready' ? one.description : `${one.reason}${atLine(one)}`),
    ]),
  );
  return blocksOf([
    table || 'No skills. Put a folder with a SKILL.md into "skills" in the data directory.',
    hints.map(inertLine).join('\n'),
  ]);
}

export function addSkills(root: Command, program: Program): void {
  const skills = root
    .command('skills')
    .description('List and show skills (a skill is a folder with a SKILL.md)');
  asks(
    program,
    skills
      .command('list')
      .description('List skills, with the reason if one is unavailable')
      .option('--agent <agent>', 'Include the workspace of this agent'),
    'read',
    calls('skills.list', (run) => where('agent', optional<string>(run, 'agent')), skillsText),
  );
  asks(
    program,
    skills
      .command('show')
      .description('Show a skill with its instructions and phases')
      .argument('<name>', 'Skill name')
      .option('--agent <agent>', 'Include the workspace of this agent'),
    'read',
    calls(
      'skills.show',
      (run, name) => ({ name, ...where('agent', optional<string>(run, 'agent')) }),
      skillText,
    ),
  );
  addRuns(root, program);
}

function skillText(value: VerbOutput<'skills.show'>, run: Run): string {
  const { skill } = value;
  const why = skill.reason === '' ? '' : `: ${inertLine(skill.reason)}${atLine(skill)}`;
  return blocksOf([
    `The skill ${inertLine(skill.name)} is ${SKILL_WORDS[skill.state]}${why}`,
    facts([
      ['about', skill.description === '' ? undefined : inertLine(skill.description)],
      ['from', `${SOURCE_WORDS[skill.source]}, ${inertLine(skill.folder)}`],
      ['version', ifKnown(skill.version, shortVersion)],
      ['tools', ifKnown(value.tools, (tools) => inertLine(tools.join(', ')) || 'none')],
    ]),
    `A step with unknown outcome after an interruption ${POLICY_WORDS[value.policy]}.`,
    run.table(
      ['PHASE', 'NEXT', 'MAXIMUM'],
      skill.phases.map((one) => [
        inertLine(one.name),
        one.next.length === 0 ? 'end' : inertLine(one.next.join(', ')),
        countText(one.maxVisits, 'pass', 'passes'),
      ]),
    ),
    value.instructions === '' ? '' : `Instructions:\n${indented(value.instructions.trimEnd())}`,
  ]);
}

function addRuns(root: Command, program: Program): void {
  const runs = root.command('runs').description('List, show and discard skill runs');
  asks(
    program,
    withOldNames(
      runs
        .command('list')
        .description('List skill runs in progress')
        .option('--limit <n>', 'Maximum number of results (default 100)', wholeNumber),
      new Option('--include-ended', 'Include ended runs'),
      '--all',
    ),
    'read',
    async (engine, run) => {
      const value = await engine.call('runs.list', {
        includeEnded: optional<boolean>(run, 'includeEnded') === true,
        limit: optional<number>(run, 'limit') ?? 100,
      });
      const byId = new Map(value.runs.map((one) => [one.id, one]));
      const rows = value.runs.map((one) => [
        String(one.id),
        String(one.turnId),
        inertLine(lineage(one, byId)),
        phaseText(one.phase, one.visit),
        one.awaiting === undefined ? RUN_WORDS[one.state] : 'needs you',
        spanText(one.ageMs),
      ]);
      const table = run.table(['RUN', 'TURN', 'SKILL', 'PHASE', 'STATE', 'AGE'], rows);
      return { value, text: table || 'No skill runs in progress.' };
    },
  );
  const single = (name: string, about: string): Command =>
    runs.command(name).description(about).argument('<run>', 'Run ID', wholeNumber);
  const runOf = (_run: Run, word?: string) => ({ runId: Number(word) });
  asks(program, single('show', 'Show a skill run'), 'read', calls('runs.show', runOf, runText));
  asks(
    program,
    single('plan', 'Show what a resume would reuse, ask and run'),
    'read',
    calls('runs.plan', runOf, runPlanText),
  );
  asks(
    program,
    withOldNames(
      single('discard', 'Discard a skill run. Without --yes, show what would end'),
      yesOption(),
      '--force',
    ),
    'decide',
    async (engine, run, word) => {
      const runId = Number(word);
      const shown = await engine.call('runs.discard', { runId });
      if (optional<boolean>(run, 'yes') !== true) {
        const next = `Nothing was changed. To discard it: holdfast runs discard ${word} --yes`;
        const text = `${previewText(shown.preview)}\n${next}`;
        return { value: shown, text, exitCode: EXIT.needsDecision };
      }
      const { requestHash } = shown.preview;
      const value = await engine.call('runs.discard', { runId, requestHash });
      return { value, text: `Run ${word} discarded. Its files stay.` };
    },
  );
}

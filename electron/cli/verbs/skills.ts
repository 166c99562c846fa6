/** `holdfast skills list|show` and `holdfast runs list|show|plan|discard` */
import type { Command } from 'commander';
import type { RunDiscardPreview, RunPlan, RunView } from '../../../shared/model';
import type { Program, Run } from '../command';
import { asks, optional, where, wholeNumber } from '../command';
import { EXIT } from '../exit-codes';
import { countText, inert, inertLine, whenText } from '../render';

const age = (ms: number): string =>
  ms < 120_000 ? `${String(Math.round(ms / 1000))} s` : `${String(Math.round(ms / 60_000))} min`;

/** `outer > inner`, as far as the list knows the parents. */
function lineage(view: RunView, byId: ReadonlyMap<number, RunView>): string {
  const parent = view.parentRunId === undefined ? undefined : byId.get(view.parentRunId);
  return parent === undefined ? view.skill : `${lineage(parent, byId)} > ${view.skill}`;
}

function runText(view: RunView, run: Run): string {
  const lines = [
    `Run ${String(view.id)} of the skill ${inertLine(view.skill)}: ${view.state}${view.reason === '' ? '' : `. ${inertLine(view.reason)}`}`,
    `Turn ${String(view.turnId)} (${view.turnState}), agent ${inertLine(view.agent)}, attempt ${String(view.attempt)}${view.parentRunId === undefined ? '' : `, started by run ${String(view.parentRunId)}${view.isOrphan ? ' (not there any more)' : ''}`}`,
    `Phase ${view.phase === '' ? '-' : inertLine(view.phase)}, visit ${String(view.visit)}; started ${whenText(view.startedAtMs, run.nowMs)}, age ${age(view.ageMs)}`,
    `Version ${view.version}`,
    ...(view.awaiting === undefined
      ? []
      : [
          `Waits for item ${String(view.awaiting.inboxId)} (${inertLine(view.awaiting.kind)}): ${inertLine(view.awaiting.title)}`,
        ]),
    ...(view.action === undefined
      ? []
      : [`At the last start: ${view.action}. ${inertLine(view.actionReason ?? '')}`]),
    run.table(
      ['DONE', 'VISIT', 'NEXT', 'WHEN'],
      view.history.map((one) => [
        inertLine(one.phase),
        String(one.visit),
        inertLine(one.next ?? 'end'),
        whenText(one.leftAtMs, run.nowMs),
      ]),
    ),
    ...(view.artifact === undefined ? [] : [`Handed on:\n${inert(view.artifact)}`]),
  ];
  return lines.filter((line) => line !== '').join('\n');
}

function runPlanText(plan: RunPlan, run: Run): string {
  const version =
    plan.currentVersion === undefined
      ? 'The skill cannot be read now.'
      : plan.isVersionChanged
        ? `The skill has changed: ${plan.version} was started, ${plan.currentVersion} is there. The steps of this phase ${plan.doesPlanMatch ? 'still match' : 'do not match any more'}.`
        : '';
  return [
    `Run ${String(plan.runId)} of ${inertLine(plan.skill)}: ${plan.action}. ${inertLine(plan.reason)}`,
    plan.turnAction === 'none'
      ? ''
      : `Its turn ${String(plan.turnId)}: ${plan.turnAction}. ${inertLine(plan.turnReason)}`,
    version,
    plan.problem === undefined ? '' : inertLine(plan.problem),
    `${countText(plan.reused, 'step')} reused, ${String(plan.ambiguous.length)} with unknown result, ${String(plan.toRun)} to run`,
    run.table(
      ['PHASE', 'VISIT', 'STATE'],
      plan.phases.map((one) => [
        inertLine(one.phase),
        String(one.visit),
        one.state.replaceAll('_', ' '),
      ]),
    ),
    run.table(
      ['STEP', 'TOOL', 'ON RESUME', 'WHY'],
      plan.steps.map((step) => [
        String(step.index),
        inertLine(step.tool),
        step.action.replace('_', ' '),
        inertLine(step.reason),
      ]),
    ),
  ]
    .filter((block) => block !== '')
    .join('\n');
}

function previewText(preview: RunDiscardPreview): string {
  const runs = preview.runs.map(
    (one) => `  run ${String(one.runId)}  ${inertLine(one.skill)}  phase ${inertLine(one.phase)}`,
  );
  return [
    'This would end:',
    ...runs,
    preview.endsTurn
      ? `Turn ${String(preview.turnId)} ends with it.`
      : `Its caller in turn ${String(preview.turnId)} is told at once and goes on.`,
    ...(preview.openSteps.length === 0
      ? []
      : [`Steps with unknown result, asked about no more: ${preview.openSteps.join(', ')}`]),
    'Files in the workspace stay.',
  ].join('\n');
}

export function addSkills(root: Command, program: Program): void {
  const skills = root
    .command('skills')
    .description('Skills: what an agent can be told to carry out');
  asks(
    program,
    skills
      .command('list')
      .description('skills, looked up now; what is skipped says why')
      .option('--agent <agent>', 'whose workspace is looked at too'),
    'read',
    async (engine, run) => {
      const value = await engine.call(
        'skills.list',
        where('agent', optional<string>(run, 'agent')),
      );
      const table = run.table(
        ['SKILL', 'STATE', 'FROM', 'ABOUT'],
        value.skills.map((one) => [
          inertLine(one.name),
          one.state,
          one.source,
          inertLine(
            one.state === 'ready'
              ? one.description
              : `${one.state}: ${one.reason}${one.line === undefined ? '' : ` (line ${String(one.line)})`}`,
          ),
        ]),
      );
      const text = [
        table || 'No skills. Put a folder with a SKILL.md into "skills" of the data folder.',
      ];
      return { value, text: [...text, ...value.hints.map(inertLine)].join('\n') };
    },
  );
  asks(
    program,
    skills
      .command('show')
      .description('one skill with its instructions and phases')
      .argument('<name>', 'its name')
      .option('--agent <agent>', 'whose workspace is looked at too'),
    'read',
    async (engine, run, name) => {
      const agent = where('agent', optional<string>(run, 'agent'));
      const value = await engine.call('skills.show', { name, ...agent });
      const { skill } = value;
      const text = [
        `${inertLine(skill.name)}: ${skill.state}${skill.reason === '' ? '' : `, ${inertLine(skill.reason)}`}${skill.line === undefined ? '' : ` (line ${String(skill.line)})`}`,
        inertLine(skill.description),
        `Folder ${inertLine(skill.folder)}`,
        skill.version === undefined ? '' : `Version ${skill.version}`,
        `A step with an unknown result: ${value.policy}`,
        run.table(
          ['PHASE', 'NEXT', 'VISITS'],
          skill.phases.map((one) => [
            inertLine(one.name),
            inertLine(one.next.join(', ')),
            String(one.maxVisits),
          ]),
        ),
        inert(value.instructions),
      ];
      return { value, text: text.filter((line) => line !== '').join('\n') };
    },
  );
  addRuns(root, program);
}

function addRuns(root: Command, program: Program): void {
  const runs = root.command('runs').description('Runs of skills: where each one is');
  asks(
    program,
    runs
      .command('list')
      .description('runs in flight')
      .option('--all', 'ended ones too')
      .option('--limit <n>', 'at most this many (default 100)', wholeNumber),
    'read',
    async (engine, run) => {
      const value = await engine.call('runs.list', {
        includeEnded: optional<boolean>(run, 'all') === true,
        limit: optional<number>(run, 'limit') ?? 100,
      });
      const byId = new Map(value.runs.map((one) => [one.id, one]));
      const rows = value.runs.map((one) => [
        String(one.id),
        String(one.turnId),
        inertLine(lineage(one, byId)),
        one.phase === '' ? '-' : `${inertLine(one.phase)} (${String(one.visit)})`,
        one.awaiting === undefined ? one.state : 'waits for you',
        age(one.ageMs),
      ]);
      const table = run.table(['RUN', 'TURN', 'SKILL', 'PHASE', 'STATE', 'AGE'], rows);
      return { value, text: table || 'No run of a skill is in flight.' };
    },
  );
  const single = (name: string, about: string): Command =>
    runs.command(name).description(about).argument('<run>', 'its number', wholeNumber);
  asks(program, single('show', 'one run'), 'read', async (engine, run, word) => {
    const value = await engine.call('runs.show', { runId: Number(word) });
    return { value, text: runText(value, run) };
  });
  asks(
    program,
    single('plan', 'what a resume would reuse, ask and run'),
    'read',
    async (engine, run, word) => {
      const value = await engine.call('runs.plan', { runId: Number(word) });
      return { value, text: runPlanText(value, run) };
    },
  );
  asks(
    program,
    single('discard', 'end a run; shows what would end, and does it with --force').option(
      '--force',
      'do it',
    ),
    'decide',
    async (engine, run, word) => {
      const runId = Number(word);
      const shown = await engine.call('runs.discard', { runId });
      if (optional<boolean>(run, 'force') !== true) {
        const next = `Nothing was done. To do it: holdfast runs discard ${word} --force`;
        const text = `${previewText(shown.preview)}\n${next}`;
        return { value: shown, text, exitCode: EXIT.needsDecision };
      }
      const { requestHash } = shown.preview;
      const value = await engine.call('runs.discard', { runId, requestHash });
      return { value, text: `Run ${word} was discarded. Its files stay.` };
    },
  );
}

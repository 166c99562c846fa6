/** `holdfast turns review|resume|resolve|discard`, `holdfast processes` and `holdfast inbox`. */
import { type Command, Option } from 'commander';
import type { TurnSummary } from '../../../shared/types';
import { valueWords } from '../../../shared/value-words';
import { HoldfastError, invalidInput } from '../../engine/kernel/errors';
import type { Program, Reply, Run } from '../command';
import {
  asks,
  calls,
  groupOf,
  optional,
  shows,
  wholeNumber,
  withOldNames,
  yesOption,
} from '../command';
import { confirm } from '../input';
import type { Reach } from '../reach';
import { inertLine, joinParts } from '../render';
import {
  decisionText,
  inboxWord,
  planText,
  processAnswers,
  processText,
  turnLine,
  waitsForApproval,
} from './turn-text';

/**
 * Fetches the current question, shows it and returns its hash, so the decision applies to exactly
 * what was shown (I4).
 */
async function shownHash(engine: Reach, run: Run, turnId: number): Promise<string> {
  const shown = await engine.call('turns.show', { turnId });
  const decision =
    shown.decision ??
    (await engine.call('recovery.list', {})).decisions.find((one) => one.turnId === turnId);
  if (!decision) {
    const waits = waitsForApproval(shown.turn);
    throw new HoldfastError(
      'TURN_STATE',
      waits === undefined
        ? `${turnLine({ ...shown.turn, reason: '' }, run)} and needs no decision. Nothing was changed.`
        : `${waits.message} Nothing was changed.`,
      { hint: waits?.hint ?? 'See pending turns: holdfast turns review' },
    );
  }
  if (!run.isJson) {
    run.note(decisionText(decision, run).split('\nAnswer with one of:')[0] ?? '');
    run.note(planText(decision.plan, run));
  }
  return decision.requestHash;
}

/** Shows the process as it is known now, and returns what an answer about it has to include. */
async function shownProcess(
  engine: Reach,
  run: Run,
  pid: number,
): Promise<{ readonly inboxId: number; readonly requestHash: string }> {
  const { processes } = await engine.call('recovery.list', {});
  const found = processes.find((process) => process.pid === pid && process.state === 'running');
  if (found === undefined)
    throw new HoldfastError(
      'INBOX_UNKNOWN',
      `Process ${String(pid)} is not a leftover process that still runs. It was not signaled.`,
      { hint: 'List them: holdfast processes list' },
    );
  if (!run.isJson) run.note(processText(found, run));
  return { inboxId: found.inboxId, requestHash: found.requestHash };
}

const PROCESS_COMMANDS = [
  [
    'wait',
    'recovery.waitProcess',
    'Wait for a leftover process; its turn needs review again when it ends',
    'Recorded. When the process ends, its turn needs review again.',
  ],
  [
    'leave',
    'recovery.leaveProcess',
    'Let a leftover process run and dismiss its notice',
    'Dismissed. The process keeps running.',
  ],
  [
    'end',
    'recovery.endProcess',
    'Terminate a leftover process: SIGTERM, then SIGKILL after 2 s',
    'Terminated. What it did until then stays done.',
  ],
] as const;

function addProcesses(root: Command, program: Program): void {
  const processes = root
    .command('processes')
    .description('List and answer for commands that kept running after a crash');
  asks(
    program,
    processes.command('list').description('List leftover processes'),
    'read',
    async (engine, run) => {
      const { processes: value } = await engine.call('recovery.list', {});
      const text = [...value.map((one) => processText(one, run)), ...processAnswers(value)];
      return { value: { processes: value }, text: text.join('\n') || 'No leftover processes.' };
    },
  );
  for (const [name, verb, about, did] of PROCESS_COMMANDS) {
    asks(
      program,
      processes.command(name).description(about).argument('<pid>', 'Process ID', wholeNumber),
      'decide',
      async (engine, run, word) => {
        const value = await engine.call(verb, await shownProcess(engine, run, Number(word)));
        const isLeft = verb === 'recovery.endProcess' && value.state === 'running';
        return { value, text: isLeft ? STILL_RUNS : did };
      },
    );
  }
}

const STILL_RUNS =
  'The process was sent SIGTERM and SIGKILL and still runs. Your request is recorded.';

function reply(turn: TurnSummary, run: Run, did: string): Reply {
  return { value: turn, text: `${did} ${turnLine(turn, run)}` };
}

/** A resume while nothing runs is a recorded decision; it is carried out at the next start. */
const later = (engine: Reach): string =>
  engine.isRunning ? '' : ' It continues at the next start.';

/** What a user decides about interrupted turns, added to the group `turns`. */
export function addReview(root: Command, program: Program): void {
  const turns = groupOf(root, 'turns');
  asks(
    program,
    turns
      .command('review')
      .description('Show interrupted turns that need review, and what the last start did'),
    'read',
    shows('recovery.list', (value, run) => {
      const open = value.decisions.map((decision) => decisionText(decision, run)).join('\n\n');
      const asked = new Set(value.decisions.map(({ turnId }) => turnId));
      const notAsked = value.processes.filter(({ turnId }) => !asked.has(turnId ?? 0));
      const alone = [
        ...notAsked.map((process) => processText(process, run)),
        ...processAnswers(notAsked),
      ].join('\n');
      const last = run.table(
        ['TURN', 'DECISION', 'WHEN', 'REASON'],
        value.lastStart.map((one) => [
          String(one.turnId),
          one.action,
          run.when(one.atMs),
          inertLine(one.reason),
        ]),
      );
      const text = [
        open === '' ? 'No turn needs review.' : open,
        alone === '' ? '' : `Leftover processes:\n${alone}`,
        last === '' ? '' : `At the last start:\n${last}`,
      ];
      return joinParts(text, '\n\n');
    }),
  );

  asks(
    program,
    turns
      .command('resume')
      .description('Resume an interrupted, parked or paused turn; unknown steps run again')
      .argument('<turn>', 'Turn ID', wholeNumber),
    'decide',
    async (engine, run, word) => {
      const turnId = Number(word);
      const requestHash = await shownHash(engine, run, turnId);
      const turn = await engine.call('recovery.resume', { turnId, requestHash });
      return reply(turn, run, `Resumed.${later(engine)}`);
    },
  );

  asks(
    program,
    turns
      .command('resolve')
      .description('Resolve a step with unknown outcome: mark it as done or skip it')
      .argument('<turn>', 'Turn ID', wholeNumber)
      .argument('<step>', 'Step number', wholeNumber)
      .option('--done', 'Mark the step as done: it happened')
      .option('--skip', 'Skip the step with an empty result'),
    'decide',
    async (engine, run, turnWord, stepWord) => {
      const isDone = optional<boolean>(run, 'done') === true;
      if (isDone === (optional<boolean>(run, 'skip') === true))
        throw invalidInput(
          'Specify exactly one of --done and --skip.',
          'Nothing was changed. See the step: holdfast turns step TURN STEP',
        );
      const turnId = Number(turnWord);
      const requestHash = await shownHash(engine, run, turnId);
      const verb = isDone ? 'recovery.confirmStep' : 'recovery.skipStep';
      const turn = await engine.call(verb, { turnId, step: Number(stepWord), requestHash });
      return reply(turn, run, isDone ? 'Marked as done.' : 'Skipped.');
    },
  );

  asks(
    program,
    turns
      .command('discard')
      .description('End an interrupted turn; nothing of it runs again')
      .argument('<turn>', 'Turn ID', wholeNumber)
      .addOption(yesOption()),
    'decide',
    async (engine, run, word) => {
      const turnId = Number(word);
      const requestHash = await shownHash(engine, run, turnId);
      await confirm(
        run.io,
        optional<boolean>(run, 'yes') === true || run.io.stdin.isTTY !== true,
        `This ends turn ${word}. Nothing of it runs again.`,
        { message: 'Not confirmed. Nothing was changed.', hint: 'To discard it: --yes' },
      );
      return reply(
        await engine.call('recovery.discard', { turnId, requestHash }),
        run,
        'Discarded.',
      );
    },
  );

  addProcesses(root, program);
}

const includesSettled = (run: Run) => ({
  includeSettled: optional<boolean>(run, 'includeEnded') === true,
});

export function addInbox(root: Command, program: Program): void {
  const inbox = root.command('inbox').description('List and dismiss what needs your decision');
  asks(
    program,
    withOldNames(
      inbox.command('list').description('List what needs your decision, oldest first'),
      new Option('--include-ended', 'Include resolved items'),
      '--all',
    ),
    'read',
    calls('inbox.list', includesSettled, ({ items }, run) => {
      const rows = items.map((item) => [
        String(item.id),
        inboxWord(item.kind),
        item.turnId === undefined ? '-' : String(item.turnId),
        run.when(item.createdAtMs),
        inertLine(
          item.outcome === undefined ? item.title : `${item.title}  [${valueWords(item.outcome)}]`,
        ),
      ]);
      const head = ['ITEM', 'KIND', 'TURN', 'SINCE', 'WHAT'];
      return run.table(head, rows) || 'Nothing needs your decision.';
    }),
  );
  asks(
    program,
    inbox
      .command('dismiss')
      .description('Dismiss a notice')
      .argument('<item>', 'Inbox item ID', wholeNumber),
    'decide',
    async (engine, _run, word) => ({
      value: await engine.call('inbox.dismiss', { inboxId: Number(word) }),
      text: 'Dismissed.',
    }),
  );
}

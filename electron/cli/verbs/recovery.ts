/** `holdfast recovery list|resume|confirm-step|skip-step|discard` and `holdfast inbox`. */
import type { Command } from 'commander';
import type { TurnSummary } from '../../../shared/types';
import { HoldfastError } from '../../engine/kernel/errors';
import type { Program, Reply, Run } from '../command';
import { asks, optional, wholeNumber } from '../command';
import type { Reach } from '../reach';
import { inertLine, whenText } from '../render';
import { decisionText, planText, processAnswers, processText, turnLine } from './turn-text';

/**
 * Fetches the question as it stands now, shows it, and returns its hash: what is then decided is
 * exactly what was shown (I4).
 */
async function shownHash(engine: Reach, run: Run, turnId: number): Promise<string> {
  const shown = await engine.call('turns.show', { turnId });
  const decision =
    shown.decision ??
    (await engine.call('recovery.list', {})).decisions.find((one) => one.turnId === turnId);
  if (!decision) {
    throw new HoldfastError(
      'TURN_STATE',
      `Turn ${String(turnId)} is ${shown.turn.state} and waits for no decision. Nothing was changed.`,
      { hint: 'What waits for you: holdfast recovery list' },
    );
  }
  if (!run.isJson) {
    run.note(decisionText(decision, run).split('\nAnswer with one of:')[0] ?? '');
    run.note(planText(decision.plan, run));
  }
  return decision.requestHash;
}

/** Shows the process as it is known now, and returns what an answer about it has to carry. */
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
      `No command from before the restart runs as process ${String(pid)}. Nothing was signalled.`,
      { hint: 'Those that still run: holdfast recovery list' },
    );
  if (!run.isJson) run.note(processText(found, run));
  return { inboxId: found.inboxId, requestHash: found.requestHash };
}

const PROCESS_COMMANDS = [
  [
    'wait-process',
    'recovery.waitProcess',
    'wait for a command that outlived a crash: its turn is asked about again when it ends',
    'Noted. When it ends, its turn is asked about again.',
  ],
  [
    'leave-process',
    'recovery.leaveProcess',
    'let a command that outlived a crash run, and put its notice away',
    'Put away. It runs on.',
  ],
  [
    'end-process',
    'recovery.endProcess',
    'end a command that outlived a crash: SIGTERM, SIGKILL after 2 s',
    'Ended. What it had done by then stays done.',
  ],
] as const;

function addProcesses(recovery: Command, program: Program): void {
  for (const [name, verb, about, did] of PROCESS_COMMANDS) {
    asks(
      program,
      recovery.command(name).description(about).argument('<pid>', 'its number', wholeNumber),
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
  'It was sent SIGTERM and SIGKILL and still runs. What you asked for is recorded.';

function reply(turn: TurnSummary, run: Run, did: string): Reply {
  return { value: turn, text: `${did} ${turnLine(turn, run)}` };
}

/** A resume while nothing runs is a recorded decision; it is carried out at the next start. */
const later = (engine: Reach): string => (engine.isRunning ? '' : ' It goes on at the next start.');

export function addRecovery(root: Command, program: Program): void {
  const recovery = root
    .command('recovery')
    .description('Turns that a crash cut off: what was decided, what waits');

  asks(
    program,
    recovery.command('list').description('open decisions, and what the last start did'),
    'read',
    async (engine, run) => {
      const value = await engine.call('recovery.list', {});
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
          whenText(one.atMs, run.nowMs),
          inertLine(one.reason),
        ]),
      );
      const text = [
        open === '' ? 'No decision waits for you.' : open,
        alone === '' ? '' : `Commands from before the restart:\n${alone}`,
        last === '' ? '' : `At the last start:\n${last}`,
      ];
      return { value, text: text.filter((block) => block !== '').join('\n\n') };
    },
  );

  asks(
    program,
    recovery
      .command('resume')
      .description('go on with a held, stale, parked or paused turn; unknown steps run again')
      .argument('<turn>', 'its number', wholeNumber),
    'decide',
    async (engine, run, word) => {
      const turnId = Number(word);
      const requestHash = await shownHash(engine, run, turnId);
      const turn = await engine.call('recovery.resume', { turnId, requestHash });
      return reply(turn, run, `Resumed.${later(engine)}`);
    },
  );

  for (const [name, verb, about, did] of [
    [
      'confirm-step',
      'recovery.confirmStep',
      'it happened: record the step as done',
      'Recorded as done.',
    ],
    ['skip-step', 'recovery.skipStep', 'leave the step out: done with an empty result', 'Skipped.'],
  ] as const) {
    asks(
      program,
      recovery
        .command(name)
        .description(about)
        .argument('<turn>', 'its number', wholeNumber)
        .argument('<step>', 'number of the step', wholeNumber),
      'decide',
      async (engine, run, turnWord, stepWord) => {
        const turnId = Number(turnWord);
        const requestHash = await shownHash(engine, run, turnId);
        const turn = await engine.call(verb, { turnId, step: Number(stepWord), requestHash });
        return reply(turn, run, did);
      },
    );
  }

  asks(
    program,
    recovery
      .command('discard')
      .description('end the turn; nothing of it runs again')
      .argument('<turn>', 'its number', wholeNumber),
    'decide',
    async (engine, run, word) => {
      const turnId = Number(word);
      const requestHash = await shownHash(engine, run, turnId);
      return reply(
        await engine.call('recovery.discard', { turnId, requestHash }),
        run,
        'Discarded.',
      );
    },
  );

  addProcesses(recovery, program);

  const inbox = root.command('inbox').description('Everything that waits for a person');
  asks(
    program,
    inbox.command('list').description('oldest first').option('--all', 'settled ones too'),
    'read',
    async (engine, run) => {
      const value = await engine.call('inbox.list', {
        includeSettled: optional<boolean>(run, 'all') === true,
      });
      const rows = value.items.map((item) => [
        String(item.id),
        item.kind.replaceAll('_', ' '),
        item.turnId === undefined ? '-' : String(item.turnId),
        whenText(item.createdAtMs, run.nowMs),
        inertLine(item.outcome === undefined ? item.title : `${item.title}  [${item.outcome}]`),
      ]);
      return {
        value,
        text:
          run.table(['ITEM', 'KIND', 'TURN', 'SINCE', 'WHAT'], rows) || 'Nothing waits for you.',
      };
    },
  );
  asks(
    program,
    inbox
      .command('dismiss')
      .description('put a notice away (decisions: holdfast recovery)')
      .argument('<item>', 'its number', wholeNumber),
    'decide',
    async (engine, _run, word) => ({
      value: await engine.call('inbox.dismiss', { inboxId: Number(word) }),
      text: 'Put away.',
    }),
  );
}

/** `holdfast send` and `holdfast turns list|show|step|plan|cancel` */
import type { Command } from 'commander';
import { InvalidArgumentError, Option } from 'commander';
import type { TurnState } from '../../../shared/types';
import { TURN_STATES } from '../../../shared/states';
import { HoldfastError, invalidInput } from '../../engine/kernel/errors';
import type { Program, Reply, Run } from '../command';
import {
  asks,
  calls,
  list,
  optional,
  where,
  wholeNumber,
  withOldNames,
  yesOption,
} from '../command';
import type { Paint } from '../render';
import { countText, inert, inertLine } from '../render';
import { addTurnFiles } from './turn-files';
import {
  FIRST_PROMPT,
  stateText,
  wholeText,
  withWholeAnswer,
  withWholePrompt,
  planText,
  stepText,
  turnLine,
  turnsTable,
  turnText,
} from './turn-text';
import type { VerbInput, VerbOutput } from '../../../shared/contract';
import { MAX_PROMPT_CHARS } from '../../../shared/contract';
import type { ExitCode } from '../exit-codes';
import { EXIT } from '../exit-codes';
import { confirm, readAll } from '../input';
import { interruptible } from '../interruptible';
import type { Reach } from '../reach';
import { isAbsence, reachAgain } from '../reach';

const asIs: Paint = (_tone, text) => text;

/** By the names in JSON, or by the words that a list shows. */
function states(text: string): TurnState[] {
  return list(text).map((state) => {
    const known = TURN_STATES.find((one) => one === state || stateText(one, asIs) === state);
    if (!known) throw new InvalidArgumentError(`It must be one of: ${TURN_STATES.join(', ')}.`);
    return known;
  });
}

export function addTurns(root: Command, program: Program): void {
  const turns = root
    .command('turns')
    .description('List, inspect, resume and cancel turns (a prompt and all work until its answer)');

  asks(
    program,
    withOldNames(
      turns
        .command('list')
        .description('List turns, newest first')
        .option('--state <states>', 'Only these states, comma-separated', states)
        .option('--session <session>', 'Only this session')
        .option('--limit <n>', 'Maximum number of results (default 50)', wholeNumber),
      new Option('--cursor <turn>', 'Only turns older than this one').argParser(wholeNumber),
      '--before <turn>',
    ),
    'read',
    async (engine, run) => {
      const value = await engine.call('turns.list', {
        ...where('states', optional<TurnState[]>(run, 'state')),
        ...where('session', optional<string>(run, 'session')),
        ...where('beforeId', optional<number>(run, 'cursor')),
        limit: optional<number>(run, 'limit') ?? 50,
      });
      const isFiltered = ['state', 'session', 'cursor'].some((name) => name in run.options);
      const text =
        turnsTable(value.turns, run) ||
        (isFiltered ? 'No such turns.' : `No turns yet. ${FIRST_PROMPT}`);
      const last = value.turns.at(-1);
      const more =
        value.hasMore && last
          ? `\nOlder turns: holdfast turns list --cursor ${String(last.id)}`
          : '';
      return { value, text: text + more };
    },
  );

  asks(
    program,
    turns
      .command('show')
      .description('Show a turn with its steps')
      .argument('<turn>', 'Turn ID', wholeNumber)
      .option('--full', 'Show the whole prompt and answer'),
    'read',
    async (engine, run, turn) => {
      const turnId = Number(turn);
      // For programs the value is whole, as it always was; the table for people shows no texts.
      const value = await engine.call('turns.show', {
        turnId,
        ...(run.isJson ? { withTexts: true } : {}),
      });
      const isFull = optional<boolean>(run, 'full') === true;
      const shown = isFull
        ? await withWholePrompt(engine, await withWholeAnswer(engine, value))
        : value;
      return { value: shown, text: turnText(shown, run) };
    },
  );

  asks(
    program,
    turns
      .command('step')
      .description('Show a step with its input and output')
      .argument('<turn>', 'Turn ID', wholeNumber)
      .argument('<step>', 'Step number', wholeNumber)
      .option('--full', 'Show the whole input and output'),
    'read',
    async (engine, run, turn, step) => {
      const at = { turnId: Number(turn), step: Number(step) };
      const value = await engine.call('turns.step', at);
      const isFull = optional<boolean>(run, 'full') === true && value.isTruncated === true;
      const shown = isFull
        ? {
            ...value,
            args: await wholeText(engine, { ...at, part: 'input' }),
            result: await wholeText(engine, { ...at, part: 'result' }),
            isTruncated: false,
          }
        : value;
      return { value: shown, text: stepText(shown, run) };
    },
  );

  asks(
    program,
    turns
      .command('plan')
      .description('Show what a resume would reuse, re-read and run')
      .argument('<turn>', 'Turn ID', wholeNumber),
    'read',
    calls('turns.plan', (_run, turn) => ({ turnId: Number(turn) }), planText),
  );

  asks(
    program,
    turns
      .command('retry')
      .description('Retry a waiting turn now')
      .argument('<turn>', 'Turn ID', wholeNumber),
    'running',
    async (engine, run, turn) => {
      const value = await engine.call('turns.retryNow', { turnId: Number(turn) });
      return { value, text: `Retrying turn ${String(value.id)} now.` };
    },
  );

  addTurnFiles(turns, program);
  addCancel(turns, program);
}

function addCancel(turns: Command, program: Program): void {
  asks(
    program,
    turns
      .command('cancel')
      .description('Cancel a turn permanently; it is never resumed')
      .argument('[turn]', 'Turn ID', wholeNumber)
      .option('--all', 'Cancel every unfinished turn')
      .addOption(yesOption()),
    'decide',
    async (engine, run, turn) => {
      const isAll = optional<boolean>(run, 'all') === true;
      if (isAll === (turn !== '')) {
        throw invalidInput(
          'Specify one turn, or --all.',
          'Nothing was changed. List them: holdfast turns list',
        );
      }
      if (!isAll) {
        const value = await engine.call('turns.cancel', { turnId: Number(turn) });
        return { value, text: turnLine(value, run) };
      }
      await confirm(
        run.io,
        optional<boolean>(run, 'yes') === true || run.io.stdin.isTTY !== true,
        'This permanently cancels every unfinished turn.',
        { message: 'Not confirmed. Nothing was changed.', hint: 'To cancel all: --all --yes' },
      );
      const value = await engine.call('turns.cancelAll', {});
      const text =
        value.cancelled.length === 0
          ? 'No unfinished turns.'
          : `${countText(value.cancelled.length, 'turn')} canceled: ${value.cancelled.join(', ')}`;
      return { value, text };
    },
  );
}

// `holdfast send TEXT [--session S] [--agent A] [--wait]`

/**
 * How long `--wait` waits for an instance that went away. The turn itself waits on disk for ever.
 */
const COME_BACK_MS = 60_000;

/**
 * How `--wait` ends, or undefined while it waits. A turn that waits for a provider or a clock
 * resumes automatically; one with an open inbox item waits for the user.
 */
export function waitOutcome(state: TurnState, hasOpenItem: boolean): ExitCode | undefined {
  switch (state) {
    case 'queued':
    case 'running':
      return undefined;
    case 'waiting':
      return hasOpenItem ? EXIT.needsDecision : undefined;
    case 'requires_action':
    case 'held':
    case 'parked':
      return EXIT.needsDecision;
    case 'completed':
      return EXIT.ok;
    case 'failed':
    case 'cancelled':
    case 'discarded':
      return EXIT.failed;
    default:
      return state satisfies never;
  }
}

/** Shows the answer while it is written: only on a terminal, only next to the result. */
function createProvisional(run: Run): {
  take(delta: { turnId: number; text: string; isWithdrawn: boolean }): void;
  start(turnId: number): void;
  end(): void;
} {
  const isShown = run.io.stderr.isTTY && !run.isJson;
  let wanted: number | undefined;
  let early: { turnId: number; text: string; isWithdrawn: boolean }[] = [];
  let isOnLine = false;
  const show = (delta: { text: string; isWithdrawn: boolean }): void => {
    run.io.stderr.write(
      run.paint('quiet', delta.isWithdrawn ? '\n[interrupted; not saved]\n' : inert(delta.text)),
    );
    isOnLine = !delta.isWithdrawn;
  };
  return {
    take: (delta) => {
      if (!isShown) return;
      if (wanted === undefined) early = [...early.slice(-99), delta];
      else if (delta.turnId === wanted) show(delta);
    },
    start: (turnId) => {
      wanted = turnId;
      for (const delta of early) if (delta.turnId === turnId) show(delta);
      early = [];
    },
    end: () => {
      if (isOnLine) run.io.stderr.write('\n');
      isOnLine = false;
    },
  };
}

type Ended = { readonly shown: VerbOutput<'turns.show'>; readonly exitCode: ExitCode };

/** Follows a turn on one connection. @throws HoldfastError NOT_RUNNING when the connection ends */
async function follow(engine: Reach, turnId: number): Promise<Ended> {
  let wake: () => void = () => undefined;
  const offs = [
    engine.on('turn.changed', (change) => change.turnId === turnId && wake()),
    engine.on('inbox.changed', () => wake()),
  ];
  void engine.closed.then(() => wake());
  try {
    for (;;) {
      const changed = new Promise<void>((resolve) => {
        wake = resolve;
        setTimeout(resolve, 2_000); // an event may be lost with its connection, the state is not
      });
      const shown = await engine.call('turns.show', { turnId });
      const isWaiting = shown.turn.state === 'waiting';
      const open = isWaiting ? (await engine.call('inbox.list', {})).items : [];
      const queue = isWaiting ? (await engine.call('outage.queue', {})).items : [];
      const exitCode = waitOutcome(
        shown.turn.state,
        open.some((item) => item.turnId === turnId && item.settledAtMs === undefined) ||
          // A rejected key does not fix itself.
          queue.some((item) => item.turnId === turnId && item.cause === 'key'),
      );
      if (exitCode === EXIT.ok) return { shown: await withWholeAnswer(engine, shown), exitCode };
      if (exitCode !== undefined) return { shown, exitCode };
      await changed;
    }
  } finally {
    for (const off of offs) off();
  }
}

/** Follows a turn over crashes and restarts of the instance. */
async function waitForTurn(
  first: Reach,
  run: Run,
  turnId: number,
  listen: (engine: Reach) => Promise<void>,
): Promise<Ended> {
  let engine = first;
  for (;;) {
    try {
      return await follow(engine, turnId);
    } catch (thrown) {
      if (!isAbsence(thrown)) throw thrown;
    }
    run.note(`Holdfast stopped. Turn ${String(turnId)} is saved. Waiting for Holdfast to restart.`);
    const next = await reachAgain(run.dataDir, run.io, {
      timeoutMs: COME_BACK_MS,
      isWanted: () => true,
    });
    if (!next) {
      throw new HoldfastError(
        'NOT_RUNNING',
        `Holdfast did not restart. Turn ${String(turnId)} is saved and resumes at the next start.`,
        { hint: `Start it, then: holdfast turns show ${String(turnId)}` },
      );
    }
    if (engine !== first) await engine.close();
    engine = next;
    await listen(engine);
  }
}

function waited(ended: Ended, run: Run): Reply {
  const { turn, answer } = ended.shown;
  const value = {
    turnId: turn.id,
    sessionId: turn.sessionId,
    sessionKey: turn.sessionKey,
    state: turn.state,
    reason: turn.reason,
    answer: answer ?? null,
  };
  if (ended.exitCode === EXIT.ok) return { value, text: inert(answer ?? ''), exitCode: EXIT.ok };
  const next =
    turn.state === 'requires_action'
      ? 'holdfast approvals list'
      : ended.exitCode === EXIT.needsDecision
        ? 'holdfast turns review'
        : `holdfast turns show ${String(turn.id)}`;
  if (!run.isJson) run.note(`${turnLine(turn, run)}\nNext: ${next}`);
  return { value, text: '', exitCode: ended.exitCode };
}

/** A slip in the name costs nothing: it is refused before the message is accepted. */
async function needSkill(engine: Reach, run: Run, name: string): Promise<void> {
  const agent = where('agent', optional<string>(run, 'agent'));
  const { skill } = await engine.call('skills.show', { name, ...agent });
  if (skill.state === 'ready') return;
  throw new HoldfastError(
    'SKILL_UNKNOWN',
    `The skill "${inertLine(name)}" cannot run: ${inertLine(skill.reason)}`,
    { hint: 'Nothing was sent. List them: holdfast skills list' },
  );
}

const SHARED_ONLY = ['needs', 'here', 'repository', 'priority', 'messageId'] as const;

/** To this computer, or to the shared queue. @throws INPUT_INVALID */
function sender(
  run: Run,
  engine: Reach,
): (input: VerbInput<'send'>) => Promise<VerbOutput<'send'>> {
  const given = SHARED_ONLY.filter((name) => run.options[name] !== undefined);
  if (optional<boolean>(run, 'shared') !== true) {
    if (given.length === 0) return (input) => engine.call('send', input);
    throw invalidInput(
      `--${given[0] === 'messageId' ? 'message-id' : (given[0] ?? '')} needs --shared.`,
      'Nothing was sent.',
    );
  }
  const more = {
    ...where('needs', optional<string[]>(run, 'needs')),
    ...where('here', optional<boolean>(run, 'here')),
    ...where('repository', optional<boolean>(run, 'repository')),
    ...where('priority', optional<VerbInput<'share.send'>['priority']>(run, 'priority')),
    ...where('messageId', optional<string>(run, 'messageId')),
  };
  return (input) => engine.call('share.send', { ...input, ...more });
}

export function addSend(root: Command, program: Program): void {
  asks(
    program,
    root
      .command('send')
      .description('Send a prompt to an agent (add --wait for the answer)')
      .argument('<text...>', 'Prompt, or - to read standard input')
      .option('--session <session>', 'Session name or ID (default: a new session)')
      .option('--agent <agent>', 'Agent name (default: the default agent)')
      .option('--skill <name>', 'Run this skill with the prompt as its input')
      .option('--shared', 'Send it to the shared queue: any of your computers may run it')
      .option(
        '--needs <offers>',
        'With --shared: what the computer must offer, such as label:gpu',
        list,
      )
      .option('--here', 'With --shared: run only on this computer')
      .option(
        '--repository',
        "With --shared: run on any computer with the git repository of the agent's folder, with the files as they are now",
      )
      .option('--priority <priority>', 'With --shared: high, normal or low')
      .option('--message-id <id>', 'With --shared: the same ID is the same turn')
      .option('--wait', 'Wait for the answer and print it; stop when your decision is needed'),
    'running',
    async (engine, run, word) => {
      const said = word === '-' ? await readAll(run.io, MAX_PROMPT_CHARS * 4) : word;
      const skill = optional<string>(run, 'skill');
      if (skill !== undefined) await needSkill(engine, run, skill);
      const text = skill === undefined ? said : `/skill ${skill} ${said}`;
      if (text.trim() === '' || text.length > MAX_PROMPT_CHARS) {
        throw invalidInput(
          text.trim() === ''
            ? 'The prompt is empty.'
            : 'The prompt is longer than 4,000,000 characters.',
          'Nothing was sent. Put long text into a file in the workspace and mention its path.',
        );
      }
      const input = {
        text,
        ...where('session', optional<string>(run, 'session')),
        ...where('agent', optional<string>(run, 'agent')),
      };
      const send = sender(run, engine);
      if (optional<boolean>(run, 'wait') !== true) {
        const value = await send(input);
        const hint = run.isQuiet
          ? String(value.turnId)
          : `Saved as turn ${String(value.turnId)} in session ${inertLine(value.sessionKey)}. Follow it: holdfast turns show ${String(value.turnId)}`;
        return { value, text: hint };
      }
      const provisional = createProvisional(run);
      const listen = async (to: Reach): Promise<void> => {
        to.on('turn.delta', (delta) => provisional.take(delta));
        await to.subscribe(['turn.changed', 'turn.delta', 'inbox.changed']);
      };
      await listen(engine);
      const accepted = await send(input);
      provisional.start(accepted.turnId);
      const id = String(accepted.turnId);
      const ended = await interruptible(
        run,
        () =>
          `Turn ${id} continues without this command. See it: holdfast turns show ${id}. Cancel it: holdfast turns cancel ${id}`,
        () => waitForTurn(engine, run, accepted.turnId, listen),
      );
      provisional.end();
      return waited(ended, run);
    },
  );
}

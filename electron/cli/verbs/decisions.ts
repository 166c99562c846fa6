/** `holdfast recovery list|resume|confirm-step|skip-step|discard` and `holdfast inbox`. */
import type { Command } from 'commander';
import fs from 'node:fs';
import type { TurnSummary, ApprovalView } from '../../../shared/types';
import { HoldfastError } from '../../engine/kernel/errors';
import type { Program, Reply, Run } from '../command';
import { asks, optional, wholeNumber, where } from '../command';
import type { Reach } from '../reach';
import { inertLine, whenText, inert } from '../render';
import { decisionText, planText, processAnswers, processText, turnLine } from './turn-text';
import { MAX_PROMPT_CHARS } from '../../../shared/contract';
import { quoted } from '../../../shared/shell-quoted';
import { callQuestionText, callWarnings } from '../../../shared/questions/call-question';

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

// `holdfast approvals list|allow|deny`, `session confirm-tool` and `session custom-tool-result`.

const ANSWER_WORDS: Readonly<Record<NonNullable<ApprovalView['answer']>, string>> = {
  allowed: 'allowed',
  denied: 'refused',
  result: 'result given',
  cleared: 'over: its turn waits for no answer any more',
};

/** `allowed for each shell.shell git push in this session, 2 min ago`. */
function answeredText(request: ApprovalView, given: keyof typeof ANSWER_WORDS, run: Run): string {
  const covers = given === 'allowed' ? scopeText(request) : '';
  const when =
    request.answeredAtMs === undefined ? '' : `, ${whenText(request.answeredAtMs, run.nowMs)}`;
  return `${ANSWER_WORDS[given]}${covers}${when}`;
}

/** The recorded scope of an approval: it may be narrower than requested. */
function scopeText(request: ApprovalView): string {
  switch (request.scope) {
    case 'session':
      return ` for each ${inertLine(request.covers)} in this session`;
    case 'always':
      return ` for each ${inertLine(request.covers)} from now on: this is a setting now`;
    case 'once':
    case undefined:
      return ', once';
  }
}

/** A request as the user must see it before answering: everything that would run. */
function approvalText(request: ApprovalView, run: Run): string {
  const id = String(request.requestId);
  const isCustom = request.kind === 'custom_tool';
  const head = isCustom
    ? `Request ${id}: ${inertLine(request.tool)} waits for its result`
    : `Request ${id}: ${inertLine(callQuestionText(request))}`;
  return [
    head,
    `  Turn ${String(request.turnId)} of ${inertLine(request.agent)}, session ${inertLine(request.sessionKey)}, ${whenText(request.requestedAtMs, run.nowMs)}`,
    `  Why it is asked: ${inertLine(request.reason)}`,
    ...(request.folder === undefined ? [] : [`  Folder: ${inertLine(request.folder)}`]),
    ...warningLines(request),
    ...(request.goesTo === undefined
      ? []
      : [
          `  Goes to: ${inertLine(request.goesTo.address)} (${inertLine(request.goesTo.name)}, read from the repository)`,
        ]),
    ...(request.notTold === undefined
      ? []
      : [
          `  Goes to: not known, because ${inertLine(request.notTold)}. If you allow it, it may go anywhere.`,
        ]),
    `  Input (sha256 ${request.inputHash.slice(0, 12)}):`,
    ...inert(request.args)
      .split('\n')
      .map((line) => `    ${line}`),
    ...(request.isTruncated ? ['    … the rest is in the window'] : []),
    ...(request.answer === undefined
      ? answersOf(request)
      : [`  Answered: ${answeredText(request, request.answer, run)}`]),
    ...(request.note === undefined ? [] : [`  With the note: ${inertLine(request.note)}`]),
  ].join('\n');
}

/** `  Look at: -rf deletes folders with everything in them, without asking.` */
const warningLines = (request: ApprovalView): readonly string[] =>
  callWarnings(request).map((text) => `  Look at: ${inertLine(text)}`);

function answersOf(request: ApprovalView): readonly string[] {
  const id = String(request.requestId);
  return request.kind === 'custom_tool'
    ? [
        '  Answer with:',
        `    holdfast session custom-tool-result --session ${quoted(inertLine(request.sessionKey))} --request ${id} --output TEXT`,
      ]
    : [
        '  Answer with one of:',
        `    holdfast approvals allow ${id}                    this call, once`,
        `    holdfast approvals allow ${id} --scope session    and ${inertLine(request.covers)} in this session`,
        `    holdfast approvals deny ${id} [--note WHY]        the agent is told`,
      ];
}

/** An open one first: however many were answered since, it is found. */
async function find(
  engine: Reach,
  requestId: number,
  session?: string,
): Promise<ApprovalView | undefined> {
  for (const includeAnswered of [false, true]) {
    const { requests } = await engine.call('approvals.list', {
      includeAnswered,
      limit: 1000,
      ...where('session', session),
    });
    const request = requests.find((one) => one.requestId === requestId);
    if (request !== undefined) return request;
  }
  return undefined;
}

/** Fetches the current request and shows it, so the answer applies to exactly that (I4). */
async function shownRequest(engine: Reach, run: Run, requestId: number): Promise<ApprovalView> {
  const request = await find(engine, requestId);
  if (request === undefined) {
    throw new HoldfastError('REQUEST_UNKNOWN', `There is no request ${String(requestId)}.`, {
      hint: 'What waits for you: holdfast approvals list',
    });
  }
  if (!run.isJson && request.answer === undefined)
    run.note(approvalText(request, run).split('\n  Answer with')[0] ?? '');
  return request;
}

function answeredReply(request: ApprovalView, engine: Reach, did: string): Reply {
  const when = engine.isRunning ? '' : ' at the next start';
  return { value: request, text: `${did} Turn ${String(request.turnId)} goes on${when}.` };
}

async function answer(
  engine: Reach,
  run: Run,
  requestId: number,
  isAllowed: boolean,
): Promise<Reply> {
  const { requestHash } = await shownRequest(engine, run, requestId);
  if (!isAllowed) {
    const note = optional<string>(run, 'note');
    const denied = await engine.call('approvals.deny', {
      requestId,
      requestHash,
      ...where('note', note),
    });
    return answeredReply(denied, engine, 'Refused: the agent is told.');
  }
  const scope = optional<string>(run, 'scope') ?? 'once';
  if (scope !== 'once' && scope !== 'session' && scope !== 'always') {
    throw new HoldfastError('INPUT_INVALID', `There is no scope "${scope.slice(0, 40)}".`, {
      hint: 'Nothing was changed. Use once, session or always.',
    });
  }
  const allowed = await engine.call('approvals.allow', { requestId, requestHash, scope });
  return answeredReply(allowed, engine, `Allowed${scopeText(allowed)}.`);
}

export function addApprovals(root: Command, program: Program): void {
  const approvals = root
    .command('approvals')
    .description('Calls that wait for your approval, tools that wait for a result');
  asks(
    program,
    approvals
      .command('list')
      .description('what waits, oldest first, with the exact input')
      .option('--session <session>', 'only of this session')
      .option('--all', 'answered ones too'),
    'read',
    async (engine, run) => {
      const value = await engine.call('approvals.list', {
        includeAnswered: optional<boolean>(run, 'all') === true,
        ...where('session', optional<string>(run, 'session')),
      });
      const text = value.requests.map((request) => approvalText(request, run)).join('\n\n');
      return { value, text: text === '' ? 'Nothing waits for your approval.' : text };
    },
  );
  asks(
    program,
    approvals
      .command('allow')
      .description('exactly the stored input runs, once')
      .argument('<request>', 'its number', wholeNumber)
      .option('--scope <scope>', 'once, session or always (default once)'),
    'decide',
    (engine, run, word) => answer(engine, run, Number(word), true),
  );
  asks(
    program,
    approvals
      .command('deny')
      .description('it does not run; the agent is told')
      .argument('<request>', 'its number', wholeNumber)
      .option('--note <text>', 'why, told to the agent'),
    'decide',
    (engine, run, word) => answer(engine, run, Number(word), false),
  );
}

/** The documents' way to answer, under `session`. */
export function addSessionAnswers(session: Command, program: Program): void {
  const belongs = async (engine: Reach, run: Run): Promise<number> => {
    const requestId = wholeNumber(String(run.options['request']));
    const key = String(run.options['session']);
    if ((await find(engine, requestId, key)) !== undefined) return requestId;
    throw new HoldfastError(
      'REQUEST_UNKNOWN',
      `Session "${key.slice(0, 60)}" has no request ${String(requestId)}.`,
      { hint: 'Nothing was changed. What waits for you: holdfast approvals list' },
    );
  };
  asks(
    program,
    session
      .command('confirm-tool')
      .description('answer a call that waits for approval')
      .requiredOption('--session <session>', 'key or number')
      .requiredOption('--request <request>', 'its number')
      .requiredOption('--allowed <true|false>', 'may it run?')
      .option('--note <text>', 'why not, told to the agent')
      .option('--scope <scope>', 'once, session or always (default once)'),
    'decide',
    async (engine, run) => {
      const allowed = String(run.options['allowed']);
      if (allowed !== 'true' && allowed !== 'false') {
        throw new HoldfastError('INPUT_INVALID', '--allowed is true or false.', {
          hint: 'Nothing was changed.',
        });
      }
      return answer(engine, run, await belongs(engine, run), allowed === 'true');
    },
  );
  asks(
    program,
    session
      .command('custom-tool-result')
      .description('give the result of a tool that the outside carries out')
      .requiredOption('--session <session>', 'key or number')
      .requiredOption('--request <request>', 'its number')
      .option('--output <text>', 'the result')
      .option('--output-file <path>', 'a file with the result'),
    'decide',
    async (engine, run) => {
      const requestId = await belongs(engine, run);
      const output = outputOf(run);
      const { requestHash } = await shownRequest(engine, run, requestId);
      const value = await engine.call('session.customToolResult', {
        session: String(run.options['session']),
        requestId,
        requestHash,
        output,
      });
      return answeredReply(value, engine, 'Recorded.');
    },
  );
}

function outputOf(run: Run): string {
  const text = optional<string>(run, 'output');
  const file = optional<string>(run, 'outputFile');
  if ((text === undefined) === (file === undefined)) {
    throw new HoldfastError('INPUT_INVALID', 'Give --output or --output-file, one of them.', {
      hint: 'Nothing was changed.',
    });
  }
  if (text !== undefined) return text;
  try {
    const size = fs.statSync(file ?? '').size;
    if (size <= MAX_PROMPT_CHARS) return fs.readFileSync(file ?? '', 'utf8');
  } catch {
    throw new HoldfastError('INPUT_INVALID', `The file ${inertLine(file ?? '')} cannot be read.`, {
      hint: 'Nothing was changed.',
    });
  }
  throw new HoldfastError('INPUT_INVALID', 'The file is larger than 4 MB.', {
    hint: 'Nothing was changed. Put it where the agent can read it and give its path.',
  });
}

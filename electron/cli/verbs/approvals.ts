/** `holdfast approvals list|allow|deny`, `session confirm-tool` and `session custom-tool-result`. */
import fs from 'node:fs';
import type { Command } from 'commander';
import { MAX_PROMPT_CHARS } from '../../../shared/contract';
import type { ApprovalView } from '../../../shared/types';
import { HoldfastError } from '../../engine/kernel/errors';
import type { Program, Reply, Run } from '../command';
import { asks, optional, where, wholeNumber } from '../command';
import type { Reach } from '../reach';
import { quoted } from '../../../shared/shell-quoted';
import { inert, inertLine, whenText } from '../render';

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

/** How far leave reaches, as it was recorded: that may be less than what was asked for. */
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

/** A request as a person has to see it before answering: all of what would run. */
function approvalText(request: ApprovalView, run: Run): string {
  const id = String(request.requestId);
  const isCustom = request.kind === 'custom_tool';
  const head = isCustom
    ? `Request ${id}: ${inertLine(request.tool)} waits for its result`
    : `Request ${id}: may ${inertLine(request.tool)} run?`;
  return [
    head,
    `  Turn ${String(request.turnId)} of ${inertLine(request.agent)}, session ${inertLine(request.sessionKey)}, ${whenText(request.requestedAtMs, run.nowMs)}`,
    `  Why it is asked: ${inertLine(request.reason)}`,
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

/** Fetches the request as it stands and shows it: what is answered is exactly that (I4). */
async function shown(engine: Reach, run: Run, requestId: number): Promise<ApprovalView> {
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

function reply(request: ApprovalView, engine: Reach, did: string): Reply {
  const when = engine.isRunning ? '' : ' at the next start';
  return { value: request, text: `${did} Turn ${String(request.turnId)} goes on${when}.` };
}

async function answer(
  engine: Reach,
  run: Run,
  requestId: number,
  isAllowed: boolean,
): Promise<Reply> {
  const { requestHash } = await shown(engine, run, requestId);
  if (!isAllowed) {
    const note = optional<string>(run, 'note');
    const denied = await engine.call('approvals.deny', {
      requestId,
      requestHash,
      ...where('note', note),
    });
    return reply(denied, engine, 'Refused: the agent is told.');
  }
  const scope = optional<string>(run, 'scope') ?? 'once';
  if (scope !== 'once' && scope !== 'session' && scope !== 'always') {
    throw new HoldfastError('INPUT_INVALID', `There is no scope "${scope.slice(0, 40)}".`, {
      hint: 'Nothing was changed. Use once, session or always.',
    });
  }
  const allowed = await engine.call('approvals.allow', { requestId, requestHash, scope });
  return reply(allowed, engine, `Allowed${scopeText(allowed)}.`);
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
      const { requestHash } = await shown(engine, run, requestId);
      const value = await engine.call('session.customToolResult', {
        session: String(run.options['session']),
        requestId,
        requestHash,
        output,
      });
      return reply(value, engine, 'Recorded.');
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

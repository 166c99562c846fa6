/** `holdfast approvals list|allow|deny|answer`, and the older names below `sessions`. */
import fs from 'node:fs';
import type { Command } from 'commander';
import { Option } from 'commander';
import { MAX_PROMPT_CHARS } from '../../../shared/contract';
import { callQuestionText, callWarnings } from '../../../shared/questions/call-question';
import type { ApprovalView } from '../../../shared/types';
import { HoldfastError, invalidInput } from '../../engine/kernel/errors';
import type { Program, Reply, Run } from '../command';
import { asks, calls, optional, where, wholeNumber, withOldNames } from '../command';
import { utf8 } from '../input';
import type { Reach } from '../reach';
import { ifKnown, indented, inertLine, joinParts } from '../render';

const ANSWER_WORDS: Readonly<Record<NonNullable<ApprovalView['answer']>, string>> = {
  allowed: 'allowed',
  denied: 'denied',
  result: 'answered',
  cleared: 'no longer needed: its turn has ended',
};

/** `allowed for each shell.shell git push in this session, 2 min ago`. */
function answeredText(request: ApprovalView, given: keyof typeof ANSWER_WORDS, run: Run): string {
  const covers = given === 'allowed' ? scopeText(request) : '';
  const when = request.answeredAtMs === undefined ? '' : `, ${run.when(request.answeredAtMs)}`;
  return `${ANSWER_WORDS[given]}${covers}${when}`;
}

/** The recorded scope of an approval: it may be narrower than requested. */
function scopeText(request: ApprovalView): string {
  switch (request.scope) {
    case 'session':
      return ` for each ${inertLine(request.covers)} in this session`;
    case 'always':
      return ` for each ${inertLine(request.covers)} from now on (saved as a setting)`;
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
    ? `Request ${id}: ${inertLine(request.tool)} needs an external result`
    : `Request ${id}: ${inertLine(callQuestionText(request))}`;
  return joinParts([
    head,
    `  Turn ${String(request.turnId)} of ${inertLine(run.agentName(request.agent))}, session ${inertLine(request.sessionKey)}, ${run.when(request.requestedAtMs)}`,
    `  Reason: ${inertLine(request.reason)}`,
    ifKnown(request.folder, (folder) => `  Folder: ${inertLine(folder)}`),
    ...warningLines(request),
    ifKnown(
      request.goesTo,
      ({ address, name }) =>
        `  Goes to: ${inertLine(address)} (${inertLine(name)}, read from the repository)`,
    ),
    ifKnown(
      request.notTold,
      (why) => `  Goes to: unknown, because ${inertLine(why)}. If allowed, it may go anywhere.`,
    ),
    `  Input (sha256 ${request.inputHash.slice(0, 12)}):`,
    indented(request.args, '    '),
    request.isTruncated ? '    … see the rest in the window' : undefined,
    ...(request.answer === undefined
      ? answersOf(request)
      : [`  Answered: ${answeredText(request, request.answer, run)}`]),
    ifKnown(request.note, (note) => `  Note: ${inertLine(note)}`),
  ]);
}

/** `  Look at: -rf deletes folders with everything in them, without asking.` */
const warningLines = (request: ApprovalView): readonly string[] =>
  callWarnings(request).map((text) => `  Look at: ${inertLine(text)}`);

function answersOf(request: ApprovalView): readonly string[] {
  const id = String(request.requestId);
  return request.kind === 'custom_tool'
    ? ['  Answer with:', `    holdfast approvals answer ${id} --text TEXT`]
    : [
        '  Answer with one of:',
        `    holdfast approvals allow ${id}                    this exact call, once`,
        `    holdfast approvals allow ${id} --scope session    every ${inertLine(request.covers)} in this session`,
        `    holdfast approvals deny ${id} [--note WHY]        the agent gets your note`,
      ];
}

/** Looks at open requests first, so that an open one is found however many were answered since. */
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
      hint: 'See pending requests: holdfast approvals list',
    });
  }
  if (!run.isJson && request.answer === undefined)
    run.note(approvalText(request, run).split('\n  Answer with')[0] ?? '');
  return request;
}

function answeredReply(request: ApprovalView, engine: Reach, did: string): Reply {
  const when = engine.isRunning ? '' : ' at the next start';
  return { value: request, text: `${did} Turn ${String(request.turnId)} resumes${when}.` };
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
    return answeredReply(denied, engine, 'Denied.');
  }
  const scope = optional<string>(run, 'scope') ?? 'once';
  if (scope !== 'once' && scope !== 'session' && scope !== 'always') {
    throw invalidInput(
      `There is no scope "${scope.slice(0, 40)}".`,
      'Nothing was changed. Use once, session or always.',
    );
  }
  const allowed = await engine.call('approvals.allow', { requestId, requestHash, scope });
  return answeredReply(allowed, engine, `Allowed${scopeText(allowed)}.`);
}

export function addApprovals(root: Command, program: Program): void {
  const approvals = root
    .command('approvals')
    .description('List and answer tool calls that need approval or an external result');
  asks(
    program,
    withOldNames(
      approvals
        .command('list')
        .description('List pending requests with their exact input, oldest first')
        .option('--session <session>', 'Only this session'),
      new Option('--include-ended', 'Include answered requests'),
      '--all',
    ),
    'read',
    calls(
      'approvals.list',
      (run) => ({
        includeAnswered: optional<boolean>(run, 'includeEnded') === true,
        ...where('session', optional<string>(run, 'session')),
      }),
      ({ requests }, run) =>
        requests.map((request) => approvalText(request, run)).join('\n\n') ||
        'No tool call needs approval.',
    ),
  );
  asks(
    program,
    approvals
      .command('allow')
      .description('Allow a tool call (once, or use --scope)')
      .argument('<request>', 'Request ID', wholeNumber)
      .option(
        '--scope <scope>',
        'How far the approval reaches: once, session or always (default once)',
      ),
    'decide',
    (engine, run, word) => answer(engine, run, Number(word), true),
  );
  asks(
    program,
    approvals
      .command('deny')
      .description('Deny a tool call')
      .argument('<request>', 'Request ID', wholeNumber)
      .option('--note <text>', 'Reason, shown to the agent'),
    'decide',
    (engine, run, word) => answer(engine, run, Number(word), false),
  );
  asks(
    program,
    approvals
      .command('answer')
      .description('Give the result of an external tool')
      .argument('<request>', 'Request ID', wholeNumber)
      .option('--text <text>', 'Result text')
      .option('--file <path>', 'File with the result'),
    'decide',
    async (engine, run, word) => {
      const output = outputOf(optional<string>(run, 'text'), optional<string>(run, 'file'));
      const { requestId, requestHash, sessionKey } = await shownRequest(engine, run, Number(word));
      const value = await engine.call('session.customToolResult', {
        session: sessionKey,
        requestId,
        requestHash,
        output,
      });
      return answeredReply(value, engine, 'Recorded.');
    },
  );
}

/** The way to answer that is named in the documents, under `sessions`. */
export function addSessionAnswers(session: Command, program: Program): void {
  const belongs = async (engine: Reach, run: Run): Promise<number> => {
    const requestId = wholeNumber(String(run.options['request']));
    const key = String(run.options['session']);
    if ((await find(engine, requestId, key)) !== undefined) return requestId;
    throw new HoldfastError(
      'REQUEST_UNKNOWN',
      `Session "${key.slice(0, 60)}" has no request ${String(requestId)}.`,
      { hint: 'Nothing was changed. See pending requests: holdfast approvals list' },
    );
  };
  asks(
    program,
    session
      .command('confirm-tool', { hidden: true })
      .description('Allow or deny a tool call')
      .requiredOption('--session <session>', 'Session name or ID')
      .requiredOption('--request <request>', 'Request ID')
      .requiredOption('--allowed <true|false>', 'Whether to allow it')
      .option('--note <text>', 'Reason, shown to the agent')
      .option(
        '--scope <scope>',
        'How far the approval reaches: once, session or always (default once)',
      ),
    'decide',
    async (engine, run) => {
      const allowed = String(run.options['allowed']);
      if (allowed !== 'true' && allowed !== 'false') {
        throw invalidInput('--allowed is true or false.');
      }
      return answer(engine, run, await belongs(engine, run), allowed === 'true');
    },
  );
  asks(
    program,
    session
      .command('custom-tool-result', { hidden: true })
      .description('Give the result of an external tool')
      .requiredOption('--session <session>', 'Session name or ID')
      .requiredOption('--request <request>', 'Request ID')
      .option('--output <text>', 'Result text')
      .option('--output-file <path>', 'File with the result'),
    'decide',
    async (engine, run) => {
      const requestId = await belongs(engine, run);
      const output = outputOf(optional<string>(run, 'output'), optional<string>(run, 'outputFile'));
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

function outputOf(text: string | undefined, file: string | undefined): string {
  if ((text === undefined) === (file === undefined)) {
    throw invalidInput('Specify either the text or a file.');
  }
  if (text !== undefined) return text;
  let bytes: Buffer | undefined;
  try {
    bytes =
      fs.statSync(file ?? '').size <= MAX_PROMPT_CHARS ? fs.readFileSync(file ?? '') : undefined;
  } catch {
    throw invalidInput(`Can't read the file ${inertLine(file ?? '')}.`);
  }
  if (bytes !== undefined) return utf8(bytes, `The file ${inertLine(file ?? '')}`);
  throw invalidInput(
    'The file is larger than 4 MB.',
    'Nothing was changed. Put it where the agent can read it and give its path.',
  );
}

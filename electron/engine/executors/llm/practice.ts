/**
 * The demo agent: a script, not an AI. No key, no network. The real executor runs it with real
 * tools, so users can kill the process and see what survives. Its answer is a pure function of the
 * conversation, so it is the same after a crash.
 */
import { PRACTICE_PROVIDER } from '../../../../shared/practice';
import type { Clock } from '../../../ports/clock';
import type {
  AnswerPart,
  JsonValue,
  Message,
  ModelAnswer,
  ModelRequest,
  Provider,
  ProviderFailure,
} from '../../../ports/provider';

const SOURCE = 'notes-source.txt';
const NOTES = 'notes.md';
const SENT = 'sent-mail.txt';
const SCRATCH = 'scratch.txt';
const DELETE_SCRATCH = `rm ${SCRATCH}`;
const WHO = 'I am the demo agent: a script, not an AI.';

type ToolResult = Extract<Message, { role: 'tool' }>;

/** A call of this run with its result, if it has one. */
interface Played {
  readonly tool: string;
  readonly args: JsonValue;
  readonly result: ToolResult | undefined;
}

/** The next move of the script. */
type Move =
  | { readonly kind: 'say'; readonly text: string }
  | {
      readonly kind: 'call';
      readonly text: string;
      readonly tool: string;
      readonly args: JsonValue;
    };

const say = (text: string): Move => ({ kind: 'say', text });
const call = (text: string, tool: string, args: JsonValue): Move => ({
  kind: 'call',
  text,
  tool,
  args,
});

/** The files of a fresh practice folder. */
export function practiceFiles(): readonly { readonly path: string; readonly content: string }[] {
  return [
    {
      path: SOURCE,
      content: [
        'The ferry leaves at 7:40, the next one at 9:15.',
        'Ask Mara for the key of the boat house.',
        'Bring the red lamp back, its battery is in the kitchen drawer.',
        'The bakery is closed on Tuesday.',
        '',
      ].join('\n'),
    },
    {
      path: 'README.txt',
      content: [
        'This folder belongs to the demo agent of Holdfast.',
        'The agent is a script, not an AI: it needs no key and no network.',
        `It reads ${SOURCE}, writes ${NOTES} and may add lines to ${SENT}. No mail is ever sent.`,
        `When an approval is requested, it writes ${SCRATCH} and deletes it again after you allow it.`,
        'You can change and delete everything here.',
        '',
      ].join('\n'),
    },
  ];
}

const words = (text: string): number => text.match(/\S+/g)?.length ?? 0;

const oneLine = (text: string, maxLength: number): string => {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length <= maxLength ? line : `${line.slice(0, maxLength - 1)}…`;
};

const linesOf = (text: string): readonly string[] =>
  text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '');

/** The last user message and the calls made since. */
function readRun(messages: readonly Message[]): {
  readonly said: string;
  readonly played: readonly Played[];
} {
  const start = messages.findLastIndex((message) => message.role === 'user');
  const said = messages[start];
  const run = messages.slice(start + 1);
  const results = new Map<string, ToolResult>();
  for (const message of run) if (message.role === 'tool') results.set(message.callId, message);
  const played = run.flatMap((message) =>
    message.role !== 'assistant'
      ? []
      : message.parts.flatMap((part) =>
          part.kind === 'tool_call'
            ? [{ tool: part.tool, args: part.args, result: results.get(part.callId) }]
            : [],
        ),
  );
  return { said: said?.role === 'user' ? said.text : '', played };
}

const refusal = (played: Played): Move =>
  say(
    `${played.tool} failed: ${oneLine(played.result?.content ?? 'there is no result', 200).replace(/[.…]+$/, '')}. I stop here. Completed steps are saved.`,
  );

/** The notes: the user's text and the source that was read. */
function notesOf(said: string, source: Played): string {
  const lines = linesOf(source.result?.content ?? '');
  const title = source.tool === 'read_file' ? `From ${SOURCE}` : 'Files in this folder';
  return [
    '# Notes',
    '',
    `Task: ${oneLine(said, 200)}`,
    '',
    `${title}, ${String(lines.length)} ${lines.length === 1 ? 'line' : 'lines'}:`,
    ...lines.slice(0, 50).map((line) => `- ${oneLine(line, 200)}`),
    '',
  ].join('\n');
}

function planNotes(said: string, played: readonly Played[]): Move {
  const last = played.at(-1);
  if (last === undefined) {
    return call(
      `${WHO} I play a small job with real tools: I read ${SOURCE}, write ${NOTES} and check it. First I read ${SOURCE}.`,
      'read_file',
      { path: SOURCE },
    );
  }
  const writes = played.filter((one) => one.tool === 'write_file');
  if (writes.length === 0) {
    if (last.result?.isError === true) {
      if (last.tool !== 'read_file') return refusal(last);
      return call(`${SOURCE} was not found. I list the folder instead.`, 'list_files', {
        path: '.',
      });
    }
    const count = linesOf(last.result?.content ?? '').length;
    return call(
      `I have ${String(count)} lines. Now I write ${NOTES}: a side effect, saved once it is done.`,
      'write_file',
      { path: NOTES, content: notesOf(said, last) },
    );
  }
  if (last.result?.isError === true) return refusal(last);
  if (last.tool === 'write_file') {
    return call(`${NOTES} is written. I read it again to check it.`, 'read_file', { path: NOTES });
  }
  const written = (writes.at(-1)?.args as { readonly content?: unknown } | undefined)?.content;
  const found = linesOf(last.result?.content ?? '').length;
  const meant = linesOf(typeof written === 'string' ? written : '').length;
  return say(
    `Done. ${NOTES} has ${String(found)} lines${found === meant ? ', as written' : `; ${String(meant)} were written`}. ${String(played.length)} tool calls were played. Everything above was a script: it cost nothing and nothing left this computer.`,
  );
}

function planCommand(command: string, why: string, played: readonly Played[]): Move {
  const last = played.at(-1);
  if (last === undefined) return call(why, 'shell', { command });
  if (last.result?.isError === true) return refusal(last);
  const output = oneLine(last.result?.content ?? '', 300);
  return say(
    `The command has run. ${output === '' ? 'It printed nothing' : `It printed: ${output}`}`,
  );
}

/**
 * Writes a file and asks before deleting it. If allowed, the file is deleted once; if denied, it
 * stays. The answer reports either outcome. S3-06..S3-08.
 */
function planApproval(played: readonly Played[]): Move {
  const last = played.at(-1);
  if (last === undefined) {
    return call(
      `${WHO} I show you an approval. First I write ${SCRATCH}, a file of my own.`,
      'write_file',
      { path: SCRATCH, content: 'Written by the demo agent, to be deleted again.\n' },
    );
  }
  if (last.tool === 'write_file') {
    if (last.result?.isError === true) return refusal(last);
    return call(
      `${SCRATCH} is written. Now I want to delete it. That cannot be undone, so I need your approval; kill Holdfast meanwhile if you like, the request stays.`,
      'shell',
      { command: DELETE_SCRATCH },
    );
  }
  if (last.result?.isError === true) {
    return say(
      `${SCRATCH} was not deleted: ${oneLine(last.result.content, 300)} I do not try it in another way. All of this was a script.`,
    );
  }
  return say(
    `You allowed it, and ${SCRATCH} was deleted, once. All of this was a script: it cost nothing and nothing left this computer.`,
  );
}

/** Picks the first script that matches the user's text. */
function planMove(said: string, played: readonly Played[]): Move {
  const echo = /^\s*echo\s+([\s\S]+)$/i.exec(said);
  if (echo?.[1] !== undefined) return say(echo[1].trim());
  const run = /^\s*run:[ \t]*(\S.*?)[ \t]*$/im.exec(said);
  if (run?.[1] !== undefined) {
    return planCommand(run[1], `${WHO} I run exactly the command you gave.`, played);
  }
  if (/\bapproval\b/i.test(said)) return planApproval(played);
  if (/\be?-?mails?\b/i.test(said)) {
    // Works in every shell, and each run leaves one more line: a double send would be seen.
    return planCommand(
      `echo One mail from the demo agent >> ${SENT}`,
      `${WHO} No mail leaves this computer: I add one line to ${SENT}, as if a mail were sent.`,
      played,
    );
  }
  return planNotes(said, played);
}

const textOfPart = (part: AnswerPart): string =>
  part.kind === 'tool_call' ? JSON.stringify(part.args) : part.text;

const textOfMessage = (message: Message): string => {
  switch (message.role) {
    case 'user':
      return message.text;
    case 'assistant':
      return message.parts.map(textOfPart).join(' ');
    case 'tool':
      return message.content;
  }
};

/**
 * The demo agent's answer. Pure: the same conversation gives the same answer. Usage counts
 * words and the cost is 0. Call IDs derive from the conversation's length.
 */
export function practiceAnswer(request: ModelRequest): ModelAnswer {
  const { said, played } = readRun(request.messages);
  const planned = planMove(said, played);
  const isOffered =
    planned.kind === 'say' || request.tools.some((tool) => tool.name === planned.tool);
  const move =
    planned.kind === 'call' && !isOffered
      ? say(`${WHO} I would use ${planned.tool} now, but this agent does not have it.`)
      : planned;
  const text: AnswerPart = { kind: 'text', text: move.text };
  const parts: readonly AnswerPart[] =
    move.kind === 'say'
      ? [text]
      : [
          text,
          {
            kind: 'tool_call',
            callId: `practice_${String(request.messages.length)}`,
            tool: move.tool,
            args: move.args,
          },
        ];
  return {
    parts,
    finish: move.kind === 'say' ? 'stop' : 'tool_calls',
    usage: {
      inputTokens: words(request.system) + words(request.messages.map(textOfMessage).join(' ')),
      outputTokens: words(parts.map(textOfPart).join(' ')),
      costUsd: 0,
    },
  };
}

interface PracticeProvider extends Provider {
  /** Until then it plays a provider that cannot be reached. */
  playDown(untilMs: number): void;
}

/**
 * The `practice` provider: streams the scripted answer word by word over `delayMs` (per answer; the
 * default leaves time to kill the process midway). Never throws; the signal ends the stream with an
 * `aborted` failure.
 */
export function createPracticeProvider(deps: {
  readonly clock: Clock;
  readonly delayMs?: number;
}): PracticeProvider {
  const { clock, delayMs = 1200 } = deps;
  let downUntilMs = 0;
  const unreachable = (): ProviderFailure | undefined =>
    clock.nowMs() < downUntilMs
      ? {
          kind: 'network',
          message: 'The demo provider is down: you switched it off.',
          hint: 'The turn and its completed steps are saved. The provider is switched on again automatically.',
          isRetryable: true,
        }
      : undefined;
  return {
    name: PRACTICE_PROVIDER,
    playDown(untilMs) {
      downUntilMs = untilMs;
    },
    probe() {
      const failure = unreachable();
      return Promise.resolve(
        failure === undefined ? { kind: 'ok' as const } : { kind: 'failed' as const, failure },
      );
    },
    async stream(request, { signal, onText }) {
      const failure = unreachable();
      if (failure !== undefined) return { kind: 'failure', failure };
      const answer = practiceAnswer(request);
      const text = answer.parts.find((part) => part.kind === 'text')?.text ?? '';
      const pieces = text.match(/\S+\s*/g) ?? [];
      try {
        for (const piece of pieces) {
          if (delayMs > 0) await clock.sleep(delayMs / pieces.length, signal);
          signal.throwIfAborted();
          onText(piece);
        }
        signal.throwIfAborted();
      } catch (error) {
        if (!signal.aborted) throw error;
        return {
          kind: 'failure',
          failure: {
            kind: 'aborted',
            message: 'The demo agent was stopped.',
            hint: 'The turn and its completed steps are saved.',
            isRetryable: false,
          },
        };
      }
      return { kind: 'answer', answer };
    },
  };
}

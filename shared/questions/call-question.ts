/**
 * The question about one tool call, built from its tool, its input and the known facts: "Allow `rm
 * -rf build` in ~/project?". The same in windows, notifications, tray and terminal. Hostile input
 * stays inert: one line, no hidden characters, truncated; the exact input is always shown next to
 * it. Pure.
 */
import { commandWarnings, pushIn } from './command-warnings';
import { EN_QUESTIONS } from '../messages/en-questions';
import { sayWith, sentence, type Sentence } from '../messages/sentence';
import { folderOfToolCall } from '../call-folder';
import { shortFolder } from '../shown-folder';
import { isFileCall, isShellCall } from '../own-hosts';
import { parsedJson } from '../parsed-json';
import { plainName } from '../tool-id';
import type { ApprovalView } from '../types';
import { NAME_CHARS, questionPart, recipientOf } from './recipient';
import { shellLine, wholeCommand } from './shell-line';

type CallFacts = Pick<
  ApprovalView,
  'kind' | 'tool' | 'covers' | 'hint' | 'args' | 'folder' | 'file'
> & { readonly agent?: string };

const COMMAND_CHARS = 72;
/** Their tools are known by their plain names. */
const OWN_HOST = /^(?:files|shell|fetch|custom)\./;
/** Value of a part that the question lacks. */
const NONE = 'no_value';

/**
 * The sentence, not yet in any language. A long folder loses its middle, so that the question stays
 * one line; the whole folder is then shown next to it. `folderText` decides.
 */
export function callQuestion(
  request: CallFacts,
  folderText: (folder: string) => string = shortFolder,
): Sentence {
  const tool = questionPart(request.tool.replace(OWN_HOST, ''), NAME_CHARS);
  if (request.kind === 'custom_tool') return sentence('question.result', { tool });
  const input = inputOf(request.args);
  const place = folderOf(request, input);
  const folder = place === undefined ? NONE : questionPart(folderText(place), NAME_CHARS);
  const command = isShellCall(request) ? commandOf(request, input) : undefined;
  if (command !== undefined) {
    const push = pushIn(command);
    return sentence('question.command', {
      what: push?.kind ?? 'command',
      // A backtick in it would end the quotation early.
      text: questionPart(command, COMMAND_CHARS).replaceAll('`', "'"),
      name: push?.branch === undefined ? NONE : questionPart(push.branch, NAME_CHARS),
      folder,
    });
  }
  if (request.file !== undefined && isFileCall(request))
    return sentence('question.file', { file: questionPart(request.file, NAME_CHARS), folder });
  const to = recipientOf(input);
  const thing =
    textField(input, ['path', 'file_path', 'file', 'url', 'target']) ?? spokenCommand(input);
  return sentence('question.tool', {
    tool: coveredPart(request) ?? tool,
    name: to ?? NONE,
    text: thing === undefined ? NONE : questionPart(thing, NAME_CHARS),
    // The destination of a mail does not depend on a folder.
    folder: thing === undefined || /^[a-z][a-z0-9+.-]*:\/\//i.test(thing) ? NONE : folder,
  });
}

/** The question in English: tray, notifications and terminal. */
export const callQuestionText = (
  request: CallFacts,
  folderText?: (folder: string) => string,
): string =>
  sayWith(
    (key) => EN_QUESTIONS[key as keyof typeof EN_QUESTIONS],
    callQuestion(request, folderText),
  );

/**
 * What to look at in the command of a call, in English, each once; also in what another tool takes for one.
 */
export function callWarnings(request: CallFacts): readonly string[] {
  const input = inputOf(request.args);
  const command = spokenCommand(input) ?? commandOf(request, input) ?? '';
  const said = warningSentences(command).map((one) =>
    sayWith((key) => EN_QUESTIONS[key as keyof typeof EN_QUESTIONS], one),
  );
  return [...new Set(said)];
}

/** One sentence for each part of a command that a reader should check. */
export const warningSentences = (command: string): readonly Sentence[] =>
  commandWarnings(command).map(({ kind, start, end }) =>
    sentence(`warning.${kind}`, { text: questionPart(command.slice(start, end), 40) }),
  );

/** The known folder of the call, unless its input names another one. */
function folderOf({ tool, folder }: CallFacts, input: unknown): string | undefined {
  if (folder === undefined) return undefined;
  const named = folderOfToolCall(tool, input, folder) ?? '';
  // Shown with `~`, which its input may spell out.
  const isIt = named.startsWith(folder) || named.endsWith(folder.replace(/^~/, ''));
  return isIt ? folder : named === '' ? undefined : named;
}

/** `git push` if the permission is narrower than the tool. */
function coveredPart({ tool, covers }: CallFacts): string | undefined {
  const rest = covers.startsWith(`${tool} `) ? covers.slice(tool.length + 1).trim() : '';
  // A permission for one repeated call ends with a hash, which says nothing to a reader.
  if (rest === '' || /^[0-9a-f]{12}$/.test(rest)) return undefined;
  // `coder.send of mail`: whose tool it is says nothing without the tool.
  return questionPart(rest.startsWith('of ') ? covers : rest, NAME_CHARS);
}

/** All of what the input of a shell runs; undefined if its command is not all of it, or not known. */
function commandOf(
  { hint, tool }: CallFacts,
  input: Readonly<Record<string, unknown>> | undefined,
): string | undefined {
  // An input that was cut is no JSON; the shell's hint is the start of its command.
  if (input === undefined) return plainName(tool) === 'shell' && hint !== '' ? hint : undefined;
  const { cmd, ...others } = input;
  return wholeCommand(Object.hasOwn(input, 'command') ? input : { ...others, command: cmd });
}

/** What an input calls its command, of any tool, and whatever else it says. */
const spokenCommand = (input: Readonly<Record<string, unknown>> | undefined): string | undefined =>
  ['command', 'cmd']
    .map((name) =>
      input !== undefined && Object.hasOwn(input, name) ? shellLine(input[name]) : undefined,
    )
    .find((line) => line !== undefined);

function inputOf(args: string): Readonly<Record<string, unknown>> | undefined {
  const value = parsedJson(args);
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)
    : undefined;
}

function textField(
  input: Readonly<Record<string, unknown>> | undefined,
  names: readonly string[],
): string | undefined {
  for (const name of names) {
    const value = input !== undefined && Object.hasOwn(input, name) ? input[name] : undefined;
    if (typeof value === 'string' && value.trim() !== '') return value;
  }
  return undefined;
}

/** The shell command in the input of a tool call, as agents write it: one text, or a list of words. */
import { isFolderField } from '../call-folder';
import { quoted } from '../shell-quoted';

/** By its name alone or in a system folder: any other path may be anyone's program. */
const SHELL = /^(?:\/(?:usr\/(?:local\/)?|opt\/homebrew\/)?bin\/)?(?:ba|da|k|z)?sh$/;

const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'string');

/**
 * The line that a shell would run: what `bash -lc` is given, or the words of a list, each quoted, so that none
 * splits when the line is judged. Undefined for what is no command. Pure.
 */
export function shellLine(value: unknown): string | undefined {
  if (typeof value === 'string') return value.trim() === '' ? undefined : value;
  if (!isTexts(value) || value.length === 0) return undefined;
  const [shell = '', flags = '', script = ''] = value;
  const isScript = value.length === 3 && SHELL.test(shell) && /^-[a-z]*c$/.test(flags);
  return isScript && script.trim() !== '' ? script : value.map(quoted).join(' ');
}

/** Fields that say how long, where, why or with which rights: with any other text it is another command. */
const BESIDE: ReadonlySet<string> = new Set(
  (
    'description timeout timeout_ms timeoutMs call_id turn_id approval_id process_id id title reason ' +
    'explanation justification parsed_cmd parsedCmd available_decisions sandbox_permissions ' +
    'additional_permissions prefix_rule proposed_execpolicy_amendment network_approval_context ' +
    'yield_time_ms max_output_tokens'
  ).split(' '),
);

/** `env`, `stdin`, an interpreter: what is run then is not in the command alone. */
function isBeside([field, value]: readonly [string, unknown]): boolean {
  if (BESIDE.has(field) || isFolderField(field)) return true;
  if (field === 'shell') return false;
  const isNothing =
    value === null ||
    value === '' ||
    (typeof value === 'object' && Object.keys(value).length === 0);
  return isNothing || typeof value === 'boolean' || typeof value === 'number';
}

/** The same command once more, as Copilot lists it in `commands`, is nothing more. */
const isAgain = (value: unknown, command: unknown): boolean =>
  typeof command === 'string' &&
  (Array.isArray(value) && value.length === 1 ? value[0] : value) === command;

/** All of what the input of a shell runs; undefined if its `command` is not all of it, or none. Pure. */
export function wholeCommand(input: unknown): string | undefined {
  if (input === null || typeof input !== 'object' || Array.isArray(input)) return undefined;
  const { command, args = [], ...others } = input as Readonly<Record<string, unknown>>;
  const isAll = Object.entries(others).every(
    (entry) => isBeside(entry) || isAgain(entry[1], command),
  );
  if (!isAll || !isTexts(args)) return undefined;
  if (typeof command === 'string' && command !== '') {
    if (args.length === 0) return command;
    // It may contain one program with a space in its name, or several words.
    return /^[\w./@+-]+$/.test(command) ? shellLine([command, ...args]) : undefined;
  }
  return isTexts(command) && command.length > 0 ? shellLine([...command, ...args]) : undefined;
}

/**
 * Keeps an agent from blocking its turn with `sleep`: a command that waits and then does nothing is
 * rejected, and the message suggests the equivalent `timer(...)` call. It does not keep the
 * computer awake, and it is not a sandbox: a command that the parser does not understand is
 * allowed. The rule is literal. It blocks a sleep that is the only or last foreground command.
 * Allowed: the right side of `||`, a background sleep, and a sleep with anything after it (`sleep
 * 600; true`), which is counted instead. In addition, a wait of more than a minute is rejected if
 * the surrounding commands do nothing: `sleep 600 & wait`, `echo $(sleep 600)`. Source:
 * S1-25..S1-30.
 */
import type {
  AndOr,
  Command,
  CommandNode,
  CompoundList,
  Pipeline,
  Script,
  Statement,
  SyntaxNode,
  Word,
} from 'unbash';
import { forEachChild } from 'unbash';
import { MAX_TIMER_SECONDS } from '../../../shared/schedule/limits';
import { foldedFields, foldedText, printedByCommand, valuesIn, type Values } from './folded-words';
import { CARRIES } from './risk-by-program';
import { isInput, shellCall, type ShellCall } from './shell-options';
import { actionsOf } from './shell-parts';
import { parse, withoutContinuations } from './shell-walk';
import { pathPattern, type Text } from './shell-words';
import { wrapperCall } from './wrapped-programs';
import { entryOf, table } from '../../../shared/table';

type Unwrapped = NonNullable<ReturnType<typeof wrapperCall>>['runs'];

/** The guard's verdict about a command. */
export type SleepVerdict =
  | {
      readonly blocked: false;
      /** Seconds of waiting in an allowed command; written to the audit. */
      readonly waitsSeconds?: number;
    }
  | {
      readonly blocked: true;
      readonly reason: string;
      readonly suggestion: string;
      /** Whole seconds, rounded up; absent if the command does not state them. */
      readonly seconds?: number;
    };

const MAX_COMMAND_CHARS = 200_000;
const MAX_DEPTH = 12;
const MAX_LISTS = 300;
/** This many arguments of a program cost as much as a list. */
const WORDS_OF_A_LIST = 100;

/** A wait up to here is let through where something is around it, even if that does nothing. */
const MAX_ROUNDABOUT_SECONDS = 60;

/** They end the following commands, and do nothing themselves. */
const ENDINGS = new Set(['exit', 'return', 'logout']);
/** Programs that only show or store a wait's output. */
const IDLE = new Set(
  'echo printf : true false test [ cat tee wc head tail export local declare typeset readonly read mapfile'.split(
    ' ',
  ),
);
/** A loop with one of these conditions checks nothing. */
const TRIVIAL = new Set(['true', 'false', ':']);

/** System folders; a program of the same name anywhere else is a different one. */
const SYSTEM_FOLDER =
  /^\/((usr\/(local\/)?)?s?|(opt\/(homebrew|local)|run\/current-system\/sw)\/)bin\/$/;
const SYSTEM_FOLDERS = ['/bin/', '/usr/bin/', '/usr/local/bin/'];

/**
 * Options with which a wrapper starts its program and returns at once, and those that undo them.
 */
const DETACHING = table<{ readonly by?: RegExp; readonly unless?: RegExp }>({
  ssh: { by: /^-[46AaCGgKkMNnqsTtVvXxYy]*f/ },
  sudo: { by: /^(-[ABEHKknPSisl]*b|--b\w*$)/ },
  setsid: { by: /^(-[cw]*f|--f\w*$)/, unless: /^(-[cf]*w|--w\w*$)/ },
  'systemd-run': { unless: /^(-[qdGr]*[tPS]|--(pty|pipe|sc\w*|sh\w*|w\w*)$)/ },
});

/** The sleeps that were found, so that the message can name the same seconds. */
interface FoundWait {
  seconds: number | undefined;
}

interface Scope {
  readonly functions: Map<string, SyntaxNode>;
  readonly values: Values;
  /** Input of a shell in a pipe, as far as the line reveals it. */
  readonly input: Text;
  readonly depth: number;
  /** Remaining lists and programs to check: a line that is nested more deeply is allowed. */
  readonly patience: { left: number };
}

/**
 * Judges one command line. Never throws; a command that cannot be parsed is allowed. Under a
 * millisecond for ordinary commands.
 */
export function judgeSleep(command: string): SleepVerdict {
  if (command.length > MAX_COMMAND_CHARS || !mayNameSleep(command)) return { blocked: false };
  try {
    const script = parse(withoutContinuations(command) ?? command);
    if (script === undefined) return { blocked: false };
    const values = valuesIn(script);
    const scope: Scope = {
      functions: new Map(),
      values,
      input: undefined,
      depth: 0,
      patience: { left: MAX_LISTS },
    };
    const found = waits(script.commands, scope);
    if (found !== undefined) return blocked(found.seconds);
    const before = waitsBefore(script.commands, scope);
    return before === undefined ? { blocked: false } : { blocked: false, waitsSeconds: before };
  } catch {
    return { blocked: false }; // Too deep for the parser: allowed, like everything that it does not understand.
  }
}

/**
 * Quotes and backslashes may hide the word; every letter must be present, except in `$'\x73'` and
 * patterns.
 */
function mayNameSleep(command: string): boolean {
  if (command.includes("$'") || /[?*[]/.test(command)) return true;
  let at = -1;
  for (const letter of 'sleep') {
    at = command.indexOf(letter, at + 1);
    if (at < 0) return false;
  }
  return true;
}

function blocked(seconds: number | undefined): SleepVerdict {
  const known = seconds === undefined || !Number.isFinite(seconds) ? undefined : seconds;
  const reason =
    'Not run: the command would block this turn and do nothing after the wait. Nothing of it was started.';
  if (seconds !== undefined && seconds > MAX_TIMER_SECONDS) {
    return {
      blocked: true,
      reason,
      suggestion: `schedule_task("<what to do then>", "in ${known === undefined ? '1h' : delayText(known)}")`,
      ...(known === undefined ? {} : { seconds: known }),
    };
  }
  return {
    blocked: true,
    reason,
    suggestion: `timer(${known === undefined ? '<seconds>' : String(known)}, "<what to do then>")`,
    ...(known === undefined ? {} : { seconds: known }),
  };
}

/** Uses the largest unit without a remainder. */
function delayText(seconds: number): string {
  if (seconds % 86_400 === 0) return `${String(seconds / 86_400)}d`;
  if (seconds % 3_600 === 0) return `${String(seconds / 3_600)}h`;
  return seconds % 60 === 0 ? `${String(seconds / 60)}m` : `${String(seconds)}s`;
}

/** The sentence that the agent reads instead of a result. */
export function sleepRefusal(verdict: Extract<SleepVerdict, { blocked: true }>): string {
  const how = verdict.suggestion.startsWith('timer')
    ? 'it returns at once and wakes you when the time has passed'
    : 'it returns at once and starts a turn at that time';
  return `${verdict.reason} Use ${verdict.suggestion} instead: ${how}, even after a restart.`;
}

/** Total seconds of sleeps that are followed by something. */
function waitsBefore(statements: readonly Statement[], scope: Scope): number | undefined {
  let seconds = 0;
  for (const statement of statements.slice(0, -1)) {
    if (statement.background === true) continue;
    const found = waitsNode(statement.command, scope);
    if (found?.seconds !== undefined && Number.isFinite(found.seconds)) seconds += found.seconds;
  }
  return seconds === 0 ? undefined : seconds;
}

function waits(all: readonly Statement[], scope: Scope): FoundWait | undefined {
  scope.patience.left -= 1;
  if (scope.depth > MAX_DEPTH || scope.patience.left < 0) return undefined;
  for (const { command } of all) {
    if (command.type === 'Function') scope.functions.set(command.name.value, command.body);
  }
  const statements = all.slice(0, lengthBeforeEnding(all));
  const last = statements.at(-1);
  const found =
    last === undefined || last.background === true ? undefined : waitsNode(last.command, scope);
  const isLast = statements.length === all.length;
  return (isLast ? found : onlyLong(found)) ?? onlyLong(waitsRoundabout(statements, scope));
}

/** `sleep 600; exit` only ends with a code after the sleep; a short wait for that is legitimate. */
function lengthBeforeEnding(statements: readonly Statement[]): number {
  let length = statements.length;
  while (length > 0 && isEnding(statements[length - 1]?.command)) length -= 1;
  return length;
}

const isEnding = (node: SyntaxNode | undefined): boolean =>
  node?.type === 'Command' &&
  ENDINGS.has(node.name?.value ?? '') &&
  node.args.every((arg) => arg.type === 'Word' && substitutions(arg).length === 0);

const endsOnly = (node: SyntaxNode | undefined): boolean =>
  isEnding(node) || (node !== undefined && isTrivialCommand(node));

const onlyLong = (found: FoundWait | undefined): FoundWait | undefined =>
  (found?.seconds ?? 0) > MAX_ROUNDABOUT_SECONDS ? found : undefined;

/**
 * Waits that are not literally the last command, but with nothing around them that does anything.
 */
function waitsRoundabout(statements: readonly Statement[], scope: Scope): FoundWait | undefined {
  for (const { command } of statements) {
    // `trap 'sleep 600' EXIT`
    if (command.type !== 'Command' || command.name?.value !== 'trap') continue;
    const [text, ...signals] = withoutMark(foldedFields(command, scope.values).slice(1));
    if (text !== undefined && signals.some((one) => one === 'EXIT' || one === '0'))
      return waitsText(text, scope);
  }
  const last = statements.at(-1)?.command;
  if (last === undefined || statements.at(-1)?.background === true) return undefined;
  if (last.type === 'Command' && (last.name?.value === 'wait' || last.name?.value === 'fg'))
    return waitsBeside(statements.slice(0, -1), scope);
  if (last.type === 'AndOr') {
    const [end] = last.commands.slice(-1);
    return end !== undefined && last.operators.at(-1) === '&&'
      ? waitsAround(end, scope)
      : undefined;
  }
  return waitsAround(last, scope);
}

/** The last background command: `sleep 600 & wait`. */
function waitsBeside(statements: readonly Statement[], scope: Scope): FoundWait | undefined {
  for (const { command, background } of statements.toReversed()) {
    if (background === true) return waitsNode(command, deeper(scope));
    if (command.type === 'Coproc') return waitsNode(command.body, deeper(scope));
    if (command.type === 'BraceGroup') {
      const found = waitsBeside(command.body.commands, deeper(scope));
      if (found !== undefined) return found;
    }
  }
  return undefined;
}

/** A wait in a substitution, condition or pipe of something that does nothing. */
function waitsAround(node: SyntaxNode, scope: Scope): FoundWait | undefined {
  switch (node.type) {
    case 'Command': {
      if (node.name !== undefined && !IDLE.has(node.name.value)) return undefined;
      return firstWait([...node.prefix, ...node.suffix].flatMap(substitutions), scope);
    }
    case 'TestCommand':
    case 'ArithmeticCommand':
      return firstWait(substitutions(node), scope);
    case 'Case':
      return node.items.every((item) => isTrivial(item.body))
        ? firstWait(substitutions(node.word), scope)
        : undefined;
    case 'For':
      return isTrivial(node.body)
        ? firstWait((node.wordlist ?? []).flatMap(substitutions), scope)
        : undefined;
    case 'If': {
      const branches = [node.then, ...node.elif.map((one) => one.then)];
      if (node.else !== undefined) branches.push(node.else);
      return branches.every(isTrivial) ? inside(node.clause, scope) : undefined;
    }
    case 'Pipeline':
      return waitsInPipe(node, scope);
    default:
      return undefined;
  }
}

/** `sleep 600 | cat` */
function waitsInPipe(node: Pipeline, scope: Scope): FoundWait | undefined {
  let found: FoundWait | undefined;
  for (const command of node.commands) {
    const one = waitsNode(command, deeper(scope)) ?? waitsAround(command, deeper(scope));
    found ??= one;
    const isIdle = command.type === 'Command' && IDLE.has(command.name?.value ?? '');
    if (one === undefined && !isIdle) return undefined;
  }
  return found;
}

const firstWait = (scripts: readonly Script[], scope: Scope): FoundWait | undefined => {
  for (const script of scripts) {
    const found = waits(script.commands, deeper(scope));
    if (found !== undefined) return found;
  }
  return undefined;
};

/** The scripts that run for a node's arguments, one level deep. */
function substitutions(node: SyntaxNode): readonly Script[] {
  if (node.type === 'CommandExpansion' || node.type === 'ProcessSubstitution')
    return node.script === undefined ? [] : [node.script];
  const found: Script[] = [];
  forEachChild(node, (child) => {
    found.push(...substitutions(child));
  });
  return found;
}

const deeper = (scope: Scope): Scope => ({ ...scope, depth: scope.depth + 1 });
const inside = (list: CompoundList, scope: Scope): FoundWait | undefined =>
  waits(list.commands, deeper(scope));

function waitsNode(node: SyntaxNode, scope: Scope): FoundWait | undefined {
  switch (node.type) {
    case 'AndOr':
      return waitsAndOr(node, scope);
    case 'Pipeline':
      return waitsPipeline(node, scope);
    case 'Command':
      return waitsCommand(node, scope);
    case 'Redirected':
      return waitsNode(node.command, scope);
    case 'Subshell':
    case 'BraceGroup':
      return inside(node.body, scope);
    case 'CompoundList':
      return inside(node, scope);
    case 'If': {
      const branches = [node.then, ...node.elif.map((one) => one.then)];
      if (node.else !== undefined) branches.push(node.else);
      return firstOf(branches, scope);
    }
    case 'Case':
      return firstOf(
        node.items.map((item) => item.body),
        scope,
      );
    case 'While':
      return waitsWhile(node.clause, node.body, scope);
    case 'For':
    case 'ArithmeticFor':
    case 'Select':
      return onlySleeps(node.body.commands, scope);
    default:
      // Functions are only defined, coprocesses run in parallel; tests and arithmetic do not wait.
      return undefined;
  }
}

function firstOf(branches: readonly CompoundList[], scope: Scope): FoundWait | undefined {
  for (const branch of branches) {
    const found = inside(branch, scope);
    if (found !== undefined) return found;
  }
  return undefined;
}

function waitsAndOr(node: AndOr, scope: Scope): FoundWait | undefined {
  let at = node.commands.length - 1;
  // `sleep 600 && exit`, `sleep 600 || true`
  while (at > 0 && endsOnly(node.commands[at])) at -= 1;
  const last = node.commands[at];
  if (last === undefined || node.operators[at - 1] === '||') return undefined;
  const found = waitsNode(last, scope);
  return at === node.commands.length - 1 ? found : onlyLong(found);
}

function waitsPipeline(node: Pipeline, scope: Scope): FoundWait | undefined {
  const last: CommandNode | undefined = node.commands.at(-1);
  const before: CommandNode | undefined = node.commands.at(-2);
  if (last === undefined) return undefined;
  const input = before?.type === 'Command' ? printedByCommand(before, scope.values) : undefined;
  return waitsNode(last, { ...scope, input });
}

function isTrivial(clause: CompoundList): boolean {
  return clause.commands.every(({ command }) => isTrivialCommand(command));
}

const isTrivialCommand = (node: SyntaxNode): boolean =>
  node.type === 'Command' &&
  node.args.length === 0 &&
  (TRIVIAL.has(node.name?.value ?? '') || ENDINGS.has(node.name?.value ?? ''));

/** A loop is blocked if it checks nothing and only waits, in its head or in its body. */
function waitsWhile(clause: CompoundList, body: CompoundList, scope: Scope): FoundWait | undefined {
  if (isTrivial(clause)) return onlySleeps(body.commands, scope);
  const found = onlySleeps(clause.commands, scope);
  return isTrivial(body) || onlySleeps(body.commands, scope) !== undefined ? found : undefined;
}

const isJump = (node: SyntaxNode): boolean =>
  isEnding(node) ||
  (node.type === 'Command' && /^(break|continue|true|:)$/.test(node.name?.value ?? ''));

/** A statement, or a part of one. */
interface Step {
  readonly command: SyntaxNode;
  readonly background?: boolean | undefined;
}

function onlySleeps(statements: readonly Step[], scope: Scope): FoundWait | undefined {
  let found: FoundWait | undefined;
  for (const { command, background } of statements) {
    if (found !== undefined && isJump(command)) continue;
    const one = background === true ? undefined : waitsNode(command, deeper(scope));
    if (one === undefined || !isBare(command, scope)) return undefined;
    found ??= one;
  }
  return found;
}

/**
 * True if everything that ends with a wait only waits: `pgrep make && sleep 5` checks something.
 */
function isBare(node: SyntaxNode, scope: Scope): boolean {
  const isNothing = (one: SyntaxNode): boolean =>
    isJump(one) || isTrivialCommand(one) || onlySleeps([{ command: one }], scope) !== undefined;
  switch (node.type) {
    case 'AndOr':
      return node.commands.every(isNothing);
    case 'Subshell':
    case 'BraceGroup':
      return node.body.commands.every(({ command }) => isNothing(command));
    case 'If':
      return [node.clause, ...node.elif.map((one) => one.clause)].every(isTrivial);
    default:
      return true;
  }
}

function waitsCommand(node: Command, scope: Scope): FoundWait | undefined {
  const { name } = node;
  if (name === undefined) return waitsAssignments(node, scope);
  // `$(sleep 60)` runs a substitution and then whatever it printed: nothing.
  const substituted = substitution(name);
  if (substituted !== undefined && node.args.length === 0) {
    const found = waits(substituted.commands, deeper(scope));
    if (found !== undefined) return found;
  }
  const own = scope.functions.get(name.value);
  if (own !== undefined) return scope.depth > MAX_DEPTH ? undefined : waitsNode(own, deeper(scope));
  return waitsWords(foldedFields(node, scope.values), node, scope);
}

/**
 * `env A=1 sleep 60`, `bash -c 'sleep 60'`, `find . -exec sleep 60 ;`: the program that the
 * arguments run.
 */
function waitsWords(words: readonly Text[], node: Command, scope: Scope): FoundWait | undefined {
  const [program, ...args] = words;
  scope.patience.left -= 1 + words.length / WORDS_OF_A_LIST;
  if (program === undefined || scope.depth > MAX_DEPTH || scope.patience.left < 0) return undefined;
  const base = programName(program);
  if (base === 'sleep' || base === 'gsleep') return waitsSleep(args);
  const shell = shellCall(base, args);
  if (shell !== undefined) return waitsShell(node, shell, scope);
  switch (base) {
    case 'eval':
      return args.includes(undefined) ? undefined : waitsText(withoutMark(args).join(' '), scope);
    case '.':
    case 'source':
      return isInput(args[0]) ? waitsInput(node, scope) : undefined;
    case 'find':
      for (const action of actionsOf(args)) {
        if (scope.patience.left < 0) return undefined;
        const found = waitsWords(action, node, deeper(scope));
        if (found !== undefined) return found;
      }
      return undefined;
    default: {
      // `npx sleep` may be a package of that name.
      const runs = CARRIES.has(base) ? undefined : wrapperCall(base, words)?.runs;
      if (runs === undefined || detaches(base, words, runs)) return undefined;
      if (runs.kind === 'line')
        return runs.line === undefined ? undefined : waitsText(runs.line, scope);
      return runs.kind === 'program' ? waitsWords(runs.words, node, deeper(scope)) : undefined;
    }
  }
}

/** `x=$(sleep 60)`: the same wait. */
function waitsAssignments(node: Command, scope: Scope): FoundWait | undefined {
  const last = node.prefix.filter((one) => one.type === 'Assignment').at(-1);
  const script = last?.value.type === 'Word' ? substitution(last.value) : undefined;
  return script === undefined ? undefined : waits(script.commands, deeper(scope));
}

/** The script of an argument that is exactly one command substitution, quoted or not. */
function substitution(word: Word): Script | undefined {
  const part = word.parts?.length === 1 ? word.parts[0] : undefined;
  const inner = part?.type === 'DoubleQuoted' && part.parts.length === 1 ? part.parts[0] : part;
  return inner?.type === 'CommandExpansion' ? inner.script : undefined;
}

/** `eval -- sleep 600`: the dashes are not part of the text. */
const withoutMark = (args: readonly Text[]): readonly Text[] =>
  args[0] === '--' ? args.slice(1) : args;

/** A program by its full system path is that program; any other path is a custom program. */
function programName(word: string): string {
  if (!/^(\/|\.\.\/)/.test(word)) return word;
  const names: string[] = [];
  for (const name of word.split('/')) {
    if (name === '..') names.pop();
    else if (name !== '' && name !== '.') names.push(name);
  }
  const name = names.pop() ?? '';
  const folder = ['', ...names, ''].join('/');
  return isSystemFolder(folder) ? name : word;
}

/** The folder may be a pattern: `/???/sleep`. */
function isSystemFolder(folder: string): boolean {
  if (!/[*?[]/.test(folder)) return SYSTEM_FOLDER.test(folder);
  const pattern = pathPattern(folder);
  return SYSTEM_FOLDERS.some((one) => pattern.test(one));
}

/** True if the wrapper does not wait for the program that it starts: `ssh -f`, `sudo -b`. */
function detaches(name: string, words: readonly Text[], runs: Unwrapped): boolean {
  const row = entryOf(DETACHING, name);
  if (row === undefined) return false;
  let end = words.length;
  if (runs.kind === 'program') end -= runs.words.length;
  // A line is the last words, joined with blanks.
  let left = runs.kind === 'line' ? (runs.line ?? '').length : 0;
  while (left > 0 && end > 1) left -= (words[(end -= 1)] ?? '').length + 1;
  const options = words.slice(1, end);
  const has = (one: RegExp): boolean => options.some((word) => one.test(word ?? ''));
  const isBy = row.by === undefined || has(row.by);
  return isBy && !(row.unless !== undefined && has(row.unless));
}

function waitsSleep(args: readonly Text[]): FoundWait | undefined {
  if (args.some((arg) => arg === '--help' || arg === '--version')) return undefined;
  return { seconds: secondsOf(args[0] === '--' ? args.slice(1) : args) };
}

const SUFFIX = table<number>({ s: 1, m: 60, h: 3_600, d: 86_400 });

/** The sum of the operands in seconds, rounded up; undefined if an operand is computed. */
function secondsOf(args: readonly Text[]): number | undefined {
  if (args.length === 0) return undefined;
  let sum = 0;
  for (const value of args) {
    if (value === undefined) return undefined;
    if (/^inf(inity)?$/i.test(value)) return Infinity;
    const found = /^((?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d{1,3})?)([smhd])?$/i.exec(value);
    if (found === null) return undefined;
    sum += Number(found[1]) * (SUFFIX[found[2] ?? 's'] ?? NaN);
  }
  return Number.isNaN(sum) ? undefined : Math.max(1, Math.ceil(sum));
}

/** `bash -c '...'`, and a shell that reads its commands from the line's own text. */
function waitsShell(node: Command, call: ShellCall, scope: Scope): FoundWait | undefined {
  if (call.reads === 'input') return waitsInput(node, scope);
  const text = call.texts.at(-1);
  return text === undefined ? undefined : waitsText(text, scope);
}

function waitsInput(node: Command, scope: Scope): FoundWait | undefined {
  for (const redirect of node.redirects) {
    if (redirect.type === 'HereDoc') return waitsText(redirect.body.text, scope);
    if (redirect.type !== 'HereString' || redirect.target === undefined) continue;
    return waitsText(foldedText(redirect.target, scope.values) ?? '', scope);
  }
  return scope.input === undefined ? undefined : waitsText(scope.input, scope);
}

function waitsText(text: string, scope: Scope): FoundWait | undefined {
  if (scope.depth > MAX_DEPTH) return undefined;
  const script = parse(withoutContinuations(text) ?? text);
  return script === undefined ? undefined : waits(script.commands, deeper(scope));
}

/**
 * Keeps an agent from blocking its turn with `sleep`: a command that waits and does nothing after it
 * is refused with the `timer(...)` call that does the same without blocking. It does not keep the
 * computer awake, and it is no wall: a command that the parser does not understand is let through.
 *
 * The rule is literal. Blocked is a sleep that is the sole or last command of the foreground; the
 * right side of `||` is a way out and allowed; so is a sleep in the background, and one with
 * anything after it (`sleep 600; true`), which is counted instead. Source: S1-25..S1-30.
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
import { LONGEST_TIMER_SECONDS } from '../../../../shared/schedule/limits';
import { parse } from './shell-walk';

/** What the guard says about a command. */
export type SleepVerdict =
  | {
      readonly blocked: false;
      /** It waits so long before it goes on; said in the audit. */
      readonly waitsSeconds?: number;
    }
  | {
      readonly blocked: true;
      readonly reason: string;
      readonly suggestion: string;
      /** Whole seconds, rounded up; absent where they are not written in the command. */
      readonly seconds?: number;
    };

const MAX_COMMAND_CHARS = 200_000;
/** Parsing costs by word, not by letter: so many of them take a tenth of the turn's patience. */
const MAX_WORDS = 8_000;
const MAX_DEPTH = 12;

/** Programs that run another one: the short options that take a value, then the long ones. */
const WRAPPERS = new Map<string, string>([
  ['command', ''],
  ['builtin', ''],
  ['exec', 'a'],
  ['env', 'uC unset chdir'],
  ['sudo', 'ugpCDhrtTR user group prompt close-from chdir host role type command-timeout chroot'],
  ['doas', 'uC'],
  ['nice', 'n adjustment'],
  ['ionice', 'cnp class classdata'],
  ['nohup', ''],
  ['setsid', ''],
  ['stdbuf', 'ioe input output error'],
  ['timeout', 'ks kill-after signal'],
  ['gtimeout', 'ks kill-after signal'],
  ['time', 'fo format output'],
  ['chronic', ''],
  ['busybox', ''],
  ['toybox', ''],
  ['caffeinate', 'tw'],
  ['unbuffer', ''],
  ['xargs', 'adEILnPs arg-file delimiter max-args max-procs max-lines replace'],
]);
const SHELLS = new Set(['sh', 'bash', 'dash', 'zsh', 'ksh', 'ash', 'fish']);
/** Options of a shell that take a value. */
const SHELL_VALUED = new Set(['-o', '+o', '-O', '+O', '--rcfile', '--init-file']);
/** A loop that goes round on one of these checks nothing. */
const TRIVIAL = new Set(['true', 'false', ':']);

/** Sleeps as they were found, so that the message can name the same seconds. */
interface Found {
  seconds: number | undefined;
}

interface Scope {
  readonly functions: Map<string, SyntaxNode>;
  readonly depth: number;
}

/**
 * Judges one command line. Never throws; what cannot be parsed is allowed. Under a millisecond for
 * ordinary commands.
 */
export function judgeSleep(command: string): SleepVerdict {
  if (command.length > MAX_COMMAND_CHARS || !mayNameSleep(command) || isTooMuch(command))
    return { blocked: false };
  try {
    const script = parse(command);
    if (script === undefined) return { blocked: false };
    const scope: Scope = { functions: new Map(), depth: 0 };
    const found = waits(script.commands, scope);
    if (found !== undefined) return blocked(found.seconds);
    const before = waitsBefore(script.commands, scope);
    return before === undefined ? { blocked: false } : { blocked: false, waitsSeconds: before };
  } catch {
    return { blocked: false }; // too deep for the parser: let through, as all it does not understand
  }
}

/** Quotes and backslashes may hide the word; no letter of it may be missing, but in `$'\x73'`. */
function mayNameSleep(command: string): boolean {
  if (command.includes("$'")) return true;
  let at = -1;
  for (const letter of 'sleep') {
    at = command.indexOf(letter, at + 1);
    if (at < 0) return false;
  }
  return true;
}

function isTooMuch(command: string): boolean {
  let words = 0;
  for (const _ of command.matchAll(/\W+/g)) if ((words += 1) > MAX_WORDS) return true;
  return false;
}

function blocked(seconds: number | undefined): SleepVerdict {
  const known = seconds === undefined || !Number.isFinite(seconds) ? undefined : seconds;
  const reason =
    'Not run: the command would block this turn and do nothing after the wait. Nothing of it was started.';
  if (seconds !== undefined && seconds > LONGEST_TIMER_SECONDS) {
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

/** The largest unit that says it without a rest. */
function delayText(seconds: number): string {
  if (seconds % 86_400 === 0) return `${String(seconds / 86_400)}d`;
  if (seconds % 3_600 === 0) return `${String(seconds / 3_600)}h`;
  return seconds % 60 === 0 ? `${String(seconds / 60)}m` : `${String(seconds)}s`;
}

/** The sentence that the agent reads instead of a result. */
export function sleepRefusal(verdict: Extract<SleepVerdict, { blocked: true }>): string {
  const how = verdict.suggestion.startsWith('timer')
    ? 'it returns at once and wakes you when the time has passed'
    : 'it returns at once and starts a turn when the time has come';
  return `${verdict.reason} Use ${verdict.suggestion} instead: ${how}, also after a restart.`;
}

/** Sleeps that something follows, in seconds together. */
function waitsBefore(statements: readonly Statement[], scope: Scope): number | undefined {
  let seconds = 0;
  for (const statement of statements.slice(0, -1)) {
    if (statement.background === true) continue;
    const found = waitsNode(statement.command, scope);
    if (found?.seconds !== undefined && Number.isFinite(found.seconds)) seconds += found.seconds;
  }
  return seconds === 0 ? undefined : seconds;
}

function waits(statements: readonly Statement[], scope: Scope): Found | undefined {
  if (scope.depth > MAX_DEPTH) return undefined;
  for (const { command } of statements) {
    if (command.type === 'Function') scope.functions.set(command.name.value, command.body);
  }
  const last = statements.at(-1);
  return last === undefined || last.background === true
    ? undefined
    : waitsNode(last.command, scope);
}

const deeper = (scope: Scope): Scope => ({ ...scope, depth: scope.depth + 1 });
const inside = (list: CompoundList, scope: Scope): Found | undefined =>
  waits(list.commands, deeper(scope));

function waitsNode(node: SyntaxNode, scope: Scope): Found | undefined {
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
      return onlySleeps(node.body, scope);
    default:
      // Functions are only defined, coprocesses run beside; tests and arithmetic do not wait.
      return undefined;
  }
}

function firstOf(branches: readonly CompoundList[], scope: Scope): Found | undefined {
  for (const branch of branches) {
    const found = inside(branch, scope);
    if (found !== undefined) return found;
  }
  return undefined;
}

function waitsAndOr(node: AndOr, scope: Scope): Found | undefined {
  const last = node.commands.at(-1);
  if (last === undefined || node.operators.at(-1) === '||') return undefined;
  return waitsNode(last, scope);
}

function waitsPipeline(node: Pipeline, scope: Scope): Found | undefined {
  const last: CommandNode | undefined = node.commands.at(-1);
  return last === undefined ? undefined : waitsNode(last, scope);
}

function isTrivial(clause: CompoundList): boolean {
  return clause.commands.every(
    ({ command }) =>
      command.type === 'Command' &&
      command.args.length === 0 &&
      TRIVIAL.has(command.name?.value ?? ''),
  );
}

/** Blocked is a loop that checks nothing and does nothing but wait, in its head or in its body. */
function waitsWhile(clause: CompoundList, body: CompoundList, scope: Scope): Found | undefined {
  if (isTrivial(clause)) return onlySleeps(body, scope);
  const found = onlySleeps(clause, scope);
  return isTrivial(body) || onlySleeps(body, scope) !== undefined ? found : undefined;
}

function onlySleeps(body: CompoundList, scope: Scope): Found | undefined {
  let found: Found | undefined;
  for (const { command, background } of body.commands) {
    const one = background === true ? undefined : waitsNode(command, deeper(scope));
    if (one === undefined) return undefined;
    found ??= one;
  }
  return found;
}

function waitsCommand(node: Command, scope: Scope): Found | undefined {
  const { name } = node;
  if (name === undefined) return waitsAssignments(node, scope);
  // `$(sleep 60)` runs a substitution and then whatever it printed: nothing.
  const substituted = substitution(name);
  if (substituted !== undefined && node.args.length === 0)
    return waits(substituted.commands, deeper(scope));
  const words = [name, ...node.args.filter((arg): arg is Word => arg.type === 'Word')];
  const called = unwrap(words);
  const [program, ...args] = called;
  if (program === undefined) return undefined;
  const own = program === name ? scope.functions.get(program.value) : undefined;
  if (own !== undefined) return scope.depth > MAX_DEPTH ? undefined : waitsNode(own, deeper(scope));
  const base = programName(program);
  if (base === 'sleep' || base === 'gsleep') return waitsSleep(args);
  if (SHELLS.has(base)) return waitsShell(node, args, scope);
  if (base === 'eval') return waitsText(args.map((arg) => arg.value).join(' '), scope);
  return undefined;
}

/** `x=$(sleep 60)`: the same wait. */
function waitsAssignments(node: Command, scope: Scope): Found | undefined {
  const last = node.prefix.filter((one) => one.type === 'Assignment').at(-1);
  const script = last?.value.type === 'Word' ? substitution(last.value) : undefined;
  return script === undefined ? undefined : waits(script.commands, deeper(scope));
}

/** The script of a word that is one command substitution and nothing else, in quotes or not. */
function substitution(word: Word): Script | undefined {
  const part = word.parts?.length === 1 ? word.parts[0] : undefined;
  const inner = part?.type === 'DoubleQuoted' && part.parts.length === 1 ? part.parts[0] : part;
  return inner?.type === 'CommandExpansion' ? inner.script : undefined;
}

/** A program by its full path is that program; one beside the work is somebody's own. */
function programName(word: Word): string {
  return word.value.startsWith('/') ? (word.value.split('/').at(-1) ?? '') : word.value;
}

/** Drops `env A=1`, `sudo -u bob`, `timeout 5` and the like from the front. */
function unwrap(words: readonly Word[]): readonly Word[] {
  let rest = words;
  for (let depth = 0; depth < MAX_DEPTH; depth += 1) {
    const wrapper = programName(rest[0] ?? EMPTY);
    const valued = WRAPPERS.get(wrapper);
    if (valued === undefined) return rest;
    let at = 1;
    while (rest[at]?.value.startsWith('-') === true) {
      const option = rest[at]?.value ?? '';
      if (wrapper === 'command' && /^-[vV]/.test(option)) return [];
      if (wrapper === 'env' && /^(-S|--split-string)/.test(option))
        return unwrap([word('env'), ...splitString(option, rest.slice(at + 1))]);
      at += takesValue(option, valued) ? 2 : 1;
      if (option === '--') break;
    }
    if (wrapper === 'env' || wrapper === 'sudo') {
      while (/^[A-Za-z_]\w*=/.test(rest[at]?.value ?? '')) at += 1;
    }
    if (wrapper === 'timeout' || wrapper === 'gtimeout') at += 1;
    rest = rest.slice(at);
  }
  return rest;
}

const word = (value: string): Word => ({ type: 'Word', text: value, value, pos: 0, end: 0 });
const EMPTY = word('');

/** `-s KILL` and `--signal KILL` take the next word, `-sKILL` and `--signal=KILL` do not. */
function takesValue(option: string, valued: string): boolean {
  const [letters = '', ...names] = valued.split(' ');
  return option.startsWith('--')
    ? names.includes(option.slice(2))
    : option.length === 2 && letters.includes(option.slice(1));
}

/** What `env -S 'sleep 60'` makes of its text. */
function splitString(option: string, rest: readonly Word[]): readonly Word[] {
  const joined = option.replace(/^(-S|--split-string=?)/, '');
  const [text, others] = joined === '' ? [rest[0]?.value ?? '', rest.slice(1)] : [joined, rest];
  return [...text.split(/\s+/).filter(Boolean).map(word), ...others];
}

function waitsSleep(args: readonly Word[]): Found | undefined {
  if (args.some((arg) => arg.value === '--help' || arg.value === '--version')) return undefined;
  return { seconds: secondsOf(args[0]?.value === '--' ? args.slice(1) : args) };
}

const SUFFIX: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };

/** What the operands add up to, rounded up to whole seconds; undefined where they are computed. */
function secondsOf(args: readonly Word[]): number | undefined {
  if (args.length === 0) return undefined;
  let sum = 0;
  for (const { value } of args) {
    if (/^inf(inity)?$/i.test(value)) return Infinity;
    const found = /^((?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d{1,3})?)([smhd])?$/i.exec(value);
    if (found === null) return undefined;
    sum += Number(found[1]) * (SUFFIX[found[2] ?? 's'] ?? NaN);
  }
  return Number.isNaN(sum) ? undefined : Math.max(1, Math.ceil(sum));
}

/** `bash -c '...'`, and a shell that reads its commands from a here document. */
function waitsShell(node: Command, args: readonly Word[], scope: Scope): Found | undefined {
  let at = 0;
  let flags = '';
  for (
    ;
    /^[-+]/.test(args[at]?.value ?? '');
    at += SHELL_VALUED.has(args[at]?.value ?? '') ? 2 : 1
  ) {
    const option = args[at]?.value ?? '';
    if (/^-[A-Za-z]+$/.test(option)) flags += option;
  }
  const operand = args[at]?.value;
  if (flags.includes('c')) return waitsText(operand ?? '', scope);
  if (operand !== undefined && !flags.includes('s')) return undefined;
  for (const redirect of node.redirects) {
    if (redirect.type === 'HereDoc') return waitsText(redirect.body.text, scope);
    if (redirect.type === 'HereString') return waitsText(redirect.target?.value ?? '', scope);
  }
  return undefined;
}

function waitsText(text: string, scope: Scope): Found | undefined {
  if (scope.depth > MAX_DEPTH) return undefined;
  const script = parse(text);
  return script === undefined ? undefined : waits(script.commands, deeper(scope));
}

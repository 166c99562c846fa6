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
  Statement,
  SyntaxNode,
  Word,
} from 'unbash';
import { LONGEST_TIMER_SECONDS } from '../../../shared/schedule/limits';
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

const MAX_COMMAND_CHARS = 20_000;
const MAX_DEPTH = 12;

/** Programs that run another one, and their options that take a value. */
const WRAPPERS = new Map<string, string>([
  ['command', ''],
  ['builtin', ''],
  ['exec', 'a'],
  ['env', 'uCS'],
  ['sudo', 'ugpCDhrtTR'],
  ['doas', 'uC'],
  ['nice', 'n'],
  ['ionice', 'cnp'],
  ['nohup', ''],
  ['setsid', ''],
  ['stdbuf', 'ioe'],
  ['timeout', 'ks'],
  ['time', 'fo'],
  ['chronic', ''],
  ['busybox', ''],
  ['caffeinate', 'tw'],
  ['unbuffer', ''],
]);
const SHELLS = new Set(['sh', 'bash', 'dash', 'zsh', 'ksh', 'ash']);
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
  if (command.length > MAX_COMMAND_CHARS || !command.includes('sle')) {
    // Quotes and backslashes may hide the word; no letter of it may be missing.
    if (command.length > MAX_COMMAND_CHARS || !/s.*l.*e.*e.*p/s.test(command))
      return { blocked: false };
  }
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
      return isTrivial(node.clause) ? onlySleeps(node.body, scope) : undefined;
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
  const part = name.parts?.length === 1 ? name.parts[0] : undefined;
  // `$(sleep 60)` runs a substitution and then whatever it printed: nothing.
  if (part?.type === 'CommandExpansion' && node.args.length === 0)
    return part.script === undefined ? undefined : waits(part.script.commands, deeper(scope));
  const words = [name, ...node.args.filter((arg): arg is Word => arg.type === 'Word')];
  const called = unwrap(words);
  const [program, ...args] = called;
  if (program === undefined) return undefined;
  const base = programName(program);
  if (base === 'sleep') return waitsSleep(args);
  if (SHELLS.has(base)) return waitsShell(node, args, scope);
  if (base === 'eval') return waitsText(args.map((arg) => arg.value).join(' '), scope);
  const own = scope.functions.get(program.value);
  return own === undefined || scope.depth > MAX_DEPTH ? undefined : waitsNode(own, deeper(scope));
}

/** `x=$(sleep 60)`: the same wait. */
function waitsAssignments(node: Command, scope: Scope): Found | undefined {
  const last = node.prefix.filter((one) => one.type === 'Assignment').at(-1);
  const part =
    last?.value.type === 'Word' && last.value.parts?.length === 1 ? last.value.parts[0] : undefined;
  return part?.type === 'CommandExpansion' && part.script !== undefined
    ? waits(part.script.commands, deeper(scope))
    : undefined;
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
      at += /^-[A-Za-z]$/.test(option) && valued.includes(option.slice(1)) ? 2 : 1;
      if (option === '--') break;
    }
    if (wrapper === 'env' || wrapper === 'sudo') {
      while (/^[A-Za-z_]\w*=/.test(rest[at]?.value ?? '')) at += 1;
    }
    if (wrapper === 'timeout') at += 1;
    rest = rest.slice(at);
  }
  return rest;
}

const EMPTY: Word = { type: 'Word', text: '', value: '', pos: 0, end: 0 };

function waitsSleep(args: readonly Word[]): Found | undefined {
  if (args.some((arg) => arg.value === '--help' || arg.value === '--version')) return undefined;
  return { seconds: secondsOf(args) };
}

const SUFFIX: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };

/** What the operands add up to, rounded up to whole seconds; undefined where they are computed. */
function secondsOf(args: readonly Word[]): number | undefined {
  if (args.length === 0) return undefined;
  let sum = 0;
  for (const { value } of args) {
    if (/^inf(inity)?$/i.test(value)) return Infinity;
    const found = /^(\d+(?:\.\d*)?|\.\d+)([smhd])?$/.exec(value);
    if (found === null) return undefined;
    sum += Number(found[1]) * (SUFFIX[found[2] ?? 's'] ?? 1);
  }
  return Math.max(1, Math.ceil(sum));
}

/** `bash -c '...'`, and a shell that reads its commands from a here document. */
function waitsShell(node: Command, args: readonly Word[], scope: Scope): Found | undefined {
  const flag = args.findIndex((arg) => /^-[a-z]*c[a-z]*$/.test(arg.value));
  if (flag >= 0) return waitsText(args[flag + 1]?.value ?? '', scope);
  if (args.some((arg) => !arg.value.startsWith('-'))) return undefined;
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

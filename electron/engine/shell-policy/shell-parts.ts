/**
 * Splits a command line into the programs that it runs: each simple command, including those in
 * substitutions, functions and loops, after wrappers, in text for `sh -c` or `eval`, and in text
 * piped into a shell. Anything known only at run time makes the line unclear.
 */
import { forEachChild } from 'unbash';
import type { Command, Pipeline, Redirection, Script, SyntaxNode } from 'unbash';
import { mayEvaluateText } from './evaluated-text';
import { printedByCommand } from './folded-words';
import { parse, withoutContinuations } from './shell-walk';
import {
  isForPrograms,
  isHarmless,
  isMeant as isMeantVariable,
  mayRun,
  valueOf,
  variablesSetBy,
  type SetVariable,
} from './shell-variables';
import { fieldsOf, textOf, type Text } from './shell-words';
import { CARRIES, SWALLOWS } from './risk-by-program';
import { shellCall, type ShellCall } from './shell-options';
import { runsByOption } from './running-options';
import { plainName, wrapperCall } from './wrapped-programs';

/** One program that a line runs. */
export interface ShellPart {
  /** The program's name in lower case, without a folder; undefined if known only at run time. */
  readonly name: string | undefined;
  readonly args: readonly Text[];
  /**
   * True if the line only calls the program: the system's program, no writing redirection, no
   * external input or arguments, no assignment before it, only plain wrappers.
   */
  readonly isBare: boolean;
  /** The same, except for arguments supplied at run time: `ls | xargs rm`. */
  readonly isBareButFed: boolean;
  /** It only wraps the relevant program. */
  readonly isWrapper: boolean;
  /** Run by a program whose approval covers everything it runs: `sudo`, `eval`. */
  readonly isSwallowed: boolean;
  /** Its standard input, if known from the line. */
  readonly input: Text;
}

/** What a line does in addition to running programs. */
export interface ShellLine {
  readonly parts: readonly ShellPart[];
  /** Redirection targets that the line writes to; undefined if known only at run time. */
  readonly writes: readonly Text[];
  /** A redirection opens a connection. */
  readonly connects: boolean;
  /** A part runs something unknown. */
  readonly isUnclear: boolean;
  /** The same, and not only inside a program like `eval`. */
  readonly isOpenlyUnclear: boolean;
  /** It changes the meaning of names: a shell variable, or a function with a program's name. */
  readonly isShifted: boolean;
  /** Values of variables that programs of the line receive: they may name what these run. */
  readonly values: readonly string[];
}

const NO_VALUES = new Map<string, string>();
const MAX_COMMAND_CHARS = 20_000;
const MAX_DEPTH = 8;
/**
 * Maximum arguments checked per line; more make the line unclear, because programs that run
 * programs multiply. A part and a text for a shell count as several arguments.
 */
const MAX_WORK = 8_000;
const WORDS_OF_A_PART = 4;
const CHARS_OF_A_WORD = 8;

/**
 * After `$$` bash searches for the end of these without expanding them, so the quotes behind them
 * shift.
 */
const ODD_DOLLARS = /\$\$[({]/;

const SYSTEM_FOLDER = /^\/(usr\/(local\/)?)?s?bin\/[^/]+$/;
interface How {
  readonly isBare: boolean;
  readonly isBareButFed: boolean;
}

interface Context {
  /** Input of a command without a redirection: known text, or unknown. */
  readonly input: Text;
  readonly depth: number;
  readonly isSwallowed: boolean;
}

/** Pure; never throws. */
export function shellLine(command: string): ShellLine {
  const reader = new LineReader();
  reader.read(command, { input: undefined, depth: 0, isSwallowed: false });
  return reader.line();
}

class LineReader {
  private readonly parts: ShellPart[] = [];
  private readonly writes: Text[] = [];
  private readonly values: string[] = [];
  private readonly functions = new Set<string>();
  private connects = false;
  private isUnclear = false;
  private isOpenlyUnclear = false;
  private isShifted = false;
  private work = 0;

  line(): ShellLine {
    const { parts, writes, values, connects, isUnclear, isOpenlyUnclear, functions } = this;
    const isShifted =
      this.isShifted || parts.some(({ name }) => name !== undefined && functions.has(name));
    return { parts, writes, values, connects, isUnclear, isOpenlyUnclear, isShifted };
  }

  read(command: Text, context: Context): void {
    if (command === undefined || command.length > MAX_COMMAND_CHARS || context.depth > MAX_DEPTH)
      return this.unclear(context);
    if (this.isTooMuch(command.length / CHARS_OF_A_WORD)) return;
    const line = withoutContinuations(command);
    const script = line === undefined ? undefined : parse(line);
    if (line === undefined || script === undefined) return this.unclear(context);
    if (ODD_DOLLARS.test(line) || mayEvaluateText(line, script)) this.unclear(context);
    this.script(script, context);
  }

  /** Counts the work; above the maximum the line is unclear, whichever part was too much. */
  private isTooMuch(words: number): boolean {
    this.work += words;
    if (this.work <= MAX_WORK) return false;
    this.unclear({ isSwallowed: false });
    return true;
  }

  private unclear({ isSwallowed }: Pick<Context, 'isSwallowed'>): void {
    this.isUnclear = true;
    this.isOpenlyUnclear ||= !isSwallowed;
  }

  /** A function defined before any call of it is replaced by its body. */
  private script(script: Script, context: Context): void {
    const defined = new Set<string>();
    for (const statement of script.commands) {
      const { command } = statement;
      if (command.type === 'Function') defined.add(command.name.value);
      if (isCallOf(command, defined)) continue;
      this.visit(statement, context);
    }
  }

  private visit(node: SyntaxNode, context: Context): void {
    if (this.isTooMuch(0)) return;
    switch (node.type) {
      case 'Command':
        this.command(node, context);
        break;
      case 'Pipeline':
        return this.pipeline(node, context);
      case 'Function':
        this.functions.add(node.name.value.toLowerCase());
        break;
      case 'Redirected':
        for (const one of node.redirects) this.visit(one, { ...context, input: undefined });
        return this.visit(node.command, {
          ...context,
          input: inputOf(node.redirects, context.input),
        });
      case 'Redirect':
        this.redirection(node, context);
        break;
      case 'For':
      case 'Select':
        this.setVariable({ name: node.name.value, value: undefined }, context);
        break;
      case 'ParameterExpansion':
        if (node.operation?.type === 'Default' && node.operation.operator.endsWith('=')) {
          const { operand } = node.operation;
          const value = textOf(operand) ?? operand.text;
          this.setVariable({ name: node.parameter, value }, context);
        }
        break;
      default:
    }
    forEachChild(node, (child) => {
      this.visit(child, node.type === 'Command' ? { ...context, input: undefined } : context);
    });
  }

  private pipeline(node: Pipeline, context: Context): void {
    let { input } = context;
    for (const command of node.commands) {
      this.visit(command, { ...context, input });
      input = command.type === 'Command' ? outputOf(command, input) : undefined;
    }
  }

  private redirection(redirection: Redirection, context: Context): void {
    if (redirection.type !== 'Redirect') return;
    const { operator, target } = redirection;
    const text = target === undefined ? undefined : textOf(target);
    // `exec 3<>/dev/tcp/h/80`; a path with a device prefix may end as such an address.
    if (/^\/+dev\/+(tcp|udp)\//.test(text ?? '')) this.connects = true;
    if (text === undefined && /^["']?\/+d/.test(target?.text ?? '')) this.unclear(context);
    if (operator === '<' || operator === '<&') return;
    if (operator === '>&' && /^(\d+-?|-)$/.test(text ?? '')) return;
    this.writes.push(text);
  }

  private command(node: Command, context: Context): void {
    let isBare = true;
    let isMeant = false;
    for (const one of node.prefix) {
      if (one.type !== 'Assignment') continue;
      const value = one.value.type === 'Word' ? (textOf(one.value) ?? one.value.text) : undefined;
      this.assignment(one.name, value && valueOf(one.name, value, one.append === true), context);
      if (!isHarmless(one.name)) isBare = false;
      if (isMeantVariable(one.name)) isMeant = true;
    }
    for (const one of variablesSetBy(node)) this.setVariable(one, context);
    const [first] = fieldsOf(node);
    if (node.name === undefined) {
      if (isMeant) this.isShifted = true;
      return;
    }
    const isRedirected = node.redirects.some(
      (one) => one.type === 'Redirect' && !isHarmlessRedirection(one),
    );
    const how = {
      isBare: isBare && !isRedirected,
      isBareButFed: !isMeant && !isRedirected,
    };
    if (first === undefined) return this.part(undefined, [], how, context);
    this.run(fieldsOf(node), how, { ...context, input: inputOf(node.redirects, context.input) });
  }

  private assignment(name: string, value: Text, context: Context): void {
    if (mayRun({ name, value })) this.unclear(context);
    if (value !== undefined && isForPrograms(name)) this.values.push(value);
  }

  /** Applies to the rest of the line: `export A=x`, `read A`, `for A in x`, `${A:=x}`. */
  private setVariable(one: SetVariable, context: Context): void {
    if (one.name === undefined) this.unclear(context);
    else this.assignment(one.name, one.value, context);
    if (one.name === undefined || isMeantVariable(one.name)) this.isShifted = true;
  }

  private part(
    name: Text,
    args: readonly Text[],
    how: How,
    context: Context,
    isWrapper = false,
  ): void {
    if (name === undefined) this.unclear(context);
    this.work += WORDS_OF_A_PART;
    const { isSwallowed, input } = context;
    this.parts.push({ name, args, ...how, isWrapper, isSwallowed, input });
  }

  private run(words: readonly Text[], before: How, context: Context): void {
    const [path, ...args] = words;
    if (context.depth > MAX_DEPTH * 2) return this.unclear(context);
    if (this.isTooMuch(words.length)) return;
    if (path === undefined) return this.part(undefined, args, before, context);
    // `time -v rm x`: for bash `time` is not a program and has no options, for a plain sh it is.
    if (/^-./.test(path)) return this.run(['time', ...words], before, context);
    const isSystem = !path.includes('/') || SYSTEM_FOLDER.test(path);
    const how: How = {
      isBare: before.isBare && isSystem,
      isBareButFed: before.isBareButFed && isSystem,
    };
    const name = plainName(path.slice(path.lastIndexOf('/') + 1).toLowerCase());
    if (runsByOption(name, args)) this.unclear(context);
    const isSwallowed = context.isSwallowed || SWALLOWS.has(name) || CARRIES.has(name);
    const deeper = { ...context, depth: context.depth + 1, isSwallowed };
    const module = /^(python|pypy)[\d.]*$/.test(name) ? moduleOf(args) : undefined;
    if (module !== undefined)
      return this.run(module, { isBare: false, isBareButFed: false }, deeper);
    const shell = shellCall(name, args);
    if (shell !== undefined) return this.shell(name, args, how, deeper, shell);
    if (this.runsText(name, args, how, { ...deeper, isSwallowed: context.isSwallowed })) return;
    const call = wrapperCall(name, words);
    if (call === undefined) return this.part(name, args, how, context);
    for (const one of call.assigned) {
      const [variable = '', ...value] = one.split('=');
      this.assignment(variable, value.join('='), context);
    }
    // Its class depends on its verb.
    this.part(CARRIES.has(name) ? name : call.name, args, how, context, true);
    const inner = behindWrapper(how, call);
    const { runs } = call;
    switch (runs.kind) {
      case 'nothing':
        return;
      case 'unclear':
        return this.unclear(deeper);
      case 'input':
        return this.unclearInput(deeper);
      case 'line':
        return this.read(runs.line, deeper);
      case 'program': {
        const fed = call.wrapper.isFed ? fedWords(name, args, runs.words) : runs.words;
        // Some of them take a line for a shell: `watchexec 'rm x'`.
        if (/\s/.test(fed[0] ?? '')) this.read(fed[0], deeper);
        return this.run(fed, inner, deeper);
      }
    }
  }

  /** `bash -c TEXT`, a script, or standard input. */
  private shell(
    name: string,
    args: readonly Text[],
    how: How,
    context: Context,
    { texts, reads, isUnclear }: ShellCall,
  ): void {
    this.part(name, args, how, context, reads !== 'script');
    if (isUnclear) this.unclear(context);
    for (const text of texts) this.read(text, context);
    if (reads === 'input') this.unclearInput(context);
  }

  /**
   * A shell that reads its commands is unclear, but text that the line itself provides is checked
   * too.
   */
  private unclearInput(context: Context): void {
    if (context.input === undefined) this.unclear(context);
    else this.read(context.input, context);
  }

  /** Shell builtins, and find, that run their arguments. */
  private runsText(name: string, args: readonly Text[], how: How, context: Context): boolean {
    const swallowed = { ...context, isSwallowed: true };
    switch (name) {
      case 'eval':
      case 'trap':
        this.part(name, args, how, context);
        if (args.includes(undefined)) this.unclear(swallowed);
        else {
          const texts = args[0] === '--' ? args.slice(1) : args;
          this.read(name === 'eval' ? texts.join(' ') : (texts[0] ?? ''), swallowed);
        }
        return true;
      case 'find':
      case 'fd':
      case 'fdfind':
        this.part(name, args, how, context);
        for (const words of actionsOf(args, name === 'find' ? FIND_ACTION : FD_ACTION)) {
          if (this.isTooMuch(0)) return true;
          this.run(words, { isBare: false, isBareButFed: how.isBareButFed }, context);
        }
        return true;
      case 'hash':
        // From here on this name may be another program; without these options it is only looked
        // up.
        if (args.some((arg) => arg === undefined || /^-\w*p|=/.test(arg))) this.unclear(context);
        return false;
      case 'mapfile':
      case 'readarray':
        for (const [at, arg] of args.entries()) {
          const text = /^-t*C(.*)$/s.exec(arg ?? '')?.[1];
          if (text !== undefined) this.read(text === '' ? args[at + 1] : text, context);
        }
        return false;
      case 'jobs':
        if (/^-\w*x/.test(args[0] ?? ''))
          this.run(args.slice(1), { isBare: false, isBareButFed: false }, context);
        return false;
      default:
        return false;
    }
  }
}

/** `python3 -Im pip`, `python -W error -mpip` are pip. */
function moduleOf(args: readonly Text[]): readonly Text[] | undefined {
  for (let at = 0; at < args.length; at += 1) {
    const arg = args[at] ?? '';
    const name = /^-[bBdEiIOPqRsSuvx]*m(.*)$/s.exec(arg)?.[1];
    if (name !== undefined) return [...(name === '' ? [] : [name]), ...args.slice(at + 1)];
    if (!arg.startsWith('-')) return undefined;
    if (/^-[WX]$/.test(arg)) at += 1;
  }
  return undefined;
}

/** A call of a function of the line, without expanded arguments. */
function isCallOf(node: SyntaxNode, functions: ReadonlySet<string>): boolean {
  return (
    node.type === 'Command' &&
    node.name !== undefined &&
    node.prefix.length === 0 &&
    node.suffix.length === 0 &&
    functions.has(textOf(node.name) ?? '')
  );
}

function behindWrapper(how: How, call: NonNullable<ReturnType<typeof wrapperCall>>): How {
  const names = call.assigned.map((one) => one.split('=', 1)[0] ?? '');
  const isPlain = call.wrapper.isPlain && names.every((one) => isHarmless(one));
  const isMeant = names.some((one) => isMeantVariable(one));
  return {
    isBare: how.isBare && isPlain,
    isBareButFed: how.isBareButFed && !isMeant && (call.wrapper.isPlain || call.wrapper.isFed),
  };
}

/** The arguments of xargs and similar programs: the value of `{}` is unknown. */
function fedWords(name: string, args: readonly Text[], words: readonly Text[]): readonly Text[] {
  const at = args.findIndex((arg) => arg !== undefined && /^(-[IiJR]|--replace)/.test(arg));
  const joined = /^(?:-[IiJR]|--replace=?)(.+)$/.exec(args[at] ?? '')?.[1];
  const mark = at < 0 ? '{}' : (joined ?? (args[at] === '-I' ? (args[at + 1] ?? '{}') : '{}'));
  const filled = words.map((word) => (word?.includes(mark) === true ? undefined : word));
  return name === 'xargs' && at < 0 ? [...filled, undefined] : filled;
}

const FIND_ACTION = /^-(?:exec|execdir|ok|okdir)$/;
/** Flags may come before the letter, and the program after it: `fd -Hxrm`, `--exec=rm`. */
const FD_ACTION = /^(?:-[HIuasigFlLp01q]*[xX](.*)|--exec(?:-batch)?(?:=(.*))?)$/s;

/**
 * The commands of `find -exec`, `fd -x` and similar, one at a time, because each may be as long as
 * all.
 */
export function* actionsOf(
  args: readonly Text[],
  actions = FIND_ACTION,
): Generator<readonly Text[]> {
  for (const [at, arg] of args.entries()) {
    const action = actions.exec(arg ?? '');
    if (action === null) continue;
    // `fd -xrm`, `fd --exec=rm`
    const [attached] = action.slice(1).filter(Boolean);
    const rest = [...(attached === undefined ? [] : [attached]), ...args.slice(at + 1)];
    const end = rest.findIndex((word) => word === ';' || word === '+');
    const words = end < 0 ? rest : rest.slice(0, end);
    yield words.map((word) => (word?.includes('{}') === true ? undefined : word));
  }
}

/** Text that a command writes into a pipe: cat alone passes its input on. */
function outputOf(command: Command, input: Text): Text {
  const isCat = command.name?.value === 'cat' && command.args.length === 0;
  if (!isCat) return printedByCommand(command, NO_VALUES);
  const isRead = command.redirects.every((one) => one.type !== 'Redirect');
  return isRead ? inputOf(command.redirects, input) : undefined;
}

/** A command's input from its redirections, or the given input. */
function inputOf(redirections: readonly Redirection[], given: Text): Text {
  let input = given;
  for (const one of redirections) {
    if (one.type === 'HereString')
      input = one.target === undefined ? undefined : textOf(one.target);
    else if (one.type === 'HereDoc')
      input =
        one.delimiter?.quoted === true || !/[$`\\]/.test(one.body.text) ? one.body.text : undefined;
    else if (one.operator === '<') input = undefined;
  }
  return input;
}

const isHarmlessRedirection = (one: Redirection): boolean =>
  one.type !== 'Redirect' ||
  one.operator === '<&' ||
  /^(\d+-?|-|\/dev\/(null|stdout|stderr))$/.test(one.target?.value ?? '') ||
  (one.operator === '<' && one.target !== undefined && textOf(one.target) !== undefined);

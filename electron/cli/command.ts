/** One way to define a command: options, access, the call, what it prints, how it exits. */
import type { Command } from 'commander';
import { InvalidArgumentError, Option } from 'commander';
import type { Verb, VerbInput, VerbOutput } from '../../shared/contract';
import { resolveDataDir, resolvePath } from '../data-dir';
import { agentTitles } from './agent-titles';
import { HoldfastError } from '../engine/kernel/errors';
import type { ExitCode } from './exit-codes';
import { EXIT } from './exit-codes';
import type { CliIo } from './io';
import type { Access, Reach } from './reach';
import { reach } from './reach';
import type { Paint } from './render';
import { painter, safeJson, table, whenText } from './render';

/** A command's result: the value for `--json`, the text for users. */
export interface Reply {
  readonly value: unknown;
  readonly text: string;
  readonly exitCode?: ExitCode;
}

/** What a command body uses. */
export interface Run {
  readonly io: CliIo;
  readonly dataDir: string;
  /** The value itself is printed, for programs, as JSON or YAML. */
  readonly isJson: boolean;
  /** `--quiet`: no hints and no notices. */
  readonly isQuiet: boolean;
  readonly options: Readonly<Record<string, unknown>>;
  /** Read each time, because a command that keeps running (`--watch`) may run for days. */
  readonly nowMs: number;
  readonly paint: Paint;
  /** `4 min ago`, or with `--utc` the instant; `-` without a time. */
  when(atMs: number | undefined): string;
  /** The display name of an agent, for users; programs read the name. */
  agentName(name: string): string;
  table(head: readonly string[], rows: readonly (readonly string[])[]): string;
  /** A line only for users, in addition to the result. */
  note(text: string): void;
  /** Prints a part of an ongoing result (`--watch`). */
  emit(value: unknown, text: string): void;
}

/** Collects the exit code of the one command that ran. */
export interface Program {
  readonly io: CliIo;
  exitCode: ExitCode;
}

/** Heading of the options that every command has. */
const EVERYWHERE = 'Global options:';

/** Adds the options that every command has. */
export function withCommonOptions(command: Command): Command {
  const common = (flags: string, about: string): Option =>
    new Option(flags, about).helpGroup(EVERYWHERE);
  command
    .addOption(common('--data-dir <dir>', 'Data directory (default: HOLDFAST_HOME or ~/.holdfast)'))
    .addOption(common('--json', 'Print the value as JSON'));
  // For some commands `--output` is an option of their own; the root would take it first.
  if (command.parent !== null && !command.options.some((option) => option.long === '--output'))
    command.addOption(common('--output <format>', 'Output format').choices(FORMATS));
  // For `channels add`, `--host` is the host of a mail server.
  if (command.parent !== null && !command.options.some((option) => option.long === '--host'))
    command.addOption(common('--host <name>', 'Run the command on another computer, over SSH'));
  return command
    .addOption(common('-q, --quiet', 'Print no hints or notices'))
    .addOption(common('--no-color', 'Print without colors'))
    .addOption(common('--utc', 'Print times as UTC timestamps instead of "4 min ago"'));
}

const FORMATS = ['table', 'json', 'yaml'] as const;

/**
 * Adds an option together with its older names, which help does not list. The value is stored under
 * the new name.
 */
export function withOldNames(command: Command, option: Option, ...old: string[]): Command {
  command.addOption(option);
  for (const flags of old) {
    const hidden = new Option(flags).hideHelp();
    hidden.attributeName = () => option.attributeName();
    if (option.argChoices !== undefined) hidden.choices(option.argChoices);
    else if (option.parseArg !== undefined) hidden.argParser(option.parseArg);
    command.addOption(hidden);
  }
  return command;
}

/** A group that was added before, for more commands in it. */
export const groupOf = (root: Command, name: string): Command =>
  root.commands.find((one) => one.name() === name) ?? root.command(name);

/** The option of every command that asks for a confirmation. */
export const yesOption = (): Option => new Option('-y, --yes', "Don't ask for confirmation");

/** The value as text for programs. */
type ToText = (value: unknown, indent: number) => string;

/** True if a program reads the output. Decided before the command is known, for its errors. */
export function wantsJson(args: readonly string[]): boolean {
  if (args.includes('--json')) return true;
  if (args.includes('custom-tool-result')) return false; // its `--output` is the result itself
  return args.some(
    (argument, index) =>
      /^--output=(json|yaml)$/.test(argument) ||
      (argument === '--output' && /^(json|yaml)$/.test(args[index + 1] ?? '')),
  );
}

/**
 * All given options, wherever they are on the command line. An option of the command itself takes
 * precedence.
 */
function optionsOf(command: Command): Record<string, unknown> {
  const parents = command.parent === null ? {} : optionsOf(command.parent);
  const given = Object.entries(command.opts<Record<string, unknown>>()).filter(
    ([name]) => command.getOptionValueSource(name) !== 'default' || !Object.hasOwn(parents, name),
  );
  return { ...parents, ...Object.fromEntries(given) };
}

async function toTextOf(options: Readonly<Record<string, unknown>>): Promise<ToText> {
  if (options['json'] === true || options['output'] !== 'yaml') return safeJson;
  const { yamlText } = await import('./yaml-text');
  return yamlText;
}

async function createRun(program: Program, command: Command): Promise<Run & { toText: ToText }> {
  const { io } = program;
  const options = optionsOf(command);
  const given = options['dataDir'];
  const argv = typeof given === 'string' ? ['--data-dir', given] : [];
  const isFormat = command.options.some(({ argChoices }) => argChoices?.includes('yaml') === true);
  const isJson =
    options['json'] === true || (isFormat && /^(json|yaml)$/.test(String(options['output'])));
  const toText = isFormat ? await toTextOf(options) : safeJson;
  const isQuiet = options['quiet'] === true;
  const paint = painter(io.stdout.isTTY && options['color'] !== false, io.env);
  const columns = io.stdout.isTTY ? io.stdout.columns : 0;
  const dataDir = resolveDataDir(argv, io.env, io.home);
  return {
    io,
    dataDir,
    isJson,
    isQuiet,
    options,
    get nowMs() {
      return io.nowMs();
    },
    paint,
    toText,
    when: (atMs) =>
      options['utc'] === true && atMs !== undefined
        ? new Date(atMs).toISOString()
        : whenText(atMs, io.nowMs()),
    agentName: agentTitles(dataDir),
    table: (head, rows) => table(head, rows, { paint, columns }),
    note: (text) => {
      if (!isQuiet) io.stderr.write(`${text}\n`);
    },
    emit: (value, text) =>
      io.stdout.write(
        `${isJson ? (toText === safeJson ? '' : '---\n') + toText(value, 0) : text}\n`,
      ),
  };
}

function print(run: Run & { toText: ToText }, reply: Reply): void {
  if (run.isJson && reply.value === undefined) return; // a stream has printed everything already
  if (run.isJson) run.io.stdout.write(`${run.toText(reply.value, 2)}\n`);
  else if (reply.text !== '') run.io.stdout.write(`${reply.text}\n`);
}

function wordText(word: unknown): string {
  if (Array.isArray(word)) return word.map(wordText).join(' ');
  return typeof word === 'string' ? word : typeof word === 'number' ? String(word) : '';
}

/** Defines the action of a command that does not use the engine, or reaches it differently. */
export function does(
  program: Program,
  command: Command,
  body: (run: Run, ...words: string[]) => Promise<Reply | ExitCode>,
): Command {
  return withCommonOptions(command).action(async (...all: unknown[]) => {
    const run = await createRun(program, command);
    // Commander appends the options and the command to the arguments; a missing argument is ''.
    const words = all.slice(0, -2).map(wordText);
    const result = await body(run, ...words);
    if (typeof result === 'number') {
      program.exitCode = result;
      return;
    }
    print(run, result);
    program.exitCode = result.exitCode ?? EXIT.ok;
  });
}

/** Commands that need the running instance. */
const NEED_RUNNING = new WeakSet<Command>();

/** Marks a command that reaches the running instance in its own way. */
export function needsRunning(command: Command): Command {
  NEED_RUNNING.add(command);
  return command;
}

/** Whether a command needs the running instance, for the reference. */
export const doesNeedRunning = (command: Command): boolean => NEED_RUNNING.has(command);

/**
 * Defines what a command does with the engine. `read-fixed` reads what cannot have changed while no
 * instance runs, so its answer needs no notice.
 */
export function asks(
  program: Program,
  command: Command,
  kind: Access | 'read-fixed',
  body: (engine: Reach, run: Run, ...words: string[]) => Promise<Reply>,
): Command {
  const isLive = kind === 'read-fixed';
  const access = isLive ? 'read' : kind;
  if (access === 'running') needsRunning(command);
  return does(program, command, async (run, ...words) => {
    const engine = await reach(access, run.dataDir, run.io, run.isQuiet || isLive);
    try {
      return await body(engine, run, ...words);
    } catch (thrown) {
      throw namingOption(thrown, command);
    } finally {
      await engine.close();
    }
  });
}

type BodyOfAsk = Parameters<typeof asks>[3];

/** A command that makes one call: its input from the options and words, and its value as text. */
export const calls =
  <V extends Verb>(
    verb: V,
    inputOf: (run: Run, ...words: string[]) => VerbInput<V>,
    textOf: (value: VerbOutput<V>, run: Run, ...words: string[]) => string,
    timeoutMs?: number,
  ): BodyOfAsk =>
  async (engine, run, ...words) => {
    const value = await engine.call(verb, inputOf(run, ...words), timeoutMs);
    return { value, text: textOf(value, run, ...words) };
  };

/** Verbs that need no input. */
type PlainVerb = { [V in Verb]: Record<string, never> extends VerbInput<V> ? V : never }[Verb];

/** A command that makes one call without input. */
export const shows = <V extends PlainVerb>(
  verb: V,
  textOf: (value: VerbOutput<V>, run: Run) => string,
  timeoutMs?: number,
): BodyOfAsk => calls(verb, () => ({}) as VerbInput<V>, textOf, timeoutMs);

/** What is wrong with a field, with the name of the option or argument that it came from. */
function namingOption(thrown: unknown, command: Command): unknown {
  if (!(thrown instanceof HoldfastError) || thrown.code !== 'INPUT_INVALID') return thrown;
  // The wording of the input check, here or in a running Holdfast: `"channel.from" is missing.`
  const [, field, what] = /^"([\w.]{1,80})" (.+)$/s.exec(thrown.message) ?? [];
  const last = field?.split('.').at(-1);
  const option = command.options.find((one) => one.attributeName() === last);
  const argument = command.registeredArguments.find((one) => one.name() === last);
  if (what === undefined || (option === undefined && argument === undefined)) return thrown;
  const name = option === undefined ? `<${last ?? ''}>` : (option.long ?? option.flags);
  return new HoldfastError('INPUT_INVALID', `${name} ${what}`, {
    hint: `Nothing was changed. Its options: ${pathOf(command)} --help`,
    cause: thrown,
  });
}

/** `holdfast channels add` */
const pathOf = (command: Command): string =>
  command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`;

/** A positive whole number: turn, step, limit. */
export function wholeNumber(text: string): number {
  const value = Number(text);
  if (!/^\d{1,15}$/.test(text) || value < 1)
    throw new InvalidArgumentError('It must be a whole number from 1.');
  return value;
}

/** A price or another number that is 0 or more. */
export function plainNumber(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value) || value < 0) {
    throw new InvalidArgumentError('It must be a number from 0.');
  }
  return value;
}

/** `a,b,c`. */
export function list(text: string): string[] {
  return text
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '');
}

/** An option's value if it was given. */
export function optional<T>(run: Run, name: string): T | undefined {
  return run.options[name] as T | undefined;
}

/** The absolute path in an option. An empty text stays empty, because it removes the field. */
export function optionalPath(run: Run, name: string): string | undefined {
  const value = optional<string>(run, name);
  return value === undefined || value === '' ? value : resolvePath(value, run.io.home);
}

/** `{[key]: value}` or an empty object, for inputs whose absent keys must stay absent. */
export function where<K extends string, T>(key: K, value: T | undefined): { [P in K]?: T } {
  return (value === undefined ? {} : { [key]: value }) as { [P in K]?: T };
}

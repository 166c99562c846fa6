/** One way to define a command: options, access, the call, what it prints, how it exits. */
import type { Command } from 'commander';
import { InvalidArgumentError } from 'commander';
import { resolveDataDir, resolvePath } from '../data-dir';
import type { ExitCode } from './exit-codes';
import { EXIT } from './exit-codes';
import type { CliIo } from './io';
import type { Access, Reach } from './reach';
import { reach } from './reach';
import type { Paint } from './render';
import { painter, safeJson, table } from './render';

/** A command's result: the value for `--json`, the text for people. */
export interface Reply {
  readonly value: unknown;
  readonly text: string;
  readonly exitCode?: ExitCode;
}

/** What a command body uses. */
export interface Run {
  readonly io: CliIo;
  readonly dataDir: string;
  readonly isJson: boolean;
  readonly options: Readonly<Record<string, unknown>>;
  /** Read each time: a command that keeps running (`--watch`) lives for days. */
  readonly nowMs: number;
  readonly paint: Paint;
  table(head: readonly string[], rows: readonly (readonly string[])[]): string;
  /** A line for people only, next to the result. */
  note(text: string): void;
  /** Prints a part of an ongoing result (`--watch`). */
  emit(value: unknown, text: string): void;
}

/** Collects the exit code of the one command that ran. */
export interface Program {
  readonly io: CliIo;
  exitCode: ExitCode;
}

/** Opens the options that every command has. */
export function withCommonOptions(command: Command): Command {
  return command
    .option('--data-dir <dir>', 'data directory (default: HOLDFAST_HOME or ~/.holdfast)')
    .option('--json', 'print the value itself as JSON');
}

function createRun(program: Program, command: Command): Run {
  const { io } = program;
  const options = command.optsWithGlobals<Record<string, unknown>>();
  const given = options['dataDir'];
  const argv = typeof given === 'string' ? ['--data-dir', given] : [];
  const isJson = options['json'] === true;
  const paint = painter(io.stdout.isTTY, io.env);
  const columns = io.stdout.isTTY ? io.stdout.columns : 0;
  return {
    io,
    dataDir: resolveDataDir(argv, io.env, io.home),
    isJson,
    options,
    get nowMs() {
      return io.nowMs();
    },
    paint,
    table: (head, rows) => table(head, rows, { paint, columns }),
    note: (text) => io.stderr.write(`${text}\n`),
    emit: (value, text) => io.stdout.write(`${isJson ? safeJson(value, 0) : text}\n`),
  };
}

function print(run: Run, reply: Reply): void {
  if (run.isJson && reply.value === undefined) return; // a stream has printed everything already
  if (run.isJson) run.io.stdout.write(`${safeJson(reply.value, 2)}\n`);
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
    const run = createRun(program, command);
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

/** Defines what a command does with the engine. */
export function asks(
  program: Program,
  command: Command,
  access: Access,
  body: (engine: Reach, run: Run, ...words: string[]) => Promise<Reply>,
): Command {
  return does(program, command, async (run, ...words) => {
    const engine = await reach(access, run.dataDir, run.io);
    try {
      return await body(engine, run, ...words);
    } finally {
      await engine.close();
    }
  });
}

/** A positive whole number: turn, step, limit. */
export function wholeNumber(text: string): number {
  const value = Number(text);
  if (!/^\d{1,15}$/.test(text) || value < 1)
    throw new InvalidArgumentError('It must be a whole number from 1.');
  return value;
}

/** A price or another number from 0. */
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

/** An option that is a path, absolute; an empty text stays one: it takes the field away. */
export function optionalPath(run: Run, name: string): string | undefined {
  const value = optional<string>(run, name);
  return value === undefined || value === '' ? value : resolvePath(value, run.io.home);
}

/** `{[key]: value}` or nothing: for inputs whose absent keys must stay absent. */
export function where<K extends string, T>(key: K, value: T | undefined): { [P in K]?: T } {
  return (value === undefined ? {} : { [key]: value }) as { [P in K]?: T };
}

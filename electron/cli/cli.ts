/** The command line: one program, one exit code, one form for errors. */
import { Command, CommanderError } from 'commander';
import { invalidInput, toHoldfastError } from '../engine/kernel/errors';
import { resolveAliases, wordPositions } from './aliases';
import type { Program } from './command';
import { wantsJson, withCommonOptions } from './command';
import { addCommands } from './commands';
import type { ExitCode } from './exit-codes';
import { EXIT, exitCodeOf, reportError } from './exit-codes';
import type { CliIo } from './io';
import { inert, safeJson } from './render';

const AFTER_HELP = `
Run 'holdfast COMMAND --help' for arguments, options and examples.
Reading, decisions and settings also work while Holdfast is not running.
Exit codes: 0 ok, 1 failed, 2 usage, 3 not running, 4 refused, 5 needs a decision,
130 interrupted.

Guaranteed: accepted prompts are saved and survive any crash; Holdfast doesn't repeat a completed
step; a step whose outcome is unknown is shown to you or handled by your settings.
Not guaranteed: actions that tools don't report, actions of external agents outside Holdfast,
exactly-once at a tool without an idempotency key or status check, and work while the computer is
off or Holdfast is not running. Holdfast is for one computer: no queue spans several, unless you
share work between your own: holdfast share --help.`;

/** Chromium switches that a launcher adds; commands ignore them. */
const FOREIGN = new Set(['--no-sandbox', '--disable-gpu']);

const HELP_OPTIONS: ReadonlySet<string> = new Set(['-h', '--help']);
const VERSION_OPTIONS: ReadonlySet<string> = new Set(['-v', '-V', '--version']);

/** The command that a group runs if none is given: the first of these that the group has. */
const DEFAULT_COMMANDS = ['list', 'status', 'path'] as const;

/** The command that a usage error is about, and help that was requested as JSON. */
interface Failed {
  command?: Command;
  /** Commander writes the help in parts. */
  help?: string;
}

/** The program as commander describes it, without access to anything outside. */
export async function buildProgram(
  program: Program,
  word: string | undefined,
  isJson = false,
  failed: Failed = {},
): Promise<Command> {
  const root = new Command('holdfast')
    .description('Keep the work of AI agents alive across crashes, outages and restarts')
    .usage('<command> [options]')
    .helpOption('-h, --help', 'Show help')
    .showHelpAfterError(false)
    .addHelpText('after', AFTER_HELP);
  withCommonOptions(root);
  await addCommands(root, program, word);
  root.addHelpCommand(
    root
      .createCommand('help')
      .argument('[command]')
      .helpOption(false)
      .description('Show help for a command')
      .helpGroup('Configure:'),
  );
  // A command's settings apply only to subcommands created after they are set.
  const prepare = (command: Command): void => {
    command
      .exitOverride((error) => {
        failed.command ??= command;
        throw error;
      })
      .configureOutput({
        writeOut: (text) => {
          if (isJson) failed.help = `${failed.help ?? ''}${text}`;
          else program.io.stdout.write(text);
        },
        writeErr: (text) => {
          if (!isJson) program.io.stderr.write(inert(text));
        },
      });
    if (command !== root && command.commands.length > 0)
      command.helpCommand('help [command]', 'Show help for a command');
    for (const child of command.commands) prepare(child);
  };
  prepare(root);
  return root;
}

/** `-v` and `--version` without a command mean the command `version`. */
function withVersion(args: readonly string[]): readonly string[] {
  const words = wordPositions(args).filter((at) => args[at - 1] !== '--output');
  const isAsked = words.length === 0 && args.some((one) => VERSION_OPTIONS.has(one));
  return isAsked ? ['version', ...args.filter((one) => !VERSION_OPTIONS.has(one))] : args;
}

const childOf = (group: Command, word: string | undefined): Command | undefined =>
  group.commands.find((one) => one.name() === word || one.aliases().includes(word ?? ''));

/** Help for a command that does not exist is an error. @throws HoldfastError INPUT_INVALID */
function refuseUnknown(root: Command, args: readonly string[]): void {
  const words = wordPositions(args).map((at) => args[at] ?? '');
  const isHelp = words[0] === 'help';
  if (!isHelp && !args.some((one) => HELP_OPTIONS.has(one))) return; // The parser reports it.
  let group = root;
  for (const word of isHelp ? words.slice(1) : words) {
    if (group.commands.length === 0) return;
    const next = childOf(group, word);
    if (next === undefined && word !== 'help')
      throw invalidInput(
        `There is no command "${word.slice(0, 60)}".`,
        `Run '${commandPath(group)} --help'`,
      );
    if (next === undefined) return;
    group = next;
  }
}

/** Adds the command that a group runs when none is given: `holdfast turns` lists the turns. */
export function withDefaultCommand(
  root: Command,
  args: readonly string[],
  isAtTerminal: () => boolean,
): readonly string[] {
  if (args.some((one) => HELP_OPTIONS.has(one))) return args;
  let at = wordPositions(args)[0] ?? -1;
  let group = childOf(root, args[at]);
  while (group !== undefined && group.commands.length > 0) {
    const rest = args.slice(at + 1);
    const next = childOf(group, rest[0]);
    if (next === undefined) {
      const isOver = rest[0] === undefined || rest[0].startsWith('-');
      if (!isOver || rest.some((word) => childOf(group as Command, word) !== undefined))
        return args;
      const name = defaultOf(group, isAtTerminal);
      return name === undefined ? args : [...args.slice(0, at + 1), name, ...rest];
    }
    group = next;
    at += 1;
  }
  return args;
}

function defaultOf(group: Command, isAtTerminal: () => boolean): string | undefined {
  // Other programs are configured to run `holdfast mcp`: they communicate over a pipe.
  if (group.name() === 'mcp' && !isAtTerminal()) return 'serve';
  return DEFAULT_COMMANDS.find((name) => childOf(group, name) !== undefined);
}

/**
 * Runs one command; `argv` without program and script. Never throws; resolves with the exit code
 * once everything it printed has been passed to the streams.
 */
export async function runCli(argv: readonly string[], io: CliIo): Promise<ExitCode> {
  const args = withVersion(resolveAliases(argv.filter((argument) => !FOREIGN.has(argument))));
  const isJson = wantsJson(args);
  const program: Program = { io, exitCode: EXIT.ok };
  const failed: Failed = {};
  const positions = wordPositions(args);
  const root = await buildProgram(program, args[positions[0] ?? -1], isJson, failed);
  try {
    if (positions.length === 0 && !args.some((one) => one.startsWith('-'))) {
      root.outputHelp();
      return EXIT.ok;
    }
    if (args[positions[0] ?? -1] === 'help' && args.includes('--man')) {
      const { manualPage } = await import('./manual');
      const manual = manualPage(root, io.version);
      io.stdout.write(isJson ? `${safeJson({ manual }, 2)}\n` : manual);
      return EXIT.ok;
    }
    refuseUnknown(root, args);
    const whole = withDefaultCommand(root, args, () => io.stdin.isTTY === true);
    await root.parseAsync([...whole], { from: 'user' });
    return program.exitCode;
  } catch (thrown) {
    if (thrown instanceof CommanderError) return usageOutcome(io, thrown, isJson, failed);
    const error = toHoldfastError(thrown);
    reportError(io, error, isJson, args.includes('--no-color'));
    return exitCodeOf(error.code);
  }
}

/** `holdfast agents add`. */
function commandPath(command: Command): string {
  return command.parent === null
    ? command.name()
    : `${commandPath(command.parent)} ${command.name()}`;
}

function usageOutcome(
  io: CliIo,
  error: CommanderError,
  isJson: boolean,
  { command, help }: Failed,
): ExitCode {
  if (error.exitCode === 0) {
    // help was requested
    if (help !== undefined) io.stdout.write(`${safeJson({ help }, 2)}\n`);
    return EXIT.ok;
  }
  const message =
    error.code === 'commander.help' ? 'Specify a command.' : error.message.replace(/^error: /, '');
  const hint = `Run '${command === undefined ? 'holdfast' : commandPath(command)} --help'`;
  if (isJson)
    io.stdout.write(`${safeJson({ error: { code: 'INPUT_INVALID', message, hint } }, 2)}\n`);
  else if (error.code !== 'commander.help') io.stderr.write(`${hint}\n`);
  return EXIT.usage;
}

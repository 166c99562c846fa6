/** The command line: one program, one exit code, one form for errors. */
import { Command, CommanderError } from 'commander';
import { toHoldfastError } from '../engine/kernel/errors';
import { resolveAliases, wordPositions, addCommands } from './commands';
import type { Program } from './command';
import { withCommonOptions } from './command';
import type { ExitCode } from './exit-codes';
import { EXIT, exitCodeOf, reportError } from './exit-codes';
import type { CliIo } from './io';
import { inert, safeJson } from './render';

const AFTER_HELP = `
Every command takes --data-dir D (or HOLDFAST_HOME; default ~/.holdfast) and --json.
Reading works while Holdfast does not run; decisions and settings too.
Exit codes: 0 ok, 1 failed, 2 usage, 3 not running, 4 refused, 5 needs a decision.

What is kept: what was accepted is on disk and survives any end of the process; a finished step is
never fired again; a step whose result is unknown is shown to you or treated by your settings.
What is not promised: effects that tools do not report, exactly-once at a tool without idempotency
key or status check, and work while the computer is off or Holdfast does not run. It is for one
computer: there is no queue over several.`;

/** Chromium's switches that a launcher adds; they mean nothing to a command. */
const FOREIGN = new Set(['--no-sandbox', '--disable-gpu']);

async function buildProgram(
  program: Program,
  isJson: boolean,
  word: string | undefined,
): Promise<Command> {
  const root = new Command('holdfast')
    .description('Keeps the work of AI agents alive across crashes, outages and restarts')
    .version(program.io.version)
    .helpCommand(true)
    .showHelpAfterError(false)
    .addHelpText('after', AFTER_HELP);
  withCommonOptions(root);
  await addCommands(root, program, word);
  // A command's settings apply only to subcommands created after they are set.
  const prepare = (command: Command): void => {
    command.exitOverride().configureOutput({
      writeOut: (text) => program.io.stdout.write(text),
      writeErr: (text) => {
        if (!isJson) program.io.stderr.write(inert(text));
      },
    });
    for (const child of command.commands) prepare(child);
  };
  prepare(root);
  return root;
}

/**
 * Runs one command; `argv` without program and script. Never throws; resolves with the exit code
 * when everything it printed has been handed to the streams.
 */
export async function runCli(argv: readonly string[], io: CliIo): Promise<ExitCode> {
  const args = resolveAliases(argv.filter((argument) => !FOREIGN.has(argument)));
  const isJson = args.includes('--json');
  const program: Program = { io, exitCode: EXIT.ok };
  const root = await buildProgram(program, isJson, args[wordPositions(args)[0] ?? -1]);
  if (args.length === 0) {
    root.outputHelp();
    return EXIT.usage;
  }
  try {
    await root.parseAsync(args, { from: 'user' });
    return program.exitCode;
  } catch (thrown) {
    if (thrown instanceof CommanderError) return usageOutcome(io, thrown, isJson);
    const error = toHoldfastError(thrown);
    reportError(io, error, isJson);
    return exitCodeOf(error.code);
  }
}

function usageOutcome(io: CliIo, error: CommanderError, isJson: boolean): ExitCode {
  if (error.exitCode === 0) return EXIT.ok; // help and version were requested
  const message =
    error.code === 'commander.help' ? 'Name a command.' : error.message.replace(/^error: /, '');
  const hint = 'See what it takes: holdfast help';
  if (isJson)
    io.stdout.write(`${safeJson({ error: { code: 'INPUT_INVALID', message, hint } }, 2)}\n`);
  else if (error.code !== 'commander.help') io.stderr.write(`${hint}\n`);
  return EXIT.usage;
}

/** The command line's entry: contains only what every start needs and loads the rest. */
import { toHoldfastError } from '../engine/kernel/errors';
import { resolveAliases, wordPositions } from './aliases';
import type { ExitCode } from './exit-codes';
import { exitCodeOf, reportError } from './exit-codes';
import { runHeadless } from './headless';
import type { CliIo } from './io';
import { readStartArguments } from './start-arguments';

/**
 * Options that {@link readStartArguments} understands completely. Any other option needs the full
 * parser.
 */
const PLAIN = new Set([
  '--headless',
  '--hidden',
  '--no-restore',
  '--takeover',
  '--after-crash',
  '--json',
]);

/**
 * True for `start --headless` with plain options only: it can start without the parser of all
 * commands, which is a fifth of a start's loading time.
 */
export function isPlainHeadlessStart(argv: readonly string[]): boolean {
  const args = resolveAliases(argv);
  const words = wordPositions(args);
  if (words.length !== 1 || args[words[0] ?? -1] !== 'start') return false;
  if (!args.includes('--headless')) return false;
  return args.every((argument, index) => {
    if (index === words[0] || PLAIN.has(argument)) return true;
    if (argument === '--data-dir') return args[index + 1]?.startsWith('-') === false;
    return args[index - 1] === '--data-dir';
  });
}

/** Runs one command; `argv` without program and script. Never throws. */
export async function runCommand(argv: readonly string[], io: CliIo): Promise<ExitCode> {
  try {
    return await dispatch(argv, io);
  } catch (thrown) {
    const error = toHoldfastError(thrown);
    reportError(io, error, argv.includes('--json'));
    return exitCodeOf(error.code);
  }
}

async function dispatch(argv: readonly string[], io: CliIo): Promise<ExitCode> {
  if (argv[0] === 'hook') {
    const { runHook } = await import('./hook-entry');
    return runHook(argv, io);
  }
  if (argv.some((one) => one === '--host' || one.startsWith('--host='))) {
    const { runOnHost } = await import('./on-host');
    const code = await runOnHost(argv, io);
    if (code !== undefined) return code;
  }
  if (!isPlainHeadlessStart(argv)) {
    const { runCli } = await import('./cli');
    return runCli(argv, io);
  }
  const args = resolveAliases(argv);
  const { dataDir, flags } = readStartArguments(args, io.env, io.home);
  const isJson = args.includes('--json');
  return runHeadless(io, { dataDir, isJson, flags: { ...flags, hidden: true } });
}

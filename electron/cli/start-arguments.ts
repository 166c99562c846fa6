/** How this program is started: shared by the app's entry and the command line. */
import type { StartFlags } from '../compose/options';
import { resolveDataDir } from '../data-dir';
import { resolveAliases, wordPositions } from './aliases';
import { COMMANDS } from './commands';

export interface StartArguments {
  readonly dataDir: string;
  readonly flags: StartFlags;
  readonly headless: boolean;
  /** Delete the in-progress work first (S4-30). */
  readonly reset: boolean;
  /** The confirmation of the reset was given on the command line. */
  readonly yes: boolean;
}

/** Reads a start; unknown options (Chromium has many) are left alone. */
export function readStartArguments(
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  home: string,
): StartArguments {
  const has = (option: string): boolean => argv.includes(option);
  const isTakeover = has('--takeover') || argv[wordPositions(argv)[0] ?? -1] === 'takeover';
  return {
    dataDir: resolveDataDir(argv, env, home),
    flags: {
      noRestore: has('--no-restore'),
      hidden: has('--hidden'),
      takeover: isTakeover,
      afterCrash: has('--after-crash'),
    },
    headless: has('--headless'),
    reset: has('--reset'),
    yes: has('--yes'),
  };
}

/** A word that is not a link, a file or a folder: what a user types as a command. */
const BARE_WORD = /^[A-Za-z][A-Za-z0-9_-]*$/;

/**
 * True if these arguments (without program and script) request a command. Starts with a window do
 * not: `holdfast`, `holdfast start`, `holdfast --hidden`, a deep link. An unknown command does: a
 * typo gets an error message instead of a window.
 */
export function isCliInvocation(argv: readonly string[]): boolean {
  const resolved = resolveAliases(argv);
  const word = resolved[wordPositions(resolved)[0] ?? -1];
  if (word === undefined)
    return argv.some((one) => ['--help', '-h', '--version', '-v', '-V'].includes(one));
  if (word === 'start') return resolved.includes('--headless') || resolved.includes('--help');
  return COMMANDS.includes(word) || BARE_WORD.test(word);
}

/**
 * Location of the data directory: `--data-dir`, otherwise `HOLDFAST_HOME`, otherwise `~/.holdfast`.
 * Shared by the app, the headless host and the command line, so that they always mean the same
 * directory.
 */
import { existsSync } from 'node:fs';
import { homedir, userInfo } from 'node:os';
import { join, resolve } from 'node:path';
import { HoldfastError } from './engine/kernel/errors';

/**
 * Reads the value of `--data-dir D` or `--data-dir=D`; undefined if it is absent.
 * @throws HoldfastError INPUT_INVALID if it names no folder: a script with an unset variable
 * must not reset or run its user's data
 */
function dataDirArgument(argv: readonly string[]): string | undefined {
  for (const [index, argument] of argv.entries()) {
    if (argument === '--') return undefined;
    const value =
      argument === '--data-dir'
        ? argv[index + 1]
        : argument.startsWith('--data-dir=')
          ? argument.slice('--data-dir='.length)
          : undefined;
    if (value === undefined && argument !== '--data-dir') continue;
    if (value === undefined || value === '' || value.startsWith('--'))
      throw new HoldfastError('INPUT_INVALID', '--data-dir needs a directory.', {
        hint: 'Nothing was done. Add a directory after it, or omit the option to use ~/.holdfast.',
      });
    return value;
  }
  return undefined;
}

/**
 * Absolute path of the data directory. A relative one starts at the working directory; `~` is the
 * home folder.
 * @throws HoldfastError INPUT_INVALID
 */
export function resolveDataDir(
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  home: string,
): string {
  const chosen = dataDirArgument(argv) ?? (env['HOLDFAST_HOME'] || undefined);
  return chosen === undefined ? join(home, '.holdfast') : resolvePath(chosen, home);
}

/**
 * The absolute path of typed input: `~` is the home folder, a relative path starts at the working
 * directory. A stored path must mean the same folder wherever Holdfast itself runs.
 */
export function resolvePath(written: string, home: string): string {
  if (written === '~' || /^~[/\\]/.test(written)) return join(home, written.slice(1));
  return resolve(written);
}

/** Folder for records of watched terminals. */
export const watchDir = (dataDir: string): string => join(dataDir, 'watch');

/**
 * The account's home folder; with an empty `HOME`, the one that the system knows, so that a path is
 * never relative.
 */
export const homeFolder = (): string => homedir() || userInfo().homedir;

/** Files that only a data directory has; a removal that was stopped in between has left the last. */
const MARKS = ['holdfast.db', 'agent.lock', 'lock.db'];
export const isDataDir = (folder: string): boolean =>
  MARKS.some((name) => existsSync(join(folder, name)));

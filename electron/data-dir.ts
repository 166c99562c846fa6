/**
 * Where the data directory D is: `--data-dir`, else `HOLDFAST_HOME`, else `~/.holdfast`.
 * Shared by the app, the headless host and the command line, so that they always mean the same D.
 */
import { homedir, userInfo } from 'node:os';
import { join, resolve } from 'node:path';
import { HoldfastError } from './engine/kernel/errors';

/**
 * Reads the value of `--data-dir D` or `--data-dir=D`; undefined if it is absent.
 * @throws HoldfastError INPUT_INVALID where it names no folder: a script whose variable is not set
 * must not reset or run the data of its user
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
 * Absolute path of D. A relative one is taken from the working directory; `~` is the home.
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
 * The absolute path of typed input: `~` is the home, a relative path starts at the working
 * directory. What is stored must mean the same folder wherever Holdfast itself runs.
 */
export function resolvePath(written: string, home: string): string {
  if (written === '~' || /^~[/\\]/.test(written)) return join(home, written.slice(1));
  return resolve(written);
}

/** Folder of what watched terminals did. */
export const watchDir = (dataDir: string): string => join(dataDir, 'watch');

/** The home of the account; with an empty `HOME`, what the system has for it: a path is never relative. */
export const homeFolder = (): string => homedir() || userInfo().homedir;

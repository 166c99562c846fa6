import { execFile } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { plainEnvironment } from '../../../../shared/plain-environment';
import { namesIn } from '../../../disk/sweep';

const run = promisify(execFile);

/** A folder with `initdb`, `pg_ctl` and `postgres` of one version. */
export interface PostgresPrograms {
  readonly dir: string;
  readonly major: number;
}

interface SystemFacts {
  readonly platform: NodeJS.Platform;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Names in a folder; empty if it cannot be read. */
  readonly list: (folder: string) => readonly string[];
}

/** Root folders with one folder per version, and the path from there to the programs. */
const ROOTS: Readonly<Record<'darwin' | 'linux' | 'win32', readonly (readonly string[])[]>> = {
  darwin: [
    ['/opt/homebrew/opt', 'bin'],
    ['/usr/local/opt', 'bin'],
    ['/Applications/Postgres.app/Contents/Versions', 'bin'],
    ['/Library/PostgreSQL', 'bin'],
  ],
  linux: [
    ['/usr/lib/postgresql', 'bin'],
    ['/usr', 'bin'],
    ['/usr/local', 'bin'],
    ['/home/linuxbrew/.linuxbrew/opt', 'bin'],
  ],
  win32: [['PostgreSQL', 'bin']],
};

/** Matches folder names that may be one PostgreSQL version. */
const IS_VERSION = /^(?:postgresql(?:@\d+)?|pgsql(?:-\d+)?|\d+(?:\.\d+)?)$/;

/** Possible locations of PostgreSQL on such a system: in each root the newest first, then PATH. */
export function placesOf({ platform, env, list }: SystemFacts): readonly string[] {
  const rules = platform === 'win32' ? path.win32 : path.posix;
  const kind = platform === 'win32' || platform === 'darwin' ? platform : 'linux';
  const installed = ROOTS[kind].flatMap(([root = '', ...rest]) => {
    const top =
      platform === 'win32' ? rules.join(env['ProgramFiles'] ?? 'C:\\Program Files', root) : root;
    return list(top)
      .filter((name) => IS_VERSION.test(name))
      .toSorted((a, b) => b.localeCompare(a, 'en', { numeric: true }))
      .map((name) => rules.join(top, name, ...rest));
  });
  const searched = (env['PATH'] ?? env['Path'] ?? '')
    .split(rules.delimiter)
    .filter((dir) => rules.isAbsolute(dir));
  return [...new Set([...installed, ...searched])];
}

const isWindows = process.platform === 'win32';
const ending = isWindows ? '.exe' : '';
/** How npm is run. A `.cmd` needs a shell, so nothing in the line may come from outside. */
export const NPM = { program: isWindows ? 'npm.cmd' : 'npm', shell: isWindows } as const;
export const programIn = (dir: string, name: string): string => path.join(dir, name + ending);

/**
 * Major version in the output of `postgres --version`, such as "postgres (PostgreSQL) 15.8 (Debian
 * 15.8-0)".
 */
export function majorOf(said: string): number | undefined {
  const found = /PostgreSQL\) (\d+)/.exec(said)?.[1];
  return found === undefined ? undefined : Number(found);
}

/** The programs in a folder; undefined if one of them is missing or does not run. */
async function programsIn(
  dir: string,
  env: Readonly<Record<string, string>>,
): Promise<PostgresPrograms | undefined> {
  const names = ['initdb', 'pg_ctl', 'postgres'] as const;
  try {
    // A name in PATH may be a link to one program of a folder that is not in PATH.
    const home = path.dirname(fs.realpathSync(programIn(dir, 'pg_ctl')));
    if (!names.every((name) => fs.existsSync(programIn(home, name)))) return undefined;
    const program = programIn(home, 'postgres');
    const { stdout } = await run(program, ['--version'], { env, timeout: 10_000 });
    const major = majorOf(stdout);
    return major === undefined ? undefined : { dir: home, major };
  } catch {
    return undefined; // It does not exist.
  }
}

/** Downloaded and installed programs on this computer, each folder once, in search order. */
export async function installedPrograms(
  env: Readonly<Record<string, string | undefined>>,
  fetched: string,
): Promise<readonly PostgresPrograms[]> {
  const found = new Map<string, PostgresPrograms>();
  for (const place of [fetched, ...placesOf({ platform: process.platform, env, list: namesIn })]) {
    const programs = await programsIn(place, plainEnvironment(env));
    if (programs !== undefined) found.set(programs.dir, programs);
  }
  return [...found.values()];
}

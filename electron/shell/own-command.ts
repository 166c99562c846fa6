/** The command that starts this same program in a terminal. */
import { realpathSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { commandLine } from '../../shared/command-words';

type Env = Readonly<Record<string, string | undefined>>;

/**
 * The file of this program. An AppImage runs from a mount that disappears when it ends, so the
 * AppImage file itself is named, but only if it is ours: terminals pass on their own AppImage's
 * variables.
 */
export function ownProgram(execPath: string, env: Env): string {
  const { APPIMAGE: file, APPDIR: mount } = env;
  return file && mount && execPath.startsWith(`${mount}/`) ? file : execPath;
}

interface OwnCommandFacts {
  readonly program: string;
  /** Arguments between the program and a command; none if installed. */
  readonly args: readonly string[];
  readonly dataDir: string;
  readonly defaultDataDir: string;
  /** `holdfast` in a terminal starts this program. */
  readonly isOnPath: boolean;
}

export interface OwnCommand {
  readonly command: string;
  readonly options: string;
}

/** Beginning and end of a command line for this program with this data directory. Pure. */
export function ownCommand(facts: OwnCommandFacts): OwnCommand {
  const { program, args, dataDir, defaultDataDir } = facts;
  return {
    command: facts.isOnPath && args.length === 0 ? 'holdfast' : commandLine([program, ...args]),
    options: dataDir === defaultDataDir ? '' : commandLine(['--data-dir', dataDir]),
  };
}

/** True if `holdfast` is found on the PATH and is this program. */
export function isOnPath(program: string, env: Env): boolean {
  const real = (file: string): string | undefined => {
    try {
      return realpathSync(file);
    } catch {
      return undefined;
    }
  };
  const own = real(program);
  return (env['PATH'] ?? '')
    .split(delimiter)
    .filter((folder) => folder !== '')
    .some((folder) => own !== undefined && real(join(folder, 'holdfast')) === own);
}

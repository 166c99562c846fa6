/** How the user starts this very program in a terminal. */
import { realpathSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { commandLine } from '../../shared/command-words';

type Env = Readonly<Record<string, string | undefined>>;

/**
 * The file that is this program. An AppImage runs from a mount that is gone when it ends; the file
 * itself is named then, and only if it is ours: terminals hand on the variables of theirs.
 */
export function ownProgram(execPath: string, env: Env): string {
  const { APPIMAGE: file, APPDIR: mount } = env;
  return file && mount && execPath.startsWith(`${mount}/`) ? file : execPath;
}

interface OwnCommandFacts {
  readonly program: string;
  /** Arguments between the program and a command; none when installed. */
  readonly args: readonly string[];
  readonly dataDir: string;
  readonly defaultDataDir: string;
  /** `holdfast` in a terminal is this program. */
  readonly isOnPath: boolean;
}

export interface OwnCommand {
  readonly command: string;
  readonly options: string;
}

/** Start and end of a command line of this program on this data. Pure. */
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

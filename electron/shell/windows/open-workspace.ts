/** Opens the folder of an agent in programs of the desktop. No path in here comes from a window. */
import { spawn } from 'node:child_process';
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { HoldfastError } from '../../engine/kernel/errors';
import { say } from '../say';
import { isFolder } from '../../disk/missing-folders';

/** The kinds of programs that can open a folder. */
export type FolderProgram = 'files' | 'editor' | 'terminal';

interface Desktop {
  readonly platform: NodeJS.Platform;
  readonly isInstalled: (program: string) => boolean;
}

export interface Launch {
  readonly program: string;
  readonly args: readonly string[];
}

/** Editors that open a folder in their own window, the most common first. */
const EDITORS = ['code', 'cursor', 'windsurf', 'zed', 'codium', 'idea', 'subl', 'kate'] as const;

/**
 * Terminals that start in their working directory; the default terminal of the system comes first.
 */
const TERMINALS: readonly Launch[] = [
  { program: 'x-terminal-emulator', args: [] },
  { program: 'gnome-terminal', args: [] },
  { program: 'konsole', args: [] },
  { program: 'xfce4-terminal', args: [] },
  { program: 'kitty', args: [] },
  { program: 'alacritty', args: [] },
  { program: 'foot', args: [] },
  { program: 'wezterm', args: ['start', '--cwd', '.'] },
  { program: 'xterm', args: [] },
];

/**
 * The command that opens a folder; it runs in that folder. Undefined if no program is found. Pure.
 */
export function planLaunch(
  with_: Exclude<FolderProgram, 'files'>,
  folder: string,
  { platform, isInstalled }: Desktop,
): Launch | undefined {
  if (with_ === 'editor') {
    const program = EDITORS.find(isInstalled);
    // On Windows these programs are scripts, which only a shell can start.
    return program === undefined || platform === 'win32' ? undefined : { program, args: [folder] };
  }
  if (platform === 'darwin') return { program: 'open', args: ['-a', 'Terminal', folder] };
  if (platform === 'win32') return { program: 'wt.exe', args: ['-d', folder] };
  return TERMINALS.find(({ program }) => isInstalled(program));
}

/** True if the PATH has a program of this name. */
export function isOnPath(program: string, path: string | undefined): boolean {
  return (path ?? '').split(delimiter).some((folder) => {
    if (folder === '') return false;
    const file = join(folder, program);
    try {
      accessSync(file, constants.X_OK);
      return statSync(file).isFile();
    } catch {
      return false; // not in this one
    }
  });
}

interface WorkspaceDeps {
  /** The folder of an agent; undefined if there is no such agent. */
  readonly folderOf: (agent: string) => Promise<string | undefined>;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  /** Shows the folder in the file manager; returns an error text, or an empty one. */
  readonly show: (folder: string) => Promise<string>;
}

/** Opens the folder of an agent, or says what is missing. */
export function createWorkspaceOpener(
  deps: WorkspaceDeps,
): (agent: string, with_: FolderProgram) => Promise<void> {
  return async (agent, with_) => {
    const folder = await deps.folderOf(agent);
    if (folder === undefined || !isFolder(folder)) {
      throw new HoldfastError('DATA_DIR_UNUSABLE', say('workspace.missing'), {
        hint: say('workspace.missing.hint', { folder: folder ?? agent }),
      });
    }
    if (with_ === 'files') {
      const problem = await deps.show(folder);
      if (problem !== '') throw notOpened(problem, folder);
      return;
    }
    const launch = planLaunch(with_, folder, {
      platform: deps.platform,
      isInstalled: (program) => isOnPath(program, deps.env['PATH']),
    });
    if (launch === undefined) {
      throw new HoldfastError(
        'INPUT_INVALID',
        say(with_ === 'editor' ? 'workspace.noEditor' : 'workspace.noTerminal'),
        { hint: say('folder.hint', { folder }) },
      );
    }
    await start(launch, folder);
  };
}

const notOpened = (problem: string, folder: string): HoldfastError =>
  new HoldfastError('INTERNAL', say('folder.failed', { text: problem.slice(0, 200) }), {
    hint: say('folder.hint', { folder }),
  });

/** The program outlives Holdfast: it belongs to the user, like one started from a menu. */
function start({ program, args }: Launch, folder: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd: folder, detached: true, stdio: 'ignore' });
    child.once('error', (error) => reject(notOpened(error.message, folder)));
    child.once('spawn', () => {
      child.unref();
      resolve();
    });
  });
}

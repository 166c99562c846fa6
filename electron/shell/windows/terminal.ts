import { homeFolder, resolveDataDir } from '../../data-dir';
import { leadingArguments } from '../launch-arguments';
import type { LaunchFacts } from '../launch-arguments';
import type { OwnCommand } from '../own-command';

interface Launched {
  readonly dataDir: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly launch: LaunchFacts;
}

/** How a terminal starts this program. Loaded when a page first shows it. */
export async function terminalOf({ dataDir, env, launch }: Launched): Promise<OwnCommand> {
  const { isOnPath, ownCommand, ownProgram } = await import('../own-command');
  const program = ownProgram(process.execPath, env);
  return ownCommand({
    program,
    args: leadingArguments(launch),
    dataDir,
    // The data directory that a terminal uses without an option. The folder in the variable may be
    // known only to this process.
    defaultDataDir: resolveDataDir([], {}, homeFolder()),
    isOnPath: isOnPath(program, env),
  });
}

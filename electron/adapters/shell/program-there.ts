import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { delimiter, isAbsolute, resolve } from 'node:path';

const endings = (): readonly string[] =>
  process.platform === 'win32' ? ['', '.exe', '.cmd', '.bat'] : [''];

/**
 * The path of a program that would be started in the folder `cwd`; undefined if that is impossible.
 * Without a folder only a full path counts. The program is not run, because its effect without
 * arguments is unknown. S2-07
 */
export async function findProgram(
  program: string,
  search: string | undefined,
  cwd?: string,
): Promise<string | undefined> {
  const isPath = isAbsolute(program) || program.includes('/') || program.includes('\\');
  const folders = isPath ? [''] : (search ?? '').split(delimiter).filter((one) => one !== '');
  for (const folder of folders) {
    if (cwd === undefined && !isAbsolute(isPath ? program : folder)) continue;
    for (const ending of endings()) {
      const path = resolve(cwd ?? '', folder, `${program}${ending}`);
      if (await mayRun(path)) return path;
    }
  }
  return undefined;
}

async function mayRun(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false; // Does not exist, or we cannot run it.
  }
}

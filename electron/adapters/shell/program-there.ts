import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { delimiter, isAbsolute, resolve } from 'node:path';

const ENDINGS = process.platform === 'win32' ? ['', '.exe', '.cmd', '.bat'] : [''];

/**
 * Where a program is that is started in the folder `cwd`; undefined where it could not be. Without a
 * folder only what stands under a full path counts. Nothing of it runs, since nobody knows what a
 * program does that is asked for nothing. S2-07
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
    for (const ending of ENDINGS) {
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
    return false; // not there, or not ours to run
  }
}

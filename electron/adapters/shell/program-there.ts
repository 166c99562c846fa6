import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { delimiter, isAbsolute, join } from 'node:path';

const ENDINGS = process.platform === 'win32' ? ['', '.exe', '.cmd', '.bat'] : [''];

/**
 * Whether a program could be started: it is there and may be run. Nothing of it runs, since nobody
 * knows what a program does that is asked for nothing. S2-07
 */
export async function isProgramThere(
  program: string,
  search: string | undefined,
): Promise<boolean> {
  const isPath = isAbsolute(program) || program.includes('/') || program.includes('\\');
  const folders = isPath ? [''] : (search ?? '').split(delimiter).filter((one) => one !== '');
  for (const folder of folders)
    for (const ending of ENDINGS)
      if (await mayRun(`${folder === '' ? program : join(folder, program)}${ending}`)) return true;
  return false;
}

async function mayRun(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false; // not there, or not ours to run
  }
}

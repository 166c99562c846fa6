import fs from 'node:fs';
import path from 'node:path';
import { fillDurably, moveInPlace } from './durable-file';
import { syncFolder } from './durable-folder';
import { sweepBeside } from './sweep';

/** Next to the program, on its file system, because only a rename there is atomic. */
const asideOf = (target: string): string =>
  path.join(path.dirname(target), `.${path.basename(target)}.new`);

/**
 * Replaces a program file: at every moment its path has the complete old file or the complete new
 * one. A process that runs the old one keeps it until it ends.
 */
export async function replaceProgram(from: string, target: string): Promise<void> {
  const aside = asideOf(target);
  sweepBeside(aside);
  const mode = fs.statSync(target, { throwIfNoEntry: false })?.mode ?? 0o755;
  await copyProgram(from, aside, (mode & 0o777) | 0o100);
  await moveInPlace(aside, target);
  await syncFolder(path.dirname(target));
}

/** Removes what a killed replacement left next to the program. Never throws. */
export function sweepAside(target: string): void {
  const aside = asideOf(target);
  sweepBeside(aside);
  try {
    fs.rmSync(aside, { force: true });
  } catch {
    // The next replacement overwrites it.
  }
}

/** A complete executable copy; replaces a leftover of a killed one. */
export async function copyProgram(from: string, to: string, mode = 0o700): Promise<void> {
  await fillWithChunks(to, () => fs.createReadStream(from), mode);
}

/** A file from incoming chunks, complete with this mode or missing. @throws what `chunks` throws */
export const fillWithChunks = (
  target: string,
  chunks: () => AsyncIterable<Uint8Array>,
  mode: number,
): Promise<void> =>
  fillDurably(target, async (temporary) => {
    const handle = await fs.promises.open(temporary, 'r+');
    try {
      for await (const chunk of chunks()) await handle.writeFile(chunk);
      await handle.chmod(mode);
    } finally {
      await handle.close();
    }
  });

/** Why this account cannot replace the file; undefined if it can. */
export function whyFixed(target: string): string | undefined {
  try {
    fs.accessSync(path.dirname(target), fs.constants.W_OK);
    return undefined;
  } catch {
    return `You cannot write to ${path.dirname(target)}, so Holdfast cannot replace itself there. Move it to a folder of yours.`;
  }
}

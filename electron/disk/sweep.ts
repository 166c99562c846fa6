/** At start, removes what writes left behind when their process was killed. */
import { lstatSync, readdirSync, unlinkSync } from 'node:fs';
import { readdir, stat, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { isLeftOver } from './temporary-names';

/** Whether a process with this pid exists. EPERM counts as alive. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

/**
 * For folders with few names, synchronously. Never throws: files that cannot be removed stay for
 * the next start.
 * @param start only files whose names start with it, in a folder that is not ours
 */
export function sweepNow(folders: readonly string[], nowMs: number, start = ''): void {
  for (const folder of folders) {
    for (const name of namesIn(folder)) {
      if (!name.includes('.tmp') || !name.startsWith(start)) continue;
      const path = join(folder, name);
      try {
        if (isLeftOver({ path, ageMs: nowMs - lstatSync(path).mtimeMs, isAlive })) unlinkSync(path);
      } catch {
        // A folder, or a file that another process removed: the others are still swept.
      }
    }
  }
}

/** What killed writes of one file have left next to it, in a folder that is not ours. */
export const sweepBeside = (path: string): void =>
  sweepNow([dirname(path)], 0, `${basename(path)}.`);

/** Empty for a folder that is missing, or that this account may not list. */
export function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Sweeps folders below `root`, at most `depth` levels, without blocking. Never throws. */
export async function sweepTree(root: string, depth: number, nowMs: number): Promise<void> {
  const entries = await readdir(root, { withFileTypes: true }).catch(() => []);
  for (const entry of entries) {
    if (entry.isDirectory()) {
      if (depth > 0) await sweepTree(join(root, entry.name), depth - 1, nowMs);
    } else if (entry.isFile() && entry.name.includes('.tmp')) {
      const path = join(root, entry.name);
      const facts = await stat(path).catch(() => undefined);
      if (facts === undefined) continue;
      if (isLeftOver({ path, ageMs: nowMs - facts.mtimeMs, isAlive }))
        await unlink(path).catch(() => undefined);
    }
  }
}

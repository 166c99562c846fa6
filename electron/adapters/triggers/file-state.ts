import { createHash } from 'node:crypto';
import { watch, type FSWatcher } from 'node:fs';
import { opendir, stat } from 'node:fs/promises';
import path from 'node:path';

/**
 * Maximum number of entries of a folder that are checked. Changes beyond them do not start a task.
 */
const MAX_ENTRIES = 10_000;
const MAX_DEPTH = 20;
/** Errors that pass: what is behind them has not changed because of them. */
const PASSING: ReadonlySet<string | undefined> = new Set(['EMFILE', 'ENFILE', 'EIO', 'ENOMEM']);
const orThrow = (error: unknown): undefined => {
  if (PASSING.has((error as NodeJS.ErrnoException).code)) throw error;
  return undefined;
};
/** Folders that change all the time without the user. */
const LEFT_OUT: ReadonlySet<string> = new Set(['.git', 'node_modules']);

/**
 * Size and time of the last change of a file, or of everything in a folder in a fixed order, as one
 * hash. A missing file has a state too; undefined if it cannot be read. Uses memory for one hash
 * and the names of the folders on the path.
 */
export async function fileState(place: string, signal: AbortSignal): Promise<string | undefined> {
  const hash = createHash('sha256');
  let left = MAX_ENTRIES;
  const take = (name: string, size: number, atMs: number): void => {
    hash.update(`${name}\0${String(size)}\0${String(atMs)}\n`);
    left -= 1;
  };
  const walk = async (folder: string, under: string, depth: number): Promise<void> => {
    const names: string[] = [];
    for await (const entry of await opendir(folder)) {
      if (LEFT_OUT.has(entry.name)) continue;
      names.push(entry.name);
      if (names.length >= left) break;
    }
    for (const name of names.toSorted()) {
      if (left <= 0 || signal.aborted) return;
      const found = await stat(path.join(folder, name)).catch(orThrow);
      if (found === undefined) continue;
      const shown = `${under}/${name}`;
      if (!found.isDirectory()) take(shown, found.size, found.mtimeMs);
      else if (depth < MAX_DEPTH) {
        take(`${shown}/`, 0, 0);
        await walk(path.join(folder, name), shown, depth + 1).catch(orThrow);
      }
    }
  };
  try {
    const found = await stat(place);
    if (found.isDirectory()) await walk(place, '', 0);
    else take('', found.size, found.mtimeMs);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    return code === 'ENOENT' || code === 'ENOTDIR' ? 'missing' : undefined;
  }
  return hash.digest('hex');
}

/** Reports that a file or folder may have changed; undefined if it does not exist yet. */
export function watchPlace(place: string, onHint: () => void): { stop(): void } | undefined {
  let watcher: FSWatcher;
  try {
    watcher = watch(place, { persistent: false }, onHint);
  } catch {
    return undefined;
  }
  watcher.on('error', () => {
    watcher.close();
  });
  return {
    stop() {
      watcher.close();
    },
  };
}

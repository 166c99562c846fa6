/**
 * Makes folders level by level. Node's own `recursive` runs for ever where a file system says of a new
 * folder that it is missing although its parent is there, as /proc does.
 */
import { mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

/**
 * Makes `folder` and what is missing above it, for this account alone if no other mode is given.
 * Returns the first folder that was made; undefined if none was. Nothing is synced. @throws what the
 * system says of the first level that cannot be made
 */
export function makeMissingFolders(folder: string, mode = 0o700): string | undefined {
  const missing: string[] = [];
  let at = resolve(folder);
  for (; !isFolder(at); at = dirname(at)) {
    missing.push(at);
    if (at === dirname(at)) break;
  }
  const first = missing.at(-1);
  for (const one of missing.toReversed()) {
    try {
      mkdirSync(one, { mode });
    } catch (error) {
      // Another process has created it meanwhile.
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || !isFolder(one)) throw error;
    }
  }
  return first;
}

/**
 * Creates folders level by level. Node's own `recursive` loops forever if a file system reports a
 * new folder as missing although its parent exists, as /proc does.
 */
import { mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/** False for a folder that this account may not look at, too. */
export function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

/**
 * Creates `folder` and missing folders above it, private to this account by default. Returns the
 * first folder that was created; undefined if none was. Syncs nothing. @throws the system's error
 * for the first level that cannot be created
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

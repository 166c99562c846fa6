import { readdir } from 'node:fs/promises';
import type { FolderHandle } from './folder-handle';
import { isTempFileName } from './write-file';

/** Folders that are listed but not entered. */
export const SKIPPED_FOLDERS: ReadonlySet<string> = new Set([
  '.git',
  'node_modules',
  '.hg',
  '.svn',
]);

/** One entry below the start; `path` is relative to it, with `/`. */
export interface WalkEntry {
  readonly path: string;
  readonly kind: 'file' | 'folder' | 'link' | 'special';
}

/**
 * Walks depth first in the order of the names' code units, so that the same tree gives the same
 * list on every machine. Links are listed, never followed; an unreadable folder is empty. Each
 * folder is opened from the one above it: a folder that becomes a link in between is not entered.
 */
export async function* walkFiles(
  start: FolderHandle,
  options: { readonly depth: number; readonly signal: AbortSignal },
): AsyncGenerator<WalkEntry> {
  yield* walk(start, '', options.depth, options.signal);
}

async function* walk(
  folder: FolderHandle,
  prefix: string,
  depth: number,
  signal: AbortSignal,
): AsyncGenerator<WalkEntry> {
  signal.throwIfAborted();
  const entries = await readdir(folder.self, { withFileTypes: true }).catch(() => []);
  entries.sort((one, other) => (one.name < other.name ? -1 : one.name > other.name ? 1 : 0));
  for (const entry of entries) {
    if (isTempFileName(entry.name)) continue;
    const path = prefix + entry.name;
    if (entry.isDirectory()) {
      yield { path, kind: 'folder' };
      if (depth > 1 && !SKIPPED_FOLDERS.has(entry.name)) {
        const inner = await folder.openFolder(entry.name).catch(() => 'link' as const);
        if (inner === 'link') continue;
        try {
          yield* walk(inner, `${path}/`, depth - 1, signal);
        } finally {
          await inner.close();
        }
      }
    } else if (entry.isSymbolicLink()) yield { path, kind: 'link' };
    else yield { path, kind: entry.isFile() ? 'file' : 'special' };
  }
}

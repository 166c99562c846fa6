import type { Dirent } from 'node:fs';
import { opendir } from 'node:fs/promises';
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
  for await (const entry of sortedEntries(folder, signal)) {
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

/** Entries that are read or handed out before others may run: a folder can have any number. */
const SLICE = 1_024;
/** Entries that are sorted at once: a few milliseconds. */
const SORTED_AT_ONCE = 8 * SLICE;

const byName = (one: Dirent, other: Dirent): number =>
  one.name < other.name ? -1 : one.name > other.name ? 1 : 0;

/** The names of a folder in order, in slices: sorted in parts that are merged as they are used. */
async function* sortedEntries(folder: FolderHandle, signal: AbortSignal): AsyncGenerator<Dirent> {
  const parts: Dirent[][] = [];
  let part: Dirent[] = [];
  try {
    for await (const entry of await opendir(folder.self, { bufferSize: SLICE })) {
      if (part.push(entry) % SLICE === 0) await pause(signal);
      if (part.length < SORTED_AT_ONCE) continue;
      parts.push(part.sort(byName));
      part = [];
    }
  } catch (error) {
    if (signal.aborted) throw error;
    return;
  }
  parts.push(part.sort(byName));
  const heads = parts.map(() => 0);
  for (let given = 1; ; given += 1) {
    let from = -1;
    let first: Dirent | undefined;
    for (const [at, entries] of parts.entries()) {
      const head = entries[heads[at] ?? 0];
      if (head === undefined || (first !== undefined && byName(first, head) <= 0)) continue;
      [from, first] = [at, head];
    }
    if (first === undefined) return;
    heads[from] = (heads[from] ?? 0) + 1;
    yield first;
    if (given % SLICE === 0) await pause(signal);
  }
}

async function pause(signal: AbortSignal): Promise<void> {
  await new Promise(setImmediate);
  signal.throwIfAborted();
}

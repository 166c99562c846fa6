/** Folders whose names survive a power cut: a name is durable once its parent folder is synced. */
import { closeSync, fsyncSync, openSync, renameSync } from 'node:fs';
import { open, readdir, type FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { makeMissingFolders } from './missing-folders';

/** Some file systems cannot sync a folder, and an unreadable one cannot be opened for it. */
const CANNOT: ReadonlySet<string | undefined> = new Set(['EINVAL', 'ENOTSUP', 'EACCES']);
const orThrow = (error: unknown): void => {
  if (!CANNOT.has((error as NodeJS.ErrnoException).code)) throw error;
};

/**
 * The names in `path` are on disk when this resolves. Windows cannot sync a folder and does not
 * need to.
 */
export async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(path, 'r').catch(orThrow);
  if (handle === undefined) return;
  try {
    await syncOpenFolder(handle);
  } finally {
    await handle.close();
  }
}

/**
 * {@link syncFolder} for an open one. @throws the disk's errors, but none if a folder cannot be
 * synced
 */
export const syncOpenFolder = (handle: FileHandle): Promise<void> => handle.sync().catch(orThrow);

/**
 * Everything below `folder` that another program has written, including names, is on disk when this
 * resolves.
 */
export async function syncTree(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const at = join(folder, entry.name);
    if (entry.isDirectory()) await syncTree(at);
    else if (entry.isFile()) await syncFile(at);
  }
  await syncFolder(folder);
}

async function syncFile(path: string): Promise<void> {
  // Windows syncs only files that are open for writing.
  const handle = await open(path, process.platform === 'win32' ? 'r+' : 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** {@link syncFolder}, at once. */
export function syncFolderSync(path: string): void {
  if (process.platform === 'win32') return;
  let fd: number | undefined;
  try {
    fd = openSync(path, 'r');
    fsyncSync(fd);
  } catch (error) {
    orThrow(error);
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

/**
 * Renames a folder or file within its parent, atomically. Not synced: until the parent is, a power
 * cut may bring its old name back.
 */
export function moveAsideSync(path: string, to: string): void {
  renameSync(path, to);
}

/**
 * Folders that this process knows to be on disk: the process that created them may have died before
 * the sync.
 */
const confirmed = new Set<string>();
const MAX_CONFIRMED = 10_000;

/**
 * Creates `folder` and missing folders down from `top`; their names are on disk when this
 * resolves, even if a process that created one was killed before it could sync.
 * @param top a folder above, or itself; above it only newly created folders are synced
 */
export async function makeFolder(folder: string, top: string, mode = 0o700): Promise<void> {
  const first = makeMissingFolders(folder, mode);
  for (const one of unconfirmed(folder, top, first)) {
    await syncFolder(dirname(one));
    confirm(one);
  }
}

/** {@link makeFolder}, at once. */
export function makeFolderSync(folder: string, top: string): void {
  const first = makeMissingFolders(folder);
  for (const one of unconfirmed(folder, top, first)) {
    syncFolderSync(dirname(one));
    confirm(one);
  }
}

function unconfirmed(folder: string, top: string, first: string | undefined): readonly string[] {
  const found: string[] = [];
  for (let at = folder; at !== dirname(at); at = dirname(at)) {
    const isNew = first !== undefined && at.length >= first.length;
    const isWithin = at.length > top.length && at.startsWith(top);
    if (!isNew && !isWithin) break;
    if (isNew || !confirmed.has(at)) found.push(at);
  }
  return found;
}

function confirm(folder: string): void {
  if (confirmed.size >= MAX_CONFIRMED) confirmed.clear();
  confirmed.add(folder);
}

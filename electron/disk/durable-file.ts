/**
 * The one place that writes, replaces and removes files outside SQLite. When a function here
 * returns, its change is on disk: content and name survive a power cut. Rows S4-14, S0-02; security
 * K5, L5.
 */
import {
  closeSync,
  constants,
  createReadStream,
  createWriteStream,
  fchmodSync,
  fstatSync,
  fsyncSync,
  openSync,
  readSync,
  renameSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { link, open, rename, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { syncFolder, syncFolderSync } from './durable-folder';
import { temporaryPath } from './temporary-names';

/** Absent on Windows, where symbolic links need a privilege. */
const NO_FOLLOW = (constants as Partial<typeof constants>).O_NOFOLLOW ?? 0;
/** Never through a link at that path, and never over another writer's file. */
const NEW_FILE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | NO_FOLLOW;
const PRIVATE = 0o600;

interface WriteOptions {
  /** Exactly these permissions, regardless of the umask; default 0600. */
  readonly mode?: number;
  /** Instants of a write, for the crash suite. */
  readonly beforeRename?: () => void;
  readonly afterRename?: () => void;
}

/**
 * Replaces a file so that a crash or a power cut leaves the old content or the new one, never a
 * mixture: temporary file, fsync, rename, fsync of the folder. The folder must exist. @throws the
 * disk's error; the path then has the old file, or the new one if only the last sync failed
 */
export async function writeDurably(
  path: string,
  content: string | Uint8Array,
  options: WriteOptions = {},
): Promise<void> {
  const temporary = temporaryPath(path);
  try {
    await writeAside(temporary, content, { mode: options.mode ?? PRIVATE });
    options.beforeRename?.();
    await rename(temporary, path);
  } catch (error) {
    await unlink(temporary).catch(() => undefined);
    throw error;
  }
  options.afterRename?.();
  await syncFolder(dirname(path));
}

/** {@link writeDurably} for small files that must exist before the next statement. */
export function writeDurablySync(
  path: string,
  content: string | Uint8Array,
  options: WriteOptions = {},
): void {
  replaceSync(path, content, { ...options, isSynced: true });
  options.afterRename?.();
  syncFolderSync(dirname(path));
}

/**
 * Replaces a file that is irrelevant after this process (a port, the token of this start): no
 * reader sees a partial file, and no sync is needed.
 */
export function writeForThisRunSync(path: string, content: string): void {
  replaceSync(path, content, { isSynced: false });
}

function replaceSync(
  path: string,
  content: string | Uint8Array,
  options: WriteOptions & { readonly isSynced: boolean },
): void {
  const temporary = temporaryPath(path);
  try {
    const mode = options.mode ?? PRIVATE;
    const fd = openSync(temporary, NEW_FILE, mode);
    try {
      if (mode !== PRIVATE) fchmodSync(fd, mode);
      writeAllSync(fd, content);
      if (options.isSynced) fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    options.beforeRename?.();
    renameSync(temporary, path);
  } catch (error) {
    try {
      unlinkSync(temporary);
    } catch {
      // It was renamed or never created.
    }
    throw error;
  }
}

const CHUNK_BYTES = 1024 ** 2;

/**
 * Rewrites every byte of a file in place and syncs it: after a failed sync the system may treat
 * pages as written that never reached the disk. There must be no other writer meanwhile. A missing
 * file is skipped.
 */
export function writeAgainSync(path: string): void {
  const fd = openThereSync(path);
  if (fd === undefined) return;
  try {
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    for (let at = 0; ;) {
      const length = readSync(fd, chunk, 0, CHUNK_BYTES, at);
      if (length === 0) break;
      for (let done = 0; done < length;)
        done += writeSync(fd, chunk, done, length - done, at + done);
      at += length;
    }
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

function openThereSync(path: string): number | undefined {
  try {
    return openSync(path, constants.O_RDWR | NO_FOLLOW);
  } catch (error) {
    missing(error);
    return undefined;
  }
}

function writeAllSync(fd: number, content: string | Uint8Array): void {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content;
  let done = 0;
  while (done < bytes.length) done += writeSync(fd, bytes, done);
}

/**
 * Writes a new file whose content, but not its name, is on disk when this resolves. For writers
 * that
 * check once more before {@link moveInPlace}. Without a mode the umask decides.
 * @throws EEXIST
 */
export async function writeAside(
  path: string,
  content: string | Uint8Array,
  options: { readonly mode?: number | undefined } = {},
): Promise<void> {
  const handle = await open(path, NEW_FILE, options.mode ?? 0o666);
  try {
    // The umask applies to open(), not to chmod.
    if (options.mode !== undefined && options.mode !== PRIVATE) await handle.chmod(options.mode);
    await handle.writeFile(content);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Renames a file written by {@link writeAside}. Durable after {@link syncFolder} of the folder. */
export const moveInPlace = (temporary: string, path: string): Promise<void> =>
  rename(temporary, path);

/** The same if nothing may be replaced. @throws EEXIST */
export async function appearInPlace(temporary: string, path: string): Promise<void> {
  try {
    await link(temporary, path);
    await unlink(temporary);
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'EEXIST') throw thrown;
    // A file system without hard links.
    await rename(temporary, path);
  }
}

/**
 * Creates or replaces `path` with what `fill` writes into the empty file it gets. 0600 from its
 * creation.
 */
export async function fillDurably(
  path: string,
  fill: (temporary: string) => Promise<unknown>,
): Promise<void> {
  const temporary = temporaryPath(path);
  try {
    // SQLite would create the file with the umask's mode, and its journal files with the mode of
    // the file.
    await (await open(temporary, NEW_FILE, PRIVATE)).close();
    await fill(temporary);
    const handle = await open(temporary, 'r+');
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await unlink(temporary).catch(() => undefined);
    throw error;
  }
  await syncFolder(dirname(path));
}

/**
 * A private copy, complete or absent. Not the system's copy, which would use the mode of `from`.
 */
export const copyDurably = (from: string, to: string): Promise<void> =>
  fillDurably(to, (temporary) =>
    pipeline(createReadStream(from), createWriteStream(temporary, { flags: 'r+' })),
  );

/**
 * Appends a line to a file, which is created with 0600 if missing; without a line it is only
 * created. A crash may leave part of the last line; the next line then starts separately.
 */
export function appendLineDurablySync(path: string, line?: string): void {
  const made = openNewSync(path);
  const fd = made ?? openSync(path, constants.O_RDWR | constants.O_APPEND | NO_FOLLOW);
  try {
    if (line !== undefined) writeAllSync(fd, `${isTorn(fd) ? '\n' : ''}${line}\n`);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
  syncFolderSync(dirname(path));
}

function isTorn(fd: number): boolean {
  const { size } = fstatSync(fd);
  const last = Buffer.alloc(1);
  return size > 0 && readSync(fd, last, 0, 1, size - 1) === 1 && last[0] !== 0x0a;
}

function openNewSync(path: string): number | undefined {
  try {
    return openSync(
      path,
      constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | constants.O_EXCL | NO_FOLLOW,
      PRIVATE,
    );
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return undefined;
    throw error;
  }
}

/** Removes a file durably; true if it existed. Durable even if an earlier try was interrupted. */
export async function removeDurably(path: string): Promise<boolean> {
  const wasThere = await unlink(path).then(() => true, missing);
  await syncFolder(dirname(path)).catch(missing);
  return wasThere;
}

/** {@link removeDurably}, at once. */
export function removeDurablySync(path: string): boolean {
  let wasThere = true;
  try {
    unlinkSync(path);
  } catch (error) {
    wasThere = missing(error);
  }
  try {
    syncFolderSync(dirname(path));
  } catch (error) {
    missing(error);
  }
  return wasThere;
}

function missing(error: unknown): false {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  return false;
}

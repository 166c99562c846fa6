/**
 * Whether the disk delivers a database that this process may have open.
 *
 * A handle of the database stays open until `letGo`: closing any handle on a file drops every lock
 * that this process holds on it, SQLite's with them. Another program that opens the data and closes
 * it (seen with SQLite 3.40) then assumes that it is the last one and removes the WAL: later
 * commits are in an unlinked file and lost.
 */
import fs from 'node:fs';
import { promisify } from 'node:util';

/** Number of bytes read as a check, only after an error was found. */
const PROBE_BYTES = 256 * 1024 ** 2;
const CHUNK_BYTES = 1024 ** 2;
/** Enough for one read of the first page. */
const HEAD_BYTES = 100;

const kept = new Map<string, number>();

/** The handle of the current file. If the file is replaced, the new one gets its own handle. */
function handleOf(file: string): number {
  const known = kept.get(file);
  if (known !== undefined && fs.fstatSync(known).ino === fs.statSync(file).ino) return known;
  const fd = fs.openSync(file, 'r');
  kept.set(file, fd);
  return fd;
}

/** Call once the database is closed and this process holds no lock on it. */
export function letGo(file: string): void {
  const fd = kept.get(file);
  kept.delete(file);
  if (fd !== undefined) fs.closeSync(fd);
}

const isRefusal = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'EIO';

const isRefused = (read: () => void): boolean => {
  try {
    read();
    return false;
  } catch (error) {
    return isRefusal(error);
  }
};

/** True if the disk does not deliver even the first page: one small read. */
export const isHeadRefused = (file: string): boolean =>
  isRefused(() => fs.readSync(handleOf(file), Buffer.allocUnsafe(HEAD_BYTES), 0, HEAD_BYTES, 0));

/**
 * True if the disk fails to deliver the file, or its WAL. SQLite reports an unreadable page as
 * damaged, and trusting that would replace good data with an old backup.
 */
export const isRefusedByDisk = (file: string): boolean =>
  isRefused(() => {
    readThrough(handleOf(file));
  }) ||
  isRefused(() => {
    // The WAL itself is not locked, and it may be another file at the next check.
    const fd = fs.openSync(`${file}-wal`, 'r');
    try {
      readThrough(fd);
    } finally {
      fs.closeSync(fd);
    }
  });

function readThrough(fd: number): void {
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  for (let at = 0; at < PROBE_BYTES; at += CHUNK_BYTES) {
    if (fs.readSync(fd, chunk, 0, CHUNK_BYTES, at) === 0) return;
  }
}

/** The same without blocking: a failing disk takes seconds to report it. */
export async function isStillRefused(file: string): Promise<boolean> {
  try {
    await readThroughAside(handleOf(file));
    const wal = await fs.promises.open(`${file}-wal`, 'r');
    try {
      await readThroughAside(wal.fd);
    } finally {
      await wal.close();
    }
    return false;
  } catch (error) {
    return isRefusal(error);
  }
}

const readAside = promisify(fs.read);

async function readThroughAside(fd: number): Promise<void> {
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  for (let at = 0; at < PROBE_BYTES; at += CHUNK_BYTES) {
    if ((await readAside(fd, chunk, 0, CHUNK_BYTES, at)).bytesRead === 0) return;
  }
}

/**
 * A WAL that does not belong to the database next to it: a kill left it there, and then the
 * database was moved away or replaced. SQLite would read it into any database of that name, and
 * damage it. Row S4-31.
 */
import fs from 'node:fs';
import path from 'node:path';
import type Database from 'better-sqlite3';
import { removeDurablySync } from '../../disk/durable-file';
import { moveAsideSync, syncFolderSync } from '../../disk/durable-folder';
import type { CrashPoints } from '../../engine/kernel/crash-points';

/** The byte of the header that says how the database is read: 2 with a WAL, 1 without. */
const READ_VERSION_BYTE = 19;
const WITHOUT_WAL = 1;

/**
 * Makes a copy say that it has no WAL, which a database in use never says: a WAL next to the copy
 * is then known to be of another database.
 */
export const sayWithoutWal = (copy: Database.Database): unknown =>
  copy.pragma('journal_mode = DELETE');

/** Whether the WAL next to the file with this header is of another database. */
export const hasStrayWal = (file: string, header: Buffer): boolean =>
  header[READ_VERSION_BYTE] === WITHOUT_WAL && hasWal(file);

const hasWal = (file: string): boolean =>
  (fs.statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;

/** Keeps it under another name, because it has the newest work of its own database. */
export function setWalAside(
  file: string,
  { crashPoints, nowMs }: { readonly crashPoints: CrashPoints; readonly nowMs: number },
): void {
  if (hasWal(file)) {
    const stamp = new Date(nowMs).toISOString().replace(/[:.]/g, '-');
    moveAsideSync(`${file}-wal`, `${file}-wal.aside-${stamp}`);
    syncFolderSync(path.dirname(file));
    crashPoints.hit('wal.aside.after');
  }
  for (const ending of ['-journal', '-wal', '-shm'])
    if (fs.existsSync(`${file}${ending}`)) removeDurablySync(`${file}${ending}`);
}

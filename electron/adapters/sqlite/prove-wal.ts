/**
 * Makes the WAL be on disk as it is read. A sync that fails leaves pages in the memory of the system
 * that are not on the disk and count as written: they are read back as if they were there, and no
 * later sync writes them. SQLite writes the place of a failed commit again, but only in the process
 * that saw the failure; whoever opens the file next believes what it reads. Row S4-14.
 */
import path from 'node:path';
import type Database from 'better-sqlite3';
import { syncFolderSync } from '../../disk/durable-folder';
import { writeAgainSync } from '../../disk/durable-file';

/**
 * Writes the WAL of an open database once more over itself and syncs it, and the names of its
 * folder: what is read from it after this is on disk. Nothing else can write to it meanwhile, and a
 * checkpoint has to come later. The database itself needs no such thing: a page whose sync failed
 * is still in the WAL, from which it is written again.
 *
 * @throws what SQLite or the disk says; then nothing in it may be relied on yet
 */
export function proveWal(db: Database.Database): void {
  db.exec('BEGIN IMMEDIATE');
  try {
    writeAgainSync(`${db.name}-wal`);
    // SQLite syncs the name of a new WAL, and does not look at what that says.
    syncFolderSync(path.dirname(db.name));
  } finally {
    db.exec('ROLLBACK');
  }
}

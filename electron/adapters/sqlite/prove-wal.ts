/**
 * Ensures that the WAL is on disk as it is read. A failed sync leaves pages in the memory of the
 * system that are not on the disk and count as written: they are read back as if they were there,
 * and no later sync writes them. SQLite rewrites a failed commit, but only in the process that saw
 * the failure; the next process that opens the file trusts what it reads. Row S4-14.
 */
import path from 'node:path';
import type Database from 'better-sqlite3';
import { syncFolderSync } from '../../disk/durable-folder';
import { writeAgainSync } from '../../disk/durable-file';

/**
 * Rewrites the WAL of an open database in place and syncs it and its folder: what is read from it
 * after this is on disk. There must be no other writer during that, and a checkpoint must come
 * later. The database itself needs no such thing: a page whose sync failed is still in the WAL,
 * from which it is written again.
 *
 * @throws the error of SQLite or the disk; then nothing in it may be relied on yet
 */
export function proveWal(db: Database.Database): void {
  db.exec('BEGIN IMMEDIATE');
  try {
    writeAgainSync(`${db.name}-wal`);
    // SQLite syncs the folder of a new WAL, but ignores a failure of that sync.
    syncFolderSync(path.dirname(db.name));
  } finally {
    db.exec('ROLLBACK');
  }
}

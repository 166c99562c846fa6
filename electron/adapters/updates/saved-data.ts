/** The data before and after an update: saved, compared, restored. The caller holds the lock. */
import fs from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { syncFolder, makeFolder } from '../../disk/durable-folder';
import { copyDurably, fillDurably, moveInPlace, removeDurably } from '../../disk/durable-file';
import type { UpdateNote } from '../../ports/updates';
import { databasePath } from '../sqlite/open-database';

/** A consistent copy of the database; undefined if there is none yet. */
export async function saveData(
  dataDir: string,
  to: string,
): Promise<UpdateNote['data'] | undefined> {
  const file = databasePath(dataDir);
  if (!fs.existsSync(file)) return undefined;
  await makeFolder(path.dirname(to), dataDir);
  const db = new Database(file);
  try {
    await fillDurably(to, (temporary) => db.backup(temporary));
    const version = db.pragma('user_version', { simple: true }) as number;
    const seq = Number(db.prepare('SELECT max(seq) FROM journal').pluck().get() ?? 0);
    return { backup: to, version, seq };
  } finally {
    db.close();
  }
}

/**
 * What the new version has changed in the data. It cannot have worked on a database that cannot be
 * read.
 */
export function lookAtData(
  dataDir: string,
  sinceSeq: number,
  isHarmless: (kind: string) => boolean,
): { readonly version: number; readonly hasWorked: boolean } {
  const file = databasePath(dataDir);
  if (!fs.existsSync(file)) return { version: 0, hasWorked: false };
  const db = new Database(file);
  try {
    const version = db.pragma('user_version', { simple: true }) as number;
    const kinds = db
      .prepare(
        `SELECT DISTINCT coalesce(k.name, 'unknown') FROM journal j
         LEFT JOIN journal_kinds k ON k.kind = j.kind WHERE j.seq > ?`,
      )
      .pluck()
      .all(sinceSeq) as string[];
    return { version, hasWorked: kinds.some((kind) => !isHarmless(kind)) };
  } finally {
    db.close();
  }
}

/**
 * Restores the saved data. The data of the new version is kept in `D/backups`. If it is killed, the
 * next call finishes the rest: the copy stays until everything is in place.
 */
export async function restoreData(dataDir: string, backup: string, nowMs: number): Promise<void> {
  const file = databasePath(dataDir);
  const folder = path.join(dataDir, 'backups');
  await makeFolder(folder, dataDir);
  const stamp = new Date(nowMs).toISOString().replace(/[:.]/g, '-');
  const kept = path.join(folder, `holdfast-failed-update-${stamp}.db`);
  if (fs.existsSync(file)) {
    const db = new Database(file);
    try {
      await fillDurably(kept, (temporary) => db.backup(temporary));
    } finally {
      db.close();
    }
  }
  const aside = `${file}.restored`;
  await copyDurably(backup, aside);
  // The WAL of the newer data must not be read into the older one.
  for (const end of ['-wal', '-shm']) await removeDurably(file + end);
  await moveInPlace(aside, file);
  await syncFolder(dataDir);
}

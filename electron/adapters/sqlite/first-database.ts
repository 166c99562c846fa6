/**
 * Creates the first database of a data directory atomically. SQLite would create it page by page in
 * place, where a failed sync and a power cut leave half of a first page. Instead it is created in
 * memory and put in place like every other file. Row S4-14.
 */
import fs from 'node:fs';
import path from 'node:path';
import type Database from 'better-sqlite3';
import { writeDurablySync } from '../../disk/durable-file';
import type { CrashPoints } from '../../engine/kernel/crash-points';
import { HoldfastError } from '../../engine/kernel/errors';
import { diskCode } from './journal/group-commit';
import { SteadyDatabase } from './steady-database';
import { setWalAside } from './stray-wal';

/** Bytes of the header for the read and write version, and the value that means "with a WAL". */
const VERSION_BYTES = [18, 19] as const;
const WITH_WAL = 2;

/** True if nothing was ever written: a killed start of an earlier version left an empty file. */
export function hasNoDatabase(file: string): boolean {
  const facts = fs.statSync(file, { throwIfNoEntry: false });
  return facts === undefined || (facts.isFile() && facts.size === 0);
}

type Fill = (db: Database.Database) => void;

/**
 * Cached by fill function. A process that creates a thousand databases, as tests do, fills one with
 * tables.
 */
const images = new WeakMap<Fill, Buffer>();

/**
 * Creates `file` with mode 0600 and the content written by `createTables`, the same in each, and
 * then by
 * `identify`; complete and on disk when this returns. The caller owns the folder.
 *
 * @throws DISK_FULL, DISK_READ_ONLY, DISK_FAILED
 */
export function makeFirstDatabase(
  file: string,
  [createTables, identify]: readonly [createTables: Fill, identify: Fill],
  options: { readonly crashPoints: CrashPoints; readonly nowMs: number },
): void {
  const empty = images.get(createTables) ?? imageOf(new SteadyDatabase(':memory:'), createTables);
  images.set(createTables, empty);
  const bytes = imageOf(new SteadyDatabase(empty), identify);
  for (const at of VERSION_BYTES) bytes[at] = WITH_WAL;
  try {
    setWalAside(file, options);
    writeDurablySync(file, bytes, {
      beforeRename: () => {
        options.crashPoints.hit('database.make.beforeRename');
      },
      afterRename: () => {
        options.crashPoints.hit('database.make.afterRename');
      },
    });
  } catch (error) {
    throw refusedError(error, file);
  }
}

/** The bytes of the database with what `fill` adds, atomically. Closes it. */
function imageOf(db: Database.Database, fill: Fill): Buffer {
  try {
    // Takes effect only before the first table is created.
    db.pragma('auto_vacuum = INCREMENTAL');
    db.transaction(() => {
      fill(db);
    })();
    return db.serialize();
  } finally {
    db.close();
  }
}

function refusedError(error: unknown, file: string): unknown {
  const code = diskCode(error);
  if (code === undefined) return error;
  return new HoldfastError(
    code,
    `Holdfast could not create its database in ${path.dirname(file)}: the write to the disk failed.`,
    {
      hint: 'Nothing was lost: there was no work in it yet. Check that the disk has space and that you can write to the directory, and try again; if the error stays, look at the log of your system.',
      facts: { path: file },
      retryable: true,
      cause: error,
    },
  );
}

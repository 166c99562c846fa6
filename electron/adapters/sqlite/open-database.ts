import fs from 'node:fs';
import path from 'node:path';
import type Database from 'better-sqlite3';
import { fillDurably } from '../../disk/durable-file';
import { makeFolder } from '../../disk/durable-folder';
import type { CrashPoints } from '../../engine/kernel/crash-points';
import { HoldfastError } from '../../engine/kernel/errors';
import { markAsCopy, renewIfCopy } from './key-origin';
import { corruptError, readError, sqliteCode, withDamageNamed } from './damage';
import { KIND_CODES } from './journal/entry-codec';
import { hasNoDatabase, makeFirstDatabase } from './first-database';
import { diskCode } from './journal/group-commit';
import { proveWal } from './prove-wal';
import { SteadyDatabase } from './steady-database';
import { hasStrayWal, setWalAside } from './stray-wal';
import { keepPrivate } from './private-database';
import { MIGRATIONS } from './migrations';
import SCHEMA from './schema.sql?raw';

/** "Hfst": distinguishes our database from any other SQLite file. */
const APPLICATION_ID = 0x48667374;
export const SCHEMA_VERSION = MIGRATIONS.length;

interface OpenOptions {
  readonly dataDir: string;
  readonly isReadOnly: boolean;
  readonly newId: () => string;
  readonly nowMs: number;
  readonly crashPoints: CrashPoints;
}

/** Path of the database in a data directory. */
export const databasePath = (dataDir: string): string => path.join(dataDir, 'holdfast.db');

/**
 * Opens the database: checks first and touches nothing that it does not understand, backs up and
 * migrates an older one, sets WAL with full sync. Source: S4-31, R20.
 *
 * @throws DATABASE_NEWER, DATABASE_UNKNOWN, DATABASE_CORRUPT, DATABASE_BUSY, DATA_DIR_UNUSABLE,
 * DISK_FULL, DISK_READ_ONLY
 */
export async function openDatabase(options: OpenOptions): Promise<Database.Database> {
  const file = databasePath(options.dataDir);
  const isFirst = hasNoDatabase(file);
  if (isFirst && options.isReadOnly) {
    throw new HoldfastError(
      'DATABASE_UNKNOWN',
      `No Holdfast data was found in ${options.dataDir} yet.`,
      {
        hint: 'Start Holdfast once, or choose another directory with --data-dir.',
        facts: { path: file },
      },
    );
  }
  try {
    const isStray = !isFirst && hasStrayWal(file, refuseForeign(file));
    if (isFirst) makeFirstDatabase(file, [createTables, (db) => identify(db, options)], options);
    if (!options.isReadOnly) keepPrivate(options.dataDir);
    if (isStray && !options.isReadOnly) setWalAside(file, options);
    try {
      if (isStray && options.isReadOnly)
        return await openPrepared(fs.readFileSync(file), file, options);
      return await openWaiting(file, options);
    } catch (error) {
      const frozen =
        options.isReadOnly && diskCode(error) !== undefined ? wholeOf(file) : undefined;
      if (frozen === undefined) throw error;
      return await openPrepared(frozen, file, options);
    }
  } catch (error) {
    throw openError(error, file);
  }
}

/** Longer than any reader needs to open or close the database. */
const READERS_WAIT_MS = 5_000;
const BUSY_RETRY_MS = 20;

/**
 * A reader can lock out all others for a moment: the first one while it reads the WAL, the last one
 * while it checks whether it is the last. A start can wait for that, because nothing waits for the
 * start.
 */
async function openWaiting(file: string, options: OpenOptions): Promise<Database.Database> {
  const untilMs = performance.now() + READERS_WAIT_MS;
  for (;;) {
    try {
      return await openPrepared(file, file, options);
    } catch (error) {
      const isBusy = sqliteCode(error).startsWith('SQLITE_BUSY');
      if (options.isReadOnly || !isBusy || performance.now() > untilMs) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, BUSY_RETRY_MS));
  }
}

async function openPrepared(
  from: string | Buffer,
  file: string,
  options: OpenOptions,
): Promise<Database.Database> {
  const db = new SteadyDatabase(from, {
    readonly: options.isReadOnly,
    timeout: options.isReadOnly ? 2_000 : 0,
  });
  try {
    await prepare(db, file, options);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** A larger file is not read into memory, because it would use up the memory of the computer. */
const FROZEN_BYTES = 1024 ** 3;

/**
 * SQLite reads a database with a WAL only if it may create files next to it. If it may not (a
 * read-only disk, a backup), the file is read into memory: nothing changes there. Undefined if the
 * folder is writable, or if the latest writes are in the WAL. S0-03.
 */
function wholeOf(file: string): Buffer | undefined {
  const wal = fs.statSync(`${file}-wal`, { throwIfNoEntry: false });
  if ((wal?.size ?? 0) > 0 || fs.statSync(file).size > FROZEN_BYTES) return undefined;
  try {
    fs.accessSync(path.dirname(file), fs.constants.W_OK);
    return undefined;
  } catch {
    const bytes = fs.readFileSync(file);
    // Both bytes mean "WAL", which a database in memory does not have.
    bytes[18] = bytes[19] = 1;
    return bytes;
  }
}

async function prepare(db: Database.Database, file: string, options: OpenOptions): Promise<void> {
  if (!options.isReadOnly) {
    db.pragma('journal_mode = WAL');
    db.pragma('synchronous = FULL');
    // A step changes the same few pages again and again. A later checkpoint writes them only once.
    db.pragma('wal_autocheckpoint = 4000');
    proveOrRefuse(db, file);
    options.crashPoints.hit('wal.prove.after');
  }
  db.pragma('foreign_keys = ON');
  db.pragma('cache_size = -8000');
  const version = db.pragma('user_version', { simple: true }) as number;
  if (version > SCHEMA_VERSION) throw newerError(file, version);
  if (version === SCHEMA_VERSION) {
    if (!options.isReadOnly) renewIfCopy(db, options.newId);
    return;
  }
  if (options.isReadOnly) {
    throw new HoldfastError(
      'DATABASE_UNKNOWN',
      `The data in ${file} is of an older version (${String(version)}).`,
      {
        hint: 'Start Holdfast once: it makes a backup and brings the data up to date.',
        facts: { path: file, found: version, expected: SCHEMA_VERSION },
      },
    );
  }
  // If the first start was killed, an earlier version left a database without tables.
  if (version > 0) await backup(db, options, version);
  options.crashPoints.hit('migrate.afterBackup');
  migrate(db, version, options, () => {
    options.crashPoints.hit('migrate.beforeCommit');
  });
  renewIfCopy(db, options.newId);
}

/** From `version` to {@link SCHEMA_VERSION}: completely or not at all. */
function migrate(
  db: Database.Database,
  version: number,
  options: Pick<OpenOptions, 'newId' | 'nowMs'>,
  beforeCommit: () => void = () => undefined,
): void {
  db.transaction(() => {
    for (const migration of MIGRATIONS.slice(version)) db.exec(migration);
    writeKindsAndVersion(db);
    identify(db, options);
    beforeCommit();
  })();
}

/**
 * A new database takes the outcome of all migrations at once, because running each of them takes
 * seven times as long.
 */
function createTables(db: Database.Database): void {
  db.exec(SCHEMA);
  writeKindsAndVersion(db);
}

/** Everything else that is the same in every database of this version. */
function writeKindsAndVersion(db: Database.Database): void {
  const add = db.prepare('INSERT OR REPLACE INTO journal_kinds (kind, name) VALUES (?, ?)');
  for (const [kind, code] of Object.entries(KIND_CODES)) add.run(code, kind);
  db.pragma(`application_id = ${String(APPLICATION_ID)}`);
  db.pragma(`user_version = ${String(SCHEMA_VERSION)}`);
}

/** What distinguishes a database from every other one, unless it already has it. */
function identify(
  db: Database.Database,
  { newId, nowMs }: Pick<OpenOptions, 'newId' | 'nowMs'>,
): void {
  const put = db.prepare('INSERT OR IGNORE INTO state (key, value) VALUES (?, ?)');
  put.run('database_id', newId());
  put.run('created_at', String(nowMs));
}

/** Writes of the last run that may not have reached the disk are used only once they are on it. */
function proveOrRefuse(db: Database.Database, file: string): void {
  try {
    proveWal(db);
  } catch (error) {
    const code = diskCode(error);
    if (code === undefined) throw error;
    throw new HoldfastError(
      code,
      `The disk does not confirm the last write to ${file}. Holdfast does not continue before the disk confirms it.`,
      {
        hint: 'Nothing was changed. Check that the disk has space, and try again; if the error stays, look at the log of your system, and copy the data directory to another disk before you change anything.',
        facts: { path: file },
        retryable: true,
        cause: error,
      },
    );
  }
}

/** A consistent copy in `D/backups`, by SQLite's own backup (never by copying the live file). */
export async function backup(
  db: Database.Database,
  options: { readonly dataDir: string; readonly nowMs: number },
  label: string | number,
): Promise<string> {
  const folder = path.join(options.dataDir, 'backups');
  await makeFolder(folder, options.dataDir);
  const stamp = new Date(options.nowMs).toISOString().replace(/[:.]/g, '-');
  const target = path.join(folder, `holdfast-${String(label)}-${stamp}.db`);
  await fillDurably(target, async (temporary) => {
    await db.backup(temporary);
    markAsCopy(temporary);
  });
  return target;
}

/**
 * Reads the first 100 bytes before SQLite opens the file, so that a newer or foreign database is
 * rejected without changing a byte of it or of a file next to it. Returns them.
 */
function refuseForeign(file: string): Buffer {
  if (!fs.statSync(file).isFile()) throw unknownError(file, `${file} is not a file.`);
  const header = Buffer.alloc(100);
  const fd = fs.openSync(file, 'r');
  let length: number;
  try {
    length = fs.readSync(fd, header, 0, 100, 0);
  } finally {
    fs.closeSync(fd);
  }
  if (length < 100 || header.toString('latin1', 0, 15) !== 'SQLite format 3')
    throw corruptError(file);
  const version = header.readUInt32BE(60);
  const application = header.readUInt32BE(68);
  if (version > SCHEMA_VERSION && application === APPLICATION_ID) throw newerError(file, version);
  // A start that was killed before its first commit leaves neither a mark nor a table.
  const isUnmarked = application === 0 && version === 0 && header.readUInt32BE(SCHEMA_COOKIE) === 0;
  if (application !== APPLICATION_ID && !isUnmarked)
    throw unknownError(file, `${file} is a database of another program.`);
  return header;
}

/** The counter of schema changes in the header: 0 as long as there was never a table. */
const SCHEMA_COOKIE = 40;

const unknownError = (file: string, what: string): HoldfastError =>
  new HoldfastError('DATABASE_UNKNOWN', what, {
    hint: 'Nothing was changed. Move it away, or choose another directory with --data-dir.',
    facts: { path: file },
  });

function newerError(file: string, found: number): HoldfastError {
  return new HoldfastError(
    'DATABASE_NEWER',
    `${file} was written by a newer Holdfast (data version ${String(found)}, this one knows ${String(SCHEMA_VERSION)}).`,
    {
      hint: 'Nothing was changed. Start the newer version again, or put a backup from the folder "backups" in its place.',
      facts: { path: file, found, expected: SCHEMA_VERSION },
    },
  );
}

const OPEN_WORDS: Readonly<Record<NonNullable<ReturnType<typeof diskCode>>, string>> = {
  DISK_FULL: 'the disk is full',
  DISK_READ_ONLY: 'your account cannot write to it, or its disk is read-only',
  DISK_FAILED: 'the disk reports an error',
};

function openError(error: unknown, file: string): unknown {
  if (error instanceof HoldfastError) return error;
  const damage = withDamageNamed(error, file);
  if (damage !== error) return damage;
  const code = sqliteCode(error);
  if (code.startsWith('SQLITE_BUSY')) {
    return new HoldfastError(
      'DATABASE_BUSY',
      `${file} is in use by another program, and still was after ${String(READERS_WAIT_MS / 1000)} seconds.`,
      {
        hint: 'Nothing was changed. Close the program that has it open and try again.',
        facts: { path: file },
        retryable: true,
      },
    );
  }
  const errno = (error as NodeJS.ErrnoException | null)?.code;
  if (errno === 'EACCES' || errno === 'EPERM') {
    // For example, a backup that an administrator restored.
    return new HoldfastError('DATA_DIR_UNUSABLE', `You cannot read ${file}.`, {
      hint: 'Nothing was changed. Give the file to your account, or choose another directory with --data-dir.',
      facts: { path: file, errno },
      cause: error,
    });
  }
  if (errno === 'EIO') return readError(file, error);
  const disk = diskCode(error);
  if (disk !== undefined) {
    return new HoldfastError(disk, `${file} cannot be opened: ${OPEN_WORDS[disk]}.`, {
      hint: 'Nothing was changed. Check that you can write to it and its folder, and that the disk has space.',
      facts: { path: file },
      cause: error,
    });
  }
  return error;
}

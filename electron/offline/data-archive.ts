/** Exports the data directory to one file, and imports it, to move to another computer. UP-04 */
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { createGunzip } from 'node:zlib';
import { plainEnvironment } from '../../shared/plain-environment';
import { createSystemClock } from '../adapters/clock/system-clock';
import { unusable } from '../adapters/instance/data-dir';
import { corruptError, isDamage, sqliteCode } from '../adapters/sqlite/damage';
import { renewOrigin } from '../adapters/sqlite/key-origin';
import { databasePath, openDatabase } from '../adapters/sqlite/open-database';
import { fillDurably } from '../disk/durable-file';
import { makeFolderSync, moveAsideSync, syncFolderSync, syncTree } from '../disk/durable-folder';
import { sweepBeside } from '../disk/sweep';
import { isTemporaryName } from '../disk/temporary-names';
import { noCrashPoints } from '../engine/kernel/crash-points';
import { HoldfastError } from '../engine/kernel/errors';
import { besideOf, deleteLeft, placeOf } from './beside-data';
import { acquireQuietly } from './own-lock';
import { diskRefusal, unreadable, unwritable, withDiskNamed } from './refused-by-disk';

const runProgram = promisify(execFile);

const NOT_EXPORTED = 'Nothing was exported.';
const NOT_IMPORTED = 'Nothing was imported.';

/** Belongs to this computer or run: useless or wrong anywhere else. */
const LEFT_OUT = [
  'run',
  'chromium',
  // The shared store belongs to all its computers and continues where it is.
  'share',
  'lock.db',
  'lock.db-journal',
  'agent.lock',
  'search.db',
  'search.db-wal',
  'search.db-shm',
];
/**
 * Only on request, including copies set aside under such names: anyone who has the archive has the
 * keys.
 */
const SECRETS = [
  'secrets',
  'gateway.token',
  'channels.token',
  'answers.key',
  'push.key',
  'push.json',
];

/** The most that an archive may unpack to: a few bytes can describe any number. */
function roomFor(folder: string): number {
  let existing = folder;
  while (!fs.existsSync(existing)) existing = path.dirname(existing);
  const { bavail, bsize } = fs.statfsSync(existing);
  return bavail * bsize;
}

/** `input`: what it reads from standard input; its own failure is thrown rather than that of `tar`. */
const tar = async (
  args: readonly string[],
  { place, safe }: { readonly place: string; readonly safe: string },
  input: Iterable<string> | AsyncIterable<Uint8Array>,
): Promise<string> => {
  let failed: HoldfastError | undefined;
  try {
    const running = runProgram('tar', [...args], {
      env: { ...plainEnvironment(process.env), LC_ALL: 'C' },
      maxBuffer: 64e6,
    });
    if (running.child.stdin !== null)
      await pipeline(Readable.from(input), running.child.stdin).catch((error: unknown) => {
        // Its end reports why it reads no more.
        if (error instanceof HoldfastError) failed = error;
      });
    return (await running).stdout;
  } catch (error) {
    if (failed !== undefined) throw failed;
    if ((error as { code?: unknown }).code === 'ENOENT')
      throw new HoldfastError('TOOL_FAILED', `There is no "tar" on this computer. ${safe}`, {
        hint: 'Install it, then repeat the command.',
        cause: error,
      });
    const said = String((error as { stderr?: unknown }).stderr ?? error).trim();
    if (/No space left|quota exceeded/i.test(said))
      throw diskRefusal('DISK_FULL', place, safe, error);
    const [first = ''] = said.split('\n');
    throw new HoldfastError('TOOL_FAILED', `"tar" failed: ${first.slice(0, 400)}. ${safe}`, {
      hint: `Check that you can read and write ${place} and its contents, then repeat the command.`,
      cause: error,
    });
  }
};

const isFile = (at: string): boolean =>
  fs.statSync(at, { throwIfNoEntry: false })?.isFile() === true;

const openPlain = (dataDir: string) =>
  openDatabase({
    dataDir,
    isReadOnly: false,
    newId: randomUUID,
    nowMs: createSystemClock().nowMs(),
    crashPoints: noCrashPoints,
  });

/**
 * Files and folders for an archive: no leftovers of killed writes, which may be half a key, and no
 * links, which an import rejects; linked settings are included as a file.
 */
function packed(dataDir: string, withKeys: boolean): readonly string[] {
  const isSecret = (name: string): boolean =>
    SECRETS.some((secret) => name === secret || name.startsWith(`${secret}.`));
  const below = (folder: string): readonly string[] =>
    fs.readdirSync(path.join(dataDir, folder), { withFileTypes: true }).flatMap((entry) => {
      const name = `${folder}/${entry.name}`;
      const isTop = folder === '.';
      if (isTemporaryName(entry.name)) return [];
      if (isTop && (LEFT_OUT.includes(entry.name) || (!withKeys && isSecret(entry.name))))
        return [];
      if (entry.isDirectory()) return [name, ...below(name)];
      const isSettings = isTop && entry.name === 'config.json';
      return entry.isFile() || (isSettings && isFile(path.join(dataDir, name))) ? [name] : [];
    });
  return below('.');
}

/** Packs the data directory into a file while its lock is held. @throws LOCK_HELD while Holdfast runs */
export async function exportData(dataDir: string, file: string, withKeys: boolean): Promise<void> {
  const lock = await acquireQuietly(dataDir);
  try {
    await packData(dataDir, file, { withKeys });
  } catch (error) {
    throw withDiskNamed(error, dataDir, NOT_EXPORTED);
  } finally {
    lock.release();
  }
}

/** Complete on disk under its name when this resolves, or missing. The caller holds the lock. */
export async function packData(
  dataDir: string,
  file: string,
  { withKeys }: { readonly withKeys: boolean },
): Promise<void> {
  // Committed work that is only in the WAL is moved into the database.
  const db = await openPlain(dataDir);
  try {
    // A damaged database would only be rejected when it is needed.
    if (!isWhole(db)) throw corruptError(databasePath(dataDir));
    db.pragma('wal_checkpoint(TRUNCATE)');
  } finally {
    db.close();
  }
  sweepBeside(file);
  await fillDurably(file, (temporary) =>
    tar(
      ['-czhf', temporary, '-C', dataDir, '--no-recursion', '--null', '-T', '-'],
      { place: file, safe: NOT_EXPORTED },
      [packed(dataDir, withKeys).join('\0')],
    ),
  ).catch((error: unknown) => {
    throw error instanceof HoldfastError ? error : unwritable(file, error, NOT_EXPORTED);
  });
}

function isWhole(db: Awaited<ReturnType<typeof openPlain>>): boolean {
  try {
    return db.pragma('quick_check(1)', { simple: true }) === 'ok';
  } catch (error) {
    if (isDamage(error)) return false;
    throw error;
  }
}

const isEmpty = (folder: string): boolean =>
  !fs.existsSync(folder) || fs.readdirSync(folder).length === 0;

/**
 * Unpacks an archive as the data directory, if there is none. It is unpacked next to it, checked,
 * and atomically renamed once it is on disk. @throws DATA_DIR_UNUSABLE, INPUT_INVALID
 */
export async function unpackData(dataDir: string, file: string, maxBytes?: number): Promise<void> {
  const place = placeOf(dataDir);
  if (!isEmpty(place)) {
    throw new HoldfastError('DATA_DIR_UNUSABLE', `${dataDir} is not empty. Nothing was imported.`, {
      hint: 'Choose another folder with --data-dir, or remove this one: holdfast data remove',
    });
  }
  const why = unreadable(file);
  if (why !== undefined)
    throw new HoldfastError('INPUT_INVALID', `${why} ${NOT_IMPORTED}`, {
      hint: 'Specify a file written by "holdfast data export FILE".',
    });
  const most = maxBytes ?? roomFor(place);
  const listed = (
    await tar(['-tf', '-'], { place, safe: NOT_IMPORTED }, unpacked(file, place, most)).catch(
      (error: unknown) => {
        // The library's own error about an invalid or incomplete archive does not help the user.
        throw error instanceof HoldfastError && error.code === 'TOOL_FAILED'
          ? (error.cause as { code?: unknown }).code === 'ENOENT'
            ? error
            : noExport(file, error)
          : error;
      },
    )
  )
    .split('\n')
    .filter(Boolean);
  const strange = listed.find((name) => !name.startsWith('./') || name.split('/').includes('..'));
  if (strange !== undefined || !listed.includes('./holdfast.db')) throw noExport(file);
  try {
    await unpackBeside(place, file, most);
  } catch (error) {
    const isOfSqlite = sqliteCode(error).startsWith('SQLITE');
    const named = isOfSqlite ? withDiskNamed(error, place, NOT_IMPORTED) : error;
    // For example a mount, which cannot be renamed, or a parent folder that is not ours.
    throw named instanceof HoldfastError ? named : unusable(place, error);
  }
}

/** Its content without compression. @throws INPUT_INVALID for more than that, or what is no archive */
async function* unpacked(file: string, place: string, most: number): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  try {
    const plain = createGunzip();
    // It fails with what it reads from.
    void pipeline(fs.createReadStream(file), plain).catch(() => undefined);
    for await (const chunk of plain) {
      bytes += (chunk as Uint8Array).length;
      if (bytes > most) throw tooLarge(file, place, most);
      yield chunk as Uint8Array;
    }
  } catch (error) {
    throw error instanceof HoldfastError ? error : noExport(file, error);
  }
}

const tooLarge = (file: string, place: string, most: number): HoldfastError =>
  new HoldfastError(
    'DISK_FULL',
    `${file} unpacks to more than ${String(Math.round(most / 1e6))} MB, and with that the disk of ${place} is full. ${NOT_IMPORTED}`,
    {
      hint: 'If Holdfast wrote this file, free some space, then repeat the command.',
      retryable: true,
    },
  );

const bytesOf = (folder: string): number =>
  fs
    .readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .reduce((sum, name) => sum + fs.lstatSync(path.join(folder, name)).size, 0);

async function unpackBeside(place: string, file: string, most: number): Promise<void> {
  deleteLeft(place);
  const beside = besideOf(place, 'import');
  makeFolderSync(beside, beside);
  try {
    const about = { place, safe: NOT_IMPORTED };
    await tar(['-xf', '-', '--no-same-owner', '-C', beside], about, unpacked(file, place, most));
    refuseLinks(beside);
    // A header can name a size that the archive does not contain.
    if (bytesOf(beside) > most) throw tooLarge(file, place, most);
    fs.chmodSync(beside, 0o700);
    await checkDatabase(beside, file);
    await renewNames(beside);
    await syncTree(beside);
    if (fs.existsSync(place)) fs.rmdirSync(place);
    moveAsideSync(beside, place);
    syncFolderSync(path.dirname(place));
  } finally {
    fs.rmSync(beside, { recursive: true, force: true });
  }
}

/**
 * Checks that it is complete and Holdfast's own, which its name does not prove. An older one is
 * migrated here.
 */
async function checkDatabase(folder: string, file: string): Promise<void> {
  if (fs.statSync(databasePath(folder)).size === 0) throw noExport(file);
  try {
    const db = await openPlain(folder);
    try {
      if (!isWhole(db)) throw noExport(file);
    } finally {
      db.close();
    }
  } catch (error) {
    const code = error instanceof HoldfastError ? error.code : undefined;
    if (code === 'DATABASE_NEWER')
      throw new HoldfastError(code, `${file} was exported by a newer version of Holdfast.`, {
        hint: 'Nothing was imported. Update Holdfast here first.',
        cause: error,
      });
    if (code === 'DATABASE_CORRUPT' || code === 'DATABASE_UNKNOWN' || isDamage(error))
      throw noExport(file, error);
    throw error;
  }
}

/**
 * The exported data may have been used elsewhere since, so IDs created here must differ from those
 * created there.
 */
async function renewNames(folder: string): Promise<void> {
  const db = await openPlain(folder);
  try {
    renewOrigin(db, randomUUID);
  } finally {
    db.close();
  }
}

const noExport = (file: string, cause?: unknown): HoldfastError =>
  new HoldfastError(
    'INPUT_INVALID',
    `${file} is no export of Holdfast, or only a part of one. ${NOT_IMPORTED}`,
    {
      hint: 'Create one with "holdfast data export FILE", and copy the whole file.',
      ...(cause === undefined ? {} : { cause }),
    },
  );

/** A link would lead out of the folder; an export contains none. */
function refuseLinks(folder: string): void {
  const link = fs
    .readdirSync(folder, { recursive: true, withFileTypes: true })
    .find((entry) => !entry.isFile() && !entry.isDirectory());
  if (link === undefined) return;
  throw new HoldfastError('INPUT_INVALID', `The archive contains ${link.name}, which is no file.`, {
    hint: 'Nothing was imported.',
  });
}

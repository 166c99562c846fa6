/** The data directory as one file, and back: for a move to another computer. UP-04 */
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { createSystemClock } from '../adapters/clock/system-clock';
import { openDatabase } from '../adapters/sqlite/open-database';
import { moveAsideSync, syncFolderSync } from '../disk/durable-folder';
import { makeMissingFolders } from '../disk/missing-folders';
import { noCrashPoints } from '../engine/kernel/crash-points';
import { HoldfastError } from '../engine/kernel/errors';

const runProgram = promisify(execFile);

/** Of this computer or of this run: useless or wrong anywhere else. */
const LEFT_OUT = [
  'run',
  'chromium',
  // The shared store is of all its computers, and goes on where it is.
  'share',
  'lock.db',
  'lock.db-journal',
  'agent.lock',
  'search.db',
  'search.db-wal',
  'search.db-shm',
];
/** Only by wish: whoever has the file has the keys. */
const SECRETS = [
  'secrets',
  'gateway.token',
  'channels.token',
  'answers.key',
  'push.key',
  'push.json',
];
const OWNER_ONLY = 0o077;

const tar = async (args: readonly string[]): Promise<string> => {
  try {
    return (await runProgram('tar', [...args], { maxBuffer: 64e6 })).stdout;
  } catch (error) {
    const said = String((error as { stderr?: unknown }).stderr ?? error)
      .trim()
      .split('\n')[0];
    throw new HoldfastError('INPUT_INVALID', `tar failed: ${said ?? ''}`.slice(0, 500), {
      hint: 'Nothing in the data directory was changed.',
    });
  }
};

/** Writes the archive beside `file` and gives it its name when it is whole. The caller holds the lock. */
export async function packData(
  dataDir: string,
  file: string,
  { withKeys }: { readonly withKeys: boolean },
): Promise<void> {
  // Committed work that is only in the WAL goes into the database.
  const db = await openDatabase({
    dataDir,
    isReadOnly: false,
    newId: randomUUID,
    nowMs: createSystemClock().nowMs(),
    crashPoints: noCrashPoints,
  });
  db.pragma('wal_checkpoint(TRUNCATE)');
  db.close();
  const partial = `${file}.partial-${randomUUID().slice(0, 8)}`;
  const without = [...LEFT_OUT, ...(withKeys ? [] : SECRETS)];
  const before = process.umask(OWNER_ONLY);
  try {
    await tar([
      '-czf',
      partial,
      ...without.map((name) => `--exclude=./${name}`),
      ...['-C', dataDir, '.'],
    ]);
    moveAsideSync(partial, file);
  } finally {
    process.umask(before);
    fs.rmSync(partial, { force: true });
  }
}

const isEmpty = (folder: string): boolean =>
  !fs.existsSync(folder) || fs.readdirSync(folder).length === 0;

/**
 * Unpacks an archive as the data directory, where there is none. It is unpacked beside it, looked at, and
 * then gets its name in one step. @throws DATA_DIR_UNUSABLE, INPUT_INVALID
 */
export async function unpackData(dataDir: string, file: string): Promise<void> {
  if (!isEmpty(dataDir)) {
    throw new HoldfastError('DATA_DIR_UNUSABLE', `${dataDir} is not empty. Nothing was imported.`, {
      hint: 'Choose another folder with --data-dir, or remove this one: holdfast data remove',
    });
  }
  const listed = (await tar(['-tzf', file])).split('\n').filter(Boolean);
  const strange = listed.find((name) => !name.startsWith('./') || name.split('/').includes('..'));
  if (strange !== undefined || !listed.includes('./holdfast.db')) {
    throw new HoldfastError('INPUT_INVALID', `${file} is no export of Holdfast.`, {
      hint: 'Make one with "holdfast data export FILE".',
    });
  }
  const beside = `${path.resolve(dataDir)}.import-${randomUUID().slice(0, 8)}`;
  makeMissingFolders(beside);
  try {
    await tar(['-xzf', file, '--no-same-owner', '-C', beside]);
    refuseLinks(beside);
    fs.chmodSync(beside, 0o700);
    if (fs.existsSync(dataDir)) fs.rmdirSync(dataDir);
    moveAsideSync(beside, path.resolve(dataDir));
    syncFolderSync(path.dirname(path.resolve(dataDir)));
  } finally {
    fs.rmSync(beside, { recursive: true, force: true });
  }
}

/** A link would lead out of the folder; an export has none. */
function refuseLinks(folder: string): void {
  const link = fs
    .readdirSync(folder, { recursive: true, withFileTypes: true })
    .find((entry) => !entry.isFile() && !entry.isDirectory());
  if (link === undefined) return;
  throw new HoldfastError('INPUT_INVALID', `The archive holds ${link.name}, which is no file.`, {
    hint: 'Nothing was imported.',
  });
}

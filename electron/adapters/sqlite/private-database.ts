import fs from 'node:fs';
import path from 'node:path';
import { makePrivateSync } from '../../disk';

const PRIVATE = 0o600;

/**
 * Sees to it that nobody else may read the database, whatever the umask: SQLite gives the WAL, the
 * shared memory and the rollback journal the mode of the database, so an empty one is made 0600 before
 * SQLite would make it with the umask's. Files of an earlier version are tightened, backups too.
 * To be called before SQLite opens anything. Security K5.
 */
export function keepPrivate(dataDir: string): void {
  const file = path.join(dataDir, 'holdfast.db');
  makePrivately(file);
  for (const ending of ['', '-wal', '-shm', '-journal']) tighten(`${file}${ending}`);
  const backups = path.join(dataDir, 'backups');
  for (const name of namesIn(backups)) tighten(path.join(backups, name));
}

function makePrivately(file: string): void {
  try {
    makePrivateSync(file);
  } catch {
    // It is there, or the disk does not take it: then SQLite cannot make it either, and says why.
  }
}

/** A link leads to a file whose mode is not ours to choose. */
function tighten(file: string): void {
  const facts = fs.lstatSync(file, { throwIfNoEntry: false });
  if (facts?.isFile() !== true || (facts.mode & 0o077) === 0) return;
  try {
    fs.chmodSync(file, PRIVATE);
  } catch (error) {
    // Of another account, or gone meanwhile: whoever opens it says what is wrong with it.
    if (!['EPERM', 'EROFS', 'ENOENT'].includes((error as NodeJS.ErrnoException).code ?? ''))
      throw error;
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return fs.readdirSync(folder);
  } catch {
    return []; // none yet
  }
}

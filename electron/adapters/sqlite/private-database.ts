import fs from 'node:fs';
import path from 'node:path';
import { namesIn } from '../../disk/sweep';

const PRIVATE = 0o600;

/**
 * Ensures that only this user can read the database, whatever the umask: SQLite gives the WAL, the
 * shared memory and the rollback journal the mode of the database, which is created with 0600.
 * Files of an earlier version, including backups, get this mode too. Call it before SQLite opens
 * anything. Security K5.
 */
export function keepPrivate(dataDir: string): void {
  const file = path.join(dataDir, 'holdfast.db');
  for (const ending of ['', '-wal', '-shm', '-journal']) tighten(`${file}${ending}`);
  const backups = path.join(dataDir, 'backups');
  for (const name of namesIn(backups)) tighten(path.join(backups, name));
}

/** A link leads to a file whose mode is not ours to change. */
function tighten(file: string): void {
  const facts = fs.lstatSync(file, { throwIfNoEntry: false });
  if (facts?.isFile() !== true || (facts.mode & 0o077) === 0) return;
  try {
    fs.chmodSync(file, PRIVATE);
  } catch (error) {
    // The file belongs to another account or has just been deleted: the code that opens it reports
    // the error.
    if (!['EPERM', 'EROFS', 'ENOENT'].includes((error as NodeJS.ErrnoException).code ?? ''))
      throw error;
  }
}

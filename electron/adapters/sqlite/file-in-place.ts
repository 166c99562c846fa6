import fs from 'node:fs';
import type Database from 'better-sqlite3';
import { HoldfastError } from '../../engine/kernel/errors';

/** Undefined if the disk does not say: that proves nothing. */
function identityOf(file: string): string | undefined {
  try {
    const stat = fs.statSync(file, { bigint: true, throwIfNoEntry: false });
    return stat === undefined ? 'gone' : `${String(stat.dev)} ${String(stat.ino)}`;
  } catch {
    return undefined;
  }
}

/**
 * A check that the open database is still the file at its path. SQLite keeps writing to a file
 * that was moved away, replaced or deleted: what is accepted then is not there at the next start.
 * Row S0-03.
 *
 * @returns the check; it throws LOCK_LOST
 */
export function fileInPlace(db: Database.Database): () => void {
  const file = db.name;
  const opened = identityOf(file);
  return () => {
    const found = identityOf(file);
    if (found === opened || found === undefined) return;
    // SQLite leaves the WAL of a moved file where it was, next to what may now be another database.
    db.pragma('wal_checkpoint(TRUNCATE)');
    throw new HoldfastError(
      'LOCK_LOST',
      `${file} was moved away or replaced while Holdfast was running. It stopped writing; everything it had saved is in the file that it had.`,
      {
        hint: 'It ends now. Put that file back if it should continue with it, and start Holdfast again.',
        facts: { path: file },
      },
    );
  };
}

import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { HoldfastError, toHoldfastError } from '../../engine/kernel/errors';
import { isRefusedByDisk } from './read-probe';

/**
 * The database cannot be read. `what` is a sentence; without it, the file as a whole is damaged.
 */
export function corruptError(
  file: string,
  cause?: unknown,
  what = `${file} is damaged and cannot be read.`,
): HoldfastError {
  return new HoldfastError('DATABASE_CORRUPT', what, {
    hint: `Nothing was changed. ${wayBack(path.join(path.dirname(file), 'backups'))}`,
    facts: { path: file },
    cause,
  });
}

function wayBack(backups: string): string {
  const hasBackups =
    existsSync(backups) && readdirSync(backups).some((name) => name.endsWith('.db'));
  return hasBackups
    ? `Move it away and put the newest file of ${backups} in its place, then start again.`
    : `There is no backup in ${backups}. Put back a copy of the data directory or import an export; without one, move the file away to start with no history.`;
}

/** SQLite error code; empty for any other error. */
export const sqliteCode = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : '';

/**
 * The disk returns an error instead of its content, which does not mean that the content is
 * damaged.
 */
export const readError = (file: string, cause?: unknown): HoldfastError =>
  new HoldfastError('DISK_FAILED', `The disk reports an error when ${file} is read.`, {
    hint: 'Nothing was changed. Try again; if the error stays, look at the log of your system, and copy the data directory to another disk before you change anything.',
    facts: { path: file },
    retryable: true,
    cause,
  });

const READ_CODES: ReadonlySet<string> = new Set([
  'SQLITE_IOERR_READ',
  'SQLITE_IOERR_SHORT_READ',
  'SQLITE_IOERR_CORRUPTFS',
]);

/** All errors that SQLite reports as damage. */
export const isDamage = (error: unknown): boolean =>
  sqliteCode(error).startsWith('SQLITE_CORRUPT') || sqliteCode(error) === 'SQLITE_NOTADB';

/** Damage that shows only when a page is read is reported like damage found while opening. */
export function withDamageNamed(error: unknown, file: string): unknown {
  if (READ_CODES.has(sqliteCode(error))) return readError(file, error);
  if (!isDamage(error)) return error;
  return isRefusedByDisk(file) ? readError(file, error) : corruptError(file, error);
}

/** The same for reads on request, which write nothing. */
export const withReadErrorNamed = (error: unknown, file: string): unknown =>
  sqliteCode(error).startsWith('SQLITE_IOERR')
    ? readError(file, error)
    : withDamageNamed(error, file);

/** Whether the disk rejected a read; the journal names rejected writes. */
export function isReadRefusal(error: unknown, file: string): boolean {
  const named = withReadErrorNamed(error, file);
  return named !== error && toHoldfastError(named).code === 'DISK_FAILED';
}

/** The same if a start finds it later, after it has started to write. S4-31 */
export function withDamageNamedAtStart(error: unknown, file: string): unknown {
  const named = withDamageNamed(error, file);
  if (named === error || !(named instanceof HoldfastError)) return error;
  if (named.code === 'DISK_FAILED') {
    return new HoldfastError('DISK_FAILED', `${named.message} Holdfast was not started.`, {
      hint: (named.hint ?? '').replace('Nothing was changed. ', ''),
      facts: { path: file },
      retryable: true,
      cause: error,
    });
  }
  return new HoldfastError('DATABASE_CORRUPT', `${named.message} Holdfast was not started.`, {
    hint: `Move it away and put the newest file of ${path.join(path.dirname(file), 'backups')} in its place, then start again. What is damaged: holdfast doctor --full`,
    facts: { path: file },
    cause: error,
  });
}

import path from 'node:path';
import { HoldfastError } from '../../engine/kernel/errors';

/** The database cannot be read. `what` is a sentence; the file as a whole without it. */
export function corruptError(
  file: string,
  cause?: unknown,
  what = `${file} is damaged and cannot be read.`,
): HoldfastError {
  return new HoldfastError('DATABASE_CORRUPT', what, {
    hint: `Nothing was changed. Move it away and put the newest file of ${path.join(path.dirname(file), 'backups')} in its place, then start again.`,
    facts: { path: file },
    cause,
  });
}

/** The code of an error of SQLite; empty for any other. */
export const sqliteCode = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : '';

/** Damage that shows only when a page is read is told like damage found while opening. */
export function withDamageNamed(error: unknown, file: string): unknown {
  const code = sqliteCode(error);
  return code.startsWith('SQLITE_CORRUPT') || code === 'SQLITE_NOTADB'
    ? corruptError(file, error)
    : error;
}

/** The same for what is read on request, where the disk may give an error instead of a page. */
export function withReadErrorNamed(error: unknown, file: string): unknown {
  if (!sqliteCode(error).startsWith('SQLITE_IOERR')) return withDamageNamed(error, file);
  return new HoldfastError('DISK_FAILED', `The disk reports an error where ${file} is read.`, {
    hint: 'Nothing was changed. Look at the log of your system; what can be read of it: holdfast doctor --full',
    facts: { path: file },
    retryable: true,
    cause: error,
  });
}

/** The same where a start has found it on its way: it had begun to write. S4-31 */
export function withDamageNamedAtStart(error: unknown, file: string): unknown {
  const named = withDamageNamed(error, file);
  if (named === error || !(named instanceof HoldfastError)) return error;
  return new HoldfastError('DATABASE_CORRUPT', `${named.message} Holdfast was not started.`, {
    hint: `Move it away and put the newest file of ${path.join(path.dirname(file), 'backups')} in its place, then start again. What is damaged: holdfast doctor --full`,
    facts: { path: file },
    cause: error,
  });
}

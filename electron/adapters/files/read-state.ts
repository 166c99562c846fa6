/**
 * Reads files and folders whose absence means something, such as "nothing is pending". Only a
 * missing one counts as absent: with a failing disk or too many open files nothing is known.
 */
import { readdir, readFile } from 'node:fs/promises';
import { ERROR_MESSAGES } from '../../../shared/error-messages';
import { table } from '../../../shared/table';
import { readSmallFile } from '../../disk/small-file';
import { HoldfastError } from '../../engine/kernel/errors';

const WHY = table<string>({
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EMFILE: 'too many files are open',
  ENFILE: 'too many files are open',
});

/** A file that is there and cannot be read now. */
export function unreadable(path: string, cause: unknown): HoldfastError {
  const errno = (cause as NodeJS.ErrnoException).code ?? '';
  const why = `${WHY[errno] ?? 'the disk reports an error'} (${errno})`;
  return new HoldfastError(
    'RESULT_UNREADABLE',
    `${path} cannot be read: ${errno.startsWith('E') ? why : errno}. Its contents are not lost.`,
    { hint: ERROR_MESSAGES.RESULT_UNREADABLE.next, facts: { path, errno }, retryable: true, cause },
  );
}

function absent(path: string, error: unknown): undefined {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw unreadable(path, error);
  return undefined;
}

/** Undefined if there is no such file; it is a small one. @throws RESULT_UNREADABLE */
export function readIfThereSync(path: string): string | undefined {
  const file = readSmallFile(path);
  if (file.kind === 'unreadable') throw unreadable(path, { code: file.reason });
  return file.kind === 'text' ? file.text : undefined;
}

/** The same as bytes, of any size. @throws RESULT_UNREADABLE */
export const readIfThere = (path: string): Promise<Buffer | undefined> =>
  readFile(path).catch((error: unknown) => absent(path, error));

/** Empty if there is no such folder. @throws RESULT_UNREADABLE */
export const namesIfThere = async (dir: string): Promise<readonly string[]> =>
  (await readdir(dir).catch((error: unknown) => absent(dir, error))) ?? [];

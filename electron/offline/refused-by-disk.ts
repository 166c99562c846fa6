/**
 * Describes a disk error of a command on stopped data: what happened, what is safe, what to do
 * next.
 */
import fs from 'node:fs';
import { diskCode } from '../adapters/sqlite/journal/group-commit';
import type { ErrorCode } from '../engine/kernel/errors';
import { HoldfastError } from '../engine/kernel/errors';

type DiskCode = Extract<ErrorCode, 'DISK_FULL' | 'DISK_READ_ONLY' | 'DISK_FAILED'>;

const WORDS: Readonly<Record<DiskCode, (place: string) => readonly [what: string, next: string]>> =
  {
    DISK_FULL: (place) => [
      `The disk of ${place} is full.`,
      'Free some space, then repeat the command.',
    ],
    DISK_READ_ONLY: (place) => [
      `Your account cannot write to ${place}.`,
      'Make it writable for your account, then repeat the command.',
    ],
    DISK_FAILED: (place) => [
      `The disk reports an error when ${place} is written.`,
      'Try again; if the error stays, look at the log of your system.',
    ],
  };

/** The error with `code`; `safe` is a sentence such as "Nothing was reset." */
export function diskRefusal(
  code: DiskCode,
  place: string,
  safe: string,
  cause?: unknown,
): HoldfastError {
  const [what, hint] = WORDS[code](place);
  return new HoldfastError(code, `${what} ${safe}`, { hint, retryable: true, cause });
}

/** Turns a raw error of SQLite or of a file into a described one; any other stays unchanged. */
export function withDiskNamed(error: unknown, place: string, safe: string): unknown {
  const code = error instanceof HoldfastError ? undefined : diskCode(error);
  return code === undefined ? error : diskRefusal(code, place, safe, error);
}

const UNWRITABLE: ReadonlyMap<unknown, string> = new Map([
  ['ENOENT', 'its folder does not exist'],
  ['ENOTDIR', 'a part of its path is not a folder'],
  ['ENAMETOOLONG', 'its name is too long'],
]);

/** Why a file that the user named cannot be written. */
export function unwritable(file: string, error: unknown, safe: string): HoldfastError {
  const why = UNWRITABLE.get((error as { code?: unknown }).code);
  if (why === undefined) {
    const named = withDiskNamed(error, file, safe);
    if (named instanceof HoldfastError) return named;
  }
  const said = error instanceof Error ? error.message : String(error);
  return new HoldfastError('INPUT_INVALID', `${file} cannot be written: ${why ?? said}. ${safe}`, {
    hint: 'Specify a file in an existing folder that you can write to.',
    cause: error,
  });
}

/** Why a file that the user named cannot be read; undefined if it can. */
export function unreadable(file: string): string | undefined {
  try {
    if (!fs.statSync(file).isFile()) return `${file} is not a file.`;
    fs.closeSync(fs.openSync(file, 'r'));
    return undefined;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === 'EACCES' || code === 'EPERM'
      ? `Your account cannot read ${file}.`
      : `There is no file ${file}.`;
  }
}

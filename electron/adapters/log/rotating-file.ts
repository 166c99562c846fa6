import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  openSync,
  renameSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { makeMissingFolders } from '../../disk/missing-folders';
import type { Clock } from '../../ports/clock';

/** Size limit of a log: `files` files of `maxBytes` each, including the current one. R4. */
export interface Rotation {
  readonly maxBytes: number;
  readonly files: number;
}

/**
 * Never through a link, which could lead to another account's file, and never waiting for the reader
 * of a named pipe. Windows has no such flags.
 */
const { O_NOFOLLOW, O_NONBLOCK }: Partial<typeof constants> = constants;
const APPEND =
  constants.O_APPEND |
  constants.O_CREAT |
  constants.O_WRONLY |
  (O_NOFOLLOW ?? 0) |
  (O_NONBLOCK ?? 0);

/** A file for appended lines that never exceeds its limits and never throws. */
interface RotatingFile {
  /** Appends one line. A line that the disk rejects is counted and dropped. */
  write(line: string): void;
  /** Lines lost so far. */
  lost(): number;
  close(): void;
}

/** Name of the n-th older file: `holdfast.log` becomes `holdfast.1.log`. */
export function olderPath(path: string, n: number): string {
  return n === 0 ? path : path.replace(/(\.[^.]*)?$/, (extension) => `.${String(n)}${extension}`);
}

/**
 * Writes are deliberately synchronous: a line passed to the operating system survives a SIGKILL in
 * the next instruction, and costs some microseconds. Nothing is synced. Opened at the first line,
 * mode 0600.
 */
export function createRotatingFile(options: {
  readonly path: string;
  readonly rotation: Rotation;
  readonly clock: Clock;
  /** The line that reports, once writing works again, how many were lost. */
  readonly lossLine: (lost: number) => string;
}): RotatingFile {
  const { path, rotation, clock } = options;
  let fd: number | undefined;
  let size = 0;
  let inode = 0;
  let checkedAtMs = 0;
  let isTorn = false;
  let lost = 0;
  let lostReported = 0;

  function open(): number {
    makeMissingFolders(dirname(path));
    const opened = openSync(path, APPEND, 0o600);
    try {
      const facts = fstatSync(opened);
      if (!facts.isFile()) throw new Error('not a file');
      if ((facts.mode & 0o077) !== 0) fchmodSync(opened, 0o600);
      size = facts.size;
      inode = facts.ino;
    } catch (error) {
      closeSync(opened);
      throw error;
    }
    checkedAtMs = clock.monotonicMs();
    fd = opened;
    return opened;
  }

  function close(): void {
    if (fd === undefined) return;
    const open_ = fd;
    fd = undefined;
    try {
      closeSync(open_);
    } catch {
      // Nothing can be done about a log file that does not close.
    }
  }

  /** Someone may remove or move the file while we hold it; look every five seconds. */
  function isStillThere(): boolean {
    if (clock.monotonicMs() - checkedAtMs < 5000) return true;
    checkedAtMs = clock.monotonicMs();
    try {
      return statSync(path).ino === inode;
    } catch {
      return false;
    }
  }

  function rotate(): void {
    close();
    for (let n = rotation.files - 1; n >= 1; n -= 1) {
      try {
        renameSync(olderPath(path, n - 1), olderPath(path, n));
      } catch {
        // The older file does not exist yet.
      }
    }
  }

  function append(line: string): void {
    if (fd !== undefined && !isStillThere()) close();
    let target = fd ?? open();
    const bytes = Buffer.from(`${isTorn ? '\n' : ''}${line}\n`);
    if (size > 0 && size + bytes.length > rotation.maxBytes) {
      rotate();
      target = open();
    }
    let done = 0;
    try {
      while (done < bytes.length) done += writeSync(target, bytes, done);
      isTorn = false;
    } finally {
      size += done;
      if (done > 0 && done < bytes.length) isTorn = true;
    }
  }

  return {
    write(line) {
      try {
        if (lost > lostReported) {
          const missing = lost - lostReported;
          append(options.lossLine(missing));
          lostReported += missing;
        }
        append(line);
      } catch {
        // The log never harms the app: a full disk costs lines, which are counted and reported.
        lost += 1;
        close();
      }
    },
    lost: () => lost,
    close,
  };
}

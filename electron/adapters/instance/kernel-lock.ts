import fs from 'node:fs';
import Database from 'better-sqlite3';
import { HoldfastError } from '../../engine/kernel/errors';

/** The authority: only one process can hold it, and the kernel frees it when that process dies. */
export interface KernelLock {
  /** Takes the lock if it is free. Never waits. @throws HoldfastError DATA_DIR_UNUSABLE, NATIVE_MODULE_UNUSABLE */
  tryLock(): 'locked' | 'busy';
  /** Whether the file at the path is still the locked one. Costs at most two `lstat`-like reads. */
  isSameFile(): boolean;
  /**
   * The pid that the kernel names as holder of the lock on this file; null if it names none. The
   * kernel may take 20 ms to answer, so this does not block the main thread. Never rejects.
   */
  holderPid(): Promise<number | null>;
  /** Idempotent. */
  unlock(): void;
}

/** Opens a {@link KernelLock} for a path; tests pass a fake world. */
export type OpenKernelLock = (lockDbPath: string) => KernelLock;

/**
 * Handles that hold a lock. better-sqlite3 closes a garbage-collected handle, and closing it would
 * drop the lock, so every held handle is reachable from here until `unlock`.
 */
const heldHandles = new Set<Database.Database>();

interface FileIdentity {
  readonly dev: bigint;
  readonly ino: bigint;
}

function identityOf(target: string): FileIdentity | null {
  const stat = fs.lstatSync(target, { bigint: true, throwIfNoEntry: false });
  return stat?.isFile() === true ? { dev: stat.dev, ino: stat.ino } : null;
}

function isSameIdentity(left: FileIdentity | null, right: FileIdentity | null): boolean {
  return left !== null && right !== null && left.dev === right.dev && left.ino === right.ino;
}

/** Creates the file with mode 0600 before SQLite would create it with the umask's. */
function createPrivately(target: string): void {
  const flags = fs.constants.O_CREAT | fs.constants.O_EXCL | fs.constants.O_RDWR;
  try {
    // Closing the descriptor of a file that did not exist a moment ago cannot drop another
    // process's lock.
    fs.closeSync(fs.openSync(target, flags, 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

function isSqliteCode(thrown: unknown, prefix: string): boolean {
  const code = thrown instanceof Error ? (thrown as { code?: unknown }).code : undefined;
  return typeof code === 'string' && code.startsWith(prefix);
}

function unusableLockFile(target: string, cause: unknown): HoldfastError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  if (/bindings file|NODE_MODULE_VERSION|\.node\b|dlopen/.test(reason)) {
    return new HoldfastError('NATIVE_MODULE_UNUSABLE', `The database module cannot be loaded.`, {
      hint: 'Reinstall Holdfast. Your data was not touched.',
      facts: { reason },
      cause,
    });
  }
  return new HoldfastError(
    'DATA_DIR_UNUSABLE',
    `Holdfast cannot lock ${target} (${reason}). Nothing was started.`,
    {
      hint: `Make sure that no Holdfast is running, then remove ${target}; it contains no data.`,
      facts: { path: target, reason },
      cause,
    },
  );
}

function openHandle(target: string): Database.Database {
  createPrivately(target);
  const handle = new Database(target, { timeout: 0 });
  try {
    // A rollback journal keeps the lock on the file itself; a WAL would move it elsewhere.
    handle.pragma('journal_mode = DELETE');
    return handle;
  } catch (error) {
    handle.close();
    throw error;
  }
}

function lockHandle(handle: Database.Database): void {
  handle.exec('BEGIN EXCLUSIVE');
  if (handle.pragma('user_version', { simple: true }) !== 0) return;
  // SQLite writes the first page of an empty file inside this transaction and would leave a journal
  // next to it while the lock is held. Write it once, then lock again: a starter that slips in
  // between simply wins.
  handle.exec('PRAGMA user_version = 1; COMMIT; BEGIN EXCLUSIVE');
}

/** SQLite's lock bytes are at 2^30; only a lock there counts. */
const LOCK_BYTES_START = 1_073_741_824;

/** Parses one line of /proc/locks: `1: POSIX  ADVISORY  WRITE 4321 fe:00:2146353 1073741824 ...`. */
function lockHolderFrom(procLocks: string, inode: bigint): number | null {
  for (const line of procLocks.split('\n')) {
    const fields = line.trim().split(/\s+/);
    // A waiting lock carries `->` as its second field and holds nothing.
    if (fields[1] !== 'POSIX' || fields[3] !== 'WRITE') continue;
    // Device numbers differ between stat and this table on btrfs and overlay: the inode decides.
    if (fields[5]?.split(':')[2] !== inode.toString()) continue;
    if (Number(fields[6]) < LOCK_BYTES_START) continue;
    const pid = Number(fields[4]);
    // A holder outside our pid namespace appears as 0 or -1.
    return Number.isSafeInteger(pid) && pid > 0 ? pid : null;
  }
  return null;
}

/** `BEGIN EXCLUSIVE` on a dedicated file that nothing else ever opens. Security L1. */
export const openKernelLock: OpenKernelLock = (target) => {
  let held: { readonly handle: Database.Database; readonly identity: FileIdentity } | null = null;

  const attempt = (): 'locked' | 'busy' => {
    // Opened again for each attempt: an earlier handle would poll a replaced file.
    const handle = openHandle(target);
    try {
      const before = identityOf(target);
      lockHandle(handle);
      const identity = identityOf(target);
      if (identity === null || !isSameIdentity(before, identity)) {
        handle.close();
        return 'busy';
      }
      heldHandles.add(handle);
      held = { handle, identity };
      return 'locked';
    } catch (error) {
      handle.close();
      throw error;
    }
  };

  return {
    tryLock() {
      if (held !== null) return 'locked';
      try {
        return attempt();
      } catch (error) {
        if (isSqliteCode(error, 'SQLITE_BUSY') || isSqliteCode(error, 'SQLITE_LOCKED')) {
          return 'busy';
        }
        throw unusableLockFile(target, error);
      }
    },
    isSameFile: () => held !== null && isSameIdentity(held.identity, identityOf(target)),
    async holderPid() {
      if (process.platform !== 'linux') return null;
      try {
        const identity = identityOf(target);
        if (identity === null) return null;
        return lockHolderFrom(await fs.promises.readFile('/proc/locks', 'utf8'), identity.ino);
      } catch {
        // The table may be hidden (hidepid, containers); then the holder is unknown.
        return null;
      }
    },
    unlock() {
      if (held === null) return;
      const { handle } = held;
      held = null;
      heldHandles.delete(handle);
      handle.close();
    },
  };
};

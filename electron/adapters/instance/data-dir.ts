import fs from 'node:fs';
import path from 'node:path';
import { quoted } from '../../../shared/shell-quoted';
import { assertOwnData } from '../../data-trust';
import { makeFolderSync } from '../../disk/durable-folder';
import { sweepTree } from '../../disk/sweep';
import { HoldfastError } from '../../engine/kernel/errors';

/** Whether a lock on this file system can be trusted. */
type FilesystemVerdict =
  | { readonly kind: 'fit' }
  | {
      readonly kind: 'unfit';
      readonly type: string;
      readonly mountPoint: string;
      readonly reason: string;
    };

/** Local file systems, whose locks are the kernel's own. */
const LOCAL = new Set(
  (
    'ext2 ext3 ext4 xfs btrfs zfs f2fs jfs reiserfs bcachefs nilfs2 erofs overlay aufs tmpfs ramfs ' +
    'rootfs ecryptfs vfat exfat ntfs ntfs3 hfs hfsplus apfs ufs fuseblk fuse.ntfs-3g fuse.exfat ' +
    'fuse.gocryptfs fuse.encfs fuse.cryfs fuse.securefs fuse.fuse-overlayfs fuse.bindfs'
  ).split(' '),
);

const NETWORK =
  /^(nfs\d?|cifs|smb\d?|smbfs|afs|9p|ceph|glusterfs|lustre|gpfs|beegfs|ocfs2|gfs2?|davfs|virtiofs|vboxsf|prl_fs|fuse\.(sshfs|rclone|s3fs|gcsfuse|davfs2?|glusterfs|ceph.*|vmhgfs.*|gvfsd-fuse))$/;

/** Field 5 of mountinfo writes space, tab, newline and backslash as octal. */
function unescaped(field: string): string {
  return field.replaceAll(/\\(\d{3})/g, (_whole, octal: string) =>
    String.fromCharCode(Number.parseInt(octal, 8)),
  );
}

function isUnder(target: string, mountPoint: string): boolean {
  if (mountPoint === '/') return true;
  return target === mountPoint || target.startsWith(`${mountPoint}/`);
}

/** The text of the kernel's mount table; null if there is none (macOS, Windows). */
function readMountInfo(): string | null {
  if (process.platform !== 'linux') return null;
  try {
    return fs.readFileSync('/proc/self/mountinfo', 'utf8');
  } catch {
    // Without /proc the file system is unknown; the kernel lock itself still works.
    return null;
  }
}

/**
 * Judges the file system that holds `realPath`: local ones are accepted; network and unknown ones
 * are rejected with the reason; no mount table means no objection. Security L8.
 */
export function filesystemVerdict(realPath: string, mountInfo: string | null): FilesystemVerdict {
  if (mountInfo === null) return { kind: 'fit' };
  let best: { readonly mountPoint: string; readonly type: string } | null = null;
  for (const line of mountInfo.split('\n')) {
    const [left, right] = line.split(' - ');
    const mountField = left?.split(' ')[4];
    const type = right?.split(' ')[0];
    if (mountField === undefined || type === undefined) continue;
    const mountPoint = unescaped(mountField);
    // Later lines cover earlier ones with the same mount point.
    if (isUnder(realPath, mountPoint) && mountPoint.length >= (best?.mountPoint.length ?? 0)) {
      best = { mountPoint, type };
    }
  }
  if (best === null || LOCAL.has(best.type)) return { kind: 'fit' };
  const reason = NETWORK.test(best.type)
    ? 'a lock does not keep other computers out'
    : 'it is unknown whether locks work';
  return { kind: 'unfit', ...best, reason };
}

/** Paths that the lock owns inside the data directory. */
export interface LockPaths {
  readonly dataDir: string;
  readonly runDir: string;
  readonly lockDb: string;
  readonly agentLock: string;
  readonly alive: string;
  readonly takeoverNote: string;
  readonly crashNote: string;
}

export function lockPaths(dataDir: string): LockPaths {
  const runDir = path.join(dataDir, 'run');
  return {
    dataDir,
    runDir,
    lockDb: path.join(dataDir, 'lock.db'),
    agentLock: path.join(dataDir, 'agent.lock'),
    alive: path.join(runDir, 'alive'),
    takeoverNote: path.join(runDir, 'takeover.json'),
    crashNote: path.join(runDir, 'crash.json'),
  };
}

export function errnoOf(thrown: unknown): string {
  const code = thrown instanceof Error ? (thrown as NodeJS.ErrnoException).code : undefined;
  return typeof code === 'string' ? code : 'UNKNOWN';
}

/**
 * Turns a file-system error into one for the user: what happened, that nothing was changed, what to
 * do. Source: S0-03.
 */
export function unusable(target: string, cause: unknown): HoldfastError {
  const errno = realErrno(target, cause);
  if (errno === 'ENOSPC' || errno === 'EDQUOT') {
    return new HoldfastError('DISK_FULL', `There is no space left to use ${target}.`, {
      hint: 'Free some space, then try again. Nothing was changed.',
      facts: { path: target, errno },
      cause,
    });
  }
  const [what, hint] = wordsOf(target, errno);
  return new HoldfastError(
    'DATA_DIR_UNUSABLE',
    `${what} Nothing was started, and nothing was changed.`,
    { hint, facts: { path: target, errno }, cause },
  );
}

function wordsOf(target: string, errno: string): readonly [what: string, hint: string] {
  switch (errno) {
    case 'EROFS':
      return [
        `The disk of ${target} is read-only.`,
        'Make the disk writable, or choose a directory on another disk with --data-dir.',
      ];
    case 'EACCES':
    case 'EPERM':
      return [
        `Your account cannot write to ${target}.`,
        'Give the directory to your account, or choose another one with --data-dir.',
      ];
    default:
      return [
        `Holdfast cannot use ${target} (${errno}).`,
        `Make ${target} a directory that you can write to, or choose another one with --data-dir.`,
      ];
  }
}

/**
 * Node reports ENOENT if a folder with its parents cannot be created: the nearest existing one
 * shows the cause.
 */
function realErrno(target: string, cause: unknown): string {
  const errno = errnoOf(cause);
  if (errno !== 'ENOENT') return errno;
  let existing = path.resolve(target);
  while (!fs.existsSync(existing) && path.dirname(existing) !== existing)
    existing = path.dirname(existing);
  try {
    fs.accessSync(existing, fs.constants.W_OK);
    return errno;
  } catch (error) {
    return errnoOf(error);
  }
}

function ensureDirectory(target: string): void {
  try {
    makeFolderSync(target, target);
  } catch (error) {
    throw unusable(target, error);
  }
}

/** Restricts one of our folders that others may read: a plain `mkdir` creates such folders. K5 */
function closeFolder(target: string, ownUid: number | null): void {
  const stat = fs.lstatSync(target);
  if (!stat.isDirectory()) throw unusable(target, new Error('not a directory'));
  if (ownUid === null || (stat.mode & 0o077) === 0) return;
  try {
    fs.chmodSync(target, 0o700);
  } catch (error) {
    throw unusable(target, error);
  }
}

/** The same for an existing file; opens nothing (`lock.db` must never be opened here). */
function closeFile(target: string, ownUid: number | null): void {
  const stat = fs.lstatSync(target, { throwIfNoEntry: false });
  if (stat === undefined) return;
  if (stat.isDirectory()) {
    throw new HoldfastError(
      'DATA_DIR_UNUSABLE',
      `A folder is at ${target}, where Holdfast stores a file. Nothing was started.`,
      {
        hint: `Move it away, then start again: mv ${quoted(target)} ${quoted(`${target}.moved`)}`,
        facts: { path: target, errno: 'EISDIR' },
      },
    );
  }
  if (path.basename(target) === 'lock.db' && !stat.isFile()) {
    throw new HoldfastError(
      'DATA_DIR_UNSAFE',
      `${target} is not an ordinary file, so it locks nothing. Nothing was started.`,
      {
        hint: `Run: rm ${quoted(target)}`,
        facts: { path: target, problem: 'is not an ordinary file' },
      },
    );
  }
  if (ownUid !== null && stat.isFile() && (stat.mode & 0o077) !== 0) fs.chmodSync(target, 0o600);
}

function checkWritable(target: string): void {
  try {
    fs.accessSync(target, fs.constants.R_OK | fs.constants.W_OK | fs.constants.X_OK);
  } catch (error) {
    throw unusable(target, error);
  }
}

/**
 * Rejects anything another account may have put into or above the data directory, before anything
 * is changed.
 * Creates it and its `run` folder (0700) if missing and returns its real path, so that a
 * symbolic link or another spelling leads to the same lock. Security K5, L8.
 *
 * @throws HoldfastError DATA_DIR_UNUSABLE, DATA_DIR_UNSAFE, LOCK_FILESYSTEM, DISK_FULL
 */
export function prepareDataDir(dataDir: string): LockPaths {
  assertOwnData(dataDir);
  ensureDirectory(dataDir);
  const ownUid = process.geteuid?.() ?? null;
  let real: string;
  try {
    real = fs.realpathSync.native(dataDir);
    refuseUnfitFilesystem(real);
    closeFolder(real, ownUid);
    checkWritable(real);
  } catch (error) {
    throw error instanceof HoldfastError ? error : unusable(dataDir, error);
  }
  const paths = lockPaths(real);
  ensureDirectory(paths.runDir);
  try {
    closeFolder(paths.runDir, ownUid);
    checkWritable(paths.runDir);
    const token = path.join(paths.runDir, 'control.token');
    for (const file of [paths.lockDb, paths.agentLock, paths.alive, token]) closeFile(file, ownUid);
  } catch (error) {
    throw error instanceof HoldfastError ? error : unusable(paths.runDir, error);
  }
  return paths;
}

function refuseUnfitFilesystem(dataDir: string): void {
  const verdict = filesystemVerdict(dataDir, readMountInfo());
  if (verdict.kind === 'fit') return;
  throw new HoldfastError(
    'LOCK_FILESYSTEM',
    `${dataDir} is on a ${verdict.type} file system, where ${verdict.reason}. Two computers could run the same work twice, so nothing was started.`,
    {
      hint: 'Choose a directory on a local disk with --data-dir.',
      facts: { path: dataDir, filesystem: verdict.type, mountPoint: verdict.mountPoint },
    },
  );
}

/** Folders of the data directory, and how many folder levels below them are written to. */
const WRITTEN: readonly (readonly [folder: string, depth: number])[] = [
  ['secrets', 0],
  ['run/hooks', 0],
  ['backups', 0],
  ['watch', 0],
  ['updates', 0],
  ['agent-records', 1],
  ['drafts', 3],
  ['blobs', 1],
];

/** Removes leftovers of killed writes in folders that the lock does not check. */
export async function sweepLeftOver(dataDir: string, nowMs: number): Promise<void> {
  for (const [folder, depth] of WRITTEN) await sweepTree(path.join(dataDir, folder), depth, nowMs);
}

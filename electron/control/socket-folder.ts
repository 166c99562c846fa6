/**
 * Chooses a folder for the server's socket that no other account can have prepared. Security K5,
 * C4.
 */
import { chmodSync, lstatSync, mkdtempSync, rmdirSync, unlinkSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { makeMissingFolders } from '../disk/missing-folders';
import { faultOnTheWay, ownAccount } from '../disk/ownership';
import { HoldfastError } from '../engine/kernel/errors';
import { isPipe, MAX_SOCKET_PATH_BYTES } from './address';
import { namesIn } from '../disk/sweep';

/** Folders where every account may create entries: the sticky bit protects them. */
const COMMON_FOLDERS = ['/tmp', '/var/tmp'];

/** Creates the directory and rejects one that other accounts could have prepared. */
export function ensurePrivateDir(dir: string): void {
  makeMissingFolders(dir);
  if (process.platform === 'win32') return;
  const facts = lstatSync(dir);
  if (!facts.isDirectory() || facts.uid !== process.geteuid?.()) {
    throw new HoldfastError('DATA_DIR_UNSAFE', `${dir} is not a directory of this user.`, {
      hint: 'Nothing was changed. Move it away and start again.',
      facts: { dir },
    });
  }
  if ((facts.mode & 0o077) !== 0) chmodSync(dir, 0o700);
}

/**
 * The same for a folder outside the data directory, on a path that other accounts cannot change.
 */
function isPrivateOutside(dir: string): boolean {
  try {
    if (faultOnTheWay(dir) !== undefined) return false;
    const facts = lstatSync(dir, { throwIfNoEntry: false });
    // A folder with wider permissions may have been prepared by any account that could write to it.
    if (facts !== undefined && (facts.mode & 0o022) !== 0) return false;
    ensurePrivateDir(dir);
    return true;
  } catch {
    return false; // Owned by another account, or a disk error: try another folder.
  }
}

/** Prefix of a data directory's folders; a random part follows. */
const folderStart = (socketName: string): string => `holdfast-${socketName.slice(0, 12)}-`;

/** A folder with an unpredictable name; undefined if none can be created. */
function freshFolder(socketName: string): string | undefined {
  for (const common of COMMON_FOLDERS) {
    try {
      if (faultOnTheWay(join(common, 'holdfast')) === undefined)
        return mkdtempSync(join(common, folderStart(socketName)));
    } catch {
      // Missing, full, or closed to us: try the next one.
    }
  }
  return undefined;
}

/**
 * Removes folders of killed runs of this data directory. The lock is ours, so none of them is
 * running; the name identifies this data directory, and owner and mode show that the folder is
 * ours.
 */
function sweepFolders(socketName: string): void {
  const start = folderStart(socketName);
  for (const common of COMMON_FOLDERS) {
    for (const name of namesIn(common))
      if (name.startsWith(start) && /^[A-Za-z0-9]{6}$/.test(name.slice(start.length)))
        sweep(join(common, name), socketName);
  }
}

function sweep(folder: string, socketName: string): void {
  try {
    const facts = lstatSync(folder);
    if (!facts.isDirectory() || facts.uid !== process.geteuid?.() || (facts.mode & 0o077) !== 0)
      return;
    if (namesIn(folder).some((name) => name !== socketName)) return;
    const socket = join(folder, socketName);
    if (lstatSync(socket, { throwIfNoEntry: false })?.isSocket() === true) unlinkSync(socket);
    rmdirSync(folder);
  } catch {
    // Gone meanwhile, or a disk error: it is empty or closed to others, so harmless.
  }
}

/** The address to listen on, and a cleanup for a folder that was created for this run. */
export interface SocketPlace {
  readonly socketPath: string;
  leave(): void;
}

/**
 * `wanted` if its folder is ours. Outside the data directory another account may have taken it,
 * which must neither receive our connections nor block the start: then a folder with a random name,
 * which clients find in `agent.lock`. @throws HoldfastError DATA_DIR_UNSAFE, DATA_DIR_UNUSABLE
 */
export function prepareSocketPlace(wanted: string, tokenPath: string): SocketPlace {
  const stay = { socketPath: wanted, leave: (): void => undefined };
  if (isPipe(wanted)) return stay;
  if (Buffer.byteLength(wanted) > MAX_SOCKET_PATH_BYTES) throw tooLong();
  if (dirname(wanted) === dirname(tokenPath) || ownAccount() === undefined) {
    ensurePrivateDir(dirname(wanted));
    return stay;
  }
  sweepFolders(basename(wanted));
  if (isPrivateOutside(dirname(wanted))) return stay;
  const folder = freshFolder(basename(wanted));
  if (folder === undefined) throw tooLong();
  return {
    socketPath: join(folder, basename(wanted)),
    leave: () => {
      try {
        rmdirSync(folder);
      } catch {
        // It still contains one of our files.
      }
    },
  };
}

const tooLong = (): HoldfastError =>
  new HoldfastError(
    'DATA_DIR_UNUSABLE',
    'The path of the data directory is too long for its control socket.',
    {
      hint: 'Set XDG_RUNTIME_DIR to a shorter directory of yours, or use a shorter --data-dir.',
    },
  );

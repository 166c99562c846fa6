import { constants, existsSync } from 'node:fs';
import { lstat, mkdir, open, readlink, realpath } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { once } from '../../../shared/once';
import { syncOpenFolder } from '../../disk/durable-folder';
import { errnoOf } from '../tools/tool-host';
import { isWithin } from './workspace-path';

/**
 * An open folder of the workspace. On Linux every name below it is reached through its descriptor,
 * so it stays the same folder even if something is renamed or linked; other systems offer no such
 * way, and its path is checked again before each use. Security T3.
 */
export interface FolderHandle {
  /** System path of `name` (one name, no path) in this folder. */
  at(name: string): string;
  /** System path of this folder, for listing. */
  readonly self: string;
  /** False if the folder has been moved out of the workspace, or its path leads elsewhere now. */
  isInside(): Promise<boolean>;
  /** Opens a folder in this one; `link` if the name is a symbolic link. @throws system errors */
  openFolder(name: string): Promise<FolderHandle | 'link'>;
  /** Creates a folder in this one and confirms it on disk; an existing one is not an error. */
  makeFolder(name: string): Promise<void>;
  /** Confirms on disk what was created, renamed and removed in it. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

const canGoByDescriptor = once(() => process.platform === 'linux' && existsSync('/proc/self/fd'));
/** Absent on Windows, where folders cannot be opened this way. */
const OPEN_FOLDER = constants.O_RDONLY | (constants.O_DIRECTORY ?? 0) | (constants.O_NOFOLLOW ?? 0);
/** Maximum attempts for a folder that others keep removing and creating. */
const MAX_TRIES = 5;

/**
 * Opens the folder `path` of the workspace, one name at a time from its top folder.
 *
 * @param place real paths, `path` in `root`; no component was a symbolic link when checked.
 * @param options.isMade creates missing folders, each confirmed on disk.
 * @returns `outside` if a name on the path has become a link: nothing was created behind it.
 * @throws system errors, such as ENOENT if it is missing
 */
export async function openFolder(
  place: { readonly root: string; readonly path: string },
  options: { readonly isMade?: boolean } = {},
): Promise<FolderHandle | 'outside'> {
  const names = relative(place.root, place.path).split(sep);
  let folder = await openAt(place.root, place.root, place.root);
  for (const name of names.filter((one) => one !== '')) {
    let next: FolderHandle | 'link';
    try {
      next = await enter(folder, name, options.isMade ?? false);
    } finally {
      await folder.close();
    }
    if (next === 'link') return 'outside';
    folder = next;
  }
  return folder;
}

async function enter(
  folder: FolderHandle,
  name: string,
  isMade: boolean,
): Promise<FolderHandle | 'link'> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await folder.openFolder(name);
    } catch (thrown) {
      if (!isMade || errnoOf(thrown) !== 'ENOENT' || tries >= MAX_TRIES) throw thrown;
    }
    if (!(await folder.isInside())) return 'link';
    await folder.makeFolder(name);
  }
}

/** @param path its path by names; `way` is how it is reached now. */
async function openAt(root: string, path: string, way: string): Promise<FolderHandle> {
  if (!canGoByDescriptor()) return byPath(root, path);
  const handle = await open(way, OPEN_FOLDER);
  const self = `/proc/self/fd/${String(handle.fd)}`;
  return {
    ...common(root, path, (name) => `${self}/${name}`),
    self,
    isInside: async () => isWithin(root, await readlink(self)),
    sync: () => syncOpenFolder(handle),
    close: () => handle.close(),
  };
}

/** Without descriptors: as good as a check right before the use can be. */
async function byPath(root: string, path: string): Promise<FolderHandle> {
  const facts = await lstat(path);
  if (!facts.isDirectory())
    throw Object.assign(new Error('ENOTDIR: not a folder'), { code: 'ENOTDIR' });
  return {
    ...common(root, path, (name) => join(path, name)),
    self: path,
    isInside: async () => (await realpath(path).catch(() => undefined)) === path,
    async sync() {
      // Windows cannot open a folder; there the rename itself is journaled by the file system.
      if (process.platform === 'win32') return;
      const handle: FileHandle = await open(path, OPEN_FOLDER);
      try {
        await syncOpenFolder(handle);
      } finally {
        await handle.close();
      }
    },
    close: () => Promise.resolve(),
  };
}

function common(
  root: string,
  path: string,
  at: (name: string) => string,
): Pick<FolderHandle, 'at' | 'openFolder' | 'makeFolder'> & ThisType<FolderHandle> {
  return {
    at,
    async openFolder(name) {
      try {
        return await openAt(root, join(path, name), at(name));
      } catch (thrown) {
        const code = errnoOf(thrown);
        if (code !== 'ENOTDIR' && code !== 'ELOOP') throw thrown;
        // The system gives the same error for a link and for a file.
        const facts = await lstat(at(name));
        if (facts.isSymbolicLink()) return 'link';
        throw thrown;
      }
    },
    async makeFolder(name) {
      try {
        await mkdir(at(name));
      } catch (thrown) {
        if (errnoOf(thrown) !== 'EEXIST') throw thrown;
      }
      await this.sync();
    },
  };
}

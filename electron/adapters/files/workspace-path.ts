import { constants } from 'node:fs';
import { lstat, open, readlink, realpath } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { errnoOf, inertLine } from '../tools/tool-host';

/** The real place of a call's path, or a sentence that says why it is not allowed. */
export type PlaceInWorkspace =
  | {
      readonly kind: 'inside';
      /** Real path; no component of it was a symbolic link when checked. */
      readonly path: string;
      /** The displayed path: relative to the workspace, `/` between folders. */
      readonly shown: string;
      readonly root: string;
      readonly exists: boolean;
    }
  | { readonly kind: 'outside'; readonly message: string };

const outside = (message: string): PlaceInWorkspace => ({ kind: 'outside', message });

/** True for `root` itself and everything below it; both are real paths. */
export function isWithin(root: string, path: string): boolean {
  const way = relative(root, path);
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}

/**
 * Resolves `path` from the workspace like the system, symbolic links included, and accepts it only
 * if the real place is inside the real workspace. A place that does not exist yet is judged by its
 * nearest existing folder. Security T3.
 */
export async function placeInWorkspace(workspace: string, path: string): Promise<PlaceInWorkspace> {
  if (path.includes('\0'))
    return outside('TOOL_INPUT_INVALID: a path cannot contain a NUL character.');
  let root: string;
  try {
    root = await realpath(workspace);
  } catch {
    return outside(
      `TOOL_FAILED: the workspace ${inertLine(workspace)} does not exist, nothing was touched. Ask the user to restore the folder or to change it in the agent's settings.`,
    );
  }
  const asked = resolve(root, path);
  const missing: string[] = [];
  let existing = asked;
  let real: string | undefined;
  while (real === undefined) {
    try {
      real = await realpath(existing);
    } catch (thrown) {
      const code = errnoOf(thrown);
      if (code !== 'ENOENT' && code !== 'ENOTDIR') {
        return outside(
          `TOOL_FAILED: ${inertLine(path)} cannot be reached (${code ?? 'unknown error'}).`,
        );
      }
      if (await isLink(existing)) {
        return outside(
          `TOOL_OUTSIDE_WORKSPACE: ${inertLine(path)} is a symbolic link to nowhere (${inertLine(await readlink(existing))}); it is not followed.`,
        );
      }
      missing.unshift(basename(existing));
      existing = dirname(existing);
    }
  }
  const place = join(real, ...missing);
  if (!isWithin(root, place)) {
    return outside(
      `TOOL_OUTSIDE_WORKSPACE: ${inertLine(path)} leads outside the workspace, nothing was touched. Use a path inside it, relative to its top folder.`,
    );
  }
  const shown = relative(root, place).split(sep).join('/') || '.';
  return { kind: 'inside', path: place, shown, root, exists: missing.length === 0 };
}

async function isLink(path: string): Promise<boolean> {
  try {
    return (await lstat(path)).isSymbolicLink();
  } catch {
    // It does not exist: its folder is checked next.
    return false;
  }
}

/**
 * Opens a regular file for reading; never blocks on a pipe, never follows a link that replaced it
 * after the check. Returns the reason for a failure as a word.
 */
export async function openForReading(place: {
  readonly path: string;
  readonly root: string;
}): Promise<FileHandle | 'missing' | 'folder' | 'special' | 'outside' | 'denied'> {
  let handle: FileHandle;
  try {
    handle = await open(
      place.path,
      constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0),
    );
  } catch (thrown) {
    switch (errnoOf(thrown)) {
      case 'ENOENT':
      case 'ENOTDIR':
        return 'missing';
      case 'ELOOP':
        return 'outside';
      case 'EISDIR':
        return 'folder';
      case 'EACCES':
      case 'EPERM':
        return 'denied';
      case 'ENXIO':
        return 'special';
      default:
        throw thrown;
    }
  }
  let verdict: 'folder' | 'special' | 'outside' | undefined;
  try {
    const facts = await handle.stat();
    if (facts.isDirectory()) verdict = 'folder';
    else if (!facts.isFile()) verdict = 'special';
    else if (process.platform === 'linux') {
      // A folder on the path may have been replaced by a link; the descriptor shows the real path.
      const opened = await realpath(`/proc/self/fd/${handle.fd}`).catch(() => place.path);
      if (!isWithin(place.root, opened)) verdict = 'outside';
    }
  } catch (thrown) {
    await handle.close();
    throw thrown;
  }
  if (verdict === undefined) return handle;
  await handle.close();
  return verdict;
}

/** The sentence for the model for each reason of {@link openForReading}. */
export function whyNotRead(
  reason: 'missing' | 'folder' | 'special' | 'outside' | 'denied',
  shown: string,
): string {
  const path = inertLine(shown);
  switch (reason) {
    case 'missing':
      return `${path} does not exist. Use list_files to see what exists.`;
    case 'folder':
      return `${path} is a folder. Use list_files to see what is in it.`;
    case 'special':
      return `${path} is not a regular file (a pipe, socket or device) and is not read.`;
    case 'outside':
      return `TOOL_OUTSIDE_WORKSPACE: ${path} leads outside the workspace and is not read.`;
    case 'denied':
      return `${path} cannot be read: permission denied.`;
  }
}

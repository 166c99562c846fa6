import { closeSync, fsyncSync, openSync, renameSync, unlinkSync, writeSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { open, rename, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';

let written = 0;

/** A name beside the target that no other write of any process uses. */
function temporaryPath(path: string): string {
  written += 1;
  return `${path}.${String(process.pid)}-${String(written)}.tmp`;
}

/** True for what a write that was cut off leaves behind. */
export function isTemporaryName(name: string): boolean {
  return /\.\d+-\d+\.tmp$/.test(name);
}

/** A rename is durable when its folder is synced. Windows cannot sync a folder and need not. */
export async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Instants of a write, for the crash suite. */
interface WriteInstants {
  readonly beforeRename?: () => void;
  readonly afterRename?: () => void;
}

/**
 * Writes a file so that a crash or a power cut leaves either the old content or the new one, never
 * half: temporary file, fsync, rename, fsync of the folder. Mode 0600. Row S4-14.
 */
export async function writeDurably(
  path: string,
  content: string | Uint8Array,
  instants: WriteInstants = {},
): Promise<void> {
  const temporary = temporaryPath(path);
  let handle: FileHandle | undefined;
  try {
    handle = await open(temporary, 'wx', 0o600);
    await handle.writeFile(content);
    await handle.sync();
    await handle.close();
    handle = undefined;
    instants.beforeRename?.();
    await rename(temporary, path);
  } catch (error) {
    await handle?.close().catch(() => undefined);
    await unlink(temporary).catch(() => undefined);
    throw error;
  }
  instants.afterRename?.();
  await syncFolder(dirname(path));
}

/** {@link writeDurably} for small files that must be there before the next statement. */
export function writeDurablySync(path: string, content: string): void {
  const temporary = temporaryPath(path);
  let fd: number | undefined;
  try {
    fd = openSync(temporary, 'wx', 0o600);
    const bytes = Buffer.from(content);
    let done = 0;
    while (done < bytes.length) done += writeSync(fd, bytes, done);
    fsyncSync(fd);
    closeSync(fd);
    fd = undefined;
    renameSync(temporary, path);
  } catch (error) {
    if (fd !== undefined) closeSync(fd);
    try {
      unlinkSync(temporary);
    } catch {
      // It was renamed or never made.
    }
    throw error;
  }
  syncFolderSync(dirname(path));
}

/** {@link syncFolder}, at once. */
export function syncFolderSync(path: string): void {
  if (process.platform === 'win32') return;
  const fd = openSync(path, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

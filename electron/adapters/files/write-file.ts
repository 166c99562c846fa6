import { createHash } from 'node:crypto';
import { lstat, opendir, unlink } from 'node:fs/promises';
import { moveInPlace, writeAside } from '../../disk/durable-file';
import type { CrashPoints } from '../../engine/kernel/crash-points';
import type { FolderHandle } from './folder-handle';
import { errnoOf } from '../tools/tool-host';

/** A younger temp file may belong to a write in progress in another process. */
const LEFTOVER_AGE_MS = 60_000;
/** Names that are looked at before others may run. */
const AT_ONCE = 1_024;

const TEMP_NAME = /^\.holdfast-[A-Za-z0-9._-]{1,120}\.tmp$/;

/** Name of the temp file of a write; the same key gives the same name. */
export function tempFileName(idempotencyKey: string): string {
  const plain = idempotencyKey.replace(/[^A-Za-z0-9._-]/g, '_').slice(0, 80);
  if (plain === idempotencyKey && plain !== '') return `.holdfast-${plain}.tmp`;
  const digest = createHash('sha256').update(idempotencyKey).digest('hex').slice(0, 16);
  return `.holdfast-${plain}-${digest}.tmp`;
}

const MOVED = 'its folder was moved out of the workspace';

/** True for the names that {@link tempFileName} gives. */
export const isTempFileName = (name: string): boolean => TEMP_NAME.test(name);

/** A folder can have any number of names: none is kept that is not one of ours. */
async function leftoversIn(folder: FolderHandle): Promise<readonly string[]> {
  const found: string[] = [];
  try {
    let seen = 0;
    for await (const { name } of await opendir(folder.self, { bufferSize: AT_ONCE })) {
      if (isTempFileName(name)) found.push(name);
      seen += 1;
      if (seen % AT_ONCE === 0) await new Promise(setImmediate);
    }
  } catch {
    return []; // It cannot be read: the next write tries again.
  }
  return found;
}

/**
 * Removes temp files that a crash left in `folder`, except those younger than a minute. Never
 * throws; returns the number of removed files.
 */
export async function removeLeftovers(folder: FolderHandle, nowMs: number): Promise<number> {
  let removed = 0;
  for (const name of await leftoversIn(folder)) {
    try {
      const facts = await lstat(folder.at(name));
      if (!facts.isFile() || nowMs - facts.mtimeMs < LEFTOVER_AGE_MS) continue;
      await unlink(folder.at(name));
      removed += 1;
    } catch {
      // Another process was faster, or it is not ours to remove; the next write tries again.
    }
  }
  return removed;
}

/** How a write ended. */
type WriteOutcome =
  | { readonly kind: 'written' }
  /** The file is unchanged. */
  | { readonly kind: 'not_written'; readonly code: string }
  /** The new content is written, but the disk did not confirm that it survives a power cut. */
  | { readonly kind: 'unconfirmed'; readonly code: string };

/**
 * Replaces the content of the file `name` in a folder so that no reader ever sees half of it: temp
 * file in the same folder, fsync, rename, fsync of the folder. Keeps the mode of an existing file.
 * Returns after the content has reached the disk. Row S4-14.
 */
export async function writeWhole(
  folder: FolderHandle,
  name: string,
  content: string,
  options: { readonly tempName: string; readonly crashPoints: CrashPoints },
): Promise<WriteOutcome> {
  const temp = folder.at(options.tempName);
  try {
    await needInside(folder);
    await writeTemp(folder, { name, tempName: options.tempName }, content);
    options.crashPoints.hit('files.write.beforeRename');
    await needInside(folder);
    await moveInPlace(temp, folder.at(name));
  } catch (thrown) {
    await unlink(temp).catch(() => undefined);
    return { kind: 'not_written', code: errnoOf(thrown) ?? String(thrown) };
  }
  options.crashPoints.hit('files.write.afterRename');
  try {
    await folder.sync();
  } catch (thrown) {
    return { kind: 'unconfirmed', code: errnoOf(thrown) ?? String(thrown) };
  }
  return { kind: 'written' };
}

/** @throws if the folder is no longer in the workspace */
export async function needInside(folder: FolderHandle): Promise<void> {
  if (!(await folder.isInside())) throw Object.assign(new Error(MOVED), { code: MOVED });
}

/**
 * Writes the replacement of the file `name` next to it, with its mode; the content is on disk when
 * this resolves.
 */
export async function writeTemp(
  folder: FolderHandle,
  { name, tempName }: { readonly name: string; readonly tempName: string },
  content: string | Uint8Array,
): Promise<void> {
  const mode = await modeOf(folder.at(name));
  const temp = folder.at(tempName);
  // Left by a crash of this same call: two writes with one key never run at the same time.
  await unlink(temp).catch(ignoreMissing);
  await writeAside(temp, content, { mode });
}

/** The mode of the file itself: undefined if it has become a link since it was checked. */
async function modeOf(path: string): Promise<number | undefined> {
  try {
    const facts = await lstat(path);
    return facts.isFile() ? facts.mode & 0o7777 : undefined;
  } catch (thrown) {
    if (errnoOf(thrown) === 'ENOENT') return undefined;
    throw thrown;
  }
}

function ignoreMissing(thrown: unknown): void {
  if (errnoOf(thrown) !== 'ENOENT') throw thrown;
}

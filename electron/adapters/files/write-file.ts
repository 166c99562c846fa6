import { createHash } from 'node:crypto';
import { lstat, readdir, realpath, stat, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { makeFolder, moveInPlace, syncFolder, writeAside } from '../../disk';
import type { CrashPoints } from '../../engine/kernel/crash-points';
import { errnoOf } from './tool-host';

/** A temp file younger than this may belong to a write that is under way elsewhere. */
const LEFTOVER_AGE_MS = 60_000;

const TEMP_NAME = /^\.holdfast-[A-Za-z0-9._-]{1,120}\.tmp$/;

/** Name of the temp file of a write; the same key gives the same name. */
export function tempFileName(idempotencyKey: string): string {
  const plain = idempotencyKey.replace(/[^A-Za-z0-9._-]/g, '_').slice(0, 80);
  if (plain === idempotencyKey && plain !== '') return `.holdfast-${plain}.tmp`;
  const digest = createHash('sha256').update(idempotencyKey).digest('hex').slice(0, 16);
  return `.holdfast-${plain}-${digest}.tmp`;
}

/** True for the names that {@link tempFileName} gives. */
export const isTempFileName = (name: string): boolean => TEMP_NAME.test(name);

/**
 * Removes temp files that a crash left in `folder`, those younger than a minute excepted. Never
 * throws; returns how many went.
 */
export async function removeLeftovers(folder: string, nowMs: number): Promise<number> {
  let removed = 0;
  const names = await readdir(folder).catch(() => []);
  for (const name of names.filter(isTempFileName)) {
    try {
      const facts = await lstat(join(folder, name));
      if (!facts.isFile() || nowMs - facts.mtimeMs < LEFTOVER_AGE_MS) continue;
      await unlink(join(folder, name));
      removed += 1;
    } catch {
      // Someone else was faster, or it is not ours to remove; the next write tries again.
    }
  }
  return removed;
}

/** How a write ended. */
type WriteOutcome =
  | { readonly kind: 'written' }
  /** The file is as it was. */
  | { readonly kind: 'not_written'; readonly code: string }
  /** The new content is in place, but the disk did not confirm that it will survive a power cut. */
  | { readonly kind: 'unconfirmed'; readonly code: string };

/**
 * Puts `content` in place of the file at `path` so that no reader ever sees half of it: temp file
 * in the same folder, fsync, rename, fsync of the folder. Keeps the mode of a file that exists.
 * Returns after the content has reached the disk. Row S4-14.
 *
 * @param path real path; its folder exists.
 */
export async function writeWhole(
  path: string,
  content: string,
  options: { readonly tempName: string; readonly crashPoints: CrashPoints },
): Promise<WriteOutcome> {
  const folder = dirname(path);
  const temp = join(folder, options.tempName);
  try {
    await writeTemp(temp, path, content);
    options.crashPoints.hit('files.write.beforeRename');
    await moveInPlace(temp, path);
  } catch (thrown) {
    await unlink(temp).catch(() => undefined);
    return { kind: 'not_written', code: errnoOf(thrown) ?? String(thrown) };
  }
  options.crashPoints.hit('files.write.afterRename');
  try {
    await syncFolder(folder);
  } catch (thrown) {
    return { kind: 'unconfirmed', code: errnoOf(thrown) ?? String(thrown) };
  }
  return { kind: 'written' };
}

/** Writes what is to replace `path` beside it, with its mode; the content is on disk when this resolves. */
export async function writeTemp(
  temp: string,
  path: string,
  content: string | Uint8Array,
): Promise<void> {
  // Left by a crash of this very call: the same key cannot be at work twice.
  await unlink(temp).catch(ignoreMissing);
  await writeAside(temp, content, { mode: await modeOf(path) });
}

/** Makes `folder` and what is missing above it, each confirmed on disk; returns its real path. */
export async function makeRealFolder(folder: string): Promise<string> {
  await makeFolder(folder, folder, 0o777);
  return realpath(folder);
}

async function modeOf(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).mode & 0o7777;
  } catch (thrown) {
    if (errnoOf(thrown) === 'ENOENT') return undefined;
    throw thrown;
  }
}

function ignoreMissing(thrown: unknown): void {
  if (errnoOf(thrown) !== 'ENOENT') throw thrown;
}

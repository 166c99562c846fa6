import { stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { namesIfThere, readIfThere } from '../files/read-state';
import { computerZone } from '../clock/system-clock';
import { readWatched, watchModel, type WatchedSession } from '../../../shared/watch-rules';

const END = '.jsonl';
const LIMIT = 100;

const namesIn = async (dir: string): Promise<readonly string[]> =>
  (await namesIfThere(dir)).filter((name) => name.endsWith(END)); // Missing: nothing was ever watched.

/**
 * Records of the hooks in watched terminals, newest first, at most 100. Files are read one at a
 * time, and older ones not at all: there is one for each session of the time that is kept. One that
 * cannot be read is left out. @throws RESULT_UNREADABLE if the folder cannot be read
 */
export async function listWatched(dir: string): Promise<readonly WatchedSession[]> {
  const newest = (
    await Promise.all(
      (await namesIn(dir)).map(async (name) => ({
        ref: name.slice(0, -END.length),
        atMs: (await stat(join(dir, name)).catch(() => undefined))?.mtimeMs ?? 0,
      })),
    )
  ).sort((one, other) => other.atMs - one.atMs);
  const found: WatchedSession[] = [];
  for (const { ref } of newest) {
    if (found.length >= LIMIT) break;
    // One that cannot be read now is in the next list.
    const one = await findWatched(dir, ref).catch(() => undefined);
    if (one !== undefined) found.push(one);
  }
  return found.sort((one, other) => other.lastAtMs - one.lastAtMs);
}

/** Records of one conversation; undefined if it was never watched. @throws RESULT_UNREADABLE */
export async function findWatched(dir: string, ref: string): Promise<WatchedSession | undefined> {
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,199}$/.test(ref)) return undefined;
  const bytes = await readIfThere(join(dir, `${ref}${END}`));
  if (bytes === undefined) return undefined;
  return watchModel(ref, readWatched(bytes.toString('utf8')), computerZone());
}

/** Removes files last written before `beforeMs`. @returns the number of removed files */
export async function pruneWatched(dir: string, beforeMs: number): Promise<number> {
  let gone = 0;
  for (const name of await namesIn(dir)) {
    const path = join(dir, name);
    const facts = await stat(path).catch(() => undefined);
    if (facts === undefined || facts.mtimeMs >= beforeMs) continue;
    await unlink(path).then(
      () => (gone += 1),
      () => undefined, // Removed by another process.
    );
  }
  return gone;
}

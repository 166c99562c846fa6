import { readdir, readFile, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { computerZone } from '../clock/system-clock';
import { readWatched, watchModel, type WatchedSession } from '../../../shared/watch-rules';

const END = '.jsonl';
const LIMIT = 100;

const namesIn = async (dir: string): Promise<readonly string[]> =>
  (await readdir(dir).catch(() => [])).filter((name) => name.endsWith(END)); // Nothing was ever watched.

/**
 * Records of the hooks in watched terminals, newest first, at most 100. Never throws. Files are read
 * one at a time, and older ones not at all: there is one for each session of the time that is kept.
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
    const one = await findWatched(dir, ref);
    if (one !== undefined) found.push(one);
  }
  return found.sort((one, other) => other.lastAtMs - one.lastAtMs);
}

/** Records of one conversation; undefined if it was never watched. Never throws. */
export async function findWatched(dir: string, ref: string): Promise<WatchedSession | undefined> {
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,199}$/.test(ref)) return undefined;
  const text = await readFile(join(dir, `${ref}${END}`), 'utf8').catch(() => undefined);
  return text === undefined ? undefined : watchModel(ref, readWatched(text), computerZone());
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

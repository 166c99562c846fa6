/**
 * The real location of the data directory, and leftovers of a killed removal or import next to it.
 */
import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { moveAsideSync, syncFolderSync } from '../disk/durable-folder';

/** Links may lead in a circle: the system follows as many. */
const MAX_LINKS = 40;

/**
 * The directory itself if a link leads to it, or where it would be if the link is broken. Moving or
 * deleting the link would leave the data where it is.
 */
export function placeOf(dataDir: string, mostLinks = MAX_LINKS): string {
  const whole = path.resolve(dataDir);
  try {
    return fs.realpathSync.native(whole);
  } catch {
    const parent = path.dirname(whole);
    if (parent === whole) return whole;
    const at = path.join(placeOf(parent, mostLinks), path.basename(whole));
    if (mostLinks === 0 || !isLink(at)) return at;
    return placeOf(path.resolve(path.dirname(at), fs.readlinkSync(at)), mostLinks - 1);
  }
}

export const isLink = (at: string): boolean =>
  fs.lstatSync(at, { throwIfNoEntry: false })?.isSymbolicLink() === true;

const LEFT = /^\.(removed|import)-[0-9a-f]{8}$/;

/** A name next to the data directory that {@link deleteLeft} recognizes. */
export const besideOf = (place: string, why: 'removed' | 'import'): string =>
  `${place}.${why}-${randomUUID().slice(0, 8)}`;

/**
 * Deletes folders that were moved aside for deletion, and unpacked ones that never got their name.
 * An import in progress loses its folder atomically, so that it fails instead of naming half of the
 * data. They are gone from the disk when this returns.
 */
export function deleteLeft(place: string): void {
  const { dir, base } = path.parse(place);
  if (!fs.existsSync(dir)) return;
  for (const name of namesIn(dir)) {
    const why = name.startsWith(base) ? LEFT.exec(name.slice(base.length))?.[1] : undefined;
    if (why === undefined) continue;
    const left = path.join(dir, name);
    const aside = why === 'import' ? besideOf(place, 'removed') : left;
    if (aside !== left) moveAsideSync(left, aside);
    fs.rmSync(aside, { recursive: true, force: true });
  }
  // Also for a call that was killed before it got here.
  syncFolderSync(dir);
}

/** In a folder that this account may not list, it has left nothing either. */
function namesIn(folder: string): readonly string[] {
  try {
    return fs.readdirSync(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EACCES') return [];
    throw error;
  }
}

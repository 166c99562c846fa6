import fs from 'node:fs';
import path from 'node:path';
import { createSystemClock } from '../adapters/clock/system-clock';
import { removeDurablySync } from '../disk/durable-file';
import { moveAsideSync, syncFolderSync } from '../disk/durable-folder';
import { lockRules } from '../engine/instance/decide-lock';
import { noCrashPoints } from '../engine/kernel/crash-points';
import { HoldfastError } from '../engine/kernel/errors';
import { besideOf, deleteLeft, isLink, placeOf } from './beside-data';
import { acquireLock, heldElsewhere } from './own-lock';

/** A free lock is taken in a few ms; a wait of this long means that another command holds it. */
const WAIT_TOLD_MS = 500;

/**
 * Deletes the data directory with everything in it. It is renamed atomically while its lock is
 * held, so a process that starts at that moment gets a new directory, and none of its files is
 * deleted. A link to it goes last. A later call deletes what a killed one has left. When this
 * resolves, no power cut brings anything back. X-06.
 * @param onWait called once if another command holds the lock: this one waits up to a minute for it
 * @returns false if there was nothing to delete
 * @throws LOCK_HELD while Holdfast runs
 */
export async function removeData(
  dataDir: string,
  onWait: () => void,
  rules = lockRules,
): Promise<boolean> {
  const place = placeOf(dataDir);
  const isThere = fs.existsSync(place);
  if (isThere) {
    const told = setTimeout(onWait, WAIT_TOLD_MS);
    const acquired = await acquireLock(dataDir, rules).finally(() => clearTimeout(told));
    if (acquired.kind !== 'acquired') throw heldElsewhere();
    try {
      acquired.lock.assertStillOwner();
      await endOwnServer(place);
      moveAsideSync(place, besideOf(place, 'removed'));
    } catch (error) {
      if (error instanceof HoldfastError) throw error;
      deleteInPlace(place);
    } finally {
      acquired.lock.release();
    }
    // Nothing that was moved is deleted before: a power cut leaves all of it under its name, or none.
    syncFolderSync(path.dirname(place));
  }
  deleteLeft(place);
  // Last: as long as the link exists, a killed removal is found again through it.
  if (isLink(dataDir)) removeDurablySync(dataDir);
  return isThere;
}

/**
 * A mount, a parent folder that is not ours, or a system that cannot move an open folder: deletes
 * the lock with it. The database goes first: a start after a kill in between continues nothing with
 * half of the rest. The lock goes last: by it the next removal knows what this is.
 */
function deleteInPlace(place: string): void {
  const turn = (name: string): number =>
    Number(name !== 'holdfast.db') + Number(name === 'lock.db');
  const names = fs.readdirSync(place).sort((one, other) => turn(one) - turn(other));
  for (const name of names) fs.rmSync(path.join(place, name), { recursive: true, force: true });
  syncFolderSync(place);
  try {
    fs.rmdirSync(place);
  } catch {
    // The folder itself belongs to the system. It is empty.
  }
}

/** A PostgreSQL that outlived its Holdfast would continue with deleted files. */
async function endOwnServer(dataDir: string): Promise<void> {
  if (!fs.existsSync(path.join(dataDir, 'share', 'store'))) return;
  const { createOwnServer } = await import('../adapters/shared-store/server/own-server');
  const silent = (): void => undefined;
  const server = createOwnServer({
    dataDir,
    ownEnvironment: process.env,
    clock: createSystemClock(),
    crashPoints: noCrashPoints,
    log: { info: silent, warn: silent },
  });
  await server.stop(10_000);
}

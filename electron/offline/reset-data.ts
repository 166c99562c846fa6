import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { createSystemClock } from '../adapters/clock/system-clock';
import { openDatabase } from '../adapters/sqlite/open-database';
import { wipe } from '../adapters/sqlite/reset';
import { noCrashPoints } from '../engine/kernel/crash-points';
import { HoldfastError } from '../engine/kernel/errors';
import { acquireQuietly } from './own-lock';
import { openRecords } from './records';
import { withDiskNamed } from './refused-by-disk';

/**
 * Deletes unfinished work after a dated backup; audit, settings and markers stay. S4-30.
 * @throws LOCK_HELD while Holdfast runs, NOTHING_TO_RESET for a folder without data
 */
export async function resetData(dataDir: string): Promise<{ readonly backupPath?: string }> {
  // Resetting a mistyped or unused folder must not make it a data directory.
  if (!fs.existsSync(path.join(dataDir, 'holdfast.db')))
    throw new HoldfastError('NOTHING_TO_RESET', 'There is nothing to reset.');
  const lock = await acquireQuietly(dataDir);
  const clock = createSystemClock();
  const { log, audit } = openRecords(dataDir, clock);
  try {
    const db = await openDatabase({
      dataDir,
      isReadOnly: false,
      newId: randomUUID,
      nowMs: clock.nowMs(),
      crashPoints: noCrashPoints,
    });
    try {
      const backupPath = await wipe(db, { dataDir, nowMs: clock.nowMs() });
      // The search index of the old journal; the next start creates a new one.
      for (const end of ['', '-wal', '-shm'])
        fs.rmSync(path.join(dataDir, `search.db${end}`), { force: true });
      audit.record('reset', { backup: path.basename(backupPath) });
      return { backupPath };
    } finally {
      db.close();
    }
  } catch (error) {
    throw withDiskNamed(error, dataDir, 'Nothing was reset.');
  } finally {
    await audit.close();
    log.close();
    lock.release();
  }
}

/** A disk whose sync has failed, asked whether it takes writes again. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, it, vi } from 'vitest';
import { createSystemClock } from '../../../electron/adapters/clock/system-clock';
import { createGroupCommit } from '../../../electron/adapters/sqlite/journal/group-commit';
import { openDatabase } from '../../../electron/adapters/sqlite/open-database';
import { noCrashPoints } from '../../../electron/engine/kernel/crash-points';
import type { JournalEntry } from '../../../electron/ports/journal/entries';

const session = (sessionId: number): JournalEntry => ({
  kind: 'session.created',
  sessionId,
  key: `s${String(sessionId)}`,
  title: 'S',
  agent: 'a',
});

it('R17 S4-14 it is asked with a real write before it is believed, also where there is nothing to change', async () => {
  const dataDir = fs.mkdtempSync(path.join(os.tmpdir(), 'holdfast-sync-'));
  const clock = createSystemClock();
  const crashPoints = noCrashPoints;
  const options = { dataDir, isReadOnly: false, newId: () => 'id', nowMs: 0, crashPoints };
  const db = await openDatabase(options);
  try {
    const journal = createGroupCommit({ db, clock, crashPoints, assertOwner: () => undefined });
    await journal.commit([session(1)]);
    const walBytes = (): number => fs.statSync(`${db.name}-wal`).size;
    const before = walBytes();
    const failed = Object.assign(new Error('disk I/O error'), { code: 'SQLITE_IOERR_FSYNC' });
    const begin = vi.spyOn(clock, 'nowMs').mockImplementation(() => {
      begin.mockRestore();
      throw failed;
    });
    const refused = { code: 'DISK_FAILED' };
    await expect(journal.commit([session(2)])).rejects.toMatchObject(refused);
    // Refused as well, and the disk is asked at once.
    await expect(journal.commit([session(3)])).rejects.toMatchObject(refused);
    await vi.waitUntil(() => journal.refusal() === undefined, { timeout: 120_000 });
    expect(walBytes()).toBeGreaterThan(before);
    expect(db.prepare('SELECT applied_seq FROM fold').pluck().get()).toBe(journal.seq());
  } finally {
    db.close();
    fs.rmSync(dataDir, { recursive: true, force: true });
  }
});

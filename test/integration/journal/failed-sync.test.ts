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

it('R17 S4-14 3 commits that are written one by one because 1 is invalid: the 3rd is announced only once what the failed sync of the 2nd left is written again', async () => {
  const dataDir = fs.mkdtempSync(path.join(os.tmpdir(), 'holdfast-sync-'));
  const clock = createSystemClock();
  const points: string[] = [];
  const crashPoints = { ...noCrashPoints, hit: (point: string) => void points.push(point) };
  const options = { dataDir, isReadOnly: false, newId: () => 'id', nowMs: 0, crashPoints };
  const db = await openDatabase(options);
  try {
    const journal = createGroupCommit({ db, clock, crashPoints, assertOwner: () => undefined });
    await journal.commit([session(1)]);
    points.length = 0;
    const failed = Object.assign(new Error('disk I/O error'), { code: 'SQLITE_IOERR_FSYNC' });
    // The time is read for the three together, for the first, and for the second.
    vi.spyOn(clock, 'nowMs')
      .mockImplementationOnce(() => 1)
      .mockImplementationOnce(() => 2)
      .mockImplementationOnce(() => {
        throw failed;
      });
    const invalid = journal.run(() => {
      throw new Error('invalid');
    });
    const ends = await Promise.allSettled([
      invalid,
      journal.commit([session(2)]),
      journal.commit([session(3)]),
    ]);
    expect(ends.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled']);
    expect(points.slice(-2)).toEqual(['journal.commit.inside', 'journal.commit.after']);
    expect(points).toContain('wal.prove.after');
  } finally {
    db.close();
    fs.rmSync(dataDir, { recursive: true, force: true });
  }
});

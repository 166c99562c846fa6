/** A disk that takes what is written and does not give what is read. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createSystemClock } from '../../../electron/adapters/clock/system-clock';
import {
  createGroupCommit,
  type GroupCommit,
} from '../../../electron/adapters/sqlite/journal/group-commit';
import { openDatabase } from '../../../electron/adapters/sqlite/open-database';
import {
  isHeadRefused,
  isRefusedByDisk,
  isStillRefused,
  letGo,
} from '../../../electron/adapters/sqlite/read-probe';
import { createReadFailures } from '../../../electron/adapters/sqlite/read-failures';
import { noCrashPoints } from '../../../electron/engine/kernel/crash-points';
import type { JournalEntry } from '../../../electron/ports/journal/entries';
import { isLeftOut, NOT_LINUX } from '../../helpers/skips';

const clock = createSystemClock();
let dataDir: string;
let opened: Database.Database | undefined;

beforeEach(() => {
  dataDir = fs.mkdtempSync(path.join(os.tmpdir(), 'holdfast-unread-'));
});
afterEach(() => {
  opened?.close();
  fs.rmSync(dataDir, { recursive: true, force: true });
});

async function openHere() {
  const db = await openDatabase({
    dataDir,
    isReadOnly: false,
    newId: () => 'db-1',
    nowMs: clock.nowMs(),
    crashPoints: noCrashPoints,
  });
  opened = db;
  const common = { db, clock, crashPoints: noCrashPoints, assertOwner: () => undefined };
  const journalWith = (onFollowerError: (error: unknown) => void): GroupCommit =>
    createGroupCommit({ ...common, onFollowerError });
  return { db, journalWith };
}

const session = (sessionId: number): JournalEntry => ({
  kind: 'session.created',
  sessionId,
  key: `s${String(sessionId)}`,
  title: 'S',
  agent: 'a',
});

describe.skipIf(isLeftOut('a disk that refuses only reads', NOT_LINUX))(
  'a disk that refuses only reads',
  () => {
    it('R17 S4-31 is told from the first look or failed read on, with the time and what to do, until the whole of the data can be read again', async () => {
      const file = path.join(dataDir, 'held.db');
      fs.symlinkSync('/proc/self/mem', file);
      let lookAgain = (): void => undefined;
      const changes: unknown[] = [];
      const sense = createReadFailures({
        file,
        clock: {
          ...clock,
          nowMs: () => 7,
          sleep: (delayMs) => {
            expect(delayMs).toBe(2_000);
            return new Promise((resolve) => (lookAgain = resolve));
          },
        },
        signal: new AbortController().signal,
        onChange: () => changes.push(sense.refusal()),
      });
      const told = {
        code: 'DISK_FAILED',
        of: 'reads',
        sinceMs: 7,
        message: expect.stringMatching(
          /disk reports an error.*work is (still|saved).*automatically.*copy the data directory/,
        ) as string,
      };
      expect([sense.refusal(), sense.refusal()]).toEqual([told, told]);
      const before = lookAgain;
      before();
      await vi.waitUntil(() => lookAgain !== before, { timeout: 120_000 });
      expect([sense.refusal(), changes]).toEqual([told, [told]]);
      fs.rmSync(file);
      fs.writeFileSync(file, 'all of it');
      lookAgain();
      await vi.waitUntil(() => changes.length === 2, { timeout: 120_000 });
      expect([sense.refusal(), changes]).toEqual([undefined, [told, undefined]]);
      sense.failed();
      expect(sense.refusal()).toEqual(told);
      letGo(file);
    });

    it('design 3 somebody who follows the journal and cannot read: what was committed is on disk once, all are answered, the others hear of it', async () => {
      const { db, journalWith } = await openHere();
      const failures: unknown[] = [];
      const journal = journalWith((error) => failures.push(error));
      const unread = Object.assign(new Error('disk I/O error'), { code: 'SQLITE_IOERR_READ' });
      const heard: number[] = [];
      journal.onCommitted((entries) => {
        if (entries.length > 0) throw unread;
      });
      journal.onCommitted((entries) => heard.push(entries.length));
      await Promise.all([
        journal.commit([session(1), session(2)]),
        journal.commit([session(3)], { isOutcome: true }),
      ]);
      expect(journal.refusal()).toBeUndefined();
      expect(db.prepare('SELECT count(*) FROM journal').pluck().get()).toBe(3);
      expect([failures, heard]).toEqual([
        [unread, unread],
        [2, 1],
      ]);
    });

    it('S4-31 a look at a database that is open leaves SQLite its locks, without which another program takes the WAL away on closing it', async () => {
      const { db, journalWith } = await openHere();
      const journal = journalWith(() => undefined);
      await journal.commit([session(1), session(2)]);
      const ours = `:${String(fs.statSync(db.name).ino)} `;
      // The kernel lists them chunk by chunk: where others come and go meanwhile, one may be there twice.
      const locks = (): ReadonlySet<string> =>
        new Set(
          fs
            .readFileSync('/proc/locks', 'utf8')
            .split('\n')
            .filter((line) => line.includes(ours))
            .map((line) => line.replace(/^\d+: /, '')),
        );
      const before = locks();
      expect(before.size).toBe(1);
      expect([isHeadRefused(db.name), isRefusedByDisk(db.name)]).toEqual([false, false]);
      expect(await isStillRefused(db.name)).toBe(false);
      expect(locks()).toEqual(before);
      db.close();
      letGo(db.name);
      expect(locks().size).toBe(0);
    });
  },
);

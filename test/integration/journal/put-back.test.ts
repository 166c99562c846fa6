/**
 * A database that is put in the place of another one, whose WAL a kill has left: SQLite would read
 * that WAL into it.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createSystemClock } from '../../../electron/adapters/clock/system-clock';
import { createGroupCommit } from '../../../electron/adapters/sqlite/journal/group-commit';
import { backup, openDatabase } from '../../../electron/adapters/sqlite/open-database';
import { noCrashPoints } from '../../../electron/engine/kernel/crash-points';

const clock = createSystemClock();
const FILES = ['holdfast.db', 'holdfast.db-wal', 'holdfast.db-shm'];
let root: string;
let live: string;
let left: string;
let open: Database.Database[] = [];

beforeEach(() => {
  root = fs.mkdtempSync(path.join(os.tmpdir(), 'holdfast-put-back-'));
  [live, left] = [path.join(root, 'live'), path.join(root, 'left')];
  for (const folder of [live, left]) fs.mkdirSync(folder, { mode: 0o700 });
});
afterEach(() => {
  close();
  fs.rmSync(root, { recursive: true, force: true });
});

function close(): void {
  for (const db of open) db.close();
  open = [];
}

async function openIn(dataDir: string, isReadOnly = false): Promise<Database.Database> {
  const db = await openDatabase({
    dataDir,
    isReadOnly,
    newId: () => 'id',
    nowMs: clock.nowMs(),
    crashPoints: noCrashPoints,
  });
  open.push(db);
  return db;
}

async function addSessions(db: Database.Database, from: number, count: number): Promise<void> {
  const assertOwner = (): void => undefined;
  const journal = createGroupCommit({ db, clock, crashPoints: noCrashPoints, assertOwner });
  for (let id = from; id < from + count; id += 1)
    await journal.commit([
      {
        kind: 'session.created',
        sessionId: id,
        key: `s${String(id)}`,
        title: 'x'.repeat(500),
        agent: 'a',
      },
    ]);
}

const sessionsOf = (db: Database.Database): unknown =>
  db.prepare('SELECT count(*) FROM sessions').pluck().get();
const asideIn = (dataDir: string): string[] =>
  fs.readdirSync(dataDir).filter((name) => name.startsWith('holdfast.db-wal.'));

/** A database with 200 sessions, the last 100 in the WAL that a kill left, and its backup with 20. */
async function killedWithBackup(): Promise<string> {
  const first = await openIn(live);
  await addSessions(first, 1, 20);
  const saved = await backup(first, { dataDir: live, nowMs: clock.nowMs() }, 'before');
  await addSessions(first, 21, 80);
  close();
  await addSessions(await openIn(live), 101, 100);
  for (const name of FILES) fs.copyFileSync(path.join(live, name), path.join(left, name));
  close();
  expect(fs.statSync(path.join(left, 'holdfast.db-wal')).size).toBeGreaterThan(100_000);
  return saved;
}

describe('after a kill, with the WAL that it left', () => {
  it('S4-31 S4-03 a backup in the place of the database has its 20 sessions, to read and to start with, and no damage; the WAL of the other one is kept', async () => {
    const saved = await killedWithBackup();
    const wal = fs.readFileSync(path.join(left, 'holdfast.db-wal'));
    fs.copyFileSync(saved, path.join(left, 'holdfast.db'));

    const read = await openIn(left, true);
    expect([sessionsOf(read), read.pragma('integrity_check', { simple: true })]).toEqual([
      20,
      'ok',
    ]);
    close();
    expect(asideIn(left)).toEqual([]);

    const db = await openIn(left);
    expect([sessionsOf(db), db.pragma('integrity_check', { simple: true })]).toEqual([20, 'ok']);
    await addSessions(db, 21, 5);
    close();
    const again = await openIn(left);
    expect([sessionsOf(again), again.pragma('integrity_check', { simple: true })]).toEqual([
      25,
      'ok',
    ]);
    const [kept = '', ...more] = asideIn(left);
    expect([more, fs.readFileSync(path.join(left, kept)).equals(wal)]).toEqual([[], true]);
  });

  it('S4-31 a start without the database makes a new one and keeps the WAL, which with the old one has all 200 sessions', async () => {
    await killedWithBackup();
    fs.renameSync(path.join(left, 'holdfast.db'), path.join(root, 'moved.db'));
    expect(sessionsOf(await openIn(left))).toBe(0);
    close();

    const [kept = '', ...more] = asideIn(left);
    expect(more).toEqual([]);
    const together = path.join(root, 'together');
    fs.mkdirSync(together, { mode: 0o700 });
    fs.copyFileSync(path.join(root, 'moved.db'), path.join(together, 'holdfast.db'));
    fs.copyFileSync(path.join(left, kept), path.join(together, 'holdfast.db-wal'));
    expect(sessionsOf(await openIn(together))).toBe(200);
  });

  it('S4-03 the database itself goes on with its WAL', async () => {
    await killedWithBackup();
    expect(sessionsOf(await openIn(left))).toBe(200);
    expect(asideIn(left)).toEqual([]);
  });
});

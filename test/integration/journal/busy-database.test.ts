import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openDatabase } from '../../../electron/adapters/sqlite/open-database';
import { noCrashPoints } from '../../../electron/engine/kernel/crash-points';

let dataDir = '';
beforeEach(() => {
  dataDir = fs.mkdtempSync(path.join(os.tmpdir(), 'holdfast-busy-'));
});
afterEach(() => {
  fs.rmSync(dataDir, { recursive: true, force: true });
});

const open = (): Promise<Database.Database> =>
  openDatabase({
    dataDir,
    isReadOnly: false,
    newId: () => 'id',
    nowMs: 0,
    crashPoints: noCrashPoints,
  });

/** Somebody else who holds the database, as a reader does for moments while it opens and closes. */
async function held(): Promise<Database.Database> {
  (await open()).close();
  const other = new Database(path.join(dataDir, 'holdfast.db'));
  other.exec('BEGIN IMMEDIATE');
  return other;
}

describe('a database that somebody else holds', () => {
  it('S0-03 is opened as soon as it is let go, while everything else goes on', async () => {
    const other = await held();
    let ticks = 0;
    const ticking = setInterval(() => {
      ticks += 1;
      if (ticks === 20) other.close();
    }, 10);
    const db = await open();
    clearInterval(ticking);
    expect(ticks).toBeGreaterThanOrEqual(20);
    db.close();
  });

  it('S0-03 S2-41 is given up after 5 seconds, and the message says who has to let go', async () => {
    const other = await held();
    const startedMs = performance.now();
    await expect(open()).rejects.toMatchObject({
      code: 'DATABASE_BUSY',
      message: expect.stringContaining('still was after 5 seconds') as string,
      hint: 'Nothing was changed. Close the program that has it open and try again.',
    });
    expect(performance.now() - startedMs).toBeGreaterThan(4_900);
    other.close();
    (await open()).close();
  });
});

/** The sums of the gateway that an older Holdfast has written. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import { createSystemClock } from '../../../electron/adapters/clock/system-clock';
import { createGroupCommit } from '../../../electron/adapters/sqlite/journal/group-commit';
import { databasePath, openDatabase } from '../../../electron/adapters/sqlite/open-database';
import { noCrashPoints } from '../../../electron/engine/kernel/crash-points';

const SQL = 'electron/adapters/sqlite/migrations';

it('S4-31 S0-38 keeps what was used before clients had names, as that of the default one, and makes the same of the journal; what was there before is in 1 backup', async () => {
  const dataDir = fs.mkdtempSync(path.join(os.tmpdir(), 'holdfast-upgrade-'));
  try {
    const older = new Database(databasePath(dataDir));
    const files = fs.readdirSync(SQL).sort();
    const mine = files.findIndex((name) => name.includes('gateway_clients'));
    for (const name of files.slice(0, mine))
      older.exec(fs.readFileSync(path.join(SQL, name), 'utf8'));
    older.exec(`
      INSERT INTO journal (seq, at_ms, kind, body) VALUES
        (1, 1000, 95, '{"provider":"claude","day":"2026-03-24","inputTokens":10,"outputTokens":5,"costUsd":0.5,"isRemembered":false}'),
        (2, 2000, 95, '{"provider":"claude","day":"2026-03-24","inputTokens":0,"outputTokens":0,"costUsd":0,"isRemembered":true}');
      INSERT INTO gateway_usage VALUES ('2026-03-24', 'claude', 2, 1, 10, 5, 0.5);
      PRAGMA user_version = ${String(mine)};
      PRAGMA application_id = ${String(0x48667374)};`);
    older.close();
    const db = await openDatabase({
      dataDir,
      isReadOnly: false,
      newId: () => 'x',
      nowMs: 1,
      crashPoints: noCrashPoints,
    });
    const rows = () => db.prepare('SELECT * FROM gateway_usage').all();
    const kept = {
      day: '2026-03-24',
      provider: 'claude',
      client: 'default',
      requests: 2,
      remembered: 1,
      cut: 0,
      tokens_in: 10,
      tokens_out: 5,
      cost_usd: 0.5,
      last_at: 2_000,
    };
    expect(rows()).toEqual([kept]);
    const folder = path.join(dataDir, 'backups');
    const [name = '', ...more] = fs.readdirSync(folder);
    expect([name, more]).toEqual([`holdfast-${String(mine)}-1970-01-01T00-00-00-001Z.db`, []]);
    const saved = new Database(path.join(folder, name), { readonly: true });
    expect(saved.pragma('user_version', { simple: true })).toBe(mine);
    expect(saved.prepare('SELECT provider, requests FROM gateway_usage').all()).toEqual([
      { provider: 'claude', requests: 2 },
    ]);
    saved.close();
    const journal = createGroupCommit({
      db,
      clock: createSystemClock(),
      crashPoints: noCrashPoints,
      assertOwner: () => undefined,
    });
    journal.refold();
    expect(rows()).toEqual([kept]);
    await journal.close();
    db.close();
  } finally {
    fs.rmSync(dataDir, { recursive: true, force: true });
  }
});

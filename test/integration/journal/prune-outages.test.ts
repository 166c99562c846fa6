import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createFold, FOLD_TABLES } from '../../../electron/adapters/sqlite/tables/fold';
import {
  createGroupCommit,
  type GroupCommit,
} from '../../../electron/adapters/sqlite/journal/group-commit';
import {
  OF_OUTAGES,
  pruneBreakers,
  pruneOutages,
} from '../../../electron/adapters/sqlite/retention';
import { openDatabase } from '../../../electron/adapters/sqlite/open-database';
import { createOutageReads } from '../../../electron/adapters/sqlite/tables/outage';
import { noCrashPoints } from '../../../electron/engine/kernel/crash-points';
import { newRecord } from '../../../electron/engine/outage/plan-outage';
import type { JournalEntry } from '../../../electron/ports/journal/entries';
import type { ProviderRecord } from '../../../electron/ports/journal/outage';
import { quoted } from '../../../shared/reason';

const DAY_MS = 86_400_000;
let dataDir: string;
let db: Awaited<ReturnType<typeof openDatabase>>;
let journal: GroupCommit;
let nowMs = 1_790_000_000_000;
beforeEach(async () => {
  dataDir = fs.mkdtempSync(path.join(os.tmpdir(), 'holdfast-prune-'));
  const options = { isReadOnly: false, newId: () => 'x', nowMs, crashPoints: noCrashPoints };
  db = await openDatabase({ dataDir, ...options });
  journal = createGroupCommit({
    db,
    clock: { nowMs: () => nowMs, monotonicMs: () => nowMs, sleep: () => Promise.resolve() },
    crashPoints: noCrashPoints,
    assertOwner: () => undefined,
  });
});
afterEach(() => {
  db.close();
  fs.rmSync(dataDir, { recursive: true, force: true });
});

const record = (provider: string, standing: ProviderRecord['standing']): ProviderRecord => ({
  ...newRecord(provider),
  failedTurns: standing.kind === 'answering' ? 0 : 3,
  standing,
});
const down = (provider: string, outageId: number): ProviderRecord =>
  record(provider, { kind: 'down', outageId, sinceMs: nowMs });

/** One outage: three failures, the declaration, `probes` probes, and its end. */
async function outage(provider: string, outageId: number, probes: number, ends = true) {
  const entries: JournalEntry[] = [
    {
      kind: 'provider.contact',
      provider,
      contact: 'failure',
      source: 'turn',
      record: down(provider, outageId),
    },
    {
      kind: 'outage.declared',
      provider,
      outageId,
      failedTurns: 3,
      reason: quoted('x'),
      record: down(provider, outageId),
    },
  ];
  for (let n = 0; n < probes; n++)
    entries.push({
      kind: 'provider.probed',
      provider,
      why: 'interval',
      ok: false,
      record: down(provider, outageId),
    });
  if (ends)
    entries.push({
      kind: 'outage.resolved',
      provider,
      outageId,
      record: record(provider, { kind: 'answering' }),
    });
  await journal.commit(entries);
}

const dump = (): unknown =>
  FOLD_TABLES.map((table) => [table, db.prepare(`SELECT * FROM ${table}`).all()]);
const rows = (): number =>
  Number(db.prepare('SELECT count(*) FROM journal WHERE kind BETWEEN 62 AND 66').pluck().get());
const old = () => ({
  beforeMs: nowMs - 30 * DAY_MS,
  commit: (entries: readonly JournalEntry[]) => journal.commit(entries),
  crashPoints: noCrashPoints,
  pause: () => Promise.resolve(),
  signal: new AbortController().signal,
});
const prune = (): Promise<number> => pruneOutages(db, old());

/** A breaker that opens and closes, `times`; the last entry says how it stands. */
async function moves(name: string, times: number, last: 'open' | 'closed' | 'gone') {
  const entry = (
    state: 'open' | 'closed',
    from: 'open' | 'closed',
    isGone = false,
  ): JournalEntry => ({
    kind: 'breaker.moved',
    name,
    dependency: 'provider',
    state,
    failures: 0,
    successes: 0,
    backoffMs: state === 'open' ? 10_000 : 0,
    cause: 'a test',
    from,
    ...(state === 'open' ? { openedAtMs: nowMs } : {}),
    ...(isGone ? { isGone: true as const } : {}),
  });
  for (let n = 0; n < times; n++)
    await journal.commit([entry('open', 'closed'), entry('closed', 'open')]);
  if (last === 'open') await journal.commit([entry('open', 'closed')]);
  if (last === 'gone') await journal.commit([entry('closed', 'closed', true)]);
}
const breakerRows = (): readonly unknown[] =>
  db
    .prepare(
      `SELECT json_extract(body, '$.name') || ' ' || json_extract(body, '$.state') FROM journal
       WHERE kind = 60 ORDER BY seq`,
    )
    .pluck()
    .all();
function expectRefold(): void {
  const kept = dump();
  for (const table of FOLD_TABLES) db.exec(`DELETE FROM ${table}`);
  createFold(db);
  journal.refold();
  expect(dump()).toEqual(kept);
}

it('S0-+02 S0-19 puts away outages that were over 30 days ago with their probes, and the tables are still what the journal says', async () => {
  await outage('a', 1, 100);
  await outage('open', 2, 50, false);
  nowMs += 31 * DAY_MS;
  await outage('a', 3, 5);
  const reads = createOutageReads(db);
  const before = reads.plotPoints('open', nowMs - 30 * DAY_MS);
  expect(await prune()).toBeGreaterThan(150);
  // Of "a" how it stood then; of "open" its declaration and how it stands; all that is newer.
  expect(rows()).toBe(1 + 2 + 8);
  expect(reads.outages({ limit: 9 }).map((one) => one.outageId)).toEqual([3, 2]);
  expect(reads.providerRecords().map((one) => one.standing.kind)).toEqual(['answering', 'down']);
  expect(reads.plotPoints('open', nowMs - 30 * DAY_MS).map(({ what }) => what)).toEqual(
    before.map(({ what }) => what),
  );
  expectRefold();
});

it('S0-+02 S2-05 S2-+04 of 1,206 changes of breakers older than 30 days only how those stand stays that have not changed since, and the tables are still what the journal says', async () => {
  await moves('provider.open', 300, 'open');
  await moves('provider.back', 300, 'closed');
  await moves('http.gone', 2, 'gone');
  nowMs += 31 * DAY_MS;
  await moves('provider.back', 1, 'closed');
  const before = dump();
  expect(await pruneBreakers(db, old())).toBe(1_205);
  expect(breakerRows()).toEqual([
    'provider.open open',
    'provider.back open',
    'provider.back closed',
  ]);
  expect(dump()).toEqual(before);
  expectRefold();
  expect(await pruneBreakers(db, old())).toBe(0);
});

it('S0-+02 what is written in 90 days of outages every day stays bounded, and a day without any writes nothing', async () => {
  const sizes: number[] = [];
  for (let day = 1; day <= 90; day++) {
    await outage('a', day, 20);
    nowMs += DAY_MS;
    await prune();
    sizes.push(rows());
  }
  expect(Math.max(...sizes.slice(35))).toBe(sizes[35]);
  expect(sizes.at(-1)).toBeLessThanOrEqual(31 * 23 + 1);
  nowMs += 60 * DAY_MS;
  await prune();
  const seq = journal.seq();
  nowMs += 60 * DAY_MS;
  expect(await prune()).toBeLessThanOrEqual(1);
  expect(await prune()).toBe(0);
  expect(journal.seq()).toBeLessThanOrEqual(seq + 1);
});

it('S0-+02 finds what is old by its index, whatever else the journal holds', () => {
  const plan = db
    .prepare(`EXPLAIN QUERY PLAN SELECT seq FROM journal WHERE ${OF_OUTAGES} AND at_ms < ?`)
    .all(5) as { detail: string }[];
  expect(plan.map(({ detail }) => detail).join()).toContain('journal_of_outages');
  const ofBreakers = db
    .prepare('EXPLAIN QUERY PLAN SELECT seq FROM journal WHERE kind = 60 AND at_ms < 5')
    .all() as { detail: string }[];
  expect(ofBreakers.map(({ detail }) => detail).join()).toContain('journal_of_breakers');
});

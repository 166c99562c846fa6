import fs from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { noCrashPoints } from '../../electron/engine/kernel/crash-points';
import { createSystemClock } from '../../electron/adapters/clock/system-clock';
import { isFoldBehind } from '../../electron/adapters/sqlite/applied';
import { createGroupCommit } from '../../electron/adapters/sqlite/journal/group-commit';
import { createReads } from '../../electron/adapters/sqlite/tables/reads';
import { FOLD_TABLES } from '../../electron/adapters/sqlite/tables/fold';
import type { StepRow, TurnRow } from '../../electron/ports/journal/rows';
import type { Realm } from './realm';

/** What the journal of a process that does not run says, read from a copy. */
export interface Evidence {
  readonly databaseId: string;
  readonly turns: readonly TurnRow[];
  readonly steps: ReadonlyMap<number, readonly StepRow[]>;
  readonly recoveries: readonly {
    readonly start_id: number;
    readonly turn_id: number;
    readonly action: string;
  }[];
  readonly inbox: readonly { readonly item: string; readonly turn_id: number | null }[];
  readonly starts: readonly { readonly id: number; readonly reason: string }[];
  readonly tables: string;
}

let copies = 0;

/** Copies the database with its log, as the kill has left them; the original is not opened. */
function withCopy<T>(realm: Realm, use: (db: Database.Database) => T): T {
  const target = path.join(realm.root, `copy-${String((copies += 1))}.db`);
  for (const end of ['', '-wal']) {
    const from = path.join(realm.dataDir, `holdfast.db${end}`);
    if (fs.existsSync(from)) fs.copyFileSync(from, `${target}${end}`);
  }
  const db = new Database(target);
  try {
    return use(db);
  } finally {
    db.close();
    for (const end of ['', '-wal', '-shm']) fs.rmSync(`${target}${end}`, { force: true });
  }
}

/** Undefined where the process died before there was a database. */
export function readEvidence(realm: Realm): Evidence | undefined {
  if (!fs.existsSync(path.join(realm.dataDir, 'holdfast.db'))) return undefined;
  return withCopy(realm, (db) => {
    if (db.pragma('user_version', { simple: true }) === 0) return undefined;
    const reads = createReads(db);
    const turns = reads.turns({ limit: 10_000 }).toReversed();
    return {
      databaseId: reads.databaseId(),
      turns,
      steps: new Map(turns.map((turn) => [turn.id, reads.steps(turn.id)])),
      recoveries: db.prepare('SELECT start_id, turn_id, action FROM recoveries').all() as never,
      inbox: db.prepare('SELECT item, turn_id FROM inbox WHERE settled_at IS NULL').all() as never,
      starts: db.prepare('SELECT id, reason FROM starts ORDER BY id').all() as never,
      tables: dump(db),
    };
  });
}

/** Every row of the named tables as text, in key order. */
function dump(db: Database.Database, tables: readonly string[] = FOLD_TABLES): string {
  return tables
    .map((table) => {
      const rows = db.prepare(`SELECT * FROM ${table} ORDER BY 1, 2`).all();
      return [table, ...rows.map((row) => JSON.stringify(row))].join('\n');
    })
    .join('\n\n');
}

/** What a query says of the database of a process that may run: of a copy. */
export function rowsOf<T>(realm: Realm, query: string): T[] {
  return withCopy(realm, (db) => db.prepare(query).all() as T[]);
}

export function dumpTables(realm: Realm, tables: readonly string[]): string {
  return withCopy(realm, (db) => dump(db, tables));
}

/** What is wrong with the database itself; empty when nothing is. */
export function databaseProblems(realm: Realm): string[] {
  return withCopy(realm, (db) => {
    const problems: string[] = [];
    const integrity = db.pragma('integrity_check', { simple: true });
    if (integrity !== 'ok') problems.push(`integrity_check: ${String(integrity)}`);
    const { rows, top } = db
      .prepare('SELECT count(*) AS rows, coalesce(max(seq), 0) AS top FROM journal')
      .get() as { rows: number; top: number };
    if (rows !== top)
      problems.push(`${String(rows)} journal rows are numbered up to ${String(top)}`);
    if (isFoldBehind(db)) problems.push(`the tables are behind ${String(top)}`);
    const before = dump(db);
    createGroupCommit({
      db,
      clock: createSystemClock(),
      crashPoints: noCrashPoints,
      assertOwner: () => undefined,
    }).refold();
    const after = dump(db);
    if (before !== after) problems.push(`the fold differs:\n${difference(before, after)}`);
    return problems;
  });
}

function difference(before: string, after: string): string {
  const left = before.split('\n');
  const right = after.split('\n');
  return [
    ...left.filter((line) => !right.includes(line)).map((line) => `- ${line}`),
    ...right.filter((line) => !left.includes(line)).map((line) => `+ ${line}`),
  ].join('\n');
}

/** Changes rows of a stopped database, for what time or an older run would have left. */
export function changeDatabase(realm: Realm, sql: string): void {
  const db = new Database(path.join(realm.dataDir, 'holdfast.db'));
  db.exec(sql);
  db.close();
}

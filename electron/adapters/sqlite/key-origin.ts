/**
 * The name of this database for its numbers outside: in idempotency keys, and in the IDs of
 * messages and events. A restored copy assigns numbers again that the original has used since.
 * Therefore it gets another name for new numbers, and what was there before keeps the old name.
 * S4-23, S1-11.
 */
import type Database from 'better-sqlite3';
import type { OriginOf } from '../../ports/journal/reads';
import { SteadyDatabase } from './steady-database';
import { sayWithoutWal } from './stray-wal';

/** Turns and inbox items up to these numbers have this name. */
interface EarlierOrigin {
  readonly id: string;
  readonly lastTurn: number;
  readonly lastInbox: number;
}

const stateOf = (db: Database.Database, key: string): string | undefined =>
  db.prepare('SELECT value FROM state WHERE key = ?').pluck().get(key) as string | undefined;

const presentOf = (db: Database.Database): string =>
  stateOf(db, 'key_origin') ?? stateOf(db, 'database_id') ?? '';

/** Unreadable content counts as no earlier origin: a new key never repeats an old one. */
function earlierOf(db: Database.Database): readonly EarlierOrigin[] {
  try {
    const rows: unknown = JSON.parse(stateOf(db, 'earlier_origins') ?? '[]');
    return Array.isArray(rows) ? (rows as EarlierOrigin[]) : [];
  } catch {
    return [];
  }
}

/** Read once, because only an import changes it, and the data is not open during an import. */
export function createOriginReads(db: Database.Database): OriginOf {
  let present: string | undefined;
  let earlier: readonly EarlierOrigin[] | undefined;
  return ({ turnId = Infinity, inboxId = Infinity } = {}) => {
    earlier ??= earlierOf(db);
    const old = earlier.find(
      ({ lastTurn, lastInbox }) => turnId <= lastTurn || inboxId <= lastInbox,
    );
    return old?.id ?? (present ??= presentOf(db));
  };
}

/** Everything that gets a number from now on has it under another name. One transaction. */
export function renewOrigin(db: Database.Database, newId: () => string): void {
  const last = (what: 'turn' | 'inbox', table: string): number =>
    Math.max(
      Number(db.prepare(`SELECT coalesce(max(id), 0) FROM ${table}`).pluck().get()),
      Number(stateOf(db, `floor_${what}`) ?? 0),
    );
  const put = db.prepare('INSERT OR REPLACE INTO state (key, value) VALUES (?, ?)');
  db.transaction(() => {
    const old = {
      id: presentOf(db),
      lastTurn: last('turn', 'turns'),
      lastInbox: last('inbox', 'inbox'),
    };
    put.run('earlier_origins', JSON.stringify([...earlierOf(db), old]));
    put.run('key_origin', newId());
  })();
}

/**
 * Marks a backup, so that a start that finds it in place of the database gives it another name, and
 * does not read a WAL of that database into it.
 */
export function markAsCopy(file: string): void {
  const copy = new SteadyDatabase(file);
  try {
    copy.prepare("INSERT OR REPLACE INTO state (key, value) VALUES ('is_copy', '1')").run();
    sayWithoutWal(copy);
  } finally {
    copy.close();
  }
}

/** {@link renewOrigin} for a restored backup. */
export function renewIfCopy(db: Database.Database, newId: () => string): void {
  if (stateOf(db, 'is_copy') === undefined) return;
  db.transaction(() => {
    renewOrigin(db, newId);
    db.prepare("DELETE FROM state WHERE key = 'is_copy'").run();
  })();
}

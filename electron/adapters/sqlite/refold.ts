import type Database from 'better-sqlite3';
import type { CrashPoints } from '../../engine/kernel/crash-points';
import type { JournalEntry } from '../../ports/journal/entries';
import { corruptError, withDamageNamed } from './damage';
import { decodeEntry, type RawRow } from './journal/entry-codec';
import { FOLD_TABLES } from './tables/fold';
import type { Applied } from './tables/fold-table';

/** Number of rows in memory at a time. */
const BATCH = 5_000;

/**
 * Rebuilds the tables from the journal alone, in one transaction: a kill leaves them unchanged, and
 * the next start does it again. An unreadable entry aborts it with nothing changed: skipped, it
 * would be lost silently (S4-03).
 *
 * @returns the entries applied
 * @throws DATABASE_CORRUPT with the number of the entry
 */
export function refoldTables(
  db: Database.Database,
  fold: (entry: JournalEntry, applied: Applied) => void,
  crashPoints: CrashPoints,
): number {
  let applied = 0;
  db.transaction(() => {
    for (const table of FOLD_TABLES) db.exec(`DELETE FROM ${table}`);
    for (const row of journalRows(db)) {
      fold(readEntry(row, db.name), { seq: row.seq, atMs: row.at_ms });
      applied += 1;
    }
    db.prepare('UPDATE fold SET applied_seq = (SELECT coalesce(max(seq), 0) FROM journal)').run();
    crashPoints.hit('tables.rebuild.inside');
  })();
  crashPoints.hit('tables.rebuild.after');
  return applied;
}

function* journalRows(db: Database.Database): Generator<RawRow> {
  const next = db.prepare('SELECT * FROM journal WHERE seq > ? ORDER BY seq LIMIT ?');
  let last = 0;
  for (;;) {
    let rows: RawRow[];
    try {
      rows = next.all(last, BATCH) as RawRow[];
    } catch (error) {
      throw withDamageNamed(error, db.name);
    }
    yield* rows;
    last = rows.at(-1)?.seq ?? last;
    if (rows.length < BATCH) return;
  }
}

function readEntry(row: RawRow, file: string): JournalEntry {
  const damaged = (cause?: unknown): Error =>
    corruptError(file, cause, `Entry ${String(row.seq)} of the journal in ${file} cannot be read.`);
  let entry: JournalEntry | undefined;
  try {
    entry = decodeEntry(row);
  } catch (error) {
    throw damaged(error);
  }
  if (entry === undefined) throw damaged();
  return entry;
}

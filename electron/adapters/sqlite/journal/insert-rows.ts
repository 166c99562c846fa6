import type Database from 'better-sqlite3';
import type { JournalEntry } from '../../../ports/journal/entries';
import { encodeEntry } from './entry-codec';
import { preparedOnce } from '../prepared';

const COLUMNS = '(seq, at_ms, kind, turn_id, step, key, body)';
const ROW = '(?, ?, ?, ?, ?, ?, ?)';
/** Starting a statement costs half as much as inserting a row. */
const MAX_ROWS = 16;

/** Inserts entries into the journal, in this order, with the numbers that follow `afterSeq`. */
type InsertRows = (entries: readonly JournalEntry[], afterSeq: number, atMs: number) => void;

export function createInsertRows(db: Database.Database): InsertRows {
  const sql = preparedOnce(db);
  const statements = Array.from(
    { length: MAX_ROWS },
    (_, index) =>
      `INSERT INTO journal ${COLUMNS} VALUES ${Array(index + 1)
        .fill(ROW)
        .join(', ')}`,
  );
  return (entries, afterSeq, atMs) => {
    for (let from = 0; from < entries.length; from += MAX_ROWS) {
      const values: unknown[] = [];
      const end = Math.min(from + MAX_ROWS, entries.length);
      for (let at = from; at < end; at += 1) {
        const { kind, turnId, step, key, body } = encodeEntry(entries[at] as JournalEntry);
        values.push(afterSeq + 1 + at, atMs, kind, turnId, step, key, body);
      }
      sql(statements[end - from - 1] ?? '').run(values);
    }
  };
}

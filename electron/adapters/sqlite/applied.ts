import type Database from 'better-sqlite3';
import type { JournalEntry } from '../../ports/journal/entries';
import { KIND_CODES } from './journal/entry-codec';

/**
 * The applied sequence: the journal entry up to which the tables are current. Both are written in
 * one
 * transaction, so it only lags if the file was changed by other means.
 *
 * Writing it costs a page in every commit, and most commits contain only steps, whose rows
 * have their sequence. So such commits leave it out; the entries after the last written one are at
 * most {@link MAX_TAIL} steps, and each can be looked up.
 */
const MAX_TAIL = 500;

/** True if a commit contains only steps, as nearly all do. */
export const isOnlySteps = (entries: readonly JournalEntry[]): boolean =>
  entries.every(({ kind }) => kind === 'step.started' || kind === 'step.ended');

/** True if a commit has to write the applied sequence. */
export function mustWriteApplied(
  entries: readonly JournalEntry[],
  seq: number,
  writtenSeq: number,
): boolean {
  return seq - writtenSeq >= MAX_TAIL || !isOnlySteps(entries);
}

/**
 * True if the tables do not match the journal: another applied sequence, or emptied. Every start
 * writes a marker, so a journal with entries has at least one row of `starts`. Reads a bounded
 * number of rows, however long the history.
 */
export function isFoldBehind(db: Database.Database): boolean {
  const top = Number(db.prepare('SELECT coalesce(max(seq), 0) FROM journal').pluck().get());
  const written = Number(
    db.prepare('SELECT coalesce(max(applied_seq), 0) FROM fold').pluck().get(),
  );
  if (top > 0 && db.prepare('SELECT 1 FROM starts LIMIT 1').get() === undefined) return true;
  if (areRunsBehind(db)) return true;
  if (top === written) return false;
  if (top < written || top - written >= MAX_TAIL) return true;
  return (
    db
      .prepare(
        `SELECT 1 FROM journal AS j
         LEFT JOIN steps AS s ON s.turn_id = j.turn_id AND s.step = j.step
         WHERE j.seq > ? AND NOT coalesce(
           (j.kind = ${String(KIND_CODES['step.started'])} AND s.started_seq >= j.seq)
           OR (j.kind = ${String(KIND_CODES['step.ended'])} AND s.ended_seq >= j.seq), 0)
         LIMIT 1`,
      )
      .get(written) !== undefined
  );
}

/**
 * True if the newest step of an open turn belongs to a run that the table does not know, or if the
 * record of an open run is not JSON: a lost or damaged snapshot is rebuilt from the journal, never
 * treated as empty (S4-02). Reads open turns and open runs only.
 */
function areRunsBehind(db: Database.Database): boolean {
  const isLost = db
    .prepare(
      `SELECT 1 FROM turns AS t
       JOIN journal AS j ON j.seq =
         (SELECT started_seq FROM steps WHERE turn_id = t.id ORDER BY step DESC LIMIT 1)
       WHERE t.is_closed = 0 AND json_valid(j.body) AND json_extract(j.body, '$.k[0]') IS NOT NULL
         AND NOT EXISTS (SELECT 1 FROM runs WHERE id = json_extract(j.body, '$.k[0]'))
       LIMIT 1`,
    )
    .get();
  const isDamaged = db
    .prepare(
      'SELECT 1 FROM runs WHERE is_open = 1 AND NOT (json_valid(visits) AND json_valid(history)) LIMIT 1',
    )
    .get();
  return isLost !== undefined || isDamaged !== undefined;
}

import type Database from 'better-sqlite3';
import type { JournalEntry } from '../../../ports/journal/entries';
import type { SentText, UnsentTexts } from '../../../ports/unsent';
import type { GroupCommit } from '../journal/group-commit';
import { preparedOnce } from '../prepared';

/**
 * Rows of the table `unsent`. A sent row is deleted in the transaction of the entries that accept
 * it: after a kill it is either still unsent or accepted, never both and never neither.
 */
interface UnsentRows {
  /** Runs inside the transaction that accepts the text. What was typed after it stays. */
  forget(sent: SentText): void;
  /**
   * Runs inside the transaction of an entry: text that was typed below a question is deleted with
   * its answer.
   */
  together(entry: JournalEntry): void;
  texts(run: GroupCommit['run']): UnsentTexts;
}

/** Maximum number of stored fields; the least recently edited text is removed first. */
const MAX_FIELDS = 200;

/** Fields of things that no longer exist: after a reset, or a question that ended with its turn. */
const PRUNE = `DELETE FROM unsent WHERE
  (field LIKE 'session/%' AND CAST(substr(field, 9) AS INTEGER) NOT IN
    (SELECT id FROM sessions WHERE deleted_at IS NULL)) OR
  (field GLOB 'task/[1-9]*' AND CAST(substr(field, 6) AS INTEGER) NOT IN (SELECT id FROM tasks)) OR
  (field LIKE 'note/%' AND CAST(substr(field, 6) AS INTEGER) NOT IN
    (SELECT id FROM requests WHERE answered_at IS NULL)) OR
  (field LIKE 'result/%' AND CAST(substr(field, 8) AS INTEGER) NOT IN
    (SELECT id FROM requests WHERE answered_at IS NULL))`;

export function createUnsentRows(db: Database.Database): UnsentRows {
  const sql = preparedOnce(db);
  const drop = (field: string): void => void sql('DELETE FROM unsent WHERE field = ?').run(field);

  const prune = (): void => {
    sql(PRUNE).run();
    sql(
      `DELETE FROM unsent WHERE field IN
         (SELECT field FROM unsent ORDER BY kept_at DESC, rowid DESC LIMIT -1 OFFSET ?)`,
    ).run(MAX_FIELDS);
  };

  const write = (field: string, { text, rev }: { text: string; rev: number }, atMs: number) => {
    const known = sql('SELECT rev FROM unsent WHERE field = ?').pluck().get(field);
    if (typeof known === 'number' && known >= rev) return;
    if (text === '') {
      drop(field);
      return;
    }
    sql('INSERT OR REPLACE INTO unsent (field, rev, kept_at, text) VALUES (?, ?, ?, ?)').run(
      field,
      rev,
      atMs,
      text,
    );
    if (known === undefined) prune();
  };

  return {
    forget({ field, rev }) {
      sql('DELETE FROM unsent WHERE field = ? AND rev <= ?').run(field, rev);
    },
    together(entry) {
      if (entry.kind !== 'approval.answered') return;
      drop(`note/${String(entry.requestId)}`);
      drop(`result/${String(entry.requestId)}`);
    },
    texts: (run) => ({
      read(field) {
        const row = sql('SELECT rev, text FROM unsent WHERE field = ?').get(field);
        return row as { readonly rev: number; readonly text: string } | undefined;
      },
      async keep(field, text) {
        await run((atMs) => {
          write(field, text, atMs);
        });
      },
    }),
  };
}

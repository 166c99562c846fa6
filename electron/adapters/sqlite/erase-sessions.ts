import type Database from 'better-sqlite3';
import type { JournalEntry } from '../../ports/journal/entries';
import type { SessionErasure } from '../../ports/session-erasure';
import { codesOf } from './journal/entry-codec';
import { prunedEntries, type PrunableTurn } from './pruned-entry';

/** Turns erased per transaction. */
const BATCH = 20;

/**
 * Erases the content of deleted sessions: prompts, answers and the entries of their steps. The rows
 * of the turns stay with their totals, and so does the order of the journal. An entry without its
 * text folds into the same tables, so that a rebuild of the tables gives the same rows. Large texts
 * are files that rows no longer name; maintenance removes them.
 */
export function createSessionErasure(
  db: Database.Database,
  commit: (entries: readonly JournalEntry[]) => Promise<unknown>,
): SessionErasure {
  const run = (text: string, values: object): void => void db.prepare(text).run(values);
  const erase = db.transaction((turns: readonly ErasedTurn[]): void => {
    for (const { id, prompt_seq: prompt, closed_seq: closed } of turns) {
      run(
        `DELETE FROM journal WHERE seq IN (
           SELECT started_seq FROM steps WHERE turn_id = @id
           UNION ALL SELECT ended_seq FROM steps WHERE turn_id = @id AND ended_seq IS NOT NULL)`,
        { id },
      );
      run(
        `DELETE FROM journal WHERE seq BETWEEN @prompt AND @closed AND turn_id = @id
           AND kind IN (${codesOf('outside.call', 'outside.asking', 'call.retried')})`,
        { id, prompt, closed },
      );
      run('DELETE FROM steps WHERE turn_id = @id', { id });
      run('UPDATE session_events SET text_seq = NULL WHERE turn_id = @id AND seq <> @prompt', {
        id,
        prompt,
      });
      run(
        `UPDATE journal SET body = json_set(
           json_remove(body, '$.b', '$.n', '$.s'), '$.x', '', '$.promptStart', '') WHERE seq = @prompt`,
        { prompt },
      );
      run("UPDATE turns SET prompt_start = '' WHERE id = @id", { id });
    }
  });
  return {
    async erase() {
      const find = db.prepare(
        `SELECT t.id, t.prompt_seq, t.closed_seq, t.tokens_in, t.tokens_out, t.cost_usd
         FROM sessions AS s JOIN turns AS t ON t.session_id = s.id
         WHERE s.deleted_at IS NOT NULL AND t.is_closed = 1 AND t.prompt_start <> ''
         ORDER BY t.id LIMIT ?`,
      );
      for (;;) {
        const turns = find.all(BATCH) as readonly ErasedTurn[];
        if (turns.length === 0) return;
        await commit(prunedEntries(db, turns));
        erase(turns);
      }
    },
  };
}

interface ErasedTurn extends Pick<PrunableTurn, 'id' | 'tokens_in' | 'tokens_out' | 'cost_usd'> {
  readonly prompt_seq: number;
  readonly closed_seq: number;
}

import type Database from 'better-sqlite3';
import type { JournalEntry } from '../../ports/journal/journal';
import type { ExternalEntry } from '../../ports/journal/external';
import type { Applied } from './fold-table';

/** Applies what outside agents said to `outside_sessions` and `outside_calls`. */
export function createExternalFold(
  db: Database.Database,
): (
  entry: ExternalEntry | Extract<JournalEntry, { kind: 'turn.pruned' }>,
  applied: Applied,
) => void {
  const session = db.prepare(
    `INSERT INTO outside_sessions (session_id, agent, ref, used_at, is_in_terminal, cost_usd)
     VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (session_id, agent) DO UPDATE SET ref = excluded.ref, used_at = excluded.used_at,
       is_in_terminal = excluded.is_in_terminal,
       cost_usd = CASE WHEN excluded.is_in_terminal = 1 THEN NULL WHEN excluded.ref = ref THEN coalesce(excluded.cost_usd, cost_usd)
         ELSE excluded.cost_usd END`,
  );
  const call = db.prepare(
    `INSERT INTO outside_calls (turn_id, step, call_seq) VALUES (?, ?, ?)
     ON CONFLICT (turn_id, step) DO UPDATE SET call_seq = excluded.call_seq`,
  );
  const asking = db.prepare(
    `UPDATE outside_calls SET asking = ?, request_id = coalesce(?, request_id)
     WHERE turn_id = ? AND step = ?`,
  );
  // The call that a person has decided begins here: its step had been on disk before the question.
  const answerUsed = db.prepare(
    'UPDATE turns SET is_answered = 0 WHERE id = ? AND is_answered <> 0',
  );
  const pruned = db.prepare('DELETE FROM outside_calls WHERE turn_id = ?');
  return (entry, { seq, atMs }) => {
    switch (entry.kind) {
      case 'outside.session':
        session.run(
          entry.sessionId,
          entry.agent,
          entry.ref,
          atMs,
          entry.isInTerminal === true ? 1 : 0,
          entry.costUsd ?? null,
        );
        return;
      case 'outside.call':
        call.run(entry.turnId, entry.step, seq);
        return;
      case 'outside.asking':
        asking.run(entry.state, entry.requestId ?? null, entry.turnId, entry.step);
        if (entry.state !== 'asked') answerUsed.run(entry.turnId);
        return;
      case 'turn.pruned':
        pruned.run(entry.turnId);
        return;
      case 'outside.orphans':
        return; // the journal tells it; no table needs it
    }
  };
}

import type Database from 'better-sqlite3';
import type { ApprovalEntry } from '../../ports/journal/approvals';
import type { Applied } from './fold-table';

/** Applies questions and their answers to `requests` and `grants`. */
export function createApprovalsFold(
  db: Database.Database,
): (entry: ApprovalEntry, applied: Applied) => void {
  const requested = db.prepare(
    'INSERT INTO requests (id, turn_id, session_id, requested_seq, requested_at) VALUES (?, ?, ?, ?, ?)',
  );
  const answered = db.prepare(
    'UPDATE requests SET answered_seq = ?, answered_at = ? WHERE id = ? AND answered_at IS NULL',
  );
  const granted = db.prepare('INSERT OR IGNORE INTO grants (session_id, what) VALUES (?, ?)');
  // A person has just looked at the turn: the gate of a restart does not ask again (S4-+04).
  const looked = db.prepare(
    'UPDATE turns SET crashes = 0, stalls = 0, is_answered = 1 WHERE id = ?',
  );
  return (entry, { seq, atMs }) => {
    if (entry.kind === 'approval.requested') {
      requested.run(entry.requestId, entry.turnId, entry.sessionId, seq, atMs);
      return;
    }
    const { changes } = answered.run(seq, atMs, entry.requestId);
    if (changes === 0 || entry.answer === 'cleared') return;
    looked.run(entry.turnId);
    if (entry.answer === 'allowed' && entry.scope !== 'once')
      granted.run(entry.sessionId, entry.grant);
  };
}

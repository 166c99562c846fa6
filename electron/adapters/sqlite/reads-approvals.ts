import type Database from 'better-sqlite3';
import type { ApprovalEntry, ApprovalReads, RequestRow } from '../../ports/journal-approvals';

type Row = Record<string, unknown>;
type Asked = Extract<ApprovalEntry, { kind: 'approval.requested' }>;
type Answered = Extract<ApprovalEntry, { kind: 'approval.answered' }>;

const QUERY = `SELECT r.*, q.body AS asked, a.body AS told FROM requests AS r
  JOIN journal AS q ON q.seq = r.requested_seq LEFT JOIN journal AS a ON a.seq = r.answered_seq`;

/** Reads of questions. What they are about stands once, in the journal. */
export function createApprovalReads(db: Database.Database): ApprovalReads {
  const rows = (text: string, ...values: unknown[]): readonly RequestRow[] =>
    (db.prepare(`${QUERY} ${text}`).all(...values) as Row[]).map(requestOf);
  return {
    request: (id) => rows('WHERE r.id = ?', id)[0],
    requests({ includeAnswered, sessionId, limit }) {
      const where = [
        ...(includeAnswered ? [] : ['r.answered_at IS NULL']),
        ...(sessionId === undefined ? [] : ['r.session_id = ?']),
      ];
      return rows(
        `${where.length === 0 ? '' : `WHERE ${where.join(' AND ')} `}ORDER BY r.id ${includeAnswered ? 'DESC' : 'ASC'} LIMIT ?`,
        ...(sessionId === undefined ? [] : [sessionId]),
        limit,
      );
    },
    requestsOfTurn: (turnId) => rows('WHERE r.turn_id = ? ORDER BY r.id', turnId),
    grants: (sessionId) =>
      new Set(
        db
          .prepare('SELECT what FROM grants WHERE session_id = ?')
          .pluck()
          .all(sessionId) as string[],
      ),
  };
}

function requestOf(row: Row): RequestRow {
  const asked = JSON.parse(String(row['asked'])) as Omit<Asked, 'kind' | 'turnId'>;
  const told =
    typeof row['told'] === 'string'
      ? (JSON.parse(row['told']) as Omit<Answered, 'kind' | 'turnId'>)
      : undefined;
  return {
    ...asked,
    turnId: Number(row['turn_id']),
    requestedAtMs: Number(row['requested_at']),
    answeredAtMs: typeof row['answered_at'] === 'number' ? row['answered_at'] : undefined,
    answer: told?.answer,
    scope: told?.scope,
    by: told?.by,
    note: told?.note,
    result: told?.result,
  };
}

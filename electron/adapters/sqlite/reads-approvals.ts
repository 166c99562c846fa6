import type Database from 'better-sqlite3';
import type { ApprovalEntry, ApprovalReads, RequestRow } from '../../ports/journal-approvals';
import { preparedOnce } from './prepared';

type Row = Record<string, unknown>;
type Asked = Extract<ApprovalEntry, { kind: 'approval.requested' }>;
type Answered = Extract<ApprovalEntry, { kind: 'approval.answered' }>;

const QUERY = `SELECT r.*, q.body AS asked, a.body AS told FROM requests AS r
  JOIN journal AS q ON q.seq = r.requested_seq LEFT JOIN journal AS a ON a.seq = r.answered_seq`;

/** Reads of questions. What they are about stands once, in the journal. */
export function createApprovalReads(db: Database.Database): ApprovalReads {
  const sql = preparedOnce(db);
  const rows = (text: string, ...values: unknown[]): readonly RequestRow[] =>
    (sql(`${QUERY} ${text}`).all(...values) as Row[]).map(requestOf);
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
    // Asked at each call of a tool, and almost no turn has one: the index says so at once.
    requestsOfTurn: (turnId) =>
      sql('SELECT 1 FROM requests WHERE turn_id = ? LIMIT 1').get(turnId) === undefined
        ? []
        : rows('WHERE r.turn_id = ? ORDER BY r.id', turnId),
    isGranted: (sessionId, what) =>
      sql('SELECT 1 FROM grants WHERE session_id = ? AND what = ?').get(sessionId, what) !==
      undefined,
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

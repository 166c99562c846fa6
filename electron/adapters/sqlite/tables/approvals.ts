import type Database from 'better-sqlite3';
import type { ApprovalEntry, ApprovalReads, RequestRow } from '../../../ports/journal/approvals';
import type { Applied } from './fold-table';
import type { TurnState } from '../../../../shared/types';
import type { EventRow } from '../../../ports/journal/rows';
import type { StoredText } from '../../../ports/journal/stored';
import { type Queries, queries } from '../prepared';
import { eachReadable, numberOr, type Row } from '../row';

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
  // The user has just reviewed the turn, so a restart does not ask again (S4-+04).
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

type ApprovalRequested = Extract<ApprovalEntry, { kind: 'approval.requested' }>;
type Answered = Extract<ApprovalEntry, { kind: 'approval.answered' }>;

const FROM = `FROM requests AS r
  JOIN journal AS q ON q.seq = r.requested_seq LEFT JOIN journal AS a ON a.seq = r.answered_seq`;
const QUERY = `SELECT r.*, q.body AS asked, a.body AS told ${FROM}`;
const QUERY_WITH_TURN = `SELECT r.*, q.body AS asked, a.body AS told, t.state ${FROM}
  LEFT JOIN turns AS t ON t.id = r.turn_id`;

/**
 * Permission requests and answers as events of their session: external tool calls, and what the
 * user or the external side answered. A call that only waits for permission is an event when it is
 * made.
 */
export function readRequestEvents(
  rows: Queries['rows'],
  sessionId: number,
  window: { readonly afterSeq: number; readonly beforeSeq: number; readonly limit: number },
): readonly EventRow[] {
  const events = (
    seq: 'requested_seq' | 'answered_seq',
    of: (row: RequestRow) => Pick<EventRow, 'kind' | 'atMs' | 'text'> | undefined,
  ): readonly EventRow[] =>
    rows(
      `${QUERY_WITH_TURN} WHERE r.session_id = ? AND r.${seq} > ? AND r.${seq} < ? ORDER BY r.${seq} DESC LIMIT ?`,
      ...[sessionId, window.afterSeq, window.beforeSeq, window.limit],
    ).flatMap((found) => {
      const request = requestOf(found);
      const event = of(request);
      if (event === undefined) return [];
      const turnState = found['state'] as TurnState | null;
      return [
        {
          seq: Number(found[seq]),
          turnId: request.turnId,
          ...event,
          request,
          ...(turnState === null ? {} : { turnState }),
        },
      ];
    });
  return [
    ...events('requested_seq', ({ request, requestedAtMs, input }) =>
      request === 'custom_tool'
        ? { kind: 'approval.requested', atMs: requestedAtMs, text: input }
        : undefined,
    ),
    ...events('answered_seq', (row) =>
      row.answer === undefined || row.answer === 'cleared'
        ? undefined
        : { kind: 'approval.answered', atMs: row.answeredAtMs ?? 0, text: saidIn(row) },
    ),
  ];
}

function saidIn({ answer, scope, note = '', result }: RequestRow): StoredText {
  const plain = answer === 'denied' ? 'refused' : String(answer);
  const said = answer === 'allowed' ? `allowed (${scope ?? 'once'})` : plain;
  return result ?? { kind: 'inline', text: note === '' ? said : `${said}: ${note}` };
}

/** Reads of permission requests. Their content is stored once, in the journal. */
export function createApprovalReads(db: Database.Database): ApprovalReads {
  const { rows, one, has } = queries(db);
  return {
    request: (id) => one(requestOf, `${QUERY} WHERE r.id = ?`, id),
    requests({ includeAnswered, sessionId, limit }) {
      const where = [
        ...(includeAnswered ? [] : ['r.answered_at IS NULL']),
        ...(sessionId === undefined ? [] : ['r.session_id = ?']),
      ];
      const open = rows(
        `${QUERY} ${where.length === 0 ? '' : `WHERE ${where.join(' AND ')} `}ORDER BY r.id ${includeAnswered ? 'DESC' : 'ASC'} LIMIT ?`,
        ...(sessionId === undefined ? [] : [sessionId]),
        limit,
      );
      return eachReadable(open, requestOf);
    },
    requestsOfTurn: (turnId) =>
      rows(`${QUERY} WHERE r.turn_id = ? ORDER BY r.id`, turnId).map(requestOf),
    isGranted: (sessionId, what) =>
      has('SELECT 1 FROM grants WHERE session_id = ? AND what = ?', sessionId, what),
  };
}

function requestOf(row: Row): RequestRow {
  const asked = JSON.parse(String(row['asked'])) as Omit<ApprovalRequested, 'kind' | 'turnId'>;
  const told =
    typeof row['told'] === 'string'
      ? (JSON.parse(row['told']) as Omit<Answered, 'kind' | 'turnId'>)
      : undefined;
  return {
    ...asked,
    turnId: Number(row['turn_id']),
    requestedAtMs: Number(row['requested_at']),
    answeredAtMs: numberOr(row['answered_at']),
    answer: told?.answer,
    scope: told?.scope,
    by: told?.by,
    note: told?.note,
    result: told?.result,
  };
}

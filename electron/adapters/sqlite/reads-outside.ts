import type Database from 'better-sqlite3';
import type {
  ExternalAsking,
  ExternalCallRow,
  ExternalReads,
  ExternalSessionRow,
} from '../../ports/journal/external';
import type { ExternalToolKind } from '../../ports/external-agent';
import { preparedOnce } from './prepared';

type Row = Record<string, unknown>;

/** Reads of what outside agents left. What a call is about stands once, in the journal. */
export function createExternalReads(db: Database.Database): ExternalReads {
  const sql = preparedOnce(db);
  return {
    outsideSession(sessionId, agent) {
      const row = sql('SELECT * FROM outside_sessions WHERE session_id = ? AND agent = ?').get(
        sessionId,
        agent,
      ) as Row | undefined;
      return row === undefined ? undefined : sessionOf(row);
    },
    isOutsideSessionKept: ({ id, agent }) =>
      sql(
        `SELECT 1 FROM turns AS t JOIN journal AS j ON j.seq = t.prompt_seq
         JOIN outside_sessions AS o ON o.session_id = t.session_id AND o.agent = ?
         WHERE t.id = ? AND json_extract(j.body, '$.behindTurn') IS NOT NULL
           AND o.used_at < (SELECT max(started_at) FROM starts WHERE started_at <= t.accepted_at)`,
      ).get(agent, id) !== undefined,
    outsideSessionByRef(ref) {
      const row = sql(
        'SELECT * FROM outside_sessions WHERE ref = ? ORDER BY used_at DESC LIMIT 1',
      ).get(ref) as Row | undefined;
      return row === undefined ? undefined : sessionOf(row);
    },
    outsideCalls: (turnId) =>
      (
        sql(
          `SELECT c.*, j.body FROM outside_calls AS c JOIN journal AS j ON j.seq = c.call_seq
           WHERE c.turn_id = ? ORDER BY c.step`,
        ).all(turnId) as Row[]
      ).map(callOf),
    wasOutsideCallId: ({ id, sessionId }, callId) =>
      sql(
        `SELECT 1 FROM turns AS t JOIN outside_calls AS c ON c.turn_id = t.id
         JOIN journal AS j ON j.seq = c.call_seq
         WHERE t.session_id = ? AND t.id < ? AND json_extract(j.body, '$.callId') = ? LIMIT 1`,
      ).get(sessionId, id, callId) !== undefined,
  };
}

function sessionOf(row: Row): ExternalSessionRow {
  return {
    sessionId: Number(row['session_id']),
    agent: String(row['agent']),
    ref: String(row['ref']),
    usedAtMs: Number(row['used_at']),
    isInTerminal: row['is_in_terminal'] === 1,
    costUsd: typeof row['cost_usd'] === 'number' ? row['cost_usd'] : undefined,
  };
}

function callOf(row: Row): ExternalCallRow {
  const body = JSON.parse(String(row['body'])) as Row;
  return {
    turnId: Number(row['turn_id']),
    step: Number(row['step']),
    callId: String(body['callId']),
    tool: body['tool'] as ExternalToolKind,
    title: String(body['title']),
    input: String(body['input'] ?? ''),
    identity: String(body['identity']),
    asking: typeof row['asking'] === 'string' ? (row['asking'] as ExternalAsking) : undefined,
    requestId: typeof row['request_id'] === 'number' ? row['request_id'] : undefined,
  };
}

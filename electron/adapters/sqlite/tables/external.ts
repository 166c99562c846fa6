import type Database from 'better-sqlite3';
import type { JournalEntry } from '../../../ports/journal/entries';
import type {
  ExternalEntry,
  ExternalAsking,
  ExternalCallRow,
  ExternalReads,
  ExternalSessionRow,
} from '../../../ports/journal/external';
import type { Applied } from './fold-table';
import type { ExternalToolKind } from '../../../ports/external-agent';
import { queries } from '../prepared';
import { type Row, numberOr, textOr } from '../row';

/** Applies reports of external agents to `outside_sessions` and `outside_calls`. */
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
  // The call that the user has decided on starts here: its step was on disk before the question.
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
        return; // only in the journal; no table needs it
    }
  };
}

/** Reads about external agents. The content of a call is stored once, in the journal. */
export function createExternalReads(db: Database.Database): ExternalReads {
  const { rows, one, has } = queries(db);
  return {
    outsideSession: (sessionId, agent) =>
      one(
        sessionOf,
        'SELECT * FROM outside_sessions WHERE session_id = ? AND agent = ?',
        sessionId,
        agent,
      ),
    isOutsideSessionKept: ({ id, agent }) =>
      has(
        `SELECT 1 FROM turns AS t JOIN journal AS j ON j.seq = t.prompt_seq
         JOIN outside_sessions AS o ON o.session_id = t.session_id AND o.agent = ?
         WHERE t.id = ? AND json_extract(j.body, '$.behindTurn') IS NOT NULL
           AND o.used_at < (SELECT max(started_at) FROM starts WHERE started_at <= t.accepted_at)`,
        agent,
        id,
      ),
    outsideSessionByRef: (ref) =>
      one(
        sessionOf,
        'SELECT * FROM outside_sessions WHERE ref = ? ORDER BY used_at DESC LIMIT 1',
        ref,
      ),
    outsideCalls: (turnId) =>
      rows(
        `SELECT c.*, j.body FROM outside_calls AS c JOIN journal AS j ON j.seq = c.call_seq
         WHERE c.turn_id = ? ORDER BY c.step`,
        turnId,
      ).map(callOf),
    wasOutsideCallId: ({ id, sessionId }, callId) =>
      has(
        `SELECT 1 FROM turns AS t JOIN outside_calls AS c ON c.turn_id = t.id
         JOIN journal AS j ON j.seq = c.call_seq
         WHERE t.session_id = ? AND t.id < ? AND json_extract(j.body, '$.callId') = ? LIMIT 1`,
        ...[sessionId, id, callId],
      ),
  };
}

function sessionOf(row: Row): ExternalSessionRow {
  return {
    sessionId: Number(row['session_id']),
    agent: String(row['agent']),
    ref: String(row['ref']),
    usedAtMs: Number(row['used_at']),
    isInTerminal: row['is_in_terminal'] === 1,
    costUsd: numberOr(row['cost_usd']),
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
    asking: textOr(row['asking']) as ExternalAsking | undefined,
    requestId: numberOr(row['request_id']),
  };
}

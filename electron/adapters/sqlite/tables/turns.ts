import type { Usage } from '../../../../shared/types';
import { storedReason } from '../../../../shared/reason';
import type Database from 'better-sqlite3';
import { STEP_STATE_CODES } from '../journal/entry-codec';
import type { SkillsFold } from './skills';
import type { FoldTable } from './fold-table';

const HOUR_MS = 3_600_000;
/** The kinds of `session_events` have the same numbers as in the journal. */
const EVENT = { created: 1, message: 2, interrupted: 3, closed: 12 } as const;

type TurnKind =
  | 'session.created'
  | 'message.accepted'
  | 'session.interrupted'
  | 'session.set'
  | 'frame.recorded'
  | 'turn.started'
  | 'step.started'
  | 'step.ended'
  | 'steps.reused'
  | 'decision.recorded'
  | 'turn.recovered'
  | 'turn.state'
  | 'turn.waits'
  | 'turn.fell_back'
  | 'turn.abandoned'
  | 'turn.closed'
  | 'turn.pruned'
  | 'call.retried'
  | 'approval.answered'
  | 'reply.delivered';

const sessionStatements = (db: Database.Database) => {
  const sql = (text: string): Database.Statement => db.prepare(text);
  return {
    sessionCreated: sql(
      `INSERT INTO sessions (id, key, title, agent, parent_id, created_at, last_event_at, fork_of,
         fork_turn)
       VALUES (@sessionId, @key, @title, @agent, @parentId, @atMs, @atMs, @forkOf, @forkTurn)`,
    ),
    // When its last open turn is closed, a session is reported to its parent session.
    childIdle: sql(
      `INSERT INTO session_events (session_id, seq, kind, turn_id, text_seq)
       SELECT parent_id, @seq, ${String(EVENT.closed)}, @turn, @text FROM sessions
       WHERE id = @session AND parent_id IS NOT NULL AND open_turn_count = 0`,
    ),
    event: sql(
      'INSERT INTO session_events (session_id, seq, kind, turn_id, text_seq) VALUES (?, ?, ?, ?, ?)',
    ),
    sessionMessage: sql(
      // A new message makes its session visible again, because everything that was accepted must be
      // in a list.
      `UPDATE sessions SET last_event_at = ?, last_event_seq = ?, last_is_message = 1,
         archived_at = NULL, deleted_at = NULL, turn_count = turn_count + 1, open_turn_count = open_turn_count + 1 WHERE id = ?`,
    ),
    sessionTitled: sql('UPDATE sessions SET title = ? WHERE id = ?'),
    sessionPinned: sql('UPDATE sessions SET pinned_at = ? WHERE id = ?'),
    sessionArchived: sql('UPDATE sessions SET archived_at = ? WHERE id = ?'),
    // The key is free again. A session that was given a turn at the same moment stays.
    sessionDeleted: sql(
      `UPDATE sessions SET deleted_at = ?, pinned_at = NULL, title = '', key = 'deleted/' || id
       WHERE id = ? AND open_turn_count = 0`,
    ),
    // The agent's own conversation belongs to the user, who may continue it in another session.
    sessionFreed: sql(
      `DELETE FROM outside_sessions WHERE session_id = ?
         AND EXISTS (SELECT 1 FROM sessions WHERE id = session_id AND deleted_at IS NOT NULL)`,
    ),
    sessionTouched: sql(
      'UPDATE sessions SET last_event_at = ?, last_event_seq = ?, last_is_message = 0 WHERE id = ?',
    ),
    sessionTurnClosed: sql(
      `UPDATE sessions SET last_event_at = ?, last_event_seq = ?, last_is_message = 0,
         open_turn_count = max(0, open_turn_count - 1) WHERE id = ?`,
    ),
  };
};

const stepStatements = (db: Database.Database) => ({
  stepStarted: db.prepare(
    `INSERT INTO steps (turn_id, step, state, started_seq) VALUES (?, ?, 0, ?)
     ON CONFLICT (turn_id, step) DO NOTHING`,
  ),
  // Another computer used the number of a step that never began for one of its own steps. DW-06
  stepReplaced: db.prepare(
    `UPDATE steps SET state = 0, started_seq = ?, ended_seq = NULL, reused = 0
     WHERE turn_id = ? AND step = ? AND state = ${String(STEP_STATE_CODES.failed)}`,
  ),
  callReplaced: db.prepare('DELETE FROM outside_calls WHERE turn_id = ? AND step = ?'),
});

const turnStatements = (db: Database.Database) => {
  const sql = (text: string): Database.Statement => db.prepare(text);
  return {
    turnAccepted: sql(
      `INSERT INTO turns (id, session_id, state, prompt_start, prompt_seq, channel, peer, accepted_at,
         is_outcome)
       VALUES (@turnId, @sessionId, 'queued', @promptStart, @seq, @channel, @peer, @atMs, @isOutcome)`,
    ),
    frame: sql('INSERT INTO frames (id, hash, seq) VALUES (?, ?, ?)'),
    turnStarted: sql(
      `UPDATE turns SET state = 'running', reason = '', attempt = ?, frame_id = ?, framed_at = ?,
         started_at = coalesce(started_at, ?) WHERE id = ? AND is_closed = 0`,
    ),
    answerUsed: sql('UPDATE turns SET is_answered = 0 WHERE id = ? AND is_answered <> 0'),
    stepEnded: sql('UPDATE steps SET state = ?, ended_seq = ? WHERE turn_id = ? AND step = ?'),
    turnUsage: sql(
      `UPDATE turns SET tokens_in = tokens_in + ?, tokens_out = tokens_out + ?,
         cost_usd = CASE WHEN ? IS NULL THEN cost_usd ELSE coalesce(cost_usd, 0) + ? END
       WHERE id = ?`,
    ),
    turnPruned: sql('UPDATE turns SET tokens_in = ?, tokens_out = ?, cost_usd = ? WHERE id = ?'),
    turnProgress: sql('UPDATE turns SET crashes = 0, stalls = 0 WHERE id = ? AND crashes <> 0'),
    stepReused: sql('UPDATE steps SET reused = reused + 1 WHERE turn_id = ? AND step = ?'),
    turnReused: sql(
      `UPDATE turns SET reused = reused + ?, saved_in = saved_in + ?, saved_out = saved_out + ?,
         saved_usd = CASE WHEN ? IS NULL THEN saved_usd ELSE coalesce(saved_usd, 0) + ? END WHERE id = ?`,
    ),
    kept: sql(
      `INSERT INTO kept_hours (hour_ms, steps, saved_usd) VALUES (?, ?, ?)
       ON CONFLICT (hour_ms) DO UPDATE SET steps = steps + excluded.steps, saved_usd = saved_usd + excluded.saved_usd`,
    ),
    recovered: sql(
      'INSERT OR REPLACE INTO recoveries (start_id, turn_id, action, reason, at_ms) VALUES (?, ?, ?, ?, ?)',
    ),
    turnCrashes: sql('UPDATE turns SET crashes = ? WHERE id = ?'),
    // A closed turn stays closed, even if a canceled run still had writes pending.
    turnState: sql('UPDATE turns SET state = ?, reason = ? WHERE id = ? AND is_closed = 0'),
    fellBack: sql(
      `UPDATE turns SET fallbacks = json_insert(coalesce(fallbacks, '[]'), '$[#]', json(?))
       WHERE id = ? AND is_closed = 0`,
    ),
    limitRaised: sql(
      'UPDATE turns SET limit_raises = limit_raises + 1, is_answered = 1 WHERE id = ?',
    ),
    answered: sql('UPDATE turns SET crashes = 0, stalls = 0, is_answered = 1 WHERE id = ?'),
    turnClosed: sql(
      `UPDATE turns SET state = ?, reason = ?, ended_at = ?, answer_step = ?, closed_seq = ?,
         is_closed = 1, is_reply_pending = ?, crashes = 0, stalls = 0, is_answered = 0
       WHERE id = ? AND is_closed = 0`,
    ),
    answerSeq: sql('SELECT ended_seq FROM steps WHERE turn_id = ? AND step = ?').pluck(),
    replied: sql('UPDATE turns SET is_reply_pending = 0 WHERE id = ?'),
  };
};

/** Sessions with their events, turns and steps. The entry that closes a turn also ends its runs. */
export function createTurnsFold(
  db: Database.Database,
  skills: Pick<SkillsFold, 'turnClosed'>,
): FoldTable<TurnKind> {
  const on = { ...sessionStatements(db), ...turnStatements(db), ...stepStatements(db) };
  const turnsWhere = (condition: string): Set<number> =>
    new Set(
      db
        .prepare(`SELECT id FROM turns WHERE is_closed = 0 AND ${condition}`)
        .pluck()
        .all() as number[],
    );
  // Turns that may have counted crashes: only their first progress has to be written. A turn too
  // many costs an update that changes nothing.
  const crashed = turnsWhere('crashes <> 0');
  const answered = turnsWhere('is_answered <> 0');
  const used = (turnId: number, usage: Usage | undefined): void => {
    if (usage === undefined) return;
    const cost = usage.costUsd ?? null;
    on.turnUsage.run(usage.inputTokens, usage.outputTokens, cost, cost, turnId);
  };
  return {
    'session.created': (entry, { seq, atMs }) => {
      const { parentId, fork } = entry;
      on.sessionCreated.run({
        ...entry,
        parentId: parentId ?? null,
        atMs,
        forkOf: fork?.sessionId ?? null,
        forkTurn: fork?.turnId ?? null,
      });
      if (parentId !== undefined) on.event.run(parentId, seq, EVENT.created, null, null);
    },
    'message.accepted': (entry, { seq, atMs }) => {
      on.turnAccepted.run({ ...entry, seq, atMs, isOutcome: entry.isOutcome === true ? 1 : 0 });
      on.event.run(entry.sessionId, seq, EVENT.message, entry.turnId, seq);
      on.sessionMessage.run(atMs, seq, entry.sessionId);
    },
    'session.interrupted': (entry, { seq, atMs }) => {
      on.event.run(entry.sessionId, seq, EVENT.interrupted, null, null);
      on.sessionTouched.run(atMs, seq, entry.sessionId);
    },
    'session.set': ({ sessionId, title, isPinned, isArchived, isDeleted }, { atMs }) => {
      if (title !== undefined) on.sessionTitled.run(title, sessionId);
      if (isPinned !== undefined) on.sessionPinned.run(isPinned ? atMs : null, sessionId);
      if (isArchived !== undefined) on.sessionArchived.run(isArchived ? atMs : null, sessionId);
      if (isDeleted !== true) return;
      on.sessionDeleted.run(atMs, sessionId);
      on.sessionFreed.run(sessionId);
    },
    'frame.recorded': (entry, { seq }) => {
      on.frame.run(entry.frameId, Buffer.from(entry.hash, 'hex'), seq);
    },
    'turn.started': (entry, { atMs }) => {
      on.turnStarted.run(entry.attempt, entry.frameId, entry.framedAtMs, atMs, entry.turnId);
    },
    'step.started': (entry, { seq }) => {
      if (on.stepStarted.run(entry.turnId, entry.step, seq).changes === 0) {
        if (on.stepReplaced.run(seq, entry.turnId, entry.step).changes === 0)
          throw new Error(`step ${String(entry.step)} of turn ${String(entry.turnId)} has begun`);
        on.callReplaced.run(entry.turnId, entry.step);
      }
      // Repeated reads only lead to what the user has decided, so the answer still counts.
      if (
        answered.has(entry.turnId) &&
        // Entering a skill again (pure) has no effect of its own, either.
        (entry.againOf === undefined || (entry.purity !== 'world' && entry.purity !== 'pure'))
      )
        on.answerUsed.run(entry.turnId);
    },
    'step.ended': (entry, { seq }) => {
      on.stepEnded.run(STEP_STATE_CODES[entry.end.state], seq, entry.turnId, entry.step);
      if (entry.end.state !== 'completed' && entry.end.state !== 'failed') return;
      used(entry.turnId, entry.end.usage);
      if (entry.end.state !== 'completed') return;
      // Progress: something new is finished, so the crash counter starts again (S0-+04).
      if (!crashed.has(entry.turnId)) return;
      if (entry.end.drift !== undefined || entry.end.isAfterDrift === true) return;
      on.turnProgress.run(entry.turnId);
      crashed.delete(entry.turnId);
    },
    'call.retried': ({ turnId, usage }) => {
      used(turnId, usage);
    },
    'steps.reused': (entry, { atMs }) => {
      for (const step of entry.steps) on.stepReused.run(entry.turnId, step);
      const { inputTokens, outputTokens, costUsd } = entry.saved;
      const cost = costUsd ?? null;
      on.turnReused.run(entry.steps.length, inputTokens, outputTokens, cost, cost, entry.turnId);
      on.kept.run(Math.floor(atMs / HOUR_MS) * HOUR_MS, entry.steps.length, costUsd ?? 0);
    },
    'decision.recorded': (entry) => {
      answered.add(entry.turnId);
      if (entry.answer === 'raise_limit') on.limitRaised.run(entry.turnId);
      else if (entry.answer !== 'discard') on.answered.run(entry.turnId);
    },
    'turn.recovered': (entry, { atMs }) => {
      on.recovered.run(entry.startId, entry.turnId, entry.action, storedReason(entry.reason), atMs);
      on.turnCrashes.run(entry.crashes, entry.turnId);
      if (entry.crashes !== 0) crashed.add(entry.turnId);
    },
    'turn.state': (entry) => {
      on.turnState.run(entry.state, storedReason(entry.reason), entry.turnId);
    },
    'turn.waits': (entry) => {
      on.turnState.run('waiting', storedReason(entry.reason), entry.turnId);
    },
    'turn.fell_back': ({ kind: _kind, turnId, ...fallback }) => {
      on.fellBack.run(JSON.stringify(fallback), turnId);
    },
    'turn.abandoned': (entry) => {
      if (entry.crashes !== 0) crashed.add(entry.turnId);
    },
    'turn.closed': (entry, { seq, atMs }) => {
      const { changes } = on.turnClosed.run(
        entry.state,
        storedReason(entry.reason),
        atMs,
        entry.answerStep ?? null,
        seq,
        entry.hasReply ? 1 : 0,
        entry.turnId,
      );
      if (changes === 0) return;
      skills.turnClosed(entry, atMs);
      const textSeq =
        entry.answerStep === undefined
          ? null
          : // A deleted session has no steps.
            ((on.answerSeq.get(entry.turnId, entry.answerStep) as number | null | undefined) ??
            null);
      on.event.run(entry.sessionId, seq, EVENT.closed, entry.turnId, textSeq);
      on.sessionTurnClosed.run(atMs, seq, entry.sessionId);
      on.childIdle.run({ seq, turn: entry.turnId, text: textSeq, session: entry.sessionId });
    },
    'turn.pruned': (entry) => {
      const { inputTokens, outputTokens, costUsd } = entry.usage;
      on.turnPruned.run(inputTokens, outputTokens, costUsd ?? null, entry.turnId);
    },
    'approval.answered': (entry) => {
      if (entry.answer !== 'cleared') answered.add(entry.turnId);
    },
    'reply.delivered': (entry) => {
      on.replied.run(entry.turnId);
    },
  };
}

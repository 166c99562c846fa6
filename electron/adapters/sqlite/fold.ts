import type Database from 'better-sqlite3';
import { unreachable } from '../../engine/kernel/unreachable';
import type { JournalEntry } from '../../ports/journal';
import { STEP_STATE_CODES } from './entry-codec';
import { createApprovalsFold } from './fold-approvals';
import { createBreakerFold } from './fold-breaker';
import { createChannelsFold } from './fold-channels';
import { createDraftsFold } from './fold-drafts';
import { createGatewayFold } from './fold-gateway';
import { createSkillsFold } from './fold-skills';
import { createOutageFold } from './fold-outage';
import { createOutsideFold } from './fold-outside';
import { createScheduleFold } from './fold-schedule';
import { createWorkFold } from './fold-work';

/** What the fold needs to know of the row that it applies. */
export interface Applied {
  readonly seq: number;
  readonly atMs: number;
}

/** Tables that are a pure fold of the journal, in an order that can be emptied. */
export const FOLD_TABLES = [
  'sessions',
  'session_events',
  'turns',
  'steps',
  'frames',
  'inbox',
  'starts',
  'recoveries',
  'kept_hours',
  'requests',
  'grants',
  'runs',
  'drafts',
  'outside_sessions',
  'outside_calls',
  'breakers',
  'call_tries',
  'provider_health',
  'outages',
  'held_work',
  'outage_plot',
  'wakes',
  'activation_events',
  'tasks',
  'task_slots',
  'timers',
  'heartbeats',
  'gateway_usage',
  'channel_messages',
  'channels',
  'reply_attempts',
] as const;

const HOUR_MS = 3_600_000;

/**
 * Applies one entry to the tables. The same function runs in the commit that writes the entry and
 * when the tables are rebuilt, so that state and journal cannot tell two stories.
 */
export function createFold(db: Database.Database): (entry: JournalEntry, applied: Applied) => void {
  const sql = (text: string): Database.Statement => db.prepare(text);
  const on = {
    sessionCreated: sql(
      'INSERT INTO sessions (id, key, title, agent, created_at, last_event_at) VALUES (?, ?, ?, ?, ?, ?)',
    ),
    event: sql(
      'INSERT INTO session_events (session_id, seq, kind, turn_id, text_seq) VALUES (?, ?, ?, ?, ?)',
    ),
    sessionMessage: sql(
      `UPDATE sessions SET last_event_at = ?, last_event_seq = ?, last_is_message = 1,
         turn_count = turn_count + 1, open_turn_count = open_turn_count + 1 WHERE id = ?`,
    ),
    sessionTouched: sql(
      'UPDATE sessions SET last_event_at = ?, last_event_seq = ?, last_is_message = 0 WHERE id = ?',
    ),
    sessionTurnClosed: sql(
      `UPDATE sessions SET last_event_at = ?, last_event_seq = ?, last_is_message = 0,
         open_turn_count = max(0, open_turn_count - 1) WHERE id = ?`,
    ),
    turnAccepted: sql(
      `INSERT INTO turns (id, session_id, state, prompt_start, prompt_seq, channel, peer, accepted_at)
       VALUES (?, ?, 'queued', ?, ?, ?, ?, ?)`,
    ),
    frame: sql('INSERT INTO frames (id, hash, seq) VALUES (?, ?, ?)'),
    turnStarted: sql(
      `UPDATE turns SET state = 'running', reason = '', attempt = ?, frame_id = ?, framed_at = ?,
         started_at = coalesce(started_at, ?) WHERE id = ? AND is_closed = 0`,
    ),
    stepStarted: sql('INSERT INTO steps (turn_id, step, state, started_seq) VALUES (?, ?, 0, ?)'),
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
    // A closed turn stays closed, whatever a run that was being cancelled had still on its way.
    turnState: sql('UPDATE turns SET state = ?, reason = ? WHERE id = ? AND is_closed = 0'),
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
    inboxOpened: sql(
      'INSERT INTO inbox (id, item, turn_id, session_id, title, detail, facts, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
    ),
    inboxSettled: sql(
      'UPDATE inbox SET settled_at = ?, outcome = ? WHERE id = ? AND settled_at IS NULL',
    ),
    started: sql(
      `INSERT INTO starts (id, started_at, reason, down_since, boot_id, instance_id, machine_id, version)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    ),
    noticed: sql('UPDATE starts SET noticed_at = ? WHERE id = ?'),
    stopped: sql('UPDATE starts SET stopped_at = ?, stop_reason = ? WHERE id = ?'),
  };
  // Turns that may have a crash on their count: the only ones whose progress has to be written. One
  // too many costs an update that changes nothing, so a transaction that is rolled back is no harm.
  const crashed = new Set(
    sql('SELECT id FROM turns WHERE is_closed = 0 AND crashes <> 0').pluck().all() as number[],
  );
  const answered = new Set(
    sql('SELECT id FROM turns WHERE is_closed = 0 AND is_answered <> 0').pluck().all() as number[],
  );
  const approvals = createApprovalsFold(db);
  const skills = createSkillsFold(db);
  const drafts = createDraftsFold(db);
  const gateway = createGatewayFold(db);
  const channels = createChannelsFold(db);
  const outside = createOutsideFold(db);
  const breaker = createBreakerFold(db);
  const schedule = createScheduleFold(db);
  const work = createWorkFold(db);
  const outage = createOutageFold(db);
  /** Kind numbers of `session_events` are those of the journal. */
  const EVENT = { message: 2, interrupted: 3, closed: 12 } as const;

  const apply = (entry: JournalEntry, { seq, atMs }: Applied): void => {
    switch (entry.kind) {
      case 'step.started':
        on.stepStarted.run(entry.turnId, entry.step, seq);
        // Asking reads again only leads up to what a person has decided: the answer still counts.
        if (
          answered.has(entry.turnId) &&
          // A skill that is entered again (pure) does nothing by itself, either.
          (entry.againOf === undefined || (entry.purity !== 'world' && entry.purity !== 'pure'))
        )
          on.answerUsed.run(entry.turnId);
        return;
      case 'step.ended': {
        on.stepEnded.run(STEP_STATE_CODES[entry.end.state], seq, entry.turnId, entry.step);
        if (entry.end.state !== 'completed') return;
        const usage = entry.end.usage;
        if (usage !== undefined) {
          const cost = usage.costUsd ?? null;
          on.turnUsage.run(usage.inputTokens, usage.outputTokens, cost, cost, entry.turnId);
        }
        // Progress: something new was finished, so the crash counter starts again (S0-+04).
        if (!crashed.has(entry.turnId)) return;
        if (entry.end.drift === undefined && entry.end.isAfterDrift !== true)
          on.turnProgress.run(entry.turnId);
        return;
      }
      case 'steps.reused': {
        for (const step of entry.steps) on.stepReused.run(entry.turnId, step);
        const { inputTokens, outputTokens, costUsd } = entry.saved;
        const cost = costUsd ?? null;
        on.turnReused.run(entry.steps.length, inputTokens, outputTokens, cost, cost, entry.turnId);
        on.kept.run(Math.floor(atMs / HOUR_MS) * HOUR_MS, entry.steps.length, costUsd ?? 0);
        return;
      }
      case 'turn.pruned': {
        const { inputTokens, outputTokens, costUsd } = entry.usage;
        on.turnPruned.run(inputTokens, outputTokens, costUsd ?? null, entry.turnId);
        outside(entry, { seq, atMs });
        breaker(entry, { seq, atMs });
        skills.turnPruned(entry.turnId);
        return;
      }
      case 'session.created':
        on.sessionCreated.run(entry.sessionId, entry.key, entry.title, entry.agent, atMs, atMs);
        return;
      case 'message.accepted':
        on.turnAccepted.run(
          entry.turnId,
          entry.sessionId,
          entry.promptStart,
          seq,
          entry.channel,
          entry.peer,
          atMs,
        );
        on.event.run(entry.sessionId, seq, EVENT.message, entry.turnId, seq);
        on.sessionMessage.run(atMs, seq, entry.sessionId);
        return;
      case 'session.interrupted':
        on.event.run(entry.sessionId, seq, EVENT.interrupted, null, null);
        on.sessionTouched.run(atMs, seq, entry.sessionId);
        return;
      case 'frame.recorded':
        on.frame.run(entry.frameId, Buffer.from(entry.hash, 'hex'), seq);
        return;
      case 'turn.started':
        on.turnStarted.run(entry.attempt, entry.frameId, entry.framedAtMs, atMs, entry.turnId);
        return;
      case 'turn.recovered':
        on.recovered.run(entry.startId, entry.turnId, entry.action, entry.reason, atMs);
        on.turnCrashes.run(entry.crashes, entry.turnId);
        if (entry.crashes !== 0) crashed.add(entry.turnId);
        return;
      case 'turn.state':
        on.turnState.run(entry.state, entry.reason, entry.turnId);
        return;
      case 'decision.recorded':
        answered.add(entry.turnId);
        if (entry.answer === 'raise_limit') on.limitRaised.run(entry.turnId);
        else if (entry.answer !== 'discard') on.answered.run(entry.turnId);
        return;
      case 'turn.closed': {
        const { changes } = on.turnClosed.run(
          entry.state,
          entry.reason,
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
            : (on.answerSeq.get(entry.turnId, entry.answerStep) as number | null);
        on.event.run(entry.sessionId, seq, EVENT.closed, entry.turnId, textSeq);
        on.sessionTurnClosed.run(atMs, seq, entry.sessionId);
        return;
      }
      case 'reply.delivered':
        on.replied.run(entry.turnId);
        channels(entry, { seq, atMs });
        return;
      case 'inbox.opened':
        on.inboxOpened.run(
          entry.inboxId,
          entry.item,
          entry.turnId ?? null,
          entry.sessionId ?? null,
          entry.title,
          entry.detail,
          entry.facts === undefined ? null : JSON.stringify(entry.facts),
          atMs,
        );
        skills.inboxOpened(entry);
        return;
      case 'inbox.settled':
        on.inboxSettled.run(atMs, entry.outcome, entry.inboxId);
        skills.inboxSettled(entry.inboxId);
        return;
      case 'marker.started':
        on.started.run(
          entry.startId,
          atMs,
          entry.reason,
          entry.downSinceMs ?? null,
          entry.bootId,
          entry.instanceId,
          entry.machineId,
          entry.version,
        );
        return;
      case 'marker.noticed':
        on.noticed.run(atMs, entry.startId);
        return;
      case 'marker.stopped':
        on.stopped.run(atMs, entry.reason, entry.startId);
        return;
      case 'draft.staged':
      case 'draft.promoting':
      case 'draft.promoted':
      case 'draft.kept':
      case 'draft.discarded':
        drafts(entry, { seq, atMs });
        return;
      case 'channel.heard':
      case 'channel.offset':
      case 'reply.attempted':
      case 'reply.piece':
      case 'reply.missed':
        channels(entry, { seq, atMs });
        return;
      case 'gateway.used':
        gateway(entry);
        return;
      case 'outside.session':
      case 'outside.call':
      case 'outside.asking':
      case 'outside.orphans':
        outside(entry, { seq, atMs });
        return;
      case 'breaker.moved':
      case 'call.retried':
        breaker(entry, { seq, atMs });
        return;
      case 'task.set':
      case 'task.state':
      case 'task.fired':
      case 'task.skipped':
      case 'timer.set':
      case 'timer.ended':
      case 'heartbeat.set':
      case 'heartbeat.ticked':
      case 'heartbeat.stopped':
        schedule(entry, { seq, atMs });
        return;
      case 'approval.requested':
        approvals(entry, { seq, atMs });
        return;
      case 'approval.answered':
        approvals(entry, { seq, atMs });
        if (entry.answer !== 'cleared') answered.add(entry.turnId);
        return;
      case 'turn.abandoned':
        if (entry.crashes !== 0) crashed.add(entry.turnId);
        return;
      case 'turn.waits':
        on.turnState.run('waiting', entry.reason, entry.turnId);
        return;
      case 'provider.contact':
      case 'outage.declared':
      case 'outage.recovering':
      case 'outage.resolved':
      case 'provider.probed':
      case 'turn.moved':
      case 'outage.pruned':
      case 'turn.requeued':
      case 'wake.queued':
      case 'wake.consumed':
      case 'wake.cancelled':
        return;
      case 'run.started':
      case 'phase.entered':
      case 'phase.left':
      case 'run.ended':
      case 'run.planned':
        skills.apply(entry, { seq, atMs });
        return;
      default:
        unreachable(entry);
    }
  };
  return (entry, applied) => {
    apply(entry, applied);
    // Leases, retries and the history of activations follow from entries of every room.
    work(entry, applied);
    outage(entry, applied);
  };
}

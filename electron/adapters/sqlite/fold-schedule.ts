import type Database from 'better-sqlite3';
import type { ScheduleEntry } from '../../ports/journal/schedule';
import type { Applied, FoldTable } from './fold-table';

const scheduleStatements = (db: Database.Database) => {
  const sql = (text: string): Database.Statement => db.prepare(text);
  return {
    taskSet: sql(
      `INSERT INTO tasks (id, name, prompt, schedule, rule, zone, catchup, agent, channel, peer,
         made_by, author, made_key, session_id, next_run_at, created_at, updated_at)
       VALUES (@id, @name, @prompt, @schedule, @rule, @zone, @catchup, @agent, @channel, @peer, @by,
         @author, @key, @session, @next, @at, @at)
       ON CONFLICT (id) DO UPDATE SET name = excluded.name, prompt = excluded.prompt,
         schedule = excluded.schedule, rule = excluded.rule, zone = excluded.zone,
         catchup = excluded.catchup, agent = excluded.agent, channel = excluded.channel,
         peer = excluded.peer, next_run_at = excluded.next_run_at, updated_at = excluded.updated_at`,
    ),
    taskState: sql(
      `UPDATE tasks SET state = @state, next_run_at = @next, updated_at = @at, is_open = @open
       WHERE id = @id`,
    ),
    taskMoved: sql('UPDATE tasks SET next_run_at = ?, updated_at = ? WHERE id = ?'),
    // A slot is decided once; what comes again changes nothing.
    slot: sql(
      `INSERT OR IGNORE INTO task_slots (task_id, slot, at_ms, why, late_ms, missed, oldest, window_ms, next_at,
         turn_id)
       VALUES (@id, @slot, @at, @why, @late, @missed, @oldest, @window, @next, @turn)`,
    ),
    decided: sql(
      `UPDATE tasks SET next_run_at = @next, last_slot = max(coalesce(last_slot, 0), @slot),
         last_turn_id = coalesce(@turn, last_turn_id), run_count = run_count + (@turn IS NOT NULL),
         state = CASE WHEN @ends IS NULL THEN state ELSE @ends END,
         is_open = CASE WHEN @ends IS NULL THEN is_open ELSE @stays END
       WHERE id = @id`,
    ),
    // Run by hand: the slots stay where they are.
    byHand: sql(
      `UPDATE tasks SET last_turn_id = @turn, run_count = run_count + 1,
         state = CASE state WHEN 'missed' THEN 'completed' ELSE state END,
         is_open = CASE state WHEN 'missed' THEN 0 ELSE is_open END WHERE id = @id`,
    ),
    timerSet: sql(
      `INSERT OR REPLACE INTO timers (session_id, id, due_at, seconds, message, set_at, turn_id,
         made_key)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    ),
    timerMoved: sql('UPDATE timers SET due_at = ? WHERE session_id = ? AND id = ? AND is_set = 1'),
    timerEnded: sql(
      'UPDATE timers SET is_set = 0, fired_turn_id = ? WHERE session_id = ? AND id = ? AND is_set = 1',
    ),
    beatSet: sql(
      `INSERT OR REPLACE INTO heartbeats
         (session_id, rule, message, started_at, next_at, turn_id, made_key)
       VALUES (?, ?, ?, ?, ?, ?, ?)`,
    ),
    beat: sql(
      `UPDATE heartbeats SET next_at = @next, ticks = ticks + (@turn IS NOT NULL), skipped = skipped + @skipped,
         merged = CASE WHEN @turn IS NULL THEN merged + @skipped ELSE 0 END,
         last_turn_id = coalesce(@turn, last_turn_id) WHERE session_id = @session AND is_on = 1`,
    ),
    beatMoved: sql('UPDATE heartbeats SET next_at = ? WHERE session_id = ? AND is_on = 1'),
    woken: sql('INSERT OR IGNORE INTO woken_turns (turn_id, made_by) VALUES (?, ?)'),
    beatStopped: sql('UPDATE heartbeats SET is_on = 0 WHERE session_id = ?'),
  };
};

/** Tasks with their slots, timers and heartbeats. */
export function createScheduleFold(db: Database.Database): FoldTable<ScheduleEntry['kind']> {
  const on = scheduleStatements(db);
  const slotDecided = (
    entry: Extract<ScheduleEntry, { kind: 'task.fired' | 'task.skipped' }>,
    { atMs }: Applied,
  ): void => {
    const turn = entry.kind === 'task.fired' ? entry.turnId : null;
    const facts = { id: entry.taskId, slot: entry.slotMs, turn };
    on.slot.run({
      ...facts,
      at: atMs,
      why: entry.why,
      late: entry.lateMs,
      missed: entry.missed,
      oldest: entry.oldestMs ?? null,
      window: entry.windowMs ?? null,
      next: entry.nextRunAtMs ?? null,
    });
    if (entry.why === 'by_hand') {
      on.byHand.run({ id: entry.taskId, turn });
      return;
    }
    const isOver = entry.nextRunAtMs === undefined;
    on.decided.run({
      ...facts,
      next: entry.nextRunAtMs ?? null,
      ends: isOver ? (turn === null ? 'missed' : 'completed') : null,
      // A missed one-shot is still something that a person may want to run.
      stays: turn === null ? 1 : 0,
    });
  };
  return {
    'task.set': (entry, { atMs }) => {
      on.taskSet.run({
        id: entry.taskId,
        name: entry.name,
        prompt: entry.prompt,
        schedule: entry.schedule,
        rule: JSON.stringify(entry.rule),
        zone: entry.zone,
        catchup: entry.catchup,
        agent: entry.agent,
        channel: entry.channel,
        peer: entry.peer,
        by: entry.by,
        author: entry.author ?? null,
        key: entry.key ?? null,
        session: entry.sessionId ?? null,
        next: entry.nextRunAtMs ?? null,
        at: atMs,
      });
    },
    'task.state': (entry, { atMs }) => {
      on.taskState.run({
        id: entry.taskId,
        state: entry.state,
        next: entry.nextRunAtMs ?? null,
        at: atMs,
        open: entry.state === 'completed' || entry.state === 'cancelled' ? 0 : 1,
      });
    },
    'task.fired': slotDecided,
    'task.skipped': slotDecided,
    'timer.set': (entry, { atMs }) => {
      on.timerSet.run(
        entry.sessionId,
        entry.timerId,
        entry.dueAtMs,
        entry.seconds,
        entry.message,
        atMs,
        entry.turnId,
        entry.key ?? null,
      );
    },
    'timer.ended': (entry) => {
      if (entry.how !== 'run')
        on.timerEnded.run(entry.turnId ?? null, entry.sessionId, entry.timerId);
      if (entry.turnId !== undefined) on.woken.run(entry.turnId, 'timer');
    },
    'heartbeat.set': (entry, { atMs }) => {
      on.beatSet.run(
        entry.sessionId,
        JSON.stringify(entry.rule),
        entry.message,
        atMs,
        entry.nextAtMs,
        entry.turnId ?? null,
        entry.key ?? null,
      );
    },
    'heartbeat.ticked': (entry) => {
      on.beat.run({
        session: entry.sessionId,
        turn: entry.turnId ?? null,
        next: entry.nextAtMs,
        skipped: entry.skipped,
      });
      if (entry.turnId !== undefined)
        on.woken.run(entry.turnId, entry.sessionId === 0 ? 'system' : 'heartbeat');
    },
    'heartbeat.stopped': (entry) => {
      on.beatStopped.run(entry.sessionId);
    },
    'task.moved': (entry, { atMs }) => {
      on.taskMoved.run(entry.nextRunAtMs, atMs, entry.taskId);
    },
    'timer.moved': (entry) => {
      on.timerMoved.run(entry.dueAtMs, entry.sessionId, entry.timerId);
    },
    'heartbeat.moved': (entry) => {
      on.beatMoved.run(entry.nextAtMs, entry.sessionId);
    },
  };
}

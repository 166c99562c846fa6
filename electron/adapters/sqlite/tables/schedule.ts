import type Database from 'better-sqlite3';
import {
  EVENTS_KNOWN_MS,
  type ScheduleEntry,
  type HeartbeatRow,
  type ScheduleReads,
  type SlotRow,
  type TaskRow,
  type TimerRow,
} from '../../../ports/journal/schedule';
import type { Applied, FoldTable } from './fold-table';
import {
  isNothingToDo,
  TASK_STATES,
  type CheckSaid,
  type Rule,
  type TaskState,
} from '../../../../shared/schedule/states';
import { queries } from '../prepared';
import { type Row, eachReadable, numberOr, textOr } from '../row';

const taskStatements = (db: Database.Database) => {
  const sql = (text: string): Database.Statement => db.prepare(text);
  return {
    taskSet: sql(
      `INSERT INTO tasks (id, name, prompt, schedule, rule, zone, catchup, agent, channel, peer,
         made_by, author, made_key, session_id, next_run_at, created_at, updated_at, gate, gate_by, event_seen, is_shared)
       VALUES (@taskId, @name, @prompt, @schedule, @rule, @zone, @catchup, @agent, @channel, @peer,
         @by, @author, @key, @sessionId, @nextRunAtMs, @atMs, @atMs, @check, @checkBy, @eventSeen,
         @shared)
       ON CONFLICT (id) DO UPDATE SET name = excluded.name, prompt = excluded.prompt,
         schedule = excluded.schedule, rule = excluded.rule, zone = excluded.zone,
         catchup = excluded.catchup, agent = excluded.agent, channel = excluded.channel,
         peer = excluded.peer, is_shared = excluded.is_shared, next_run_at = excluded.next_run_at, updated_at = excluded.updated_at,
         gate_seen = CASE WHEN gate IS excluded.gate THEN gate_seen END,
         gate = excluded.gate, gate_by = excluded.gate_by,
         event_seen = coalesce(excluded.event_seen, event_seen)`,
    ),
    taskState: sql(
      'UPDATE tasks SET state = @state, next_run_at = @next, updated_at = @at, is_open = @open WHERE id = @id',
    ),
    taskMoved: sql('UPDATE tasks SET next_run_at = ?, updated_at = ? WHERE id = ?'),
    // A slot is decided once. If it comes again, nothing changes.
    slot: sql(
      `INSERT OR IGNORE INTO task_slots
         (task_id, slot, at_ms, why, late_ms, missed, oldest, window_ms, next_at, turn_id, gate)
       VALUES (@id, @slot, @at, @why, @late, @missed, @oldest, @window, @next, @turn, @gate)`,
    ),
    decided: sql(
      `UPDATE tasks SET next_run_at = @next, last_slot = max(coalesce(last_slot, 0), @slot),
         last_turn_id = coalesce(@turn, last_turn_id), run_count = run_count + (@turn IS NOT NULL),
         state = CASE WHEN @ends IS NULL THEN state ELSE @ends END,
         is_open = CASE WHEN @ends IS NULL THEN is_open ELSE @stays END,
         gate_seen = coalesce(@seen, gate_seen)
       WHERE id = @id`,
    ),
    // A run that the user started does not move the slots.
    byHand: sql(
      `UPDATE tasks SET last_turn_id = @turn, run_count = run_count + 1,
         state = CASE state WHEN 'missed' THEN 'completed' ELSE state END,
         is_open = CASE state WHEN 'missed' THEN 0 ELSE is_open END WHERE id = @id`,
    ),
  };
};

const wakeStatements = (db: Database.Database) => {
  const sql = (text: string): Database.Statement => db.prepare(text);
  return {
    timerSet: sql(
      `INSERT OR REPLACE INTO timers
         (session_id, id, due_at, seconds, message, set_at, turn_id, made_key)
       VALUES (@sessionId, @timerId, @dueAtMs, @seconds, @message, @atMs, @turnId, @key)`,
    ),
    timerMoved: sql('UPDATE timers SET due_at = ? WHERE session_id = ? AND id = ? AND is_set = 1'),
    timerEnded: sql(
      'UPDATE timers SET is_set = 0, fired_turn_id = ? WHERE session_id = ? AND id = ? AND is_set = 1',
    ),
    beatSet: sql(
      `INSERT OR REPLACE INTO heartbeats
         (session_id, rule, message, started_at, next_at, turn_id, made_key)
       VALUES (@sessionId, @rule, @message, @atMs, @nextAtMs, @turnId, @key)`,
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

const eventStatements = (db: Database.Database) => ({
  add: db.prepare(
    'INSERT OR IGNORE INTO task_events (task_id, event_id, at_ms, what) VALUES (?, ?, ?, ?)',
  ),
  due: db.prepare(
    `UPDATE tasks SET next_run_at = coalesce(next_run_at, @due), event_seen = coalesce(@seen, event_seen)
     WHERE id = @id AND is_open = 1`,
  ),
  had: db.prepare(
    "UPDATE task_events SET is_pending = 0, what = '' WHERE task_id = ? AND is_pending = 1",
  ),
  old: db.prepare('DELETE FROM task_events WHERE task_id = ? AND is_pending = 0 AND at_ms < ?'),
});

/** Tasks with their slots, timers and heartbeats. */
export function createScheduleFold(db: Database.Database): FoldTable<ScheduleEntry['kind']> {
  const on = { ...taskStatements(db), ...wakeStatements(db) };
  const events = eventStatements(db);
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
      gate: entry.check === undefined ? null : JSON.stringify(entry.check),
    });
    if (entry.why === 'by_hand') {
      on.byHand.run({ id: entry.taskId, turn });
      return;
    }
    const isOver = entry.nextRunAtMs === undefined && entry.waits !== true;
    if (entry.waits === true) events.had.run(entry.taskId);
    const isMissed = turn === null && !isNothingToDo(entry.why);
    on.decided.run({
      ...facts,
      next: entry.nextRunAtMs ?? null,
      ends: isOver ? (isMissed ? 'missed' : 'completed') : null,
      // The user may still want to run a one-time task that was missed.
      stays: isMissed ? 1 : 0,
      seen: entry.checkSeen ?? null,
    });
  };
  return {
    'task.set': (entry, { atMs }) => {
      on.taskSet.run({
        ...entry,
        rule: JSON.stringify(entry.rule),
        author: entry.author ?? null,
        key: entry.key ?? null,
        sessionId: entry.sessionId ?? null,
        nextRunAtMs: entry.nextRunAtMs ?? null,
        atMs,
        check: entry.check ?? null,
        checkBy: entry.checkBy ?? null,
        eventSeen: entry.eventSeen ?? null,
        shared: entry.isShared === true ? 1 : 0,
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
    'task.event': (entry, { atMs }) => {
      const { taskId } = entry;
      if (events.add.run(taskId, entry.eventId, atMs, entry.what).changes === 0) return;
      events.due.run({ id: taskId, due: entry.dueAtMs, seen: entry.seen ?? null });
      events.old.run(taskId, atMs - EVENTS_KNOWN_MS);
    },
    'task.fired': slotDecided,
    'task.skipped': slotDecided,
    'timer.set': (entry, { atMs }) => {
      on.timerSet.run({ ...entry, atMs, key: entry.key ?? null });
    },
    'timer.ended': (entry) => {
      if (entry.how !== 'run')
        on.timerEnded.run(entry.turnId ?? null, entry.sessionId, entry.timerId);
      if (entry.turnId !== undefined) on.woken.run(entry.turnId, 'timer');
    },
    'heartbeat.set': (entry, { atMs }) => {
      on.beatSet.run({
        ...entry,
        rule: JSON.stringify(entry.rule),
        atMs,
        turnId: entry.turnId ?? null,
        key: entry.key ?? null,
      });
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

/** Reads of tasks, their slots, timers and heartbeats. */
export function createScheduleReads(db: Database.Database): ScheduleReads {
  const { rows, row, one, has, value, count } = queries(db);
  const number = (text: string, ...values: unknown[]): number | undefined =>
    numberOr(value(text, ...values));
  const tasksIn = (text: string, ...values: unknown[]): readonly TaskRow[] =>
    eachReadable(rows(text, ...values), taskOf);
  const heartbeatsIn = (text: string, ...values: unknown[]): readonly HeartbeatRow[] =>
    eachReadable(rows(text, ...values), heartbeatOf);
  const anyTimer =
    'SELECT t.*, s.key AS session_key FROM timers AS t LEFT JOIN sessions AS s ON s.id = t.session_id WHERE';
  const timerQuery = `${anyTimer} t.is_set = 1`;

  return {
    task: (id) => one(taskOf, 'SELECT * FROM tasks WHERE id = ?', id),
    tasks: ({ isOpen, words = [], afterId = 0, limit }) =>
      tasksIn(
        `SELECT * FROM tasks WHERE ${isOpen ? 'is_open = 1 AND' : ''} id > ?
         ${HAS_WORD.repeat(words.length)} ORDER BY id LIMIT ?`,
        afterId,
        ...words.map((word) => `%${word.replace(/[\\%_]/g, '\\$&')}%`),
        limit,
      ),
    dueTasks: (dueByMs, limit, except = []) =>
      tasksIn(
        `SELECT * FROM tasks WHERE state = 'active' AND next_run_at IS NOT NULL AND next_run_at <= ?
         ${without(except)} ORDER BY next_run_at, id LIMIT ?`,
        dueByMs,
        ...ids(except),
        limit,
      ),
    tasksAhead: (nowMs) =>
      rows(
        'SELECT * FROM tasks WHERE is_open = 1 AND (last_slot > ? OR updated_at > ?) ORDER BY id',
        nowMs,
        nowMs,
      ).map(taskOf),
    countTasksOf: (agent) =>
      count(
        "SELECT count(*) FROM tasks WHERE is_open = 1 AND made_by = 'agent' AND agent = ?",
        agent,
      ),
    countTasks() {
      const counts = Object.fromEntries(TASK_STATES.map((state) => [state, 0])) as Record<
        TaskState,
        number
      >;
      for (const found of rows('SELECT state, count(*) AS n FROM tasks GROUP BY state'))
        counts[found['state'] as TaskState] = Number(found['n']);
      return counts;
    },
    slots: ({ taskId, beforeMs, limit }) =>
      eachReadable(
        rows(
          `SELECT * FROM task_slots WHERE at_ms < ? ${taskId === undefined ? '' : 'AND task_id = ?'}
           ORDER BY at_ms DESC, slot DESC LIMIT ?`,
          beforeMs ?? Number.MAX_SAFE_INTEGER,
          ...(taskId === undefined ? [] : [taskId]),
          limit,
        ),
        slotOf,
      ),
    taskByKey: (key) => one(taskOf, 'SELECT * FROM tasks WHERE made_key = ?', key),
    fileTasks: (start) =>
      rows(
        'SELECT * FROM tasks WHERE made_key >= ? AND made_key < ? ORDER BY id',
        start,
        `${start}\u{10ffff}`,
      ).map((found) => ({ key: String(found['made_key']), task: taskOf(found) })),
    sharedTasks: () =>
      rows('SELECT * FROM tasks WHERE is_open = 1 AND is_shared = 1 ORDER BY id').map(taskOf),
    eventTasks: () =>
      tasksIn(
        `SELECT * FROM tasks WHERE is_open = 1 AND state = 'active' AND rule LIKE '{"kind":"event"%' ORDER BY id`,
      ),
    openEventTasks: () =>
      tasksIn(`SELECT * FROM tasks WHERE is_open = 1 AND rule LIKE '{"kind":"event"%' ORDER BY id`),
    tasksWithEvent: (eventId) =>
      rows(
        'SELECT t.* FROM task_events AS e JOIN tasks AS t ON t.id = e.task_id WHERE e.event_id = ? ORDER BY t.id',
        eventId,
      ).map(taskOf),
    hasEvent: (taskId, eventId) =>
      has('SELECT 1 FROM task_events WHERE task_id = ? AND event_id = ?', taskId, eventId),
    newestEvent: (taskId) =>
      textOr(
        value(
          'SELECT event_id FROM task_events WHERE task_id = ? ORDER BY at_ms DESC LIMIT 1',
          taskId,
        ),
      ),
    pendingEvents(taskId, limit) {
      const pending = 'FROM task_events WHERE task_id = ? AND is_pending = 1';
      return {
        count: count(`SELECT count(*) ${pending}`, taskId),
        what: rows(`SELECT what ${pending} ORDER BY at_ms DESC LIMIT ?`, taskId, limit).map(
          (found) => String(found['what']),
        ),
      };
    },
    hasSlot: (taskId, slotMs) =>
      has('SELECT 1 FROM task_slots WHERE task_id = ? AND slot = ?', taskId, slotMs),
    timer: (sessionId, timerId) =>
      one(timerOf, `${timerQuery} AND t.session_id = ? AND t.id = ?`, sessionId, timerId),
    timerOfCall: (sessionId, timerId, key) =>
      one(
        timerOf,
        `${anyTimer} t.session_id = ? AND t.id = ? AND t.made_key = ?`,
        sessionId,
        timerId,
        key,
      ),
    timers: ({ sessionId, limit }) =>
      rows(
        `${timerQuery} ${sessionId === undefined ? '' : 'AND t.session_id = ?'} ORDER BY t.due_at LIMIT ?`,
        ...(sessionId === undefined ? [] : [sessionId]),
        limit,
      ).map(timerOf),
    countTimers: (sessionId) =>
      count('SELECT count(*) FROM timers WHERE session_id = ? AND is_set = 1', sessionId),
    dueTimers: (dueByMs, limit) =>
      rows(`${timerQuery} AND t.due_at <= ? ORDER BY t.due_at LIMIT ?`, dueByMs, limit).map(
        timerOf,
      ),
    heartbeat: (sessionId) =>
      one(heartbeatOf, 'SELECT * FROM heartbeats WHERE session_id = ? AND is_on = 1', sessionId),
    heartbeatCall: (sessionId) =>
      textOr(value('SELECT made_key FROM heartbeats WHERE session_id = ?', sessionId)),
    heartbeats: () => heartbeatsIn('SELECT * FROM heartbeats WHERE is_on = 1 ORDER BY session_id'),
    dueHeartbeats: (dueByMs, limit) =>
      heartbeatsIn(
        'SELECT * FROM heartbeats WHERE is_on = 1 AND next_at <= ? ORDER BY next_at LIMIT ?',
        dueByMs,
        limit,
      ),
    nextDueMs(except = []) {
      const all = [
        number(
          `SELECT min(next_run_at) FROM tasks WHERE state = 'active' AND next_run_at IS NOT NULL ${without(except)}`,
          ...ids(except),
        ),
        number('SELECT min(due_at) FROM timers WHERE is_set = 1'),
        number('SELECT min(next_at) FROM heartbeats WHERE is_on = 1'),
      ].filter((due) => due !== undefined);
      return all.length === 0 ? undefined : Math.min(...all);
    },
    madeBy(turnId) {
      // Asked once for each turn that ends: one statement for both kinds.
      const made = row(
        `SELECT task_id, NULL AS woken FROM task_slots WHERE turn_id = ?
         UNION ALL SELECT NULL, made_by FROM woken_turns WHERE turn_id = ?`,
        turnId,
        turnId,
      );
      if (made === undefined) return undefined;
      const { task_id: taskId, woken } = made;
      if (typeof taskId === 'number') return { kind: 'task', taskId };
      return woken === 'timer'
        ? { kind: 'timer' }
        : { kind: 'heartbeat', isSystem: woken === 'system' };
    },
    mergedInto: (turnId) =>
      number(
        `SELECT sum(later.missed) FROM task_slots made
           JOIN task_slots later ON later.task_id = made.task_id AND later.slot > made.slot
         WHERE made.turn_id = ? AND later.why = 'overlap'`,
        turnId,
      ) ??
      number('SELECT merged FROM heartbeats WHERE last_turn_id = ?', turnId) ??
      0,
  };
}

/** Tasks whose check is running are not due again: usually none, never many. */
const without = (except: readonly number[]): string =>
  except.length === 0 ? '' : 'AND id NOT IN (SELECT value FROM json_each(?))';
const ids = (except: readonly number[]): readonly string[] =>
  except.length === 0 ? [] : [JSON.stringify(except)];

const HAS_WORD = String.raw`
  AND name || ' ' || schedule || ' ' || prompt || ' ' || agent LIKE ? ESCAPE '\'`;

function taskOf(row: Row): TaskRow {
  return {
    id: Number(row['id']),
    name: String(row['name']),
    prompt: String(row['prompt']),
    schedule: String(row['schedule']),
    rule: JSON.parse(String(row['rule'])) as Rule,
    zone: String(row['zone']),
    catchup: row['catchup'] as TaskRow['catchup'],
    agent: String(row['agent']),
    channel: String(row['channel']),
    peer: String(row['peer']),
    state: row['state'] as TaskState,
    nextRunAtMs: numberOr(row['next_run_at']),
    madeBy: row['made_by'] as TaskRow['madeBy'],
    author: textOr(row['author']),
    sessionId: numberOr(row['session_id']),
    createdAtMs: Number(row['created_at']),
    updatedAtMs: Number(row['updated_at']),
    runCount: Number(row['run_count']),
    lastTurnId: numberOr(row['last_turn_id']),
    lastSlotMs: numberOr(row['last_slot']),
    checkSeen: textOr(row['gate_seen']),
    eventSeen: textOr(row['event_seen']),
    ...(row['is_shared'] === 1 ? { isShared: true } : {}),
    ...(typeof row['gate'] === 'string' ? { check: row['gate'] } : {}),
    ...(row['gate_by'] === 'user' || row['gate_by'] === 'agent' ? { checkBy: row['gate_by'] } : {}),
  };
}

function slotOf(row: Row): SlotRow {
  return {
    taskId: Number(row['task_id']),
    slotMs: Number(row['slot']),
    atMs: Number(row['at_ms']),
    why: row['why'] as SlotRow['why'],
    lateMs: Number(row['late_ms']),
    missed: Number(row['missed']),
    ...(typeof row['oldest'] === 'number' ? { oldestMs: row['oldest'] } : {}),
    ...(typeof row['window_ms'] === 'number' ? { windowMs: row['window_ms'] } : {}),
    ...(typeof row['next_at'] === 'number' ? { nextRunAtMs: row['next_at'] } : {}),
    turnId: numberOr(row['turn_id']),
    ...(row['is_shared'] === 1 ? { isShared: true } : {}),
    ...(typeof row['gate'] === 'string' ? { check: JSON.parse(row['gate']) as CheckSaid } : {}),
  };
}

function timerOf(row: Row): TimerRow {
  return {
    sessionId: Number(row['session_id']),
    sessionKey: textOr(row['session_key']) ?? '',
    timerId: String(row['id']),
    dueAtMs: Number(row['due_at']),
    seconds: Number(row['seconds']),
    message: String(row['message']),
    setAtMs: Number(row['set_at']),
    turnId: Number(row['turn_id']),
  };
}

function heartbeatOf(row: Row): HeartbeatRow {
  return {
    sessionId: Number(row['session_id']),
    rule: JSON.parse(String(row['rule'])) as Rule,
    message: String(row['message']),
    startedAtMs: Number(row['started_at']),
    nextAtMs: Number(row['next_at']),
    ticks: Number(row['ticks']),
    skipped: Number(row['skipped']),
    lastTurnId: numberOr(row['last_turn_id']),
    turnId: numberOr(row['turn_id']),
  };
}

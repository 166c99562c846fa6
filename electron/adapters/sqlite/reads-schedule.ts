import type Database from 'better-sqlite3';
import { TASK_STATES, type Rule, type TaskState } from '../../../shared/schedule/states';
import type {
  HeartbeatRow,
  ScheduleReads,
  SlotRow,
  TaskRow,
  TimerRow,
} from '../../ports/journal/schedule';
import { preparedOnce } from './prepared';

type Row = Record<string, unknown>;

/** Reads of tasks, their slots, timers and heartbeats. */
export function createScheduleReads(db: Database.Database): ScheduleReads {
  const sql = preparedOnce(db);
  const rows = (text: string, ...values: unknown[]): Row[] => sql(text).all(...values) as Row[];
  const row = (text: string, ...values: unknown[]): Row | undefined =>
    sql(text).get(...values) as Row | undefined;
  const number = (text: string, ...values: unknown[]): number | undefined =>
    numberOr(
      sql(text)
        .pluck()
        .get(...values),
    );
  const anyTimer =
    'SELECT t.*, s.key AS session_key FROM timers AS t LEFT JOIN sessions AS s ON s.id = t.session_id WHERE';
  const timerQuery = `${anyTimer} t.is_set = 1`;

  return {
    task(id) {
      const found = row('SELECT * FROM tasks WHERE id = ?', id);
      return found === undefined ? undefined : taskOf(found);
    },
    tasks: ({ isOpen, words = [], afterId = 0, limit }) =>
      rows(
        `SELECT * FROM tasks WHERE ${isOpen ? 'is_open = 1 AND' : ''} id > ?
         ${HAS_WORD.repeat(words.length)} ORDER BY id LIMIT ?`,
        afterId,
        ...words.map((word) => `%${word.replace(/[\\%_]/g, '\\$&')}%`),
        limit,
      ).map(taskOf),
    dueTasks: (dueByMs, limit) =>
      rows(
        `SELECT * FROM tasks WHERE state = 'active' AND next_run_at IS NOT NULL AND next_run_at <= ?
         ORDER BY next_run_at, id LIMIT ?`,
        dueByMs,
        limit,
      ).map(taskOf),
    tasksAhead: (nowMs) =>
      rows(
        'SELECT * FROM tasks WHERE is_open = 1 AND (last_slot > ? OR updated_at > ?) ORDER BY id',
        nowMs,
        nowMs,
      ).map(taskOf),
    countTasksOf: (agent) =>
      number(
        "SELECT count(*) FROM tasks WHERE is_open = 1 AND made_by = 'agent' AND agent = ?",
        agent,
      ) ?? 0,
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
      rows(
        `SELECT * FROM task_slots WHERE at_ms < ? ${taskId === undefined ? '' : 'AND task_id = ?'}
         ORDER BY at_ms DESC, slot DESC LIMIT ?`,
        beforeMs ?? Number.MAX_SAFE_INTEGER,
        ...(taskId === undefined ? [] : [taskId]),
        limit,
      ).map(slotOf),
    taskByKey(key) {
      const found = row('SELECT * FROM tasks WHERE made_key = ?', key);
      return found === undefined ? undefined : taskOf(found);
    },
    hasSlot: (taskId, slotMs) =>
      number('SELECT 1 FROM task_slots WHERE task_id = ? AND slot = ?', taskId, slotMs) === 1,
    timer(sessionId, timerId) {
      const found = row(`${timerQuery} AND t.session_id = ? AND t.id = ?`, sessionId, timerId);
      return found === undefined ? undefined : timerOf(found);
    },
    timerOfCall(sessionId, timerId, key) {
      const found = row(
        `${anyTimer} t.session_id = ? AND t.id = ? AND t.made_key = ?`,
        sessionId,
        timerId,
        key,
      );
      return found === undefined ? undefined : timerOf(found);
    },
    timers: ({ sessionId, limit }) =>
      rows(
        `${timerQuery} ${sessionId === undefined ? '' : 'AND t.session_id = ?'} ORDER BY t.due_at LIMIT ?`,
        ...(sessionId === undefined ? [] : [sessionId]),
        limit,
      ).map(timerOf),
    countTimers: (sessionId) =>
      number('SELECT count(*) FROM timers WHERE session_id = ? AND is_set = 1', sessionId) ?? 0,
    dueTimers: (dueByMs, limit) =>
      rows(`${timerQuery} AND t.due_at <= ? ORDER BY t.due_at LIMIT ?`, dueByMs, limit).map(
        timerOf,
      ),
    heartbeat(sessionId) {
      const found = row('SELECT * FROM heartbeats WHERE session_id = ? AND is_on = 1', sessionId);
      return found === undefined ? undefined : heartbeatOf(found);
    },
    heartbeatCall(sessionId) {
      const key = row('SELECT made_key FROM heartbeats WHERE session_id = ?', sessionId)?.[
        'made_key'
      ];
      return typeof key === 'string' ? key : undefined;
    },
    heartbeats: () =>
      rows('SELECT * FROM heartbeats WHERE is_on = 1 ORDER BY session_id').map(heartbeatOf),
    dueHeartbeats: (dueByMs, limit) =>
      rows(
        'SELECT * FROM heartbeats WHERE is_on = 1 AND next_at <= ? ORDER BY next_at LIMIT ?',
        dueByMs,
        limit,
      ).map(heartbeatOf),
    nextDueMs() {
      const all = [
        "SELECT min(next_run_at) FROM tasks WHERE state = 'active' AND next_run_at IS NOT NULL",
        'SELECT min(due_at) FROM timers WHERE is_set = 1',
        'SELECT min(next_at) FROM heartbeats WHERE is_on = 1',
      ]
        .map((query) => number(query))
        .filter((due) => due !== undefined);
      return all.length === 0 ? undefined : Math.min(...all);
    },
    madeBy(turnId) {
      const taskId = number('SELECT task_id FROM task_slots WHERE turn_id = ?', turnId);
      if (taskId !== undefined) return { kind: 'task', taskId };
      const woken = row('SELECT made_by FROM woken_turns WHERE turn_id = ?', turnId)?.['made_by'];
      if (woken === undefined) return undefined;
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

const HAS_WORD = String.raw`
  AND name || ' ' || schedule || ' ' || prompt || ' ' || agent LIKE ? ESCAPE '\'`;

const numberOr = (value: unknown): number | undefined =>
  typeof value === 'number' ? value : undefined;

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
    author: typeof row['author'] === 'string' ? row['author'] : undefined,
    sessionId: numberOr(row['session_id']),
    createdAtMs: Number(row['created_at']),
    updatedAtMs: Number(row['updated_at']),
    runCount: Number(row['run_count']),
    lastTurnId: numberOr(row['last_turn_id']),
    lastSlotMs: numberOr(row['last_slot']),
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
  };
}

function timerOf(row: Row): TimerRow {
  return {
    sessionId: Number(row['session_id']),
    sessionKey: typeof row['session_key'] === 'string' ? row['session_key'] : '',
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

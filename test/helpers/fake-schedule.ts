/** Tasks, timers and heartbeats of the fake engine: the Tuesday of the mocks, hung on this very moment. */
import { createCronDates } from '../../electron/adapters/dates/cron-dates';
import { bindRule, nextSlots } from '../../electron/engine/schedule/rule';
import type { Answer, VerbInput, VerbOutput, WindowVerb } from '../../shared/contract';
import { parseSchedule } from '../../shared/schedule/grammar';
import type { HeartbeatView, ScheduleSlot, TaskView, TimerView } from '../../shared/schedule/model';
import { findTasks } from '../../renderer/schedule/schedule-view';
import { ruleWords, slotWords } from '../../shared/schedule/words';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const ZONE = 'Europe/Berlin';

export interface SeedSchedule {
  tasks: TaskView[];
  /** Decisions, newest first. */
  slots: (ScheduleSlot & { result?: string })[];
  timers: TimerView[];
  heartbeats: HeartbeatView[];
  isHeartbeatOn: boolean;
  heartbeatProblem?: string;
}

export function fakeTask(nowMs: number, id: number, given: Partial<TaskView>): TaskView {
  return {
    id,
    name: `Task ${String(id)}`,
    prompt: 'Do it.',
    schedule: 'every 30m',
    words: 'Every 30 min',
    kind: 'interval',
    zone: ZONE,
    catchup: 'default',
    state: 'active',
    agent: 'Repo mender',
    channel: 'window',
    peer: '',
    session: `task-${String(id)}`,
    madeBy: 'user',
    createdAtMs: nowMs - 100 * HOUR,
    updatedAtMs: nowMs - 100 * HOUR,
    runs: 0,
    ...given,
  };
}

export function fakeSlot(
  atMs: number,
  given: Partial<ScheduleSlot & { result: string }> & Pick<ScheduleSlot, 'taskId' | 'why'>,
): SeedSchedule['slots'][number] {
  const { lateMs = 0, slots = 1, why, oldestMs } = given;
  const span = { fromMs: oldestMs ?? atMs, toMs: atMs - lateMs, zone: ZONE };
  return {
    slotMs: atMs - lateMs,
    atMs,
    outcome: why === 'window' || why === 'never' || why === 'overlap' ? 'skipped' : 'ran',
    lateMs,
    slots,
    words: slotWords({ why, lateMs, missed: slots, span, windowMs: HOUR }),
    ...given,
  };
}

/** Nothing is scheduled. */
export const noSchedule = (): SeedSchedule => ({
  tasks: [],
  slots: [],
  timers: [],
  heartbeats: [],
  isHeartbeatOn: false,
});

/** Nine tasks after a night: three caught up, one skipped, one missed, one paused, two to come. */
export function nightSchedule(nowMs: number): SeedSchedule {
  const wokeMs = nowMs - 3 * HOUR;
  const done = (turnId: number, durationMs: number) =>
    ({ turnId, status: 'completed', durationMs }) as const;
  const task = (id: number, given: Partial<TaskView>): TaskView => fakeTask(nowMs, id, given);
  return {
    tasks: [
      task(1, { name: 'Price watch', nextRunAtMs: nowMs + 30 * MINUTE, runs: 31 }),
      task(2, {
        name: 'Calendar sync',
        schedule: 'every 15m',
        words: 'Every 15 min',
        catchup: 'always',
        nextRunAtMs: nowMs + 15 * MINUTE,
        runs: 60,
        madeBy: 'agent',
        channel: 'telegram',
        peer: 'team',
      }),
      task(3, {
        name: 'Back up notes',
        schedule: 'daily at 02:00',
        words: 'Daily at 02:00, Europe/Berlin time',
        kind: 'cron',
        nextRunAtMs: nowMs + 11 * HOUR,
        runs: 3,
      }),
      task(4, {
        name: 'Call the bank',
        schedule: '2026-03-24T06:30',
        words: 'Once, Tue 24 Mar 2026, 06:30',
        kind: 'once',
        state: 'missed',
      }),
      task(5, {
        name: 'Tidy downloads',
        schedule: 'daily at 13:00',
        words: 'Daily at 13:00, Europe/Berlin time',
        kind: 'cron',
        state: 'paused',
        runs: 8,
      }),
      task(6, {
        name: 'Check certificate',
        schedule: 'in 2h',
        words: 'Once, in two hours',
        kind: 'once',
        nextRunAtMs: nowMs + 2 * HOUR,
      }),
    ],
    slots: [
      fakeSlot(nowMs - 30 * MINUTE, {
        taskId: 1,
        why: 'on_time',
        turnId: 9,
        status: 'waiting',
        error: 'Office proxy does not answer.',
      }),
      fakeSlot(nowMs - 60 * MINUTE, { taskId: 1, why: 'on_time', ...done(8, 48_000) }),
      fakeSlot(wokeMs, {
        taskId: 1,
        why: 'in_window',
        lateMs: 12 * MINUTE,
        slots: 15,
        oldestMs: wokeMs - 12 * MINUTE - 14 * 30 * MINUTE,
        ...done(7, 63_000),
      }),
      fakeSlot(wokeMs, {
        taskId: 2,
        why: 'always',
        lateMs: 2 * MINUTE,
        slots: 30,
        oldestMs: wokeMs - 2 * MINUTE - 29 * 15 * MINUTE,
        ...done(6, 12_000),
        result: '4 events moved',
      }),
      fakeSlot(wokeMs, {
        taskId: 3,
        why: 'window',
        lateMs: 5 * HOUR + 12 * MINUTE,
        words: 'Skipped: 5 h 12 min late, catch-up window is 1 h. Next run Wed 25 Mar 2026, 02:00.',
      }),
      fakeSlot(wokeMs, { taskId: 4, why: 'window', outcome: 'missed', lateMs: 42 * MINUTE }),
      fakeSlot(nowMs - 20 * HOUR, {
        taskId: 3,
        why: 'by_hand',
        turnId: 5,
        status: 'failed',
        durationMs: 129_000,
        error: 'The disk is full.',
      }),
    ],
    timers: [
      {
        id: 'build-check',
        session: 'notes',
        message: 'Check build status',
        seconds: 300,
        setAtMs: nowMs - 60_000,
        dueAtMs: nowMs + 240_000,
      },
    ],
    heartbeats: [
      {
        session: 'notes',
        isSystem: false,
        every: 'Every 1 min',
        message: 'Look at the queue',
        ticks: 14,
        skipped: 2,
        startedAtMs: nowMs - HOUR,
        nextAtMs: nowMs + 30_000,
      },
    ],
    isHeartbeatOn: false,
  };
}

type ScheduleVerb = Extract<
  WindowVerb,
  | `tasks.${string}`
  | `timers.${string}`
  | `heartbeat.${string}`
  | `schedule.${string}`
  | 'guard.check'
>;

const lineOf = ({ result: _result, ...slot }: SeedSchedule['slots'][number]): ScheduleSlot => slot;

export function fakeScheduleVerbs(
  seed: { schedule: SeedSchedule; nowMs: number },
  refusal: (code: string, message: string) => Answer<never>,
  changed: () => void,
): { [V in ScheduleVerb]: (input: VerbInput<V>) => VerbOutput<V> | Answer<never> } {
  const { nowMs } = seed;
  const dates = createCronDates();
  const taskOf = (taskId: number) => seed.schedule.tasks.find((task) => task.id === taskId);
  const one = (taskId: number, change: Partial<TaskView> = {}): TaskView | Answer<never> => {
    const task = taskOf(taskId);
    if (task === undefined) return refusal('TASK_UNKNOWN', `Task not found: ${String(taskId)}`);
    const next = { ...task, ...change };
    seed.schedule.tasks = seed.schedule.tasks.map((known) => (known === task ? next : known));
    if (Object.keys(change).length > 0) changed();
    return next;
  };
  const isOver = ({ state }: TaskView): boolean => state === 'completed' || state === 'cancelled';
  const slotsOf = (taskId?: number) =>
    seed.schedule.slots.filter((slot) => taskId === undefined || slot.taskId === taskId);
  const parse = (expr: string, zone: string, count: number): VerbOutput<'schedule.parse'> => {
    const parsed = parseSchedule(expr);
    if (!parsed.ok) return { ok: false, error: parsed.error };
    const rule = bindRule(parsed, { input: expr, nowMs, zone, dates });
    if ('ok' in rule) return { ok: false, error: rule.error };
    return {
      ok: true,
      kind: parsed.kind,
      tz: zone,
      words: ruleWords(rule, zone),
      next: nextSlots(rule, nowMs, count, dates).map((at) => new Date(at).toISOString()),
    };
  };
  const wished = ({
    taskId: _taskId,
    unsent: _unsent,
    shared,
    ...wish
  }: Partial<VerbInput<'tasks.update'>>): Partial<TaskView> => ({
    ...Object.fromEntries(Object.entries(wish).filter(([, value]) => value !== undefined)),
    ...(shared === true ? { shared } : {}),
  });
  return {
    'tasks.list': ({ includeOver = false, search = '', limit = 200 }) => {
      const tasks = findTasks(seed.schedule.tasks, search)
        .filter((task) => includeOver || !isOver(task))
        .map((task) => {
          const [last] = slotsOf(task.id);
          return last === undefined ? task : { ...task, lastRun: last };
        });
      return { tasks: tasks.slice(0, limit), hasMore: tasks.length > limit };
    },
    'tasks.add': (wish) => {
      const meant = parse(wish.schedule, wish.zone ?? ZONE, 1);
      if (!meant.ok) return refusal('SCHEDULE_INVALID', meant.error);
      const task = fakeTask(nowMs, seed.schedule.tasks.length + 1, {
        name: wish.prompt,
        ...wished(wish),
        words: meant.words,
        nextRunAtMs: Date.parse(meant.next[0] ?? ''),
      });
      seed.schedule.tasks = [...seed.schedule.tasks, task];
      changed();
      return task;
    },
    'tasks.show': ({ taskId }) => one(taskId),
    'tasks.due': () => ({ tasks: [] }),
    'tasks.next': ({ taskId }) => ({
      zone: ZONE,
      next: [taskOf(taskId)?.nextRunAtMs].filter((at) => at !== undefined),
    }),
    'tasks.run': ({ taskId }) => {
      const task = one(taskId, taskOf(taskId)?.state === 'missed' ? { state: 'completed' } : {});
      return 'id' in task ? { turnId: 12 } : task;
    },
    'tasks.pause': ({ taskId }) => one(taskId, { state: 'paused' }),
    'tasks.resume': ({ taskId }) => one(taskId, { state: 'active' }),
    'tasks.pauseAll': () => {
      const active = seed.schedule.tasks.filter(({ state }) => state === 'active');
      for (const { id } of active) one(id, { state: 'paused' });
      return { changed: active.length };
    },
    'tasks.resumeAll': () => {
      const paused = seed.schedule.tasks.filter(({ state }) => state === 'paused');
      for (const { id } of paused) one(id, { state: 'active' });
      return { changed: paused.length, missed: 0 };
    },
    'tasks.update': ({ taskId, ...wish }) => one(taskId, wished(wish)),
    'tasks.cancel': ({ taskId }) => one(taskId, { state: 'cancelled' }),
    'tasks.history': ({ taskId, limit = 50 }) => {
      const runs = slotsOf(taskId);
      return { runs: runs.slice(0, limit), hasMore: runs.length > limit };
    },
    'timers.list': ({ session }) => ({
      timers: seed.schedule.timers.filter(
        (timer) => session === undefined || timer.session === session,
      ),
    }),
    'timers.cancel': ({ session, id }) => {
      seed.schedule.timers = seed.schedule.timers.filter(
        (timer) => timer.id !== id || timer.session !== session,
      );
      changed();
      return { ok: true };
    },
    'timers.run': () => ({ turnId: 12 }),
    'heartbeat.status': () => ({
      isEnabled: seed.schedule.isHeartbeatOn,
      ...(seed.schedule.heartbeatProblem === undefined
        ? {}
        : { problem: seed.schedule.heartbeatProblem }),
      heartbeats: seed.schedule.heartbeats,
    }),
    'heartbeat.stop': ({ session }) => {
      seed.schedule.heartbeats = seed.schedule.heartbeats.filter(
        (beat) => beat.session !== session,
      );
      changed();
      return { ok: true };
    },
    'schedule.lines': ({ fromMs, toMs, taskIds }) => ({
      nowMs,
      fromMs,
      toMs,
      knownFromMs: fromMs,
      slots: seed.schedule.slots
        .filter(({ atMs }) => atMs >= fromMs && atMs <= toMs)
        .map((slot) => lineOf(slot)),
      coming: taskIds.map((taskId) => ({
        taskId,
        atMs: [taskOf(taskId)?.nextRunAtMs].filter(
          (at) => at !== undefined && at < toMs,
        ) as number[],
        isThinned: false,
      })),
    }),
    'schedule.parse': ({ expr, tz, count = 5 }) => parse(expr, tz ?? ZONE, count),
    'guard.check': () => ({ blocked: false, isOn: true }),
  };
}

import { DEFAULT_HEARTBEAT_SECONDS } from '../../shared/schedule/limits';
import type {
  DueTask,
  HeartbeatView,
  ScheduleSlot,
  TaskRun,
  TaskView,
  TimerView,
} from '../../shared/schedule/model';
import { ruleWords, slotWords } from '../../shared/schedule/words';
import type { SleepVerdict } from '../engine/shell-policy/sleep-guard';
import { planCatchup } from '../engine/schedule/plan-catchup';
import type { Families } from '../engine/api/handlers';
import { HoldfastError } from '../engine/kernel/errors';
import {
  readHeartbeat,
  SYSTEM_HEARTBEAT,
  type Heartbeats,
  type SystemHeartbeat,
} from '../engine/schedule/heartbeats';
import { originOf } from '../engine/schedule/origin';
import { nextSlots } from '../engine/schedule/rule';
import { taskSession, type TaskAuthor, type Tasks } from '../engine/schedule/tasks';
import type { SchedulePolicy } from '../engine/schedule/task-types';
import type { Timers } from '../engine/schedule/timers';
import type { Clock } from '../ports/clock';
import type { CronDates } from '../ports/dates';
import { scheduleLines } from './schedule-lines';
import { previewSchedule } from './schedule-preview';
import type { SessionRow, TurnRow } from '../ports/journal/rows';
import type {
  HeartbeatRow,
  ScheduleReads,
  SlotRow,
  TaskRow,
  TimerRow,
} from '../ports/journal/schedule';
import type { Audit } from '../ports/log';

interface ScheduleVerbsDeps {
  readonly reads: ScheduleReads;
  readonly clock: Clock;
  readonly policy: () => SchedulePolicy;
  readonly dates: () => Promise<CronDates>;
  readonly turn: (id: number) => TurnRow | undefined;
  readonly tasks: Tasks;
  readonly timers: Timers;
  readonly heartbeats: Heartbeats;
  /** The newest turn of a session: what it is woken for is answered where that is. */
  readonly lastTurnOf: (sessionId: number) => number | undefined;
  readonly defaultAgent: () => string;
  readonly audit: Audit;
  readonly guard: (command: string) => Promise<SleepVerdict>;
  readonly isGuardOn: () => boolean;
  readonly session: (ref: string) => SessionRow;
  readonly sessionOf: (id: number) => SessionRow | undefined;
  readonly system: () => SystemHeartbeat;
  /** The answer of a finished turn. */
  readonly resultOf: (turn: TurnRow) => Promise<string | undefined>;
}

const SHOWN_RESULT = 200;

/** A person, or an agent outside of Holdfast: its tasks count with those of the agent that does them. */
const authorOf = (name: string | undefined, agent: string, sessionId?: number): TaskAuthor =>
  name === undefined
    ? { by: 'user' }
    : { by: 'agent', agent, name, ...(sessionId === undefined ? {} : { sessionId }) };

const timerView = (timer: TimerRow): TimerView => ({
  id: timer.timerId,
  session: timer.sessionKey,
  message: timer.message,
  seconds: timer.seconds,
  setAtMs: timer.setAtMs,
  dueAtMs: timer.dueAtMs,
});

/** Answers the verbs of tasks, timers, heartbeats and of trying a schedule or a command. */
export function createScheduleVerbs(deps: ScheduleVerbsDeps): Families['schedule'] {
  const { reads, tasks } = deps;
  const views = createViews(deps);
  let asked = 0;
  /** Nobody makes a call of an outside agent again after a crash: each is a new one. */
  const outsideKey = (): string => `outside-${String(deps.clock.nowMs())}-${String(asked)}`;
  const shown = async (task: TaskRow): Promise<TaskView> => views.task(task, true);
  return {
    'tasks.list': async ({ includeOver = false, search = '', afterId, limit = 200 }) => {
      const rows = reads.tasks({
        isOpen: !includeOver,
        words: search.split(/\s+/).filter(Boolean),
        ...(afterId === undefined ? {} : { afterId }),
        limit: limit + 1,
      });
      return {
        tasks: await Promise.all(rows.slice(0, limit).map((task) => views.task(task, false))),
        hasMore: rows.length > limit,
      };
    },
    'tasks.add': async ({ author, session: ref, unsent, ...wish }) => {
      const session = ref === undefined ? undefined : deps.session(ref);
      const agent = wish.agent ?? session?.agent ?? deps.defaultAgent();
      const hasOwn = wish.channel !== undefined || wish.peer !== undefined;
      const turnId = session === undefined || hasOwn ? undefined : deps.lastTurnOf(session.id);
      const origin = turnId === undefined ? undefined : originOf(deps.turn(turnId));
      return shown(
        await tasks.add(
          { ...wish, agent, ...origin },
          authorOf(author, agent, session?.id),
          unsent,
        ),
      );
    },
    'tasks.show': async ({ taskId }) => shown(tasks.need(taskId)),
    'tasks.due': async ({ explain = false, limit = 200 }) => {
      const nowMs = deps.clock.nowMs();
      const due = reads.dueTasks(nowMs, limit);
      const dates = explain && due.length > 0 ? await deps.dates() : undefined;
      return { tasks: due.map((task) => views.due(task, nowMs, dates)) };
    },
    'tasks.next': async ({ taskId, count = 5 }) => {
      const task = tasks.need(taskId);
      const dates = await deps.dates();
      const first = task.state === 'active' ? task.nextRunAtMs : undefined;
      return {
        zone: task.zone,
        next:
          first === undefined
            ? []
            : [first, ...nextSlots(task.rule, first, count - 1, dates)].slice(0, count),
      };
    },
    'tasks.run': async ({ taskId }, origin) => ({
      turnId: (await tasks.run(taskId, origin)).id,
    }),
    'tasks.pause': async ({ taskId }, origin) => shown(await tasks.pause(taskId, origin)),
    'tasks.resume': async ({ taskId }, origin) => shown(await tasks.resume(taskId, origin)),
    'tasks.pauseAll': (_input, origin) => tasks.pauseAll(origin),
    'tasks.resumeAll': (_input, origin) => tasks.resumeAll(origin),
    'tasks.update': async ({ taskId, author, unsent, ...wish }) =>
      shown(await tasks.update(taskId, wish, authorOf(author, tasks.need(taskId).agent), unsent)),
    'tasks.cancel': async ({ taskId }, origin) => shown(await tasks.cancel(taskId, origin)),
    'tasks.history': async ({ taskId, beforeMs, limit = 50 }) => {
      if (taskId !== undefined) tasks.need(taskId);
      const rows = reads.slots({
        ...(taskId === undefined ? {} : { taskId }),
        ...(beforeMs === undefined ? {} : { beforeMs }),
        limit: limit + 1,
      });
      return {
        runs: await Promise.all(rows.slice(0, limit).map((slot) => views.run(slot))),
        hasMore: rows.length > limit,
      };
    },
    'timers.list': ({ session }) =>
      Promise.resolve({
        timers: reads
          .timers({
            ...(session === undefined ? {} : { sessionId: deps.session(session).id }),
            limit: 1_000,
          })
          .map(timerView),
      }),
    'timers.set': async ({ session: ref, seconds, message, id, author = '' }) => {
      const session = deps.session(ref);
      asked += 1;
      const set = await deps.timers.set({
        sessionId: session.id,
        turnId: deps.lastTurnOf(session.id) ?? 0,
        timerId: id ?? `o-${String(deps.clock.nowMs())}-${String(asked)}`,
        key: outsideKey(),
        seconds,
        message,
      });
      deps.audit.record('timer_asked', { sessionId: session.id, timerId: set.timerId, by: author });
      return timerView(set);
    },
    'heartbeat.start': async ({ session: ref, seconds, message, author = '' }) => {
      const session = deps.session(ref);
      const wish = readHeartbeat({ interval_seconds: seconds, message }, DEFAULT_HEARTBEAT_SECONDS);
      if ('problem' in wish) {
        throw new HoldfastError('INPUT_INVALID', wish.problem, { hint: 'Nothing was started.' });
      }
      const turnId = deps.lastTurnOf(session.id) ?? 0;
      deps.audit.record('heartbeat_asked', { sessionId: session.id, by: author });
      asked += 1;
      const set = await deps.heartbeats.start({
        sessionId: session.id,
        turnId,
        key: outsideKey(),
        ...wish,
      });
      if (set === undefined)
        throw new HoldfastError('INTERNAL', 'The heartbeat was stopped while it was started.');
      return views.heartbeat(set);
    },
    'timers.cancel': async ({ session, id }, origin) => {
      await deps.timers.cancel(deps.session(session).id, id, origin);
      return { ok: true };
    },
    'timers.run': async ({ session, id }, origin) => ({
      turnId: (await deps.timers.run(deps.session(session).id, id, origin)).id,
    }),
    'heartbeat.status': () => {
      const problem = deps.heartbeats.systemProblem();
      return Promise.resolve({
        isEnabled: deps.system().isEnabled,
        ...(problem === undefined ? {} : { problem: problem.slice(0, 300) }),
        heartbeats: reads.heartbeats().map((beat) => views.heartbeat(beat)),
      });
    },
    'heartbeat.stop': async ({ session }, origin) => {
      await deps.heartbeats.stop(deps.session(session).id, origin);
      return { ok: true };
    },
    'schedule.lines': (range) =>
      scheduleLines(range, {
        reads,
        nowMs: deps.clock.nowMs(),
        dates: deps.dates,
        shown: (slot) => ({ ...views.decision(slot), name: reads.task(slot.taskId)?.name }),
      }),
    'schedule.parse': async ({ expr, tz, fromMs, count = 5 }) =>
      previewSchedule(
        {
          expr,
          zone: tz ?? deps.policy().zone,
          fromMs: fromMs ?? deps.clock.nowMs(),
          count,
        },
        deps.dates,
      ),
    'guard.check': async ({ command }) => {
      const isOn = deps.isGuardOn();
      const verdict = await deps.guard(command);
      return isOn ? { ...verdict, isOn } : { blocked: false, isOn };
    },
  };
}

function createViews(deps: ScheduleVerbsDeps) {
  const { reads } = deps;

  const run = async (slot: SlotRow, zone?: string): Promise<TaskRun> => {
    const turn = slot.turnId === undefined ? undefined : deps.turn(slot.turnId);
    const result = turn === undefined ? undefined : await deps.resultOf(turn);
    return {
      ...decision(slot, zone),
      ...(result === undefined ? {} : { result: result.slice(-SHOWN_RESULT) }),
    };
  };

  /** Without the answer: that may have to be read from disk. */
  const decision = (slot: SlotRow, ofZone?: string): ScheduleSlot => {
    const turn = slot.turnId === undefined ? undefined : deps.turn(slot.turnId);
    const isFired = slot.turnId !== undefined;
    const isOver = slot.nextRunAtMs === undefined && slot.why !== 'by_hand';
    const ended = turn?.endedAtMs;
    const { windowMs, oldestMs } = slot;
    const zone = ofZone ?? zoneOf(slot.taskId);
    return {
      taskId: slot.taskId,
      slotMs: slot.slotMs,
      atMs: slot.atMs,
      outcome: isFired ? 'ran' : isOver ? 'missed' : 'skipped',
      why: slot.why,
      lateMs: slot.lateMs,
      slots: slot.missed,
      ...(oldestMs === undefined ? {} : { oldestMs }),
      words: slotWords({
        why: slot.why,
        lateMs: slot.lateMs,
        missed: slot.missed,
        ...(oldestMs === undefined ? {} : { span: { fromMs: oldestMs, toMs: slot.slotMs, zone } }),
        ...(windowMs === undefined ? {} : { windowMs }),
        ...(isOver ? { isMissed: true } : {}),
        ...(slot.nextRunAtMs === undefined || isFired
          ? {}
          : { next: { atMs: slot.nextRunAtMs, zone } }),
      }),
      ...(slot.turnId === undefined ? {} : { turnId: slot.turnId }),
      ...(turn === undefined ? {} : { status: turn.state }),
      ...(turn === undefined || ended === undefined
        ? {}
        : { durationMs: Math.max(0, ended - (turn.startedAtMs ?? turn.acceptedAtMs)) }),
      ...(turn === undefined || turn.reason === '' || turn.state === 'completed'
        ? {}
        : { error: turn.reason.slice(0, 500) }),
    };
  };

  const zoneOf = (taskId: number): string => reads.task(taskId)?.zone ?? deps.policy().zone;

  const task = async (row: TaskRow, isWhole: boolean): Promise<TaskView> => {
    const last = reads.slots({ taskId: row.id, limit: 1 })[0];
    return {
      id: row.id,
      name: row.name,
      prompt: isWhole ? row.prompt : row.prompt.slice(0, 500),
      schedule: row.schedule,
      words: ruleWords(row.rule, row.zone),
      kind: row.rule.kind,
      zone: row.zone,
      catchup: row.catchup,
      state: row.state,
      agent: row.agent,
      channel: row.channel,
      peer: row.peer,
      session: taskSession(row.id),
      madeBy: row.madeBy,
      ...(row.author === undefined ? {} : { author: row.author }),
      createdAtMs: row.createdAtMs,
      updatedAtMs: row.updatedAtMs,
      ...(row.nextRunAtMs === undefined || row.state !== 'active'
        ? {}
        : { nextRunAtMs: row.nextRunAtMs }),
      runs: row.runCount,
      ...(last === undefined ? {} : { lastRun: await run(last, row.zone) }),
    };
  };

  const due = (row: TaskRow, nowMs: number, dates: CronDates | undefined): DueTask => {
    const dueAtMs = row.nextRunAtMs ?? nowMs;
    return {
      id: row.id,
      name: row.name,
      prompt: row.prompt.slice(0, 60),
      schedule: row.schedule,
      dueAtMs,
      overdueMs: Math.max(0, nowMs - dueAtMs),
      ...(dates === undefined ? {} : { plan: plan(row, nowMs, dates) }),
    };
  };

  /** What a start would decide now: the same function, nothing is written. */
  const plan = (row: TaskRow, nowMs: number, dates: CronDates): NonNullable<DueTask['plan']> => {
    const { catchupWindowMs: windowMs } = deps.policy();
    const decided = planCatchup(
      { rule: row.rule, catchup: row.catchup, isActive: true, nextRunAtMs: row.nextRunAtMs },
      { nowMs, windowMs, isLive: false, dates },
    );
    if (decided.action === 'none') throw new HoldfastError('INTERNAL', 'A due task is not due.');
    const isBusy = decided.action === 'fire' && deps.tasks.isBusy(row);
    const why = isBusy ? 'overlap' : decided.why;
    const next = decided.nextRunAtMs;
    return {
      action:
        decided.action === 'fire' && !isBusy ? 'fire' : next === undefined ? 'missed' : 'skip',
      why,
      words: slotWords({
        why,
        lateMs: decided.lateMs,
        missed: decided.missed,
        span: { fromMs: decided.oldestMs, toMs: decided.slotMs, zone: row.zone },
        windowMs,
        ...(next === undefined ? { isMissed: true } : { next: { atMs: next, zone: row.zone } }),
      }),
      slots: decided.missed,
      ...(next === undefined ? {} : { nextRunAtMs: next }),
    };
  };

  const heartbeat = (row: HeartbeatRow): HeartbeatView => {
    const isSystem = row.sessionId === SYSTEM_HEARTBEAT;
    const session = isSystem ? deps.system().contextId : deps.sessionOf(row.sessionId)?.key;
    return {
      ...(session === undefined ? {} : { session }),
      isSystem,
      every: ruleWords(row.rule, deps.policy().zone).slice(0, 200),
      message: isSystem ? '' : row.message,
      ticks: row.ticks,
      skipped: row.skipped,
      startedAtMs: row.startedAtMs,
      nextAtMs: row.nextAtMs,
    };
  };

  return { run, decision, task, due, heartbeat };
}

import { DEFAULT_HEARTBEAT_SECONDS } from '../../../shared/schedule/limits';
import type { TaskView } from '../../../shared/schedule/model';
import type { Basics } from '../kernel/basics';
import type { SessionReads, TurnReads } from '../../ports/journal/reads';
import type { TaskRow } from '../../ports/journal/schedule';
import { eachAlone } from '../kernel/each-alone';
import { HoldfastError } from '../kernel/errors';
import { readHeartbeat } from '../schedule/heartbeats';
import { originOf } from '../schedule/origin';
import { previewSchedule, scheduleLines } from '../schedule/preview';
import { nextSlots } from '../schedule/rule';
import type { Schedule } from '../schedule/schedule';
import type { TaskAuthor } from '../schedule/tasks';
import { createScheduleViews, timerView } from '../schedule/views';
import type { SessionsRoom } from '../sessions/intake';
import type { SleepVerdict } from '../shell-policy/sleep-guard';
import type { Families } from './handlers';

interface ScheduleDeps extends Pick<Basics, 'blobs' | 'clock' | 'audit'> {
  readonly room: Schedule;
  readonly reads: SessionReads & TurnReads;
  readonly sessions: Pick<SessionsRoom, 'find'>;
  readonly agents: { readonly defaultName: () => string };
  readonly sleepGuard: {
    readonly isOn: () => boolean;
    readonly judge: (command: string) => Promise<SleepVerdict>;
  };
}

/** The user, or an external agent, whose tasks count toward the agent that runs them. */
const authorOf = (name: string | undefined, agent: string, sessionId?: number): TaskAuthor =>
  name === undefined
    ? { by: 'user' }
    : { by: 'agent', agent, name, ...(sessionId === undefined ? {} : { sessionId }) };

/** Tasks, timers, heartbeats, and trying a schedule or a command. */
export function scheduleHandlers(deps: ScheduleDeps): Families['schedule'] {
  const { room } = deps;
  const { tasks, timers, heartbeats } = room;
  const views = createScheduleViews({
    ...room,
    work: deps.reads,
    blobs: deps.blobs,
    isBusy: (task) => tasks.isBusy(task),
    nowMs: () => deps.clock.nowMs(),
  });
  /** A woken session answers where its newest turn was requested. */
  const lastTurnOf = (sessionId: number): number | undefined =>
    deps.reads.turns({ sessionId, limit: 1 })[0]?.id;
  let asked = 0;
  /** An external agent's call is never repeated after a crash: each one is new. */
  const outsideKey = (): string => `outside-${String(deps.clock.nowMs())}-${String(asked)}`;
  const shown = async (task: TaskRow): Promise<TaskView> => views.task(task, true);
  return {
    'tasks.list': async ({ includeOver = false, search = '', afterId, limit = 200 }) => {
      const rows = room.reads.tasks({
        isOpen: !includeOver,
        words: search.split(/\s+/).filter(Boolean),
        ...(afterId === undefined ? {} : { afterId }),
        limit: limit + 1,
      });
      return {
        tasks: await eachAlone(rows.slice(0, limit), (task) => views.task(task, false)),
        hasMore: rows.length > limit,
      };
    },
    'tasks.add': async ({ author, session: ref, unsent, ...wish }) => {
      const session = ref === undefined ? undefined : deps.sessions.find(ref);
      const agent = wish.agent ?? session?.agent ?? deps.agents.defaultName();
      const hasOwn = wish.channel !== undefined || wish.peer !== undefined;
      const turnId = session === undefined || hasOwn ? undefined : lastTurnOf(session.id);
      const origin = turnId === undefined ? undefined : originOf(deps.reads.turn(turnId));
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
      const due = room.reads.dueTasks(nowMs, limit);
      const dates = explain && due.length > 0 ? await room.dates() : undefined;
      return { tasks: due.map((task) => views.due(task, nowMs, dates)) };
    },
    'tasks.next': async ({ taskId, count = 5 }) => {
      const task = tasks.need(taskId);
      const dates = await room.dates();
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
      const rows = room.reads.slots({
        ...(taskId === undefined ? {} : { taskId }),
        ...(beforeMs === undefined ? {} : { beforeMs }),
        limit: limit + 1,
      });
      return {
        runs: await eachAlone(rows.slice(0, limit), (slot) => views.run(slot)),
        hasMore: rows.length > limit,
      };
    },
    'timers.list': ({ session }) =>
      Promise.resolve({
        timers: room.reads
          .timers({
            ...(session === undefined ? {} : { sessionId: deps.sessions.find(session).id }),
            limit: 1_000,
          })
          .map(timerView),
      }),
    'timers.set': async ({ session: ref, seconds, message, id, author = '' }) => {
      const session = deps.sessions.find(ref);
      asked += 1;
      const set = await timers.set({
        sessionId: session.id,
        turnId: lastTurnOf(session.id) ?? 0,
        timerId: id ?? `o-${String(deps.clock.nowMs())}-${String(asked)}`,
        key: outsideKey(),
        seconds,
        message,
      });
      deps.audit.record('timer_asked', { sessionId: session.id, timerId: set.timerId, by: author });
      return timerView(set);
    },
    'heartbeat.start': async ({ session: ref, seconds, message, author = '' }) => {
      const session = deps.sessions.find(ref);
      const wish = readHeartbeat({ interval_seconds: seconds, message }, DEFAULT_HEARTBEAT_SECONDS);
      if ('problem' in wish) {
        throw new HoldfastError('INPUT_INVALID', wish.problem, { hint: 'Nothing was started.' });
      }
      const turnId = lastTurnOf(session.id) ?? 0;
      deps.audit.record('heartbeat_asked', { sessionId: session.id, by: author });
      asked += 1;
      const set = await heartbeats.start({
        sessionId: session.id,
        turnId,
        key: outsideKey(),
        ...wish,
      });
      if (set === undefined)
        throw new HoldfastError(
          'INTERNAL',
          'The heartbeat was stopped while it was being started.',
        );
      return views.heartbeat(set);
    },
    'timers.cancel': async ({ session, id }, origin) => {
      await timers.cancel(deps.sessions.find(session).id, id, origin);
      return { ok: true };
    },
    'timers.run': async ({ session, id }, origin) => ({
      turnId: (await timers.run(deps.sessions.find(session).id, id, origin)).id,
    }),
    'heartbeat.status': () => {
      const problem = heartbeats.systemProblem();
      return Promise.resolve({
        isEnabled: room.system().isEnabled,
        ...(problem === undefined ? {} : { problem: problem.slice(0, 300) }),
        heartbeats: room.reads.heartbeats().map((beat) => views.heartbeat(beat)),
      });
    },
    'heartbeat.stop': async ({ session }, origin) => {
      await heartbeats.stop(deps.sessions.find(session).id, origin);
      return { ok: true };
    },
    'schedule.lines': (range) =>
      scheduleLines(range, {
        reads: room.reads,
        nowMs: deps.clock.nowMs(),
        dates: room.dates,
        shown: (slot) => ({ ...views.decision(slot), name: room.reads.task(slot.taskId)?.name }),
      }),
    'schedule.parse': async ({ expr, tz, fromMs, count = 5 }) =>
      previewSchedule(
        {
          expr,
          zone: tz ?? room.policy().zone,
          fromMs: fromMs ?? deps.clock.nowMs(),
          count,
        },
        room.dates,
      ),
    'guard.check': async ({ command }) => {
      const isOn = deps.sleepGuard.isOn();
      const verdict = await deps.sleepGuard.judge(command);
      return isOn ? { ...verdict, isOn } : { blocked: false, isOn };
    },
  };
}

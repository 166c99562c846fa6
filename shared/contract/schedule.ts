/** Tasks, timers and heartbeats. */
import { z } from 'zod';
import { once } from '../once';
import { MAX_CHECK } from '../schedule/check';
import {
  MAX_TIMER_SECONDS,
  MAX_TASK_NAME,
  MAX_TASK_PROMPT,
  MAX_TIMER_ID,
  MAX_TIMER_MESSAGE,
  SHORTEST_TIMER_SECONDS,
} from '../schedule/limits';
import {
  catchupRule,
  dueTask,
  guardVerdict,
  heartbeatView,
  parsedSchedule,
  scheduleLines,
  taskRun,
  taskView,
  timerView,
} from '../schedule/model';
import { sentText } from '../types/unsent';
import { turnId, nothing, done, sessionRef, limit, author, type VerbSpec } from './base';

const taskId = z.number().int().positive();
/** The fields of a task. Channel and peer come together or not at all. */
const taskWish = {
  prompt: z.string().min(1).max(MAX_TASK_PROMPT).optional(),
  schedule: z.string().min(1).max(200).optional(),
  name: z.string().min(1).max(MAX_TASK_NAME).optional(),
  zone: z.string().min(1).max(64).optional(),
  catchup: catchupRule.optional(),
  agent: z.string().min(1).max(64).optional(),
  channel: z.string().min(1).max(64).optional(),
  peer: z.string().max(200).optional(),
  /** Empty: none. */
  check: z.string().max(MAX_CHECK).optional(),
  /** Other computers of the shared store have it too. */
  shared: z.boolean().optional(),
};

export const SCHEDULE_VERBS = {
  'tasks.list': {
    kind: 'query',
    danger: 'none',
    surface: 'all',
    input: once(() =>
      z.strictObject({
        /** Includes those that are done or canceled. */
        includeOver: z.boolean().optional(),
        /** Words that must all occur in name, rule, prompt or agent. */
        search: z.string().max(200).optional(),
        afterId: taskId.optional(),
        limit: limit.optional(),
      }),
    ),
    output: once(() => z.strictObject({ tasks: z.array(taskView), hasMore: z.boolean() })),
    about: 'List scheduled tasks with their next and last run',
  },
  'tasks.add': {
    kind: 'command',
    danger: 'none',
    surface: 'all',
    input: once(() =>
      z.strictObject({
        ...taskWish,
        prompt: taskWish.prompt.unwrap(),
        schedule: taskWish.schedule.unwrap(),
        author,
        unsent: sentText.optional(),
        /** The requesting session: default for agent and origin. */
        session: sessionRef.optional(),
      }),
    ),
    output: () => taskView,
    about: 'Schedule a task: it is saved with its first run when this returns',
  },
  'tasks.show': {
    kind: 'query',
    danger: 'none',
    surface: 'all',
    input: once(() => z.strictObject({ taskId })),
    output: () => taskView,
    about: 'One task with its last run',
  },
  'tasks.due': {
    kind: 'query',
    danger: 'none',
    surface: 'all',
    input: once(() => z.strictObject({ explain: z.boolean().optional(), limit: limit.optional() })),
    output: once(() => z.strictObject({ tasks: z.array(dueTask) })),
    about: 'List overdue tasks; with explain, what a start would do about each',
  },
  'tasks.next': {
    kind: 'query',
    danger: 'none',
    surface: 'all',
    input: once(() => z.strictObject({ taskId, count: limit.optional() })),
    output: once(() =>
      z.strictObject({ zone: z.string().max(64), next: z.array(z.number()).max(1000) }),
    ),
    about: 'The next runs of a task',
  },
  'tasks.run': {
    kind: 'command',
    danger: 'none',
    surface: 'all',
    input: once(() => z.strictObject({ taskId })),
    output: once(() => z.strictObject({ turnId })),
    about: 'Run a task now, in addition to its schedule',
  },
  'tasks.pause': {
    kind: 'command',
    danger: 'none',
    surface: 'all',
    input: once(() => z.strictObject({ taskId })),
    output: () => taskView,
    about: 'Pause a task until it is resumed',
  },
  'tasks.resume': {
    kind: 'command',
    danger: 'none',
    surface: 'all',
    input: once(() => z.strictObject({ taskId })),
    output: () => taskView,
    about: 'Resume a paused task; missed runs are not caught up',
  },
  'tasks.pauseAll': {
    kind: 'command',
    danger: 'none',
    surface: 'all',
    input: () => nothing,
    output: once(() => z.strictObject({ changed: z.number().int().nonnegative() })),
    about: 'Pause all active tasks in one commit; their schedules stay',
  },
  'tasks.resumeAll': {
    kind: 'command',
    danger: 'none',
    surface: 'all',
    input: () => nothing,
    output: once(() =>
      z.strictObject({
        changed: z.number().int().nonnegative(),
        /** One-time tasks whose time has passed. */
        missed: z.number().int().nonnegative(),
      }),
    ),
    about: 'Resume all paused tasks; missed runs are not caught up',
  },
  'tasks.update': {
    kind: 'command',
    danger: 'none',
    surface: 'all',
    input: once(() => z.strictObject({ taskId, ...taskWish, author, unsent: sentText.optional() })),
    output: () => taskView,
    about: 'Change a task; omitted fields stay',
  },
  'tasks.cancel': {
    kind: 'command',
    danger: 'none',
    surface: 'all',
    input: once(() => z.strictObject({ taskId })),
    output: () => taskView,
    about: 'Cancel a task permanently; its history stays',
  },
  'tasks.history': {
    kind: 'query',
    danger: 'none',
    surface: 'all',
    input: once(() =>
      z.strictObject({
        taskId: taskId.optional(),
        beforeMs: z.number().optional(),
        limit: limit.optional(),
      }),
    ),
    output: once(() => z.strictObject({ runs: z.array(taskRun), hasMore: z.boolean() })),
    about: 'List scheduled runs with their result and reason, newest first',
  },
  'schedule.lines': {
    kind: 'query',
    danger: 'none',
    surface: 'all',
    input: once(() =>
      z.strictObject({
        fromMs: z.number(),
        toMs: z.number(),
        /** Tasks whose coming slots are wanted. */
        taskIds: z.array(taskId).max(200),
      }),
    ),
    output: () => scheduleLines,
    about: 'Past and upcoming scheduled runs in a time range, for the day chart',
  },
  'timers.list': {
    kind: 'query',
    danger: 'none',
    surface: 'all',
    input: once(() => z.strictObject({ session: sessionRef.optional() })),
    output: once(() => z.strictObject({ timers: z.array(timerView).max(1000) })),
    about: 'List pending timers, next first',
  },
  'timers.set': {
    kind: 'command',
    danger: 'none',
    surface: 'control',
    input: once(() =>
      z.strictObject({
        session: sessionRef,
        seconds: z.number().int().min(SHORTEST_TIMER_SECONDS).max(MAX_TIMER_SECONDS),
        message: z.string().min(1).max(MAX_TIMER_MESSAGE),
        /** Generated if absent; an existing one is replaced. */
        id: z.string().min(1).max(MAX_TIMER_ID).optional(),
        author,
      }),
    ),
    output: () => timerView,
    about: 'Wake a session once',
  },
  'heartbeat.start': {
    kind: 'command',
    danger: 'none',
    surface: 'control',
    input: once(() =>
      z.strictObject({
        session: sessionRef,
        seconds: z.number().int().optional(),
        message: z.string().max(MAX_TIMER_MESSAGE).optional(),
        author,
      }),
    ),
    output: () => heartbeatView,
    about: 'Wake a session at an interval until the heartbeat is stopped',
  },
  'timers.cancel': {
    kind: 'command',
    danger: 'none',
    surface: 'all',
    input: once(() => z.strictObject({ session: sessionRef, id: z.string().min(1).max(64) })),
    output: () => done,
    about: 'Cancel a timer of a session',
  },
  'timers.run': {
    kind: 'command',
    danger: 'none',
    surface: 'all',
    input: once(() => z.strictObject({ session: sessionRef, id: z.string().min(1).max(64) })),
    output: once(() => z.strictObject({ turnId })),
    about: 'Wake a session now with one of its missed timers',
  },
  'heartbeat.status': {
    kind: 'query',
    danger: 'none',
    surface: 'all',
    input: () => nothing,
    output: once(() =>
      z.strictObject({
        /** True if the default heartbeat is enabled. */
        isEnabled: z.boolean(),
        /** Why it does not run although it is enabled. */
        problem: z.string().max(300).optional(),
        heartbeats: z.array(heartbeatView).max(1000),
      }),
    ),
    about: 'List heartbeats of sessions and the default heartbeat',
  },
  'heartbeat.stop': {
    kind: 'command',
    danger: 'none',
    surface: 'all',
    input: once(() => z.strictObject({ session: sessionRef })),
    output: () => done,
    about: 'Stop the heartbeat of a session',
  },
  'schedule.parse': {
    kind: 'query',
    danger: 'none',
    surface: 'all',
    input: once(() =>
      z.strictObject({
        expr: z.string().max(1000),
        tz: z.string().max(64).optional(),
        /** From this instant; default: now. */
        fromMs: z.number().optional(),
        count: limit.optional(),
      }),
    ),
    output: () => parsedSchedule,
    about: 'Explain a schedule and show its next runs',
  },
  'guard.check': {
    kind: 'query',
    danger: 'none',
    surface: 'all',
    input: once(() => z.strictObject({ command: z.string().max(100_000) })),
    output: () => guardVerdict,
    about: 'Check whether the sleep guard allows a shell command',
  },
} as const satisfies Record<string, VerbSpec>;

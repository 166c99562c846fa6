/** Tasks, timers and heartbeats. */
import { z } from 'zod';
import { exactObject } from '../exact-object';
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
import {
  COMMAND,
  QUERY,
  turnId,
  nothing,
  done,
  sessionRef,
  limit,
  author,
  type VerbSpec,
} from './base';

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
    ...QUERY,
    input: exactObject(() => ({
      /** Includes those that are done or canceled. */
      includeOver: z.boolean().optional(),
      /** Words that must all occur in name, rule, prompt or agent. */
      search: z.string().max(200).optional(),
      afterId: taskId.optional(),
      limit: limit.optional(),
    })),
    output: exactObject(() => ({ tasks: z.array(taskView), hasMore: z.boolean() })),
    about: 'List scheduled tasks with their next and last run',
  },
  'tasks.add': {
    ...COMMAND,
    input: exactObject(() => ({
      ...taskWish,
      prompt: taskWish.prompt.unwrap(),
      schedule: taskWish.schedule.unwrap(),
      author,
      unsent: sentText.optional(),
      /** The requesting session: default for agent and origin. */
      session: sessionRef.optional(),
    })),
    output: () => taskView,
    about: 'Schedule a task: it is saved with its first run when this returns',
  },
  'tasks.show': {
    ...QUERY,
    input: exactObject(() => ({ taskId })),
    output: () => taskView,
    about: 'One task with its last run',
  },
  'tasks.due': {
    ...QUERY,
    input: exactObject(() => ({ explain: z.boolean().optional(), limit: limit.optional() })),
    output: exactObject(() => ({ tasks: z.array(dueTask) })),
    about: 'List overdue tasks; with explain, what a start would do about each',
  },
  'tasks.next': {
    ...QUERY,
    input: exactObject(() => ({ taskId, count: limit.optional() })),
    output: exactObject(() => ({ zone: z.string().max(64), next: z.array(z.number()).max(1000) })),
    about: 'The next runs of a task',
  },
  'tasks.run': {
    ...COMMAND,
    input: exactObject(() => ({ taskId })),
    output: exactObject(() => ({ turnId })),
    about: 'Run a task now, in addition to its schedule',
  },
  'tasks.pause': {
    ...COMMAND,
    input: exactObject(() => ({ taskId })),
    output: () => taskView,
    about: 'Pause a task until it is resumed',
  },
  'tasks.resume': {
    ...COMMAND,
    input: exactObject(() => ({ taskId })),
    output: () => taskView,
    about: 'Resume a paused task; missed runs are not caught up',
  },
  'tasks.pauseAll': {
    ...COMMAND,
    input: () => nothing,
    output: exactObject(() => ({ changed: z.number().int().nonnegative() })),
    about: 'Pause all active tasks in one commit; their schedules stay',
  },
  'tasks.resumeAll': {
    ...COMMAND,
    input: () => nothing,
    output: exactObject(() => ({
      changed: z.number().int().nonnegative(),
      /** One-time tasks whose time has passed. */
      missed: z.number().int().nonnegative(),
    })),
    about: 'Resume all paused tasks; missed runs are not caught up',
  },
  'tasks.update': {
    ...COMMAND,
    input: exactObject(() => ({ taskId, ...taskWish, author, unsent: sentText.optional() })),
    output: () => taskView,
    about: 'Change a task; omitted fields stay',
  },
  'tasks.cancel': {
    ...COMMAND,
    input: exactObject(() => ({ taskId })),
    output: () => taskView,
    about: 'Cancel a task permanently; its history stays',
  },
  'tasks.history': {
    ...QUERY,
    input: exactObject(() => ({
      taskId: taskId.optional(),
      beforeMs: z.number().optional(),
      limit: limit.optional(),
    })),
    output: exactObject(() => ({ runs: z.array(taskRun), hasMore: z.boolean() })),
    about: 'List scheduled runs with their result and reason, newest first',
  },
  'schedule.lines': {
    ...QUERY,
    input: exactObject(() => ({
      fromMs: z.number(),
      toMs: z.number(),
      /** Tasks whose coming slots are wanted. */
      taskIds: z.array(taskId).max(200),
    })),
    output: () => scheduleLines,
    about: 'Past and upcoming scheduled runs in a time range, for the day chart',
  },
  'timers.list': {
    ...QUERY,
    input: exactObject(() => ({ session: sessionRef.optional() })),
    output: exactObject(() => ({ timers: z.array(timerView).max(1000) })),
    about: 'List pending timers, next first',
  },
  'timers.set': {
    ...COMMAND,
    surface: 'control',
    input: exactObject(() => ({
      session: sessionRef,
      seconds: z.number().int().min(SHORTEST_TIMER_SECONDS).max(MAX_TIMER_SECONDS),
      message: z.string().min(1).max(MAX_TIMER_MESSAGE),
      /** Generated if absent; an existing one is replaced. */
      id: z.string().min(1).max(MAX_TIMER_ID).optional(),
      author,
    })),
    output: () => timerView,
    about: 'Wake a session once',
  },
  'heartbeat.start': {
    ...COMMAND,
    surface: 'control',
    input: exactObject(() => ({
      session: sessionRef,
      seconds: z.number().int().optional(),
      message: z.string().max(MAX_TIMER_MESSAGE).optional(),
      author,
    })),
    output: () => heartbeatView,
    about: 'Wake a session at an interval until the heartbeat is stopped',
  },
  'timers.cancel': {
    ...COMMAND,
    input: exactObject(() => ({ session: sessionRef, id: z.string().min(1).max(64) })),
    output: () => done,
    about: 'Cancel a timer of a session',
  },
  'timers.run': {
    ...COMMAND,
    input: exactObject(() => ({ session: sessionRef, id: z.string().min(1).max(64) })),
    output: exactObject(() => ({ turnId })),
    about: 'Wake a session now with one of its missed timers',
  },
  'heartbeat.status': {
    ...QUERY,
    input: () => nothing,
    output: exactObject(() => ({
      /** True if the default heartbeat is enabled. */
      isEnabled: z.boolean(),
      /** Why it does not run although it is enabled. */
      problem: z.string().max(300).optional(),
      heartbeats: z.array(heartbeatView).max(1000),
    })),
    about: 'List heartbeats of sessions and the default heartbeat',
  },
  'heartbeat.stop': {
    ...COMMAND,
    input: exactObject(() => ({ session: sessionRef })),
    output: () => done,
    about: 'Stop the heartbeat of a session',
  },
  'schedule.parse': {
    ...QUERY,
    input: exactObject(() => ({
      expr: z.string().max(1000),
      tz: z.string().max(64).optional(),
      /** From this instant; default: now. */
      fromMs: z.number().optional(),
      count: limit.optional(),
    })),
    output: () => parsedSchedule,
    about: 'Explain a schedule and show its next runs',
  },
  'guard.check': {
    ...QUERY,
    input: exactObject(() => ({ command: z.string().max(100_000) })),
    output: () => guardVerdict,
    about: 'Check whether the sleep guard allows a shell command',
  },
} as const satisfies Record<string, VerbSpec>;

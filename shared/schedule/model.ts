/**
 * Tasks, timers and heartbeats as shown by windows, CLI and control socket. Source: S1-01..S1-39,
 * S0-22..S0-28.
 */
import { z } from 'zod';
import { turnState } from '../types';
import { MAX_TASK_NAME, MAX_TASK_PROMPT, MAX_TIMER_ID, MAX_TIMER_MESSAGE } from './limits';
import { MAX_CHECK } from './check';
import { CATCHUP_RULES, SLOT_REASONS, TASK_STATES } from './states';

const text = (max: number): z.ZodString => z.string().max(max);
const atMs = z.number();
const count = z.number().int().nonnegative();
const taskId = z.number().int().positive();

export type { Rule } from './states';

const taskState = z.enum(TASK_STATES);
export const catchupRule = z.enum(CATCHUP_RULES);

/** Outcome of one slot. */
export const taskRun = z.strictObject({
  taskId,
  slotMs: atMs,
  /** When it was decided. */
  atMs,
  outcome: z.enum(['ran', 'skipped', 'missed']),
  why: z.enum(SLOT_REASONS),
  lateMs: z.number().nonnegative(),
  /** Scheduled runs that it represents. */
  slots: count,
  /** The first of them, if there are several. */
  oldestMs: atMs.optional(),
  /** The same in one sentence. */
  words: text(700),
  turnId: z.number().int().positive().optional(),
  /** State of its turn, once there is one. */
  status: turnState.optional(),
  durationMs: z.number().nonnegative().optional(),
  /** The last 200 characters of the answer. */
  result: text(200).optional(),
  error: text(500).optional(),
});
export type TaskRun = z.infer<typeof taskRun>;

/** Likely cost of a task in 30 days, from its last runs. BU-05 */
const taskForecast = z.strictObject({
  /** Number of past runs used. */
  fromRuns: count,
  runsPerMonth: z.number().nonnegative(),
  tokensPerMonth: count,
  /** Absent if no price is known. */
  usdPerMonth: z.number().nonnegative().optional(),
  /** Some of the runs have no price, so the real cost is higher. */
  isAtLeast: z.boolean(),
});
export type TaskForecast = z.infer<typeof taskForecast>;

export const taskView = z.strictObject({
  id: taskId,
  name: text(MAX_TASK_NAME),
  prompt: text(MAX_TASK_PROMPT),
  schedule: text(200),
  /** The rule as text. */
  words: text(300),
  kind: z.enum(['interval', 'once', 'cron', 'event']),
  zone: text(64),
  catchup: catchupRule,
  /** Its check before it runs; absent: none. */
  check: text(MAX_CHECK).optional(),
  /** Other computers have it too: each of its times is run once, by one of them. */
  shared: z.literal(true).optional(),
  state: taskState,
  agent: text(64),
  channel: text(64),
  peer: text(200),
  /** Its session. */
  session: text(200),
  madeBy: z.enum(['user', 'agent']),
  /** For a task of an external agent: the name it gives itself. */
  author: text(64).optional(),
  createdAtMs: atMs,
  updatedAtMs: atMs,
  nextRunAtMs: atMs.optional(),
  runs: count,
  lastRun: taskRun.optional(),
  /** Absent for a one-time task, and for one that is not active or has no finished run. */
  forecast: taskForecast.optional(),
});
export type TaskView = z.infer<typeof taskView>;

/** One decision in a day's chart, without its turn's answer. */
const scheduleSlot = taskRun.omit({ result: true }).extend({
  /** State of its task, which may be over by now. */
  name: text(MAX_TASK_NAME).optional(),
});
export type ScheduleSlot = z.infer<typeof scheduleSlot>;

/** Decided and upcoming slots in a time range. */
export const scheduleLines = z.strictObject({
  nowMs: atMs,
  fromMs: atMs,
  toMs: atMs,
  /** Decisions before it are left out: there were too many. */
  knownFromMs: atMs,
  /** Newest first, over all tasks. */
  slots: z.array(scheduleSlot).max(1000),
  coming: z
    .array(
      z.strictObject({
        taskId,
        atMs: z.array(atMs).max(500),
        /** Not every slot is listed: they are closer than a chart can show, or too many. */
        isThinned: z.boolean(),
      }),
    )
    .max(200),
});
export type ScheduleLines = z.infer<typeof scheduleLines>;

/** An overdue task, and what the next check will do about it. */
export const dueTask = z.strictObject({
  id: taskId,
  name: text(MAX_TASK_NAME),
  /** The first 60 characters. */
  prompt: text(60),
  schedule: text(200),
  dueAtMs: atMs,
  overdueMs: z.number().nonnegative(),
  plan: z
    .strictObject({
      /** Missed: a one-time run that now needs a person's decision. */
      action: z.enum(['fire', 'skip', 'missed']),
      why: taskRun.shape.why,
      words: text(3_000),
      /** The run also depends on this check, which runs only then. */
      check: text(MAX_CHECK).optional(),
      slots: count,
      nextRunAtMs: atMs.optional(),
    })
    .optional(),
});
export type DueTask = z.infer<typeof dueTask>;

export const timerView = z.strictObject({
  id: text(MAX_TIMER_ID),
  session: text(200),
  message: text(MAX_TIMER_MESSAGE),
  seconds: count,
  setAtMs: atMs,
  dueAtMs: atMs,
});
export type TimerView = z.infer<typeof timerView>;

export const heartbeatView = z.strictObject({
  /** Absent for the default heartbeat. */
  session: text(200).optional(),
  isSystem: z.boolean(),
  every: text(200),
  message: text(MAX_TIMER_MESSAGE),
  ticks: count,
  skipped: count,
  startedAtMs: atMs,
  nextAtMs: atMs,
  /** Why the default heartbeat does not run. */
  problem: text(300).optional(),
});
export type HeartbeatView = z.infer<typeof heartbeatView>;

/** `schedule parse`: the meaning of a text, and its next instants. */
export const parsedSchedule = z.discriminatedUnion('ok', [
  z.strictObject({
    ok: z.literal(true),
    kind: z.enum(['interval', 'once', 'daily', 'cron', 'event']),
    ms: z.number().optional(),
    cron: text(200).optional(),
    tz: text(64),
    words: text(300),
    /** ISO instants. */
    next: z.array(text(30)).max(1000),
  }),
  z.strictObject({ ok: z.literal(false), error: text(600) }),
]);

/** `guard check`: may an agent run this command? */
export const guardVerdict = z.strictObject({
  blocked: z.boolean(),
  isOn: z.boolean(),
  reason: text(600).optional(),
  suggestion: text(200).optional(),
  seconds: z.number().optional(),
  waitsSeconds: z.number().optional(),
});

/** The tools that Holdfast offers to external agents (`holdfast mcp`): one entry each. */
import type { ToolAnnotations } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import { VERBS } from '../../shared/contract';
import type { TurnSummary } from '../../shared/types';
import { invalidInput } from '../engine/kernel/errors';
import type { Access, Reach } from './reach';

/** MCP tool hints; the engine behind the verbs enforces what they promise. */
type OfferedHints = Readonly<Required<Omit<ToolAnnotations, 'title'>>>;

export interface OfferedTool {
  readonly name: string;
  readonly description: string;
  readonly input: z.ZodObject;
  readonly hints: OfferedHints;
  /** `read` works from disk while nothing runs. */
  readonly access: Access;
  /** The value for the agent; JSON. @throws HoldfastError */
  readonly call: (engine: Reach, input: never, by: Caller) => Promise<Record<string, unknown>>;
}

/** The caller. */
export interface Caller {
  /** The name that the MCP client gives itself. */
  readonly author: string;
  /** The session of the turn that started the caller. */
  readonly session: (engine: Reach) => Promise<string | undefined>;
}

const READS: OfferedHints = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};

const OPEN_STATES = ['queued', 'running', 'requires_action', 'waiting', 'held', 'parked'] as const;
const MAX_TURNS = 50;

function tool<S extends z.ZodObject>(
  name: string,
  rest: {
    readonly description: string;
    readonly input: S;
    readonly hints: OfferedHints;
    readonly access: Access;
    readonly call: (
      engine: Reach,
      input: z.infer<S>,
      by: Caller,
    ) => Promise<Record<string, unknown>>;
  },
): OfferedTool {
  return { name, ...rest };
}

const WRITES: OfferedHints = {
  readOnlyHint: false,
  destructiveHint: false,
  idempotentHint: false,
  openWorldHint: false,
};

const TASK = VERBS['tasks.update'].input().shape;
const taskId = z.number().int().positive().describe('task ID');
const taskFields = {
  prompt: TASK.prompt.describe('prompt of each run'),
  schedule: TASK.schedule.describe(
    '"every 5m", "in 30m", "daily at 09:00", "0 9 * * 1-5", "2027-06-01T09:00", or an event: "on file ~/inbox", "on git ~/project main", "on webhook ci where failed", "on nats orders.created", "on task 3"',
  ),
  name: TASK.name,
  timezone: TASK.zone,
  catchup: TASK.catchup,
  check: TASK.check.describe(
    'checked before each run: "command: ls ~/inbox", "https://example.org/feed" or "git: ~/project main"; empty: none',
  ),
  agent: TASK.agent.describe('Holdfast agent that runs it'),
  origin_channel: TASK.channel,
  origin_peer: TASK.peer,
};

/** Fields of a task that an agent knows by another name. */
type OutsideNames = {
  readonly [K in 'timezone' | 'origin_channel' | 'origin_peer']?: string | undefined;
};

/** The requested task in the verbs' format. */
function wishOf<T extends OutsideNames>({
  timezone,
  origin_channel: channel,
  origin_peer: peer,
  ...rest
}: T) {
  return given({ ...rest, zone: timezone, channel, peer });
}

/** Task tools for external agents; agents of Holdfast run the tasks. S1-03, S1-+01. */
const SCHEDULE_TOOLS: readonly OfferedTool[] = [
  tool('schedule_task', {
    description:
      'Schedules a prompt for a Holdfast agent, once or repeatedly. The schedule survives restarts.',
    input: z.strictObject({
      ...taskFields,
      prompt: VERBS['tasks.add'].input().shape.prompt,
      schedule: VERBS['tasks.add'].input().shape.schedule,
    }),
    hints: WRITES,
    access: 'running',
    call: async (engine, input, { author, session }) =>
      engine.call('tasks.add', {
        ...wishOf(input),
        ...given({ author, session: await session(engine) }),
      }),
  }),
  tool('list_tasks', {
    description: 'Lists scheduled tasks with their state and next run. Read-only.',
    input: z.strictObject({}),
    hints: READS,
    access: 'read',
    call: async (engine) => engine.call('tasks.list', {}),
  }),
  tool('update_task', {
    description: 'Changes a scheduled task; omitted fields stay as they are.',
    input: z.strictObject({ task_id: taskId, ...taskFields }),
    hints: WRITES,
    access: 'running',
    call: async (engine, { task_id: id, ...rest }, { author }) =>
      engine.call('tasks.update', { ...wishOf(rest), taskId: id, author }),
  }),
  ...(
    [
      ['pause', 'Pauses a scheduled task until it is resumed.'],
      ['resume', 'Resumes a paused task; missed runs are not caught up.'],
      ['cancel', 'Cancels a scheduled task permanently.'],
    ] as const
  ).map(([verb, description]) =>
    tool(`${verb}_task`, {
      description,
      input: z.strictObject({ task_id: taskId }),
      hints: { ...WRITES, idempotentHint: true },
      access: 'running',
      call: async (engine, { task_id: id }) => engine.call(`tasks.${verb}`, { taskId: id }),
    }),
  ),
];

const TIMER = VERBS['timers.set'].input().shape;
const BEAT = VERBS['heartbeat.start'].input().shape;
const sessionName = z.string().min(1).max(200).optional();
const wokenSession = sessionName.describe(
  'Holdfast session to wake up (default: your own, if Holdfast runs you)',
);

async function woken(
  engine: Reach,
  wanted: string | undefined,
  by: Caller,
): Promise<{ readonly session: string; readonly author: string }> {
  const found = wanted ?? (await by.session(engine));
  if (found !== undefined) return { session: found, author: by.author };
  throw invalidInput(
    'No session was specified.',
    'Nothing was done. Specify one; list sessions with "holdfast sessions list".',
  );
}

/** Wake-ups of sessions of Holdfast. S1-13..S1-24 */
const WAKE_TOOLS: readonly OfferedTool[] = [
  tool('timer', {
    description:
      'Wakes up a Holdfast session once, after 1 to 3600 seconds, and returns immediately. Use it instead of sleep. Using the same ID again replaces the timer. Survives restarts.',
    input: z.strictObject({
      seconds: TIMER.seconds,
      message: TIMER.message.describe('message that the session gets, exactly as written'),
      id: TIMER.id.describe('timer ID (default: created for you)'),
      session: wokenSession,
    }),
    hints: WRITES,
    access: 'running',
    call: async (engine, { session: wanted, ...wish }, by) =>
      engine.call('timers.set', { ...given(wish), ...(await woken(engine, wanted, by)) }),
  }),
  tool('heartbeat', {
    description:
      'Wakes up a Holdfast session repeatedly: start, stop or status. One heartbeat per session.',
    input: z.strictObject({
      action: z.enum(['start', 'stop', 'status']),
      interval_seconds: BEAT.seconds.describe('10 to 3600'),
      message: BEAT.message.describe('message of each wake-up, exactly as written'),
      session: wokenSession,
    }),
    hints: WRITES,
    access: 'running',
    call: async (engine, { action, session: wanted, interval_seconds: seconds, message }, by) => {
      const to = await woken(engine, wanted, by);
      switch (action) {
        case 'start':
          return engine.call('heartbeat.start', { ...given({ seconds, message }), ...to });
        case 'stop':
          return engine.call('heartbeat.stop', { session: to.session });
        case 'status': {
          const { session } = await engine.call('session.status', { session: to.session });
          const { heartbeats } = await engine.call('heartbeat.status', {});
          const found = heartbeats.find((one) => !one.isSystem && one.session === session.key);
          return found === undefined ? { isOn: false } : { isOn: true, ...found };
        }
      }
    },
  }),
];

/** An absent field is omitted, not passed on as undefined. */
function given<T extends object>(fields: T): T {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T;
}

const READ_TOOLS: readonly OfferedTool[] = [
  tool('journal_status', {
    description:
      'Shows what Holdfast has saved: counts, unfinished turns with their state and reason, and what needs a decision by the user. With a session: that session and its unfinished turns. Read-only.',
    input: z.strictObject({
      session: sessionName.describe('session name or ID'),
    }),
    hints: READS,
    access: 'read',
    call: journalStatus,
  }),
  tool('recall', {
    description:
      'Finds words in prompts, answers, tool calls and results, newest first; each hit names its turn and step. Read-only.',
    input: z.strictObject({
      query: VERBS['search.find'].input().shape.words.describe('words that must all occur'),
      session: sessionName.describe('session to search (default: your own, if Holdfast runs you)'),
      everywhere: z.boolean().optional().describe('search all sessions'),
    }),
    hints: READS,
    access: 'read',
    call: async (engine, { query, session: wanted, everywhere }, by) => {
      const session = wanted ?? (everywhere === true ? undefined : await by.session(engine));
      return engine.call('search.find', { words: query, ...given({ session }), limit: 20 });
    },
  }),
];

const ALL_TOOLS: readonly OfferedTool[] = [...READ_TOOLS, ...SCHEDULE_TOOLS, ...WAKE_TOOLS];

/** The tools for schedules depend on the same setting as for agents of Holdfast. S1-39 */
export const offeredTools = (hasScheduler: boolean): readonly OfferedTool[] =>
  hasScheduler ? ALL_TOOLS : READ_TOOLS;

async function journalStatus(
  engine: Reach,
  { session }: { readonly session?: string | undefined },
): Promise<Record<string, unknown>> {
  if (session !== undefined) {
    const found = await engine.call('session.status', { session });
    const { key, title, agent, status, stopReason } = found.session;
    return {
      isRunning: engine.isRunning,
      session: { key, title, agent, status, stopReason },
      openTurns: found.openTurns.map(turnFacts),
    };
  }
  const status = await engine.call('status.get', {});
  const { turns, hasMore } = await engine.call('turns.list', {
    states: [...OPEN_STATES],
    limit: MAX_TURNS,
  });
  const { items } = await engine.call('inbox.list', { limit: MAX_TURNS });
  return {
    // An engine that does not respond may still run: an agent must not treat its turns as
    // interrupted.
    isRunning: engine.isRunning || status.phase === 'silent',
    phase: status.phase,
    isPaused: status.paused !== undefined,
    counts: status.counts,
    openTurns: turns.map(turnFacts),
    hasMoreTurns: hasMore,
    waitsForAPerson: items.map(({ kind, turnId, title }) => ({ kind, turnId, title })),
  };
}

const turnFacts = (turn: TurnSummary): Record<string, unknown> => ({
  turn: turn.id,
  session: turn.sessionKey,
  agent: turn.agent,
  state: turn.state,
  reason: turn.reason,
  prompt: turn.promptStart,
  steps: turn.steps,
});

import { DEFAULT_HEARTBEAT_SECONDS } from '../../../shared/schedule/limits';
import { CATCHUP_RULES } from '../../../shared/schedule/states';
import { ruleWords } from '../../../shared/schedule/words';
import type { ScheduleReads, TaskRow } from '../../ports/journal/schedule';
import type { TurnReads } from '../../ports/journal/reads';
import type { TurnRow } from '../../ports/journal/rows';
import type { SettingsPort } from '../../ports/settings';
import type { ToolHost, ToolSpec } from '../../ports/tools';
import type { ToolCall, ToolOutcome } from '../../ports/tool-call';
import { toHoldfastError } from '../kernel/errors';
import { readHeartbeat } from './heartbeats';
import { originOf } from './origin';
import type { TaskWish } from './tasks';
import type { Schedule } from './schedule';
import { readTimer } from './timers';

interface ScheduleToolsDeps {
  readonly schedule: () => Pick<Schedule, 'tasks' | 'timers' | 'heartbeats'>;
  readonly scheduleReads: ScheduleReads;
  readonly reads: Pick<TurnReads, 'turn'>;
  readonly settings: Pick<SettingsPort, 'get'>;
}

type Args = Readonly<Record<string, unknown>>;
const text = (description: string) => ({ type: 'string', description });
const schema = (properties: Record<string, unknown>, required: readonly string[]) =>
  ({
    type: 'object',
    properties,
    required,
    additionalProperties: false,
  }) as ToolSpec['inputSchema'];

const WISH = {
  prompt: text('Prompt that you get then'),
  schedule: text(
    '"every 5m", "in 30m", "daily at 09:00", "0 9 * * 1-5", "2027-06-01T09:00", or an event: "on file ~/inbox", "on git ~/project main", "on webhook ci where failed", "on nats orders.created", "on task 3"; 10 seconds or more',
  ),
  name: text('Name in lists'),
  timezone: text('IANA name such as "Europe/Berlin"; default: the configured one'),
  catchup: {
    type: 'string',
    enum: CATCHUP_RULES,
    description: 'Whether missed runs are caught up: within the window (default), always, never',
  },
  check: text(
    'Checked before each run, which is skipped if nothing changed: "command: ls ~/inbox", "https://example.org/feed" or "git: ~/project main". Exit code 1 or a last line {"wake":false} means nothing to do; new output is added to the prompt. Empty: none',
  ),
  origin_channel: text(
    'Channel to deliver replies to, with origin_peer. Default: the channel of this session',
  ),
  origin_peer: text('Recipient, with origin_channel'),
};
const TASK = { task_id: { type: 'integer', description: 'Task ID' } };

/** For calls that are safe to repeat; their outcome is read from disk. */
const WRITES = { purity: 'side_effect', isIdempotent: true } as const;

const SPECS: readonly ToolSpec[] = [
  {
    name: 'schedule_task',
    description:
      'Schedules work for later or repeatedly: it runs automatically, even after restarts, and replies on the channel of this session. Returns the task ID and next run.',
    inputSchema: schema(WISH, ['prompt', 'schedule']),
    ...WRITES,
  },
  {
    name: 'list_tasks',
    description: 'Lists the scheduled tasks with their state and next run.',
    inputSchema: schema({}, []),
    purity: 'world',
  },
  {
    name: 'pause_task',
    description: 'Pauses a scheduled task until it is resumed.',
    inputSchema: schema(TASK, ['task_id']),
    ...WRITES,
  },
  {
    name: 'resume_task',
    description: 'Resumes a paused task; missed runs are not caught up.',
    inputSchema: schema(TASK, ['task_id']),
    ...WRITES,
  },
  {
    name: 'update_task',
    description: 'Changes a scheduled task; omitted fields stay.',
    inputSchema: schema({ ...TASK, ...WISH }, ['task_id']),
    ...WRITES,
  },
  {
    name: 'cancel_task',
    description: 'Cancels a scheduled task permanently.',
    inputSchema: schema(TASK, ['task_id']),
    ...WRITES,
  },
  {
    name: 'timer',
    description:
      'Wakes you in this conversation once, after 1 to 3600 seconds; returns at once. Use it instead of sleep. The same id again replaces it. Survives restarts.',
    inputSchema: schema(
      {
        seconds: { type: 'integer', minimum: 1, maximum: 3600 },
        message: text('Message that you get then'),
        id: text('Timer name; default: generated'),
      },
      ['seconds', 'message'],
    ),
    ...WRITES,
  },
  {
    name: 'heartbeat',
    description:
      'Wakes you in this conversation repeatedly (start) until stop; status shows it. One per conversation. Answer IDLE to a wake-up that needs nothing.',
    inputSchema: schema(
      {
        action: { type: 'string', enum: ['start', 'stop', 'status'] },
        interval_seconds: { type: 'integer', minimum: 10, maximum: 3600 },
        message: text('Message that each wake-up brings'),
      },
      ['action'],
    ),
    ...WRITES,
  },
];

const told = (content: string, isError = false): ToolOutcome => ({
  kind: 'result',
  content,
  isError,
});
const iso = (ms: number): string => new Date(ms).toISOString();

/**
 * Tools by which an agent schedules work. Each returns at once. Repeated after a crash, a call has
 * the same key and changes nothing more. S1-03, S1-04, S1-13..S1-24, S1-39, S1-+01.
 */
export function createScheduleTools(deps: ScheduleToolsDeps): ToolHost {
  const none: readonly ToolSpec[] = [];

  const taskText = (task: TaskRow): string =>
    `Task ${String(task.id)} "${task.name}" is ${task.state}: ${ruleWords(task.rule, task.zone)}.` +
    (task.nextRunAtMs === undefined || task.state !== 'active'
      ? ''
      : ` Next run ${iso(task.nextRunAtMs)}.`);

  const schedule = async (args: Args, call: ToolCall, turn: TurnRow): Promise<ToolOutcome> => {
    const wish = readWish(args);
    if ('problem' in wish)
      return told(`TOOL_INPUT_INVALID: nothing was scheduled. ${wish.problem}`, true);
    if (wish.prompt === undefined || wish.schedule === undefined)
      return told(
        'TOOL_INPUT_INVALID: nothing was scheduled. Specify a prompt and a schedule.',
        true,
      );
    // The origin is the conversation, unless both fields are set (S1-12).
    const hasOwn = wish.channel !== undefined || wish.peer !== undefined;
    const origin = hasOwn ? undefined : originOf(turn);
    const task = await deps.schedule().tasks.add(
      { ...wish, ...origin, agent: turn.agent },
      {
        by: 'agent',
        agent: turn.agent,
        key: call.idempotencyKey,
        sessionId: turn.sessionId,
      },
    );
    return told(taskText(task));
  };

  const change = async (args: Args, turn: TurnRow, tool: string): Promise<ToolOutcome> => {
    const id = args['task_id'];
    if (typeof id !== 'number' || !Number.isInteger(id))
      return told('TOOL_INPUT_INVALID: nothing was changed. Specify the task ID.', true);
    const tasks = deps.schedule().tasks;
    switch (tool) {
      case 'pause_task':
        return told(taskText(await tasks.pause(id, 'agent')));
      case 'resume_task':
        return told(taskText(await tasks.resume(id, 'agent')));
      case 'cancel_task':
        return told(taskText(await tasks.cancel(id, 'agent')));
      default: {
        const wish = readWish(args);
        if ('problem' in wish)
          return told(`TOOL_INPUT_INVALID: nothing was changed. ${wish.problem}`, true);
        return told(taskText(await tasks.update(id, wish, { by: 'agent', agent: turn.agent })));
      }
    }
  };

  const timer = async (args: Args, call: ToolCall, turn: TurnRow): Promise<ToolOutcome> => {
    const wish = readTimer(args);
    if ('problem' in wish)
      return told(`TOOL_INPUT_INVALID: no timer was set. ${wish.problem}`, true);
    const set = await deps.schedule().timers.set({
      sessionId: turn.sessionId,
      turnId: turn.id,
      timerId: wish.id ?? `t-${call.idempotencyKey.slice(-12)}`,
      seconds: wish.seconds,
      message: wish.message,
      key: call.idempotencyKey,
    });
    return told(
      `Timer ${set.timerId} wakes you at ${iso(set.dueAtMs)}. Continue or end your turn.`,
    );
  };

  const heartbeat = async (args: Args, call: ToolCall, turn: TurnRow): Promise<ToolOutcome> => {
    const beat = deps.scheduleReads.heartbeat(turn.sessionId);
    switch (args['action']) {
      case 'start': {
        const wish = readHeartbeat(args, DEFAULT_HEARTBEAT_SECONDS);
        if ('problem' in wish)
          return told(`TOOL_INPUT_INVALID: no heartbeat was started. ${wish.problem}`, true);
        const set = await deps.schedule().heartbeats.start({
          sessionId: turn.sessionId,
          turnId: turn.id,
          key: call.idempotencyKey,
          ...wish,
        });
        return told(
          set === undefined
            ? 'This heartbeat was started, and has been stopped since. It stays off.'
            : `The heartbeat is on. Next wake-up ${iso(set.nextAtMs)}.`,
        );
      }
      case 'stop':
        return told(
          (await deps.schedule().heartbeats.stop(turn.sessionId, 'agent'))
            ? 'The heartbeat is stopped.'
            : 'There was no active heartbeat; nothing had to be stopped.',
        );
      case 'status':
        return told(
          beat === undefined
            ? 'No active heartbeat.'
            : `${ruleWords(beat.rule, 'UTC')}: "${beat.message}". ${String(beat.ticks)} wake-ups, ${String(beat.skipped)} skipped, on since ${iso(beat.startedAtMs)}, next ${iso(beat.nextAtMs)}.`,
        );
      default:
        return told('TOOL_INPUT_INVALID: "action" is start, stop or status.', true);
    }
  };

  return {
    name: 'schedule',
    tools: () => (deps.settings.get('extensions.core.scheduler_tool') ? SPECS : none),
    async call(call) {
      const turn = deps.reads.turn(call.turnId);
      const args = (call.args ?? {}) as Args;
      if (turn === undefined) return told('TOOL_INPUT_INVALID: there is no such turn.', true);
      try {
        switch (call.tool) {
          case 'schedule_task':
            return await schedule(args, call, turn);
          case 'list_tasks': {
            const tasks = deps.scheduleReads.tasks({ isOpen: true, limit: 200 });
            return told(tasks.map(taskText).join('\n') || 'No tasks yet.');
          }
          case 'timer':
            return await timer(args, call, turn);
          case 'heartbeat':
            return await heartbeat(args, call, turn);
          default:
            return await change(args, turn, call.tool);
        }
      } catch (error) {
        const known = toHoldfastError(error);
        if (known.code.startsWith('DISK_') || known.code === 'INTERNAL')
          return { kind: 'failed', message: known.message, isRetryable: known.retryable };
        return told(`${known.code}: ${known.message} ${known.hint ?? ''}`.trim(), true);
      }
    },
  };
}

/** Reads the agent's request; a field of the wrong type is rejected, not ignored. */
function readWish(args: Args): TaskWish | { readonly problem: string } {
  const isOther = (key: string): boolean => typeof (args[key] ?? '') !== 'string';
  const wrong = Object.keys(WISH).find(isOther);
  if (wrong !== undefined) return { problem: `"${wrong}" must be a text.` };
  const asked = textIn(args, 'catchup');
  const catchup = CATCHUP_RULES.find((rule) => rule === asked);
  if (asked !== undefined && catchup === undefined)
    return { problem: `"catchup" is one of ${CATCHUP_RULES.join(', ')}.` };
  return {
    prompt: textIn(args, 'prompt'),
    schedule: textIn(args, 'schedule'),
    name: textIn(args, 'name'),
    zone: textIn(args, 'timezone'),
    catchup,
    check: textIn(args, 'check'),
    channel: textIn(args, 'origin_channel'),
    peer: textIn(args, 'origin_peer'),
  };
}

function textIn(args: Args, key: string): string | undefined {
  const value = args[key];
  return typeof value === 'string' ? value : undefined;
}

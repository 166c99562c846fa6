import { settle } from '../inbox/entries';
import type { TaskRow, ScheduleReads, TaskFacts } from '../../ports/journal/schedule';
import type { JournalEntry } from '../../ports/journal/entries';
import { nextSlot, bindRule, freeSlot, smallestGapMs } from './rule';
import type { Basics } from '../kernel/basics';
import type { TurnRow } from '../../ports/journal/rows';
import type { CronDates } from '../../ports/dates';
import { channelNamed } from '../../../shared/channel-names';
import { parseCheck } from '../../../shared/schedule/check';
import type { CatchupRule, Rule } from '../../../shared/schedule/states';
import { parseSchedule } from '../../../shared/schedule/grammar';
import type { Refusal } from '../../../shared/schedule/refusal';
import { MAX_TASK_NAME, MAX_TASK_PROMPT } from '../../../shared/schedule/limits';
import { needSharedTask, sharedFact } from './shared-tasks';
import { needRoom } from './task-limits';
import { taskMessage } from './task-message';
import type { TaskNames } from './task-names';
import { watchedState } from './watched-state';
import type { SentText } from '../../ports/unsent';
import { HoldfastError, unknownAgent } from '../kernel/errors';
import type { SessionsRoom } from '../sessions/intake';

/** The smallest interval for agents; users may go down to a second. */
const SMALLEST_AGENT_MS = 10_000;

/** A requested task; an absent field has a default or stays unchanged. */
export interface TaskWish {
  readonly prompt?: string | undefined;
  readonly schedule?: string | undefined;
  readonly name?: string | undefined;
  readonly zone?: string | undefined;
  readonly catchup?: CatchupRule | undefined;
  readonly agent?: string | undefined;
  readonly channel?: string | undefined;
  readonly peer?: string | undefined;
  /** Empty: none. */
  readonly check?: string | undefined;
  /** Other computers have it too. */
  readonly shared?: boolean | undefined;
}

/** The requester: agents have tighter limits. */
export type TaskAuthor =
  | {
      readonly by: 'user';
      /** The requesting message's key, if there was one. */
      readonly key?: string;
    }
  | {
      readonly by: 'agent';
      /** The agent whose tasks it counts toward. */
      readonly agent: string;
      /** The call's key: a repetition after a crash gives the same task. */
      readonly key?: string;
      /** The name that an external agent gives itself. */
      readonly name?: string;
      /** The requesting session. */
      readonly sessionId?: number;
    };

/** Tasks: scheduled work for the user or an agent. S1-01..S1-12, S1-+01..S1-+05. */
export interface Tasks extends AllTasks {
  /**
   * On disk when it resolves, with its first run. @throws SCHEDULE_INVALID, INPUT_INVALID,
   * TASK_LIMIT, AGENT_UNKNOWN, CHANNEL_UNKNOWN, DISK_*
   */
  add(wish: TaskWish, author: TaskAuthor, sent?: SentText): Promise<TaskRow>;
  update(id: number, wish: TaskWish, author: TaskAuthor, sent?: SentText): Promise<TaskRow>;
  pause(id: number, by: string): Promise<TaskRow>;
  /** Resumes from now: missed runs are not caught up. */
  resume(id: number, by: string): Promise<TaskRow>;
  cancel(id: number, by: string): Promise<TaskRow>;
  /** Runs it now, in addition to its slots. @throws TASK_STATE while one of its runs is active */
  run(id: number, by: string): Promise<TurnRow>;
  need(id: number): TaskRow;
  isBusy(task: TaskRow): boolean;
}

/**
 * A schedule bound to a task: its rule, and its next slot or the state that events are compared
 * with.
 */
interface BoundSchedule {
  readonly rule: Rule;
  readonly nextRunAtMs?: number;
  readonly eventSeen?: string;
}

/** A run that waits for the user does not block the next slot. */
const OUT_OF_THE_WAY: ReadonlySet<string> = new Set(['held', 'parked']);

export function createTasks(deps: TasksDeps): Tasks {
  const { reads, journal, clock } = deps;

  const need = (id: number): TaskRow => {
    const task = reads.task(id);
    if (task !== undefined) return task;
    throw new HoldfastError('TASK_UNKNOWN', `Task not found: ${String(id)}`, {
      hint: 'Nothing was changed. List the tasks with "holdfast tasks list".',
    });
  };

  const isBusy = (task: TaskRow): boolean => {
    const turn = task.lastTurnId === undefined ? undefined : deps.turn(task.lastTurnId);
    return turn !== undefined && turn.endedAtMs === undefined && !OUT_OF_THE_WAY.has(turn.state);
  };

  const commit = async (
    id: number,
    entries: readonly JournalEntry[],
    sent?: SentText,
  ): Promise<TaskRow> => {
    deps.crashPoints.hit('task.set.before');
    await journal.commit(entries, { sent });
    deps.crashPoints.hit('task.set.after');
    deps.edits.changed();
    return need(id);
  };

  const bind = async (
    text: string,
    { zone, agent }: Pick<TaskFacts, 'zone' | 'agent'>,
    author: TaskAuthor,
    self?: number,
  ): Promise<BoundSchedule> => {
    const parsed = parseSchedule(text);
    if (!parsed.ok) throw invalid(parsed);
    const dates = await deps.dates();
    const nowMs = clock.nowMs();
    const rule = bindRule(parsed, { input: text, nowMs, zone, dates });
    if ('ok' in rule) throw invalid(rule);
    const gapMs = smallestGapMs(rule, nowMs, dates);
    if (author.by === 'agent' && gapMs !== undefined && gapMs < SMALLEST_AGENT_MS) {
      throw new HoldfastError(
        'SCHEDULE_INVALID',
        `"${text}" runs more often than every 10 seconds, which is the limit for agents.`,
        { hint: 'Nothing was changed. Ask for 10 seconds or more.' },
      );
    }
    if (rule.kind === 'event')
      return { rule, ...(await watchedState(deps, rule.trigger, { agent, self })) };
    const nextRunAtMs = nextSlot(rule, nowMs, dates);
    if (nextRunAtMs === undefined) {
      throw new HoldfastError('SCHEDULE_INVALID', `"${text}" never runs.`, {
        hint: 'Nothing was changed. Choose a date in the future.',
      });
    }
    return { rule, nextRunAtMs };
  };

  const checked = (
    wish: TaskWish,
    author: TaskAuthor,
    before?: TaskRow,
  ): Omit<TaskFacts, 'rule' | 'nextRunAtMs'> => {
    const prompt = wish.prompt ?? before?.prompt ?? '';
    if (prompt.trim() === '' || prompt.length > MAX_TASK_PROMPT)
      throw input(`The prompt is empty or longer than ${String(MAX_TASK_PROMPT)} characters.`);
    if ((wish.channel === undefined) !== (wish.peer === undefined))
      throw input('Specify both the channel and the recipient of the origin, or neither.');
    const agent = wish.agent ?? before?.agent ?? deps.names.defaultAgent();
    if (!deps.names.hasAgent(agent)) throw unknownAgent(agent);
    const asked = wish.channel === undefined ? undefined : channelNamed(wish.channel);
    const channel = asked ?? before?.channel ?? deps.names.defaultChannel();
    if (wish.channel !== undefined && !deps.names.hasChannel(channel)) {
      throw new HoldfastError('CHANNEL_UNKNOWN', `There is no channel "${channel.slice(0, 60)}".`, {
        hint: 'Nothing was changed. Omit the origin to get replies on the default channel.',
      });
    }
    const check = (wish.check ?? before?.check ?? '').trim();
    const by = wish.check === undefined ? before?.checkBy : author.by;
    return {
      prompt,
      name: nameOf(wish.name ?? before?.name ?? prompt),
      schedule: (wish.schedule ?? before?.schedule ?? '').trim(),
      zone: wish.zone ?? before?.zone ?? deps.policy().zone,
      catchup: wish.catchup ?? before?.catchup ?? 'default',
      agent,
      channel,
      peer: wish.peer ?? before?.peer ?? '',
      ...(check === '' ? {} : { check, checkBy: by ?? author.by }),
      ...sharedFact(wish.shared, before),
    };
  };

  /** An invalid check is rejected when it is set, not every time it is due. */
  const hasGoodCheck = async (
    facts: Pick<TaskFacts, 'check' | 'checkBy' | 'agent'>,
  ): Promise<void> => {
    if (facts.check === undefined) return;
    const parsed = parseCheck(facts.check);
    if (!parsed.ok) throw input(parsed.error);
    const owner = { agent: facts.agent, by: facts.checkBy ?? 'user' } as const;
    const refusal = await deps.names.checkRefusal(parsed.check, owner);
    if (refusal !== undefined) throw input(refusal);
  };

  const needShared = (
    facts: Pick<TaskFacts, 'name' | 'agent' | 'isShared' | 'schedule'>,
    rule: Rule,
    id?: number,
  ): void => {
    const { whyNotShared: whyNot, placeOf } = deps.names;
    needSharedTask(facts, rule, { id, others: reads.sharedTasks(), whyNot, placeOf });
  };

  /** Once the task runs, is changed or is canceled, its notice is obsolete. */
  const told = (task: TaskRow, outcome: string): readonly JournalEntry[] => {
    const inboxId = task.state === 'missed' ? deps.missedNotice(task.id) : undefined;
    return inboxId === undefined ? [] : [settle(inboxId, outcome)];
  };

  return {
    ...createAllTasks(deps),
    need,
    isBusy,
    add: (wish, author, sent) =>
      deps.edits.inTurn(async () => {
        const { key } = author;
        const known = key === undefined ? undefined : reads.taskByKey(key);
        if (known !== undefined) return known;
        needRoom(reads, deps.policy(), author);
        const facts = checked(wish, author);
        await hasGoodCheck(facts);
        const bound = await bind(facts.schedule, facts, author);
        needShared(facts, bound.rule);
        const taskId = journal.allocate('task');
        const task = await commit(
          taskId,
          [
            {
              kind: 'task.set',
              taskId,
              by: author.by,
              ...(key === undefined ? {} : { key }),
              ...(author.by === 'agent' && author.name !== undefined
                ? { author: author.name }
                : {}),
              ...(author.by === 'agent' && author.sessionId !== undefined
                ? { sessionId: author.sessionId }
                : {}),
              ...facts,
              ...bound,
            },
          ],
          sent,
        );
        deps.audit.record('task_added', { taskId, by: author.by, schedule: facts.schedule });
        return task;
      }),
    update: (id, wish, author, sent) =>
      deps.edits.inTurn(async () => {
        const before = need(id);
        if (before.state === 'cancelled') throw wrongState(before, 'Add a new one instead.');
        if (wish.agent !== undefined && wish.agent !== before.agent)
          throw input("The agent of a task cannot be changed: the task's session belongs to it.");
        const facts = checked(wish, author, before);
        if (wish.check !== undefined) await hasGoodCheck(facts);
        const isSameTime =
          facts.schedule === before.schedule &&
          facts.zone === before.zone &&
          (before.nextRunAtMs !== undefined || before.rule.kind === 'event');
        const bound = isSameTime
          ? {
              rule: before.rule,
              ...(before.nextRunAtMs === undefined ? {} : { nextRunAtMs: before.nextRunAtMs }),
            }
          : await bind(facts.schedule, facts, author, id);
        needShared(facts, bound.rule, id);
        const isOver = before.state === 'completed' || before.state === 'missed';
        const task = await commit(
          id,
          [
            { kind: 'task.set', taskId: id, by: before.madeBy, ...facts, ...bound },
            ...(isOver
              ? ([
                  {
                    kind: 'task.state',
                    taskId: id,
                    state: 'active',
                    ...(bound.nextRunAtMs === undefined ? {} : { nextRunAtMs: bound.nextRunAtMs }),
                    by: author.by,
                  },
                ] as const)
              : []),
            ...told(before, 'set again'),
          ],
          sent,
        );
        deps.audit.record('task_changed', { taskId: id, by: author.by });
        return task;
      }),
    pause: (id, by) =>
      deps.edits.inTurn(async () => {
        const task = need(id);
        if (task.state === 'paused') return task;
        if (task.state !== 'active') throw wrongState(task, 'Only an active task can be paused.');
        deps.audit.record('task_paused', { taskId: id, by });
        return commit(id, [{ kind: 'task.state', taskId: id, state: 'paused', by }]);
      }),
    resume: (id, by) =>
      deps.edits.inTurn(async () => {
        const task = need(id);
        if (task.state === 'active') return task;
        if (task.state !== 'paused') throw wrongState(task, 'Only a paused task can be resumed.');
        const nextRunAtMs = nextSlot(task.rule, clock.nowMs(), await deps.dates());
        deps.audit.record('task_resumed', { taskId: id, by });
        return commit(id, [
          nextRunAtMs === undefined
            ? { kind: 'task.state', taskId: id, state: withoutNext(task.rule), by }
            : { kind: 'task.state', taskId: id, state: 'active', nextRunAtMs, by },
        ]);
      }),
    cancel: (id, by) =>
      deps.edits.inTurn(async () => {
        const task = need(id);
        if (task.state === 'cancelled') return task;
        deps.audit.record('task_cancelled', { taskId: id, by });
        return commit(id, [
          { kind: 'task.state', taskId: id, state: 'cancelled', by },
          ...told(task, 'cancelled'),
        ]);
      }),
    run: (id, by) =>
      deps.edits.inTurn(async () => {
        const task = need(id);
        if (task.state === 'cancelled') throw wrongState(task, 'Add a new one instead.');
        if (isBusy(task)) throw wrongState(task, 'A run of it is still in progress.');
        const slotMs = freeSlot(clock.nowMs(), (at) => reads.hasSlot(id, at));
        const message = taskMessage(task, { slotMs, lateMs: 0, missed: 1, why: 'by_hand' });
        const turn = await deps.sessions.acceptDue({
          ...message,
          together: (turnId, sessionId) => [
            ...message.together(turnId, sessionId),
            ...told(task, 'run now'),
          ],
        });
        if (turn === undefined) throw notTaken();
        deps.audit.record('task_fired', { taskId: id, turnId: turn.id, why: 'by_hand', by });
        deps.edits.changed();
        return turn;
      }),
  };
}

/** The requested run was not accepted. */
export const notTaken = (): HoldfastError =>
  new HoldfastError('STARTING', 'Holdfast accepts no new work right now.', {
    hint: 'Nothing was started. Try again in a moment.',
    retryable: true,
  });

/** The first line, truncated as in lists. */
function nameOf(text: string): string {
  const line = text.trim().split('\n')[0] ?? '';
  return line.length <= MAX_TASK_NAME ? line : `${line.slice(0, MAX_TASK_NAME - 1)}…`;
}

const invalid = (refusal: Refusal): HoldfastError =>
  new HoldfastError('SCHEDULE_INVALID', refusal.error, { hint: 'Nothing was changed.' });
const input = (message: string): HoldfastError =>
  new HoldfastError('INPUT_INVALID', message, { hint: 'Nothing was changed.' });
const wrongState = (task: TaskRow, why: string): HoldfastError =>
  new HoldfastError('TASK_STATE', `Task ${String(task.id)} is ${task.state}. ${why}`, {
    hint: 'Nothing was changed.',
  });

interface TasksDeps extends Pick<Basics, 'journal' | 'clock' | 'crashPoints' | 'audit'> {
  readonly reads: ScheduleReads;
  readonly turn: (id: number) => TurnRow | undefined;
  readonly policy: () => SchedulePolicy;
  readonly dates: () => Promise<CronDates>;
  readonly names: TaskNames;
  /** The open notice of a missed task. */
  readonly missedNotice: (taskId: number) => number | undefined;
  readonly sessions: Pick<SessionsRoom, 'acceptDue'>;
  readonly edits: ScheduleEdits;
}

/** Edits of the schedule. */
export interface ScheduleEdits {
  /** One change at a time: a slot must not be decided on a task that is being edited. */
  readonly inTurn: <T>(work: () => Promise<T>) => Promise<T>;
  /** Call when due times have changed. */
  readonly changed: () => void;
}

/** Schedule settings, read at the time of the decision. */
export interface SchedulePolicy {
  /** Age up to which a missed slot is caught up; 0: never. */
  readonly catchupWindowMs: number;
  /** Default time zone of tasks. */
  readonly zone: string;
  readonly maxTasksPerAgent: number;
  readonly maxTasks: number;
  /** Delay between two runs that are caught up together. */
  readonly catchupSpacingMs: number;
  /** What a failed check does. */
  readonly onCheckFailure: 'run' | 'skip';
}

/** All tasks at once, each as if requested alone, but in one commit. */
interface AllTasks {
  /** Pauses active tasks; their rules stay. */
  pauseAll(by: string): Promise<{ readonly changed: number }>;
  /**
   * Resumes paused tasks from now; a one-time task whose time has passed has nothing left to run.
   */
  resumeAll(by: string): Promise<{ readonly changed: number; readonly missed: number }>;
}

/** A resumed task without a next run: its time has passed, or it waits for an event. */
const withoutNext = (rule: Rule): 'active' | 'missed' =>
  rule.kind === 'event' ? 'active' : 'missed';

/** Rows read per batch. */
const PAGE = 500;

function createAllTasks(deps: TasksDeps): AllTasks {
  const { reads, clock } = deps;

  const inState = (state: TaskRow['state']): readonly TaskRow[] => {
    const found: TaskRow[] = [];
    for (let afterId = 0; ;) {
      const rows = reads.tasks({ isOpen: true, afterId, limit: PAGE });
      found.push(...rows.filter((task) => task.state === state));
      const last = rows.at(-1);
      if (last === undefined || rows.length < PAGE) return found;
      afterId = last.id;
    }
  };

  const commit = async (entries: readonly JournalEntry[]): Promise<void> => {
    if (entries.length === 0) return;
    deps.crashPoints.hit('task.set.before');
    await deps.journal.commit(entries);
    deps.crashPoints.hit('task.set.after');
    deps.edits.changed();
  };

  return {
    pauseAll: (by) =>
      deps.edits.inTurn(async () => {
        const active = inState('active');
        await commit(
          active.map(({ id }) => ({ kind: 'task.state', taskId: id, state: 'paused', by })),
        );
        deps.audit.record('tasks_paused', { count: active.length, by });
        return { changed: active.length };
      }),
    resumeAll: (by) =>
      deps.edits.inTurn(async () => {
        const paused = inState('paused');
        const dates = await deps.dates();
        const nowMs = clock.nowMs();
        const next = paused.map(({ id, rule }) => ({
          id,
          atMs: nextSlot(rule, nowMs, dates),
          state: withoutNext(rule),
        }));
        await commit(
          next.map(({ id, atMs, state }) =>
            atMs === undefined
              ? { kind: 'task.state', taskId: id, state, by }
              : { kind: 'task.state', taskId: id, state: 'active', nextRunAtMs: atMs, by },
          ),
        );
        const missed = next.filter(
          ({ atMs, state }) => atMs === undefined && state === 'missed',
        ).length;
        deps.audit.record('tasks_resumed', { count: next.length - missed, missed, by });
        return { changed: next.length - missed, missed };
      }),
  };
}

import type { ScheduleReads, TaskRow, HeartbeatRow } from '../../ports/journal/schedule';
import {
  MAX_HEARTBEAT_SECONDS,
  MAX_TIMER_MESSAGE,
  SHORTEST_HEARTBEAT_SECONDS,
} from '../../../shared/schedule/limits';
import type { Rule } from '../../../shared/schedule/states';
import { parseSchedule } from '../../../shared/schedule/grammar';
import type { CronDates } from '../../ports/dates';
import type { Basics } from '../kernel/basics';
import { bindRule, nextSlot } from './rule';
import type { ScheduleEdits } from './tasks';

/** The default heartbeat; every other one belongs to a session. */
export const SYSTEM_HEARTBEAT = 0;

/** Settings of the default heartbeat. */
export interface SystemHeartbeat {
  readonly isEnabled: boolean;
  readonly interval: string;
  /** Key of the session that it wakes. */
  readonly contextId: string;
  readonly zone: string;
}

interface HeartbeatsDeps extends Pick<Basics, 'journal' | 'clock' | 'crashPoints' | 'audit'> {
  readonly reads: ScheduleReads;
  readonly dates: () => Promise<CronDates>;
  readonly system: () => SystemHeartbeat;
  readonly hasSession: (key: string) => boolean;
  readonly edits: ScheduleEdits;
}

/** Wake-ups at an interval, one per session. S1-20..S1-24, S1-35..S1-38. */
export interface Heartbeats {
  /**
   * Replaces the session's heartbeat. On disk when it resolves. A repeated call changes nothing:
   * undefined if the heartbeat it started has been stopped since.
   */
  start(wish: {
    readonly sessionId: number;
    readonly turnId: number;
    readonly seconds: number;
    readonly message: string;
    readonly key: string;
  }): Promise<HeartbeatRow | undefined>;
  /** False if there was none. */
  stop(sessionId: number, by: string): Promise<boolean>;
  /** Synchronizes the default heartbeat with the settings. */
  syncSystem(): Promise<void>;
  /** Why the default heartbeat does not run although it is enabled. */
  systemProblem(): string | undefined;
}

/** The default session; created if missing. */
const MAIN = 'main';

export function createHeartbeats(deps: HeartbeatsDeps): Heartbeats {
  const { reads, journal, clock } = deps;
  let problem: string | undefined;

  const set = async (
    sessionId: number,
    rule: Rule,
    message: string,
    nextAtMs: number,
    by: { readonly turnId?: number; readonly key?: string } = {},
  ): Promise<void> => {
    deps.crashPoints.hit('heartbeat.set.before');
    await journal.commit([
      {
        kind: 'heartbeat.set',
        sessionId,
        rule,
        message,
        nextAtMs,
        ...by,
      },
    ]);
    deps.crashPoints.hit('heartbeat.set.after');
    deps.audit.record('heartbeat_started', { sessionId });
    deps.edits.changed();
  };

  const stop = async (sessionId: number, by: string): Promise<boolean> => {
    if (reads.heartbeat(sessionId) === undefined) return false;
    await journal.commit([{ kind: 'heartbeat.stopped', sessionId, by }]);
    deps.audit.record('heartbeat_stopped', { sessionId, by });
    deps.edits.changed();
    return true;
  };

  /** The interval is in the row's message, so that a changed setting is detected. */
  const sync = async (): Promise<void> => {
    const wanted = deps.system();
    const known = reads.heartbeat(SYSTEM_HEARTBEAT);
    problem = undefined;
    if (!wanted.isEnabled) {
      await stop(SYSTEM_HEARTBEAT, 'settings');
      return;
    }
    if (wanted.contextId !== MAIN && !deps.hasSession(wanted.contextId)) {
      problem = `There is no session "${wanted.contextId.slice(0, 60)}": the heartbeat was not started.`;
      await stop(SYSTEM_HEARTBEAT, 'settings');
      return;
    }
    if (known?.message === wanted.interval && isOfZone(known.rule, wanted.zone)) return;
    const parsed = parseSchedule(wanted.interval);
    const dates = await deps.dates();
    const nowMs = clock.nowMs();
    const rule = parsed.ok
      ? bindRule(parsed, { input: wanted.interval, nowMs, zone: wanted.zone, dates })
      : parsed;
    const nextAtMs = 'ok' in rule ? undefined : nextSlot(rule, nowMs, dates);
    if ('ok' in rule || nextAtMs === undefined || rule.kind === 'once') {
      problem = 'ok' in rule ? rule.error : `"${wanted.interval}" does not repeat.`;
      await stop(SYSTEM_HEARTBEAT, 'settings');
      return;
    }
    await set(SYSTEM_HEARTBEAT, rule, wanted.interval, nextAtMs);
  };

  return {
    start: (wish) =>
      deps.edits.inTurn(async () => {
        const { sessionId, turnId, message, key } = wish;
        if (reads.heartbeatCall(sessionId) !== key) {
          const everyMs = wish.seconds * 1_000;
          const nowMs = clock.nowMs();
          const rule: Rule = { kind: 'interval', everyMs, anchorMs: nowMs };
          await set(sessionId, rule, message, nowMs + everyMs, { turnId, key });
        }
        return reads.heartbeat(sessionId);
      }),
    stop: (sessionId, by) => deps.edits.inTurn(() => stop(sessionId, by)),
    syncSystem: () => deps.edits.inTurn(sync),
    systemProblem: () => problem,
  };
}

/** An interval does not depend on the zone. */
const isOfZone = (rule: Rule, zone: string): boolean => rule.kind !== 'cron' || rule.zone === zone;

/**
 * Checks an agent's heartbeat request; returns a sentence with the accepted values if it is
 * invalid. Pure.
 */
export function readHeartbeat(
  args: { readonly interval_seconds?: unknown; readonly message?: unknown },
  defaultSeconds: number,
): { readonly seconds: number; readonly message: string } | { readonly problem: string } {
  const seconds = args.interval_seconds ?? defaultSeconds;
  const isInRange =
    typeof seconds === 'number' &&
    Number.isInteger(seconds) &&
    seconds >= SHORTEST_HEARTBEAT_SECONDS &&
    seconds <= MAX_HEARTBEAT_SECONDS;
  if (!isInRange)
    return {
      problem: `"interval_seconds" must be a whole number from ${String(SHORTEST_HEARTBEAT_SECONDS)} to ${String(MAX_HEARTBEAT_SECONDS)}.`,
    };
  const { message } = args;
  if (typeof message !== 'string' || message.trim() === '' || message.length > MAX_TIMER_MESSAGE)
    return {
      problem: `"message" must be a text of 1 to ${String(MAX_TIMER_MESSAGE)} characters: each wake-up brings exactly this.`,
    };
  return { seconds, message };
}

const DAY_MS = 86_400_000;

const MOST = 20;

/** The agent's answer if there is nothing to do; it is not delivered. */
const IDLE = 'IDLE';

/** True for an answer that reports nothing to do. Pure. S1-38. */
export const isIdle = (answer: string): boolean => answer.trim().toUpperCase() === IDLE;

/** The default heartbeat's prompt: overdue items and those due within 24 hours. S1-38. */
export function systemNews(reads: ScheduleReads, nowMs: number): string {
  const due = reads.dueTasks(nowMs + DAY_MS, 1_000);
  const line = (task: TaskRow): string =>
    `- task ${String(task.id)}, ${new Date(task.nextRunAtMs ?? nowMs).toISOString()}: ${task.name}`;
  const list = (tasks: readonly TaskRow[]): string =>
    tasks.length === 0
      ? '- none'
      : [
          ...tasks.slice(0, MOST).map(line),
          ...(tasks.length > MOST ? [`- and ${String(tasks.length - MOST)} more`] : []),
        ].join('\n');
  const isOverdue = (task: TaskRow): boolean => (task.nextRunAtMs ?? 0) <= nowMs;
  return [
    `[system heartbeat, ${new Date(nowMs).toISOString()}]`,
    '',
    'Overdue tasks:',
    list(due.filter(isOverdue)),
    '',
    'Tasks of the next 24 hours:',
    list(due.filter((task) => !isOverdue(task))),
    '',
    `Check whether anything needs doing. If nothing does, answer only ${IDLE}: then the user is not notified.`,
  ].join('\n');
}

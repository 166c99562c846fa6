import { settle } from '../inbox/entries';
import {
  MAX_TIMER_SECONDS,
  MAX_TIMER_ID,
  MAX_TIMER_MESSAGE,
  MAX_TIMERS,
  SHORTEST_TIMER_SECONDS,
} from '../../../shared/schedule/limits';
import { spanText } from '../../../shared/durations';
import type { DueTurn } from '../../ports/due-turn';
import type { Basics } from '../kernel/basics';
import type { TurnRow } from '../../ports/journal/rows';
import type { InboxRow } from '../../ports/journal/inbox';
import type { ScheduleReads, TimerRow, TimerSet } from '../../ports/journal/schedule';
import { HoldfastError } from '../kernel/errors';
import { originOf } from './origin';
import { notTaken } from './tasks';
import type { TaskNames } from './task-names';
import type { SessionsRoom } from '../sessions/intake';
import type { ScheduleEdits } from './tasks';

interface TimersDeps extends Pick<Basics, 'journal' | 'clock' | 'crashPoints' | 'audit'> {
  readonly reads: ScheduleReads;
  readonly edits: ScheduleEdits;
  readonly turn: (id: number) => TurnRow | undefined;
  readonly sessions: Pick<SessionsRoom, 'acceptDue'>;
  readonly names: Pick<TaskNames, 'defaultChannel'>;
  /** The newest open notice of a missed timer with this ID. */
  readonly missed: (sessionId: number, timerId: string) => InboxRow | undefined;
}

/** The source of a wake-up: a set timer, or a missed one. */
interface TimerFacts {
  readonly timerId: string;
  readonly dueAtMs: number;
  readonly message: string;
  /** The turn that set it; 0 without one. */
  readonly turnId: number;
}

/** Timers of sessions: each wakes its session once, even after a restart. S1-13..S1-19, S1-+04. */
export interface Timers {
  /**
   * On disk when it resolves; replaces the session's timer with the same ID. @throws TASK_LIMIT,
   * DISK_*
   */
  set(wish: Required<Omit<TimerSet, 'dueAtMs'>>): Promise<TimerRow>;
  /** @throws TIMER_UNKNOWN */
  cancel(sessionId: number, timerId: string, by: string): Promise<void>;
  /**
   * Wakes the session with a missed timer, once: the turn and the end of its notice are one commit.
   * R11. @throws TIMER_UNKNOWN, STARTING, DISK_*
   */
  run(sessionId: number, timerId: string, by: string): Promise<TurnRow>;
}

export function createTimers(deps: TimersDeps): Timers {
  const { reads, journal } = deps;
  return {
    set: (wish) =>
      deps.edits.inTurn(async () => {
        const { sessionId, timerId } = wish;
        // The time runs from the first call; the timer may have fired during a question to the
        // user.
        const made = reads.timerOfCall(sessionId, timerId, wish.key);
        if (made !== undefined) return made;
        const before = reads.timer(sessionId, timerId);
        if (before === undefined && reads.countTimers(sessionId) >= MAX_TIMERS) {
          throw new HoldfastError(
            'TASK_LIMIT',
            `This session has ${String(MAX_TIMERS)} timers, which is the limit.`,
            { hint: 'Nothing was set. Cancel one, or wait for one.' },
          );
        }
        deps.crashPoints.hit('timer.set.before');
        await journal.commit([
          {
            kind: 'timer.set',
            ...wish,
            dueAtMs: deps.clock.nowMs() + wish.seconds * 1_000,
          },
        ]);
        deps.crashPoints.hit('timer.set.after');
        deps.audit.record('timer_set', { sessionId, timerId, seconds: wish.seconds });
        deps.edits.changed();
        const timer = reads.timer(sessionId, timerId);
        if (timer === undefined) throw new HoldfastError('INTERNAL', 'The timer cannot be read.');
        return timer;
      }),
    cancel: (sessionId, timerId, by) =>
      deps.edits.inTurn(async () => {
        if (reads.timer(sessionId, timerId) === undefined) {
          throw new HoldfastError('TIMER_UNKNOWN', `There is no timer "${timerId.slice(0, 64)}".`, {
            hint: 'Nothing was changed. It may have fired already.',
          });
        }
        await journal.commit([{ kind: 'timer.ended', sessionId, timerId, how: 'cancelled' }]);
        deps.audit.record('timer_cancelled', { sessionId, timerId, by });
        deps.edits.changed();
      }),
    run: (sessionId, timerId, by) =>
      deps.edits.inTurn(async () => {
        const notice = deps.missed(sessionId, timerId);
        const facts = missedTimer(notice?.facts);
        if (notice === undefined || facts === undefined) {
          throw new HoldfastError(
            'TIMER_UNKNOWN',
            `There is no missed timer "${timerId.slice(0, 64)}".`,
            { hint: 'Nothing was started. It may already have been run or dismissed.' },
          );
        }
        const lateMs = Math.max(0, deps.clock.nowMs() - facts.dueAtMs);
        const turn = await deps.sessions.acceptDue({
          ...wakeOf(
            { sessionId, timer: facts, lateMs },
            deps.turn(facts.turnId),
            deps.names.defaultChannel(),
          ),
          together: (turnId) => [
            { kind: 'timer.ended', sessionId, timerId, how: 'run', turnId, lateMs },
            settle(notice.id, 'run now'),
          ],
        });
        if (turn === undefined) throw notTaken();
        deps.audit.record('timer_run', { sessionId, timerId, turnId: turn.id, by });
        return turn;
      }),
  };
}

/** A timer that fires later than this reports it. */
const LATE_MS = 2_000;

/**
 * The message that a timer becomes, addressed to the origin of the turn that set it, or the
 * default. Pure.
 */
export function wakeOf(
  due: { readonly sessionId: number; readonly timer: TimerFacts; readonly lateMs: number },
  asked: Pick<TurnRow, 'channel' | 'peer'> | undefined,
  defaultChannel: string,
): Omit<DueTurn, 'together'> {
  const { sessionId, timer, lateMs } = due;
  const late = lateMs > LATE_MS ? `, ${spanText(lateMs)} late` : '';
  return {
    session: { id: sessionId },
    text: `[timer ${timer.timerId}, due ${new Date(timer.dueAtMs).toISOString()}${late}]\n\n${timer.message}`,
    promptStart: timer.message,
    ...(originOf(asked) ?? { channel: defaultChannel, peer: '' }),
    what: 'timer',
  };
}

/** The timer of a missed-timer notice. Pure. */
export function missedTimer(facts: InboxRow['facts']): TimerFacts | undefined {
  if (typeof facts !== 'object' || facts === null || !('timerId' in facts)) return undefined;
  const { timerId, dueAtMs, message, turnId } = facts as Partial<Record<string, unknown>>;
  return typeof timerId === 'string' && typeof dueAtMs === 'number' && typeof message === 'string'
    ? { timerId, dueAtMs, message, turnId: typeof turnId === 'number' ? turnId : 0 }
    : undefined;
}

/**
 * Checks an agent's timer request; returns a sentence with the accepted values if it is invalid.
 * Pure.
 */
export function readTimer(args: {
  readonly seconds?: unknown;
  readonly message?: unknown;
  readonly id?: unknown;
}):
  | { readonly seconds: number; readonly message: string; readonly id: string | undefined }
  | { readonly problem: string } {
  const { seconds, message } = args;
  const id = args.id ?? undefined;
  const isInRange =
    typeof seconds === 'number' &&
    Number.isInteger(seconds) &&
    seconds >= SHORTEST_TIMER_SECONDS &&
    seconds <= MAX_TIMER_SECONDS;
  if (!isInRange)
    return {
      problem: `"seconds" must be a whole number from ${String(SHORTEST_TIMER_SECONDS)} to ${String(MAX_TIMER_SECONDS)}; for longer use schedule_task.`,
    };
  if (typeof message !== 'string' || message.trim() === '' || message.length > MAX_TIMER_MESSAGE)
    return {
      problem: `"message" must be a text of 1 to ${String(MAX_TIMER_MESSAGE)} characters: you get exactly this text.`,
    };
  const isId = typeof id === 'string' && id !== '' && id.length <= MAX_TIMER_ID;
  if (id !== undefined && !isId)
    return { problem: `"id" must be a text of 1 to ${String(MAX_TIMER_ID)} characters.` };
  return { seconds, message, id: isId ? id : undefined };
}

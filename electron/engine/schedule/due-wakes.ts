import { spanText } from '../../../shared/durations';
import { quoted } from '../../../shared/shell-quoted';
import type { CronDates } from '../../ports/dates';
import type { Basics } from '../kernel/basics';
import type { TurnRow } from '../../ports/journal/rows';
import type { HeartbeatRow, ScheduleReads, TimerRow } from '../../ports/journal/schedule';
import { SYSTEM_HEARTBEAT, type SystemHeartbeat } from './heartbeats';
import { originOf } from './origin';
import { countSlots, newestSlot, nextSlot } from './rule';
import { systemNews } from './heartbeats';
import type { TaskNames } from './task-names';
import type { SessionsRoom } from '../sessions/intake';
import type { ScheduleEdits, SchedulePolicy } from './tasks';
import { wakeOf } from './timers';
import type { Moment } from './plan-catchup';
import { openItem } from '../inbox/entries';

interface DueWakesDeps extends Pick<Basics, 'journal' | 'audit' | 'log'> {
  readonly reads: ScheduleReads;
  /** False: it was deleted, perhaps in the moment in which this was set for it. */
  readonly isSessionThere: (id: number) => boolean;
  readonly policy: () => SchedulePolicy;
  readonly dates: () => Promise<CronDates>;
  readonly turn: (id: number) => TurnRow | undefined;
  readonly sessions: Pick<SessionsRoom, 'acceptDue'>;
  readonly system: () => SystemHeartbeat;
  readonly names: Pick<TaskNames, 'defaultAgent' | 'defaultChannel'>;
  readonly edits: ScheduleEdits;
}

const BATCH = 100;

/** Due timers and heartbeats: each wakes its session once. R11, S1-14, S1-23, S1-+04. */
export interface DueWakes {
  /** True if nothing is due now; false if something was rejected and is still due. */
  fireDue(moment: Moment): Promise<boolean>;
}

export function createDueWakes(deps: DueWakesDeps): DueWakes {
  const { reads, journal } = deps;

  const fireTimer = async (timer: TimerRow, moment: Moment): Promise<boolean> => {
    const { sessionId, timerId } = timer;
    if (!deps.isSessionThere(sessionId)) {
      await journal.commit([{ kind: 'timer.ended', sessionId, timerId, how: 'cancelled' }]);
      deps.audit.record('timer_cancelled', { sessionId, timerId, by: 'session deleted' });
      return true;
    }
    const lateMs = Math.max(0, moment.nowMs - timer.dueAtMs);
    const windowMs = deps.policy().catchupWindowMs;
    if (!moment.isLive && lateMs > windowMs) {
      await journal.commit([
        { kind: 'timer.ended', sessionId, timerId, how: 'missed', lateMs },
        openItem(journal.allocate('inbox'), 'problem', {
          sessionId,
          title: `Missed: timer ${timerId}`,
          detail: `It was due ${spanText(lateMs)} ago. Its message: ${timer.message.slice(0, 200)}\nRun it now with: holdfast timers run ${quoted(timer.sessionKey)} ${quoted(timerId)}`,
          facts: { timerId, dueAtMs: timer.dueAtMs, message: timer.message, turnId: timer.turnId },
        }),
      ]);
      deps.audit.record('timer_missed', { sessionId, timerId, lateMs });
      return true;
    }
    const turn = await deps.sessions.acceptDue({
      ...wakeOf({ sessionId, timer, lateMs }, deps.turn(timer.turnId), deps.names.defaultChannel()),
      together: (turnId) => [
        { kind: 'timer.ended', sessionId, timerId, how: 'fired', turnId, lateMs },
      ],
    });
    return turn !== undefined;
  };

  const isWaiting = (beat: HeartbeatRow): boolean => {
    const turn = beat.lastTurnId === undefined ? undefined : deps.turn(beat.lastTurnId);
    return turn !== undefined && turn.endedAtMs === undefined;
  };

  const tick = async (beat: HeartbeatRow, moment: Moment): Promise<boolean> => {
    const { sessionId, rule } = beat;
    const { nowMs } = moment;
    const isSystem = sessionId === SYSTEM_HEARTBEAT;
    if (!isSystem && !deps.isSessionThere(sessionId)) {
      await journal.commit([{ kind: 'heartbeat.stopped', sessionId, by: 'session deleted' }]);
      return true;
    }
    const dates = await deps.dates();
    const newestMs = newestSlot(rule, beat.nextAtMs, nowMs, dates);
    const passed = countSlots(rule, beat.nextAtMs, newestMs, dates);
    const nextAtMs = nextSlot(rule, nowMs, dates) ?? nowMs + 86_400_000;
    if (isWaiting(beat)) {
      await journal.commit([{ kind: 'heartbeat.ticked', sessionId, nextAtMs, skipped: passed }]);
      return true;
    }
    const asked = beat.turnId === undefined ? undefined : deps.turn(beat.turnId);
    const contextId = deps.system().contextId;
    const skipped = beat.skipped + passed - 1;
    const turn = await deps.sessions.acceptDue({
      session: isSystem
        ? { key: contextId, title: contextId, agent: deps.names.defaultAgent() }
        : { id: sessionId },
      text: isSystem
        ? systemNews(reads, nowMs)
        : `[heartbeat ${String(beat.ticks + 1)}${skipped > 0 ? `, ${String(skipped)} skipped so far` : ''}]\n\n${beat.message}`,
      promptStart: isSystem ? 'System heartbeat' : beat.message,
      ...(originOf(asked) ?? { channel: deps.names.defaultChannel(), peer: '' }),
      what: 'heartbeat',
      together: (turnId) => [
        { kind: 'heartbeat.ticked', sessionId, turnId, nextAtMs, skipped: passed - 1 },
      ],
    });
    if (turn !== undefined) return true;
    // No input is accepted: only counted.
    await journal.commit([{ kind: 'heartbeat.ticked', sessionId, nextAtMs, skipped: passed }]);
    return true;
  };

  /** One that fails holds up no other: it stays due. */
  const alone = (sessionId: number, work: Promise<boolean>): Promise<boolean> =>
    work.catch((error: unknown) => {
      deps.log.warn('wake.refused', { sessionId, error });
      return false;
    });

  return {
    fireDue: (moment) =>
      deps.edits.inTurn(async () => {
        let isDone = true;
        for (const timer of reads.dueTimers(moment.nowMs, BATCH))
          isDone = (await alone(timer.sessionId, fireTimer(timer, moment))) && isDone;
        for (const beat of reads.dueHeartbeats(moment.nowMs, BATCH))
          isDone = (await alone(beat.sessionId, tick(beat, moment))) && isDone;
        return (
          isDone &&
          reads.dueTimers(moment.nowMs, 1).length === 0 &&
          reads.dueHeartbeats(moment.nowMs, 1).length === 0
        );
      }),
  };
}

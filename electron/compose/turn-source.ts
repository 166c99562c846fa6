import type { HeldItem } from '../../shared/types/outage';
import type { QueuedTurn } from '../engine/turns/scheduler';
import type { TurnRow } from '../ports/journal/rows';
import type { ScheduleReads } from '../ports/journal/schedule';
import type { WorkReads } from '../ports/journal/work';

/** What woke the session for this turn, and how urgent it is (S3-23). */
function sourceOf(reads: WorkReads, turnId: number): Pick<QueuedTurn, 'priority' | 'source'> {
  const wake = reads.wakeOfTurn(turnId);
  return wake === undefined ? {} : { priority: wake.priority, source: 'queued_wake' };
}

/** What made a turn that waits for its provider: time, the session itself, or a person. */
export function heldSource(
  schedule: ScheduleReads,
  work: WorkReads,
  turnId: number,
): Pick<HeldItem, 'source' | 'merged'> {
  const made = schedule.madeBy(turnId)?.kind;
  if (made === 'task' || made === 'heartbeat')
    return {
      source: made === 'task' ? 'schedule' : 'heartbeat',
      merged: schedule.mergedInto(turnId),
    };
  const isWake = made === 'timer' || work.wakeOfTurn(turnId) !== undefined;
  return { source: isWake ? 'wake' : 'user', merged: 0 };
}

/** A turn on disk as the scheduler takes it. */
export const queuedTurn = (reads: WorkReads, turn: TurnRow, notBeforeMs: number): QueuedTurn => ({
  turnId: turn.id,
  sessionId: turn.sessionId,
  notBeforeMs,
  hasBegun: turn.attempt > 0,
  ...sourceOf(reads, turn.id),
});

import type { QueuedTurn } from '../engine/turns/scheduler';
import type { TurnRow } from '../ports/journal/rows';
import type { WorkReads } from '../ports/journal/work';

/** What woke the session for this turn, and how urgent it is (S3-23). */
function sourceOf(reads: WorkReads, turnId: number): Pick<QueuedTurn, 'priority' | 'source'> {
  const wake = reads.wakeOfTurn(turnId);
  return wake === undefined ? {} : { priority: wake.priority, source: 'queued_wake' };
}

/** A turn on disk as the scheduler takes it. */
export const queuedTurn = (reads: WorkReads, turn: TurnRow, notBeforeMs: number): QueuedTurn => ({
  turnId: turn.id,
  sessionId: turn.sessionId,
  notBeforeMs,
  hasBegun: turn.attempt > 0,
  ...sourceOf(reads, turn.id),
});

import type { Clock } from '../../ports/clock';
import type { JournalReads } from '../../ports/journal/reads';
import type { TurnRow } from '../../ports/journal/rows';
import type { WorkReads } from '../../ports/journal/work';
import type { RecoveryReport } from '../recovery/recover-at-start';
import type { TurnScheduler } from './scheduler';

interface QueueDeps {
  readonly reads: Pick<JournalReads, 'openTurns' | 'held'>;
  readonly workReads: Pick<WorkReads, 'activations'>;
  readonly clock: Clock;
  readonly scheduler: Pick<TurnScheduler, 'enqueue'>;
}

/** At startup, after open turns are judged: resumes turns and restores queued and timed ones. */
export function queueAtStart(deps: QueueDeps, { resumed }: Pick<RecoveryReport, 'resumed'>): void {
  const { reads, scheduler } = deps;
  for (const { turn, delayMs, isAlone } of resumed) scheduler.enqueue(turn, { delayMs, isAlone });
  const goingOn = new Set(resumed.map(({ turn }) => turn.id));
  for (const turn of reads.openTurns()) {
    if (goingOn.has(turn.id)) continue;
    // A turn that waited for its next try waits for the remaining time (S3-12).
    const dueAtMs = turn.state === 'waiting' ? turn.retry?.dueAtMs : undefined;
    // A turn that waits for its provider stays at its place (S0-18).
    const isHeld = turn.state === 'waiting' && reads.held(turn.id)?.isOut === false;
    if (dueAtMs !== undefined)
      scheduler.enqueue(turn, { untilMs: restOfWait(deps, turn, dueAtMs) });
    else if (turn.state === 'queued' || isHeld) scheduler.enqueue(turn);
  }
}

/** It waits no longer than it was to: the clock may have been ahead when that was written. */
function restOfWait({ workReads, clock }: QueueDeps, turn: TurnRow, dueAtMs: number): number {
  const { id, sessionId } = turn;
  const [last] = workReads.activations({ sessionId, events: ['requeued'], limit: 1 });
  return last?.turnId === id
    ? Math.min(dueAtMs, clock.nowMs() + Math.max(0, dueAtMs - last.atMs))
    : dueAtMs;
}

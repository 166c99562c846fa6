import { toHoldfastError } from '../engine/kernel/errors';
import type { Journal } from '../ports/journal/journal';
import type { TurnRow } from '../ports/journal/rows';

/**
 * An error that nobody expected ends the run, not the turn: a person can go on with it. False where
 * that could not be written.
 */
export async function parkAfterError(
  journal: Journal,
  turn: TurnRow,
  error: unknown,
): Promise<boolean> {
  const known = toHoldfastError(error);
  // What to do next is known of an error that has a name.
  const next = known.code === 'INTERNAL' || known.hint === undefined ? '' : ` ${known.hint}`;
  const reason = `Stopped by an error: ${known.message}${next}`.slice(0, 500);
  try {
    await journal.commit([
      {
        kind: 'turn.abandoned',
        turnId: turn.id,
        attempt: turn.attempt + 1,
        why: 'wake_failed',
        message: reason,
        crashes: turn.crashes,
      },
      { kind: 'turn.state', turnId: turn.id, state: 'parked', reason },
      {
        kind: 'inbox.opened',
        inboxId: journal.allocate('inbox'),
        item: 'replay_decision',
        turnId: turn.id,
        sessionId: turn.sessionId,
        title: turn.promptStart,
        detail: reason,
        facts: { decision: 'parked' },
      },
    ]);
    return true;
  } catch {
    // The disk refuses: the turn stays open there and the next start judges it.
    return false;
  }
}

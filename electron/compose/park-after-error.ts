import { toHoldfastError } from '../engine/kernel/errors';
import type { Journal } from '../ports/journal/journal';
import type { TurnRow } from '../ports/journal/rows';
import { MAX_REASON, waitForDecision } from '../engine/inbox/entries';

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
  const reason = `Stopped by an error: ${known.message}${next}`.slice(0, MAX_REASON);
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
      ...waitForDecision(journal.allocate('inbox'), turn, 'parked', reason),
    ]);
    return true;
  } catch {
    // The disk refuses: the turn stays open there and the next start judges it.
    return false;
  }
}

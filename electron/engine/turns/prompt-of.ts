import type { Blobs } from '../../ports/blobs';
import type { JournalReads } from '../../ports/journal/reads';
import type { TurnRow } from '../../ports/journal/rows';
import { HoldfastError } from '../kernel/errors';

/**
 * The message of a turn, as it was accepted. An agent is never asked something else in its place
 * (S0-33). @throws RESULT_MISSING, RESULT_UNREADABLE
 */
export async function promptOf(
  { reads, blobs }: { readonly reads: Pick<JournalReads, 'prompt'>; readonly blobs: Blobs },
  turn: TurnRow,
): Promise<string> {
  const stored = reads.prompt(turn);
  const text = stored.kind === 'inline' ? stored.text : await blobs.get(stored.address);
  if (text !== undefined) return text;
  throw new HoldfastError('RESULT_MISSING', 'The message of this turn is missing on the disk.', {
    hint: 'Nothing was asked in its place. Discard the turn and send the message again.',
  });
}

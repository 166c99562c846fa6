import type { TurnRow } from '../../ports/journal/rows';
import type { JournalEntry } from '../../ports/journal/entries';
import type { CallOrigin } from './facade';
import type { VerbsDeps } from './deps';

/** On disk first, then the run is ended: a kill in between does not bring the turn back. S0-+03. */
export async function cancel(
  deps: VerbsDeps,
  turns: readonly TurnRow[],
  origin: CallOrigin,
): Promise<void> {
  if (turns.length === 0) return;
  const entries = turns.flatMap((turn): readonly JournalEntry[] => {
    return [
      {
        kind: 'turn.closed',
        turnId: turn.id,
        sessionId: turn.sessionId,
        state: 'cancelled',
        reason: 'You stopped it.',
        hasReply: false,
      },
      ...deps.approvals.clearing(turn, origin),
      ...deps.reads
        .openInboxesOfTurn(turn.id)
        .map(({ id }) => ({ kind: 'inbox.settled' as const, inboxId: id, outcome: 'stopped' })),
    ];
  });
  await deps.journal.commit(entries);
  deps.crashPoints.hit('turn.cancel.after');
  for (const turn of turns) deps.audit.record('turn_cancelled', { turnId: turn.id, by: origin });
  await Promise.all(turns.map((turn) => deps.scheduler.cancel(turn.id)));
}

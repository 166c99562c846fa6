import type { JournalEntry } from '../../ports/journal/entries';

/** A closed turn whose steps are about to go. */
export interface PrunableTurn {
  readonly id: number;
  readonly ended_at: number;
  readonly answer_step: number | null;
  readonly tokens_in: number;
  readonly tokens_out: number;
  readonly cost_usd: number | null;
}

/** Writes the sums of a turn before its steps go, so that the tables stay a fold of the journal. */
export function prunedEntry(
  turn: Pick<PrunableTurn, 'id' | 'tokens_in' | 'tokens_out' | 'cost_usd'>,
): JournalEntry {
  return {
    kind: 'turn.pruned',
    turnId: turn.id,
    usage: {
      inputTokens: turn.tokens_in,
      outputTokens: turn.tokens_out,
      ...(turn.cost_usd === null ? {} : { costUsd: turn.cost_usd }),
    },
  };
}

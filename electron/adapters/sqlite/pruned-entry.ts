import type Database from 'better-sqlite3';
import type { JournalEntry } from '../../ports/journal/entries';
import type { Row } from './row';

/** A closed turn whose steps are about to be deleted. */
export interface PrunableTurn {
  readonly id: number;
  readonly ended_at: number;
  readonly answer_step: number | null;
  readonly tokens_in: number;
  readonly tokens_out: number;
  readonly cost_usd: number | null;
}

/**
 * Writes the totals of turns before their steps are deleted, so that the tables stay a fold of the
 * journal.
 */
export function prunedEntries(
  db: Database.Database,
  turns: readonly Pick<PrunableTurn, 'id' | 'tokens_in' | 'tokens_out' | 'cost_usd'>[],
): readonly JournalEntry[] {
  const find = db.prepare(
    'SELECT slot_ms, fallback, tokens, tokens_in, usd FROM spend WHERE turn_id = ? ORDER BY slot_ms, fallback',
  );
  return turns.map((turn) => {
    const shares = (find.all(turn.id) as Row[]).map((row) => ({
      slotMs: Number(row['slot_ms']),
      fallback: Number(row['fallback']),
      tokens: Number(row['tokens']),
      inputTokens: Number(row['tokens_in']),
      ...(row['usd'] === null ? {} : { usd: Number(row['usd']) }),
    }));
    return {
      kind: 'turn.pruned',
      turnId: turn.id,
      usage: {
        inputTokens: turn.tokens_in,
        outputTokens: turn.tokens_out,
        ...(turn.cost_usd === null ? {} : { costUsd: turn.cost_usd }),
      },
      shares,
    };
  });
}

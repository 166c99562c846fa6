import type { JournalEntry } from './journal/entries';

/** What a run of the upkeep removes from the database, and how it shares the disk. */
export interface UpkeepFacts {
  /** The newest entry up to then counts as an instant at which Holdfast ran. */
  readonly believedMs: number;
  /** What ended before this may go; given that instant. */
  readonly keptSinceMs: (ranAtMs: number | undefined) => number;
  readonly commit: (entries: readonly JournalEntry[]) => Promise<unknown>;
  /** Between two batches, so that work that starts waits for one at most. */
  readonly pause: () => Promise<void>;
  readonly signal: AbortSignal;
}

/**
 * The database, as far as the upkeep needs it.
 * Implemented by adapters/sqlite/upkeep.ts.
 */
export interface DatabaseUpkeep {
  /** Interrupted at any point, the next run finishes the rest. */
  prune(facts: UpkeepFacts): Promise<{
    readonly beforeMs: number;
    readonly pruned: number | object;
    readonly isBlobUsed: (address: string) => boolean;
  }>;
  check(): Promise<{
    readonly isOk: boolean;
    readonly isUnread: boolean;
    readonly problems: readonly string[];
  }>;
}

import type { JournalEntry } from './entries';
import type { SentText } from '../unsent';

/** Receipt of a commit, which is durable when the receipt arrives. */
export interface CommitReceipt {
  readonly firstSeq: number;
  readonly atMs: number;
}

/** The disk's error while it rejects writes, or reads if marked so. */
export interface DiskRefusal {
  readonly of?: 'reads';
  readonly code: 'DISK_FULL' | 'DISK_READ_ONLY' | 'DISK_FAILED';
  readonly message: string;
  readonly sinceMs: number;
}

/**
 * The journal for the engine. One commit is one transaction with one sync; commits waiting when the
 * disk is free share it (group commit), and each is answered afterward.
 * Implemented by adapters/sqlite/journal/group-commit.ts.
 */
export interface Journal {
  /**
   * Durable when it resolves. With `isOutcome` (something that has already happened externally) a
   * disk
   * error does not reject the promise: the entries stay in memory and are retried until
   * they are on disk. With `sent` the stored unsent text is removed in the same transaction.
   * @throws DISK_FULL, DISK_READ_ONLY, DISK_FAILED for intents and accepts; LOCK_LOST
   */
  commit(
    entries: readonly JournalEntry[],
    options?: { readonly isOutcome?: boolean; readonly sent?: SentText | undefined },
  ): Promise<CommitReceipt>;
  /** Next ID of a kind; unique forever in this database, even after a reset. */
  allocate(
    what: 'session' | 'turn' | 'inbox' | 'frame' | 'start' | 'run' | 'draft' | 'task' | 'outage',
  ): number;
  seq(): number;
  appliedSeq(): number;
  refusal(): DiskRefusal | undefined;
  /**
   * Called after each commit with its entries, in order, and the sequence of the first; without
   * entries when a disk error starts or ends. With `skipsSteps` only if an entry is something other
   * than the start or end of a step: few commits are, and most listeners wait for those.
   */
  onCommitted(listener: CommitListener, options?: { readonly skipsSteps: boolean }): () => void;
}

type CommitListener = (entries: readonly JournalEntry[], atMs: number, firstSeq: number) => void;

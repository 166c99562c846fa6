import type { JournalEntry } from './entries';
import type { SentText } from '../unsent';

/** Answer of a commit: durable when it arrives. */
export interface CommitReceipt {
  readonly firstSeq: number;
  readonly atMs: number;
}

/** What the disk says while it refuses: writes, where it does not say `reads`. */
export interface DiskRefusal {
  readonly of?: 'reads';
  readonly code: 'DISK_FULL' | 'DISK_READ_ONLY' | 'DISK_FAILED';
  readonly message: string;
  readonly sinceMs: number;
}

/**
 * The journal as the engine writes it. One commit is one transaction with one sync; commits that
 * are waiting when the disk is free share it (group commit), each is answered after it.
 */
export interface Journal {
  /**
   * Durable when it resolves. With `isOutcome` (what has already happened outside) a refusing disk
   * does not reject: the entries stay in memory and are tried again until they are on disk. With
   * `sent` the text that was kept as unsent goes in the same transaction.
   * @throws DISK_FULL, DISK_READ_ONLY, DISK_FAILED for intents and accepts; LOCK_LOST
   */
  commit(
    entries: readonly JournalEntry[],
    options?: { readonly isOutcome?: boolean; readonly sent?: SentText | undefined },
  ): Promise<CommitReceipt>;
  /** Next number of a kind; unique for ever in this database, also after a reset. */
  allocate(
    what: 'session' | 'turn' | 'inbox' | 'frame' | 'start' | 'run' | 'draft' | 'task' | 'outage',
  ): number;
  seq(): number;
  appliedSeq(): number;
  refusal(): DiskRefusal | undefined;
  /**
   * Called after each commit with its entries, in order, and the sequence of the first; without
   * entries when a refusal begins or ends. With `skipsSteps` only where an entry is something else
   * than the start or the end of a step: few commits are, and most who listen wait for those.
   */
  onCommitted(listener: CommitListener, options?: { readonly skipsSteps: boolean }): () => void;
}

type CommitListener = (entries: readonly JournalEntry[], atMs: number, firstSeq: number) => void;

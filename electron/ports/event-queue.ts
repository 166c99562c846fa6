import type { DeadLetter, DeadReason } from '../../shared/types/delivery';
import type { OutgoingEvent } from './broker';

/** An event that is about to wait on disk. */
export interface NewEvent extends OutgoingEvent {
  /** Bytes of the payload as UTF-8. */
  readonly bytes: number;
  /** Rejections so far. */
  readonly history?: readonly AttemptRecord[];
}

export interface AttemptRecord {
  readonly atMs: number;
  readonly error: string;
}

/** A row of the queue without its payload. */
export interface WaitingEvent {
  /** The queue order; independent of any clock. */
  readonly seq: number;
  readonly id: string;
  readonly topic: string;
  readonly bytes: number;
  readonly enqueuedAtMs: number;
  readonly attempts: number;
}

/** Limits of the queue, checked when a row is added. */
export interface QueueBounds {
  readonly maxPending: number;
  /** Dropped events that are stored as dead letters; older ones are only counted. */
  readonly maxShedLetters: number;
  /** Rows that are being sent right now: they are not dropped. */
  readonly inFlight: readonly number[];
}

/** Result of one round with the broker; written in one transaction. */
export interface Settlement {
  /** On disk at the broker: the rows are deleted. */
  readonly delivered: readonly number[];
  readonly failed: readonly { readonly seq: number; readonly error: string }[];
  /** Moved to the dead letters; an `error` is the last rejection, which counts as an attempt. */
  readonly buried: readonly {
    readonly seq: number;
    readonly reason: DeadReason;
    readonly detail: string;
    readonly error?: string;
  }[];
}

/** Selects dead letters by one property; all if none is given. */
export interface DeadLetterFilter {
  readonly id?: string;
  readonly topic?: string;
  /** Only those that failed before this time. */
  readonly failedBeforeMs?: number;
}

/** Totals over both tables. */
export interface QueueTotals {
  readonly depth: number;
  readonly bytes: number;
  readonly oldestAtMs: number | undefined;
  readonly deadLetters: number;
  /** All dropped events, and how many of them are now only counted. */
  readonly shed: number;
  readonly shedSummarised: number;
  /** Dropped events that are now dead letters. */
  readonly shedLetters: number;
}

/**
 * Events on disk: the broker's queue and its dead letters. Every write is one transaction of the
 * single writer, durable when it resolves; an event is never in both tables.
 * @throws DISK_FULL, DISK_READ_ONLY, DISK_FAILED, LOCK_LOST from every write except `settle`
 * Implemented by adapters/sqlite/tables/outbox.ts.
 */
export interface EventQueue {
  /** Appends a row; drops the oldest at the cap. False: its ID is already queued. */
  enqueue(event: NewEvent, bounds: () => QueueBounds): Promise<boolean>;
  /** The outcome at the broker; stays in memory while the disk rejects writes. */
  settle(settlement: Settlement): Promise<void>;
  /** Rows after `afterSeq`, oldest first. */
  next(afterSeq: number, limit: number): readonly WaitingEvent[];
  /** As on disk; a damaged row may contain anything. Undefined: the row is gone. */
  payload(seq: number): unknown;
  /** Whether the id is queued or a dead letter. */
  knows(id: string): boolean;
  /** Whether an event of this topic is queued. */
  isWaiting(topic: string): boolean;
  /** Number of queued rows. */
  depth(): number;
  /** Reads every row: for displays, not for each event. */
  totals(): QueueTotals;
  /** Number of events ever dropped. */
  shedTotal(): number;
  /** Dropped events that no notice has reported yet. */
  shedUntold(): number;
  /** Newest first. */
  letters(choice: DeadLetterFilter & { readonly beforeId?: string; readonly limit: number }): {
    readonly letters: readonly DeadLetter[];
    readonly total: number;
  };
  /** Dropped events whose letter is newer than `afterSeq`, oldest first, and where to continue. */
  shedSince(afterSeq: number): {
    readonly events: readonly { readonly id: string; readonly topic: string }[];
    readonly seq: number;
  };
  /**
   * Moves dead letters to the end of the queue with no attempts, oldest first, as many as fit;
   * returns the number.
   */
  replay(choice: DeadLetterFilter, bounds: () => QueueBounds): Promise<number>;
  purge(choice: DeadLetterFilter): Promise<number>;
  /** Everything dropped until now has been reported. */
  markShedTold(): Promise<void>;
}

/** Runs SQL inside the next transaction of the single writer; durable when it resolves. */
export type RunInCommit = <T>(
  work: (atMs: number) => T,
  options?: { readonly isOutcome: boolean },
) => Promise<T>;

/**
 * The rows of the queue and of the dead letters, which are not derived from the journal. The first two
 * run inside the transaction of a journal entry.
 * Implemented by adapters/sqlite/tables/outbox.ts.
 */
export interface EventRows {
  /** False: the ID waits already. */
  insert(event: NewEvent, bounds: QueueBounds, atMs: number): boolean;
  /** Everything dropped until now has been reported. */
  markShedTold(): void;
  queue(run: RunInCommit): EventQueue;
}

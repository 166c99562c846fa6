import type { Reason } from '../../../shared/reason';
import type { BudgetPeriodRef } from './spend';
import type { ActivationKind, Priority } from '../../../shared/activations';

/** Why a wake-up failed temporarily. */
export type RetryKind =
  | 'network'
  | 'timeout'
  | 'server'
  | 'rate_limited'
  | 'cut'
  | 'malformed'
  /** Nothing failed: a budget is spent. */
  | 'budget';

/** Why an activation ended without its work (S3-29). */
type AbandonReason = 'idle' | 'wake_failed' | 'wake_lease_renew_failed';

/** Requeues, lost leases and queued wakes. */
export type WorkEntry =
  /** The run ended with a temporary failure; the turn waits until `dueAtMs`. S3-12. */
  | {
      readonly kind: 'turn.requeued';
      readonly turnId: number;
      /** Failures since the last finished step, including this one. */
      readonly streak: number;
      readonly dueAtMs: number;
      readonly failure: RetryKind;
      readonly error: string;
      /** One sentence with the time, for users. */
      readonly reason: Reason;
      /** The spent budget. */
      readonly budget?: BudgetPeriodRef;
    }
  /** A worker lost its turn, or ended with an unexpected error. S3-29. */
  | {
      readonly kind: 'turn.abandoned';
      readonly turnId: number;
      readonly attempt: number;
      readonly why: AbandonReason;
      readonly message: string;
      /** Ends without progress, including this one; a start continues the count. */
      readonly crashes: number;
    }
  /** Wakes the session at an instant. S3-16, S3-+03. */
  | {
      readonly kind: 'wake.queued';
      readonly wakeId: string;
      readonly sessionId: number;
      readonly dedupeKey: string;
      readonly dueAtMs: number;
      readonly note: string;
      readonly priority: Priority;
      readonly by: string;
      /** The turn that requested it. */
      readonly turnId?: number;
    }
  /** Shares the commit of the `message.accepted` that it became. */
  | {
      readonly kind: 'wake.consumed';
      readonly wakeId: string;
      readonly sessionId: number;
      readonly turnId: number;
    }
  | {
      readonly kind: 'wake.cancelled';
      readonly wakeId: string;
      readonly sessionId: number;
      readonly reason: string;
    };

/** A turn that waits for its next try. */
export interface RetryRow {
  readonly streak: number;
  /** Absent once it runs again or is parked; the streak continues until a step is finished. */
  readonly dueAtMs: number | undefined;
  readonly error: string;
}

/**
 * The process that runs a turn, according to the disk. It may be dead: then the next start takes
 * the turn at once.
 */
export interface LeaseRow {
  readonly claimId: string;
  readonly owner: string;
  readonly sinceMs: number;
  readonly turnId: number;
  /** The fencing epoch. */
  readonly attempt: number;
}

/** A wake-up, read from its table row. */
export interface WakeRow {
  readonly wakeId: string;
  readonly sessionId: number;
  readonly dedupeKey: string;
  readonly dueAtMs: number;
  readonly note: string;
  readonly priority: Priority;
  readonly queuedAtMs: number;
  readonly queuedBy: string;
  readonly state: 'pending' | 'consumed' | 'cancelled';
  /** The turn created from it. */
  readonly turnId: number | undefined;
  /** The turn that requested it. */
  readonly askedByTurnId: number | undefined;
}

/** A wake-up that a turn has requested. */
export type QueuedWake = Pick<WakeRow, 'wakeId' | 'queuedAtMs' | 'dueAtMs'>;

/** One entry of the activation history, built from journal rows. */
export interface ActivationRow {
  readonly seq: number;
  readonly atMs: number;
  readonly event: ActivationKind;
  readonly sessionId: number;
  readonly sessionKey: string;
  readonly agent: string;
  readonly turnId: number | undefined;
  readonly attempt: number;
  readonly claimId: string | undefined;
  readonly owner: string | undefined;
  /** The turn's message came from a queued wake-up, or the entry is about one. */
  readonly wake: WakeRow | undefined;
  readonly promptSeq: number | undefined;
  /** The underlying journal entry. */
  readonly body: Readonly<Record<string, unknown>>;
  readonly entryKind: string;
  /** How the process with the lease ended, if a start found the lease open. */
  readonly startReason: string | undefined;
  /** The source of the question that the turn waits for: our own call, or an external agent. */
  readonly asks: 'call' | 'agent' | undefined;
}

/** One change of a turn's activity. `resumed`: its run continued with the answer it waited for. */
export interface LifeMark {
  readonly seq: number;
  readonly atMs: number;
  readonly turnId: number;
  readonly attempt: number;
  readonly event: ActivationKind | 'resumed';
  /** Kind of the underlying journal entry, and its content. */
  readonly entryKind: string;
  readonly state: string;
  readonly reason: string;
}

/**
 * All reads are indexed, and none grows with closed history.
 * Implemented by adapters/sqlite/tables/activations.ts.
 */
export interface WorkReads {
  /**
   * The newest `limit`, or the first `limit` after `afterSeq`; oldest first. Those after a sequence
   * end with everything in the last entry, which may be one more.
   */
  activations(filter: {
    readonly sessionId?: number;
    readonly claimId?: string;
    readonly events?: readonly ActivationKind[];
    readonly afterSeq?: number;
    readonly limit: number;
  }): readonly ActivationRow[];
  /**
   * Activity of a session's turns between two journal entries, the newest `limit`, oldest first.
   * `before` is the last mark of each turn that was open at the start of that range.
   */
  life(
    sessionId: number,
    window: { readonly afterSeq: number; readonly beforeSeq: number; readonly limit: number },
  ): {
    readonly marks: readonly LifeMark[];
    readonly before: readonly LifeMark[];
    /** There are older ones in the range, up to and including `sinceSeq`. */
    readonly hasMore: boolean;
    readonly sinceSeq: number;
  };
  /** The open lease of a session. */
  lease(sessionId: number): LeaseRow | undefined;
  wake(wakeId: string): WakeRow | undefined;
  /** Pending under this key: queued, or consumed by a turn that waits to continue. */
  wakeByKey(sessionId: number, dedupeKey: string): WakeRow | undefined;
  /** Next due first. */
  pendingWakes(filter: { readonly sessionId?: number; readonly limit: number }): readonly WakeRow[];
  countPendingWakes(sessionId: number): number;
  wakeOfTurn(turnId: number): WakeRow | undefined;
  /** True if a turn has requested a wake-up under this key, regardless of its outcome. */
  wasAskedFor(turnId: number, dedupeKey: string): boolean;
  /** All wake-ups that a turn has requested, regardless of their outcome. */
  wakesQueuedBy(turnId: number): readonly QueuedWake[];
  /**
   * Turns that wait for their next try without needing a decision. Includes those that wait for
   * their provider.
   */
  countRetrying(): number;
}

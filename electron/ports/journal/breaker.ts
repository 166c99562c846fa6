import type { Usage } from '../../../shared/types';
import type { BreakerState, DependencyKind } from '../../../shared/types/outage';
import type { AttemptState } from '../attempts';
import type { ProviderFailureKind } from '../provider';

/** Entries of the breaker module. */
export type BreakerEntry =
  /** A breaker's state or count changed. Never written for an ordinary success. */
  | {
      readonly kind: 'breaker.moved';
      readonly name: string;
      readonly dependency: DependencyKind;
      /** Equals `state` if only a count changed. */
      readonly from: BreakerState;
      readonly state: BreakerState;
      readonly failures: number;
      readonly successes: number;
      /** 0 while closed. */
      readonly backoffMs: number;
      readonly openedAtMs?: number;
      readonly cause: string;
      readonly lastError?: string;
      /** The dependency was removed, and its breaker with it. */
      readonly isGone?: true;
    }
  /** A try of a call failed and another follows: on disk before anything waits for it. S2-25. */
  | {
      readonly kind: 'call.retried';
      readonly turnId: number;
      readonly step: number;
      /** Failed tries of the chain so far: rate limits, and everything else. */
      readonly tries: readonly [rateLimited: number, server: number];
      readonly dueAtMs: number;
      readonly failure: ProviderFailureKind;
      readonly status?: number;
      readonly message: string;
      /** Usage of its unusable answer; counted when this is written. BU-03 */
      readonly usage?: Usage;
    }
  /**
   * An attempt at an external dependency failed; written before waiting for the next one. S2-19,
   * S3-15.
   */
  | ({ readonly kind: 'attempts.kept'; readonly name: string } & AttemptState)
  /** It succeeded, or the user restarted it. */
  | { readonly kind: 'attempts.over'; readonly name: string };

/** One failed try of a call that was repeated. */
export interface CallTryRow {
  readonly step: number;
  readonly atMs: number;
  readonly tries: readonly [rateLimited: number, server: number];
  readonly dueAtMs: number;
  readonly failure: ProviderFailureKind;
  readonly status: number | undefined;
  readonly message: string;
}

/**
 * Reads of the breaker module; all indexed.
 * Implemented by adapters/sqlite/tables/breaker.ts.
 */
export interface BreakerReads {
  /** Every breaker that ever left its first state, as stored: not validated. */
  breakerRows(): readonly Readonly<Record<string, unknown>>[];
  /** Failed tries of one call, oldest first. */
  callTries(turnId: number, step: number): readonly CallTryRow[];
  /** Undefined if none failed since the last success, and if the stored row is implausible. */
  attempts(name: string): AttemptState | undefined;
}

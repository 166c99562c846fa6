import type { ProviderFailure } from './provider';

/** Outcome of one call to a provider; retries that succeeded do not count (R1, R4). */
export type CallOutcomeKind =
  /** It answered. */
  | 'success'
  /** Every retry failed, or the single try of a failure that is not retried. */
  | 'failure'
  /** It rejects the request or the credentials: reported prominently, but no sign of an outage. */
  | 'config'
  /** A hard limit, with its end in `failure.retryAfterMs` if the provider named it. */
  | 'quota';

/**
 * One call to a provider; their sequence decides about its outages. Source: R1, S0-14..S0-17.
 */
export interface CallOutcome {
  readonly provider: string;
  readonly kind: CallOutcomeKind;
  /** Absent for a success. */
  readonly failure?: ProviderFailure;
  readonly source: 'turn' | 'trial' | 'probe' | 'gateway';
  readonly turnId?: number;
  readonly atMs: number;
}

/**
 * Takes every outcome once, after its breaker has the result. Never throws.
 * Implemented by engine/outage/outages.ts.
 */
export interface CallOutcomes {
  report(outcome: CallOutcome): void;
}

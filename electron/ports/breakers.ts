import type { BreakerState, BreakerView, DependencyKind } from '../../shared/types/outage';

/** Permission for one call. Its result counts only while the breaker is in the same generation. */
export interface Permit {
  readonly kind: 'allowed';
  /** Incremented with every change of state; a result of an earlier generation is ignored. */
  readonly generation: number;
  /** The one probe of a half-open breaker. */
  readonly isTrial: boolean;
  /** Distinguishes probes of one generation: a late result of an abandoned one is ignored. */
  readonly trial: number;
}

/** No permission: the call must not be made. */
export interface Refusal {
  readonly kind: 'refused';
  readonly state: Exclude<BreakerState, 'closed'>;
  /** Until the next probe may start; 0 while one is running. */
  readonly retryInMs: number;
  /** `The circuit provider.x is open, next trial at …`; a getter, so a copy of the object loses it. */
  readonly reason: string;
}

export type Admission = Permit | Refusal;

/**
 * One circuit breaker in front of one external dependency. Never throws. Each permit gets one
 * verdict; the first one counts and later ones are ignored. Source: S2-05..S2-15, S2-20..S2-23.
 * Implemented by engine/breaker/circuit-breaker.ts.
 */
export interface Breaker {
  readonly name: string;
  readonly dependency: DependencyKind;
  allow(): Admission;
  onSuccess(permit?: Permit): void;
  onFailure(permit?: Permit, error?: string): void;
  /** The probe is still active: its timeout restarts. No effect on other calls. */
  onAlive(permit: Permit): void;
  /**
   * Neither success nor failure, such as a configuration error or a call given up. Releases a
   * probe.
   */
  onIgnored(permit?: Permit): void;
  /**
   * Opens at once, for an external reason; `forMs`: its first wait, within the limits of the
   * settings. No effect while open. S2-21
   */
  trip(reason: string, forMs?: number): void;
  /**
   * A request that needed no permit succeeded while the breaker is open: it goes half-open before
   * its wait is over, with this as the first success. No effect in other states. S2-10, R2
   */
  onAnswerWhileOpen(): void;
  /** Closes at once with zero failures. S2-22 */
  reset(by: string): void;
  view(): BreakerView;
}

/** A state change; for the audit, the journal and waiting callers. */
export interface BreakerMove {
  readonly name: string;
  readonly from: BreakerState;
  readonly to: BreakerState;
  readonly cause: string;
}

/**
 * All breakers of this process by name: no external call is made without one. S2-01
 * Implemented by engine/breaker/registry.ts.
 */
export interface Breakers {
  /** The breaker of this name, created with the configured policy if it is new. */
  of(name: string, dependency: DependencyKind): Breaker;
  find(name: string): Breaker | undefined;
  /** By name. */
  list(): readonly BreakerView[];
  /** A dependency that was removed: its session ended or its server was deleted. */
  forget(name: string): void;
  onMoved(listener: (move: BreakerMove) => void): () => void;
}

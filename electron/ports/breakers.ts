import type { BreakerState, BreakerView, DependencyKind } from '../../shared/types/outage';

/** Leave for one call. Its verdict counts only while the breaker is in the same generation. */
export interface Permit {
  readonly kind: 'allowed';
  /** Counts up with every change of state; a verdict of an earlier one is ignored. */
  readonly generation: number;
  /** The one trial of a half-open breaker. */
  readonly isTrial: boolean;
  /** Tells trials of one generation apart: one that was given up as hung is ignored later. */
  readonly trial: number;
}

/** No call: nothing may be asked of anybody. */
export interface Refusal {
  readonly kind: 'refused';
  readonly state: Exclude<BreakerState, 'closed'>;
  /** Until the next trial may go out; 0 while one is out. */
  readonly retryInMs: number;
  /** `The circuit provider.x is open, next trial at …`; a getter, so a copy of the object loses it. */
  readonly reason: string;
}

export type Admission = Permit | Refusal;

/**
 * One circuit breaker in front of one outside dependency. Never throws. A permit is answered with
 * one verdict; the first one stands, and one that is told again counts nothing. Source: S2-05..S2-15, S2-20..S2-23.
 */
export interface Breaker {
  readonly name: string;
  readonly dependency: DependencyKind;
  allow(): Admission;
  onSuccess(permit?: Permit): void;
  onFailure(permit?: Permit, error?: string): void;
  /** The trial is under way and shows life: its time begins again. Nothing for other calls. */
  onAlive(permit: Permit): void;
  /** Neither: a configuration error, a call that was given up. Releases a trial. */
  onIgnored(permit?: Permit): void;
  /** Opens at once, for a reason from outside. Changes nothing while open. S2-21 */
  trip(reason: string): void;
  /**
   * A request that needed no leave was answered while it is open: half-open before its wait is over,
   * with this as the first success. Nothing in other states. S2-10, R2
   */
  onAnswerWhileOpen(): void;
  /** Closes at once with zero failures. S2-22 */
  reset(by: string): void;
  view(): BreakerView;
}

/** A change that has been made; for the audit, the journal and whoever waits. */
export interface BreakerMove {
  readonly name: string;
  readonly from: BreakerState;
  readonly to: BreakerState;
  readonly cause: string;
}

/** Every breaker of this process by name: there is no call to the outside without one. S2-01 */
export interface Breakers {
  /** The breaker of this name, made with the policy of the settings where it is new. */
  of(name: string, dependency: DependencyKind): Breaker;
  find(name: string): Breaker | undefined;
  /** By name. */
  list(): readonly BreakerView[];
  /** A dependency that is gone for good: its session ended, its server was removed. */
  forget(name: string): void;
  onMoved(listener: (move: BreakerMove) => void): () => void;
}

/**
 * The breaker of one external dependency. S2-05..S2-15, S2-20..S2-23.
 *
 *            failure_threshold failures in a row, trip
 *   CLOSED ------------------------------------------------> OPEN <-----------------+
 *     ^  ^                                                    |                     |
 *     |  | reset                     its wait is over, a call |                     | any failure,
 *     |  +------ OPEN, HALF-OPEN                              v                     | a hung trial, trip:
 *     |                                                   HALF-OPEN ----------------+ the wait doubles
 *     +------------------------------------------------------+
 *            success_threshold successes, one trial at a time
 *
 * Has no timer and nothing on the heap but its fields: each query computes the effect of time. Wall
 * and monotonic time both count, and the longer wins: a clock that is set back does not stretch a
 * wait, a computer that slept does not repeat one.
 */
import type { BreakerEntry } from '../../ports/journal/breaker';
import type { BreakerState, BreakerView, DependencyKind } from '../../../shared/types/outage';
import type { Admission, Breaker, Permit, Refusal } from '../../ports/breakers';
import type { Clock } from '../../ports/clock';
import { explainBreaker, refusalReason } from './explain';

/** Settings of one breaker; read when a result is judged, so changes apply at once. */
export interface BreakerPolicy {
  /** Consecutive failures that open it, from 1. */
  readonly failureThreshold: number;
  /** Consecutive successes that close it again, from 1. */
  readonly successThreshold: number;
  /** First wait while open. */
  readonly initialBackoffMs: number;
  /** Maximum wait; replaces the first wait if smaller. */
  readonly maxBackoffMs: number;
}

/** A probe without a heartbeat for this long has failed. */
export const TRIAL_TIMEOUT_MS = 30_000;
const MAX_ERROR = 500;

/** A breaker's stored state. */
export type BreakerSnapshot = Omit<
  Extract<BreakerEntry, { kind: 'breaker.moved' }>,
  'kind' | 'from' | 'isGone'
>;

/** Shared by all breakers of a process. */
interface BreakerShared {
  readonly clock: Pick<Clock, 'nowMs' | 'monotonicMs'>;
  readonly policy: (name: string) => BreakerPolicy;
  /** An instant formatted for users. */
  readonly timeWords: (atMs: number) => string;
  /** Describes what waits behind the breaker, or is empty. */
  readonly waiting: (name: string) => string;
  /** No automatic probe while it is open; absent: all are probed. */
  readonly isPassive?: (name: string) => boolean;
  /** The state or a count changed and must be stored. Never throws. */
  readonly changed: (breaker: CircuitBreaker, from: BreakerState) => void;
}

export class CircuitBreaker implements Breaker {
  /**
   * Calls that have their verdict: a second verdict counts nothing. One set for all, because most
   * of ten thousand breakers have no open call, and a set per breaker would be a third of its
   * memory.
   */
  static readonly #judged = new WeakSet<Permit>();

  readonly name: string;
  readonly dependency: DependencyKind;
  readonly #shared: BreakerShared;
  #state: BreakerState = 'closed';
  #generation = 0;
  #failures = 0;
  #successes = 0;
  #backoffMs = 0;
  #openedWallMs = 0;
  #openedMs = 0;
  #trial = 0;
  #isTrialOut = false;
  #trialWallMs = 0;
  #trialMs = 0;
  #allowed = 0;
  #refused = 0;
  #succeeded = 0;
  #failed = 0;
  #ignored = 0;
  #cause = '';
  #lastError: string | undefined = undefined;

  constructor(name: string, dependency: DependencyKind, shared: BreakerShared) {
    this.name = name;
    this.dependency = dependency;
    this.#shared = shared;
  }

  /**
   * Restores the state at the process's end with the remaining wait: elapsed time comes from the
   * wall clock, at least zero and at most the whole wait. The dead process's probe does not count
   * as open.
   */
  static restore(snapshot: BreakerSnapshot, shared: BreakerShared): CircuitBreaker {
    const breaker = new CircuitBreaker(snapshot.name, snapshot.dependency, shared);
    breaker.#state = snapshot.state;
    breaker.#failures = snapshot.failures;
    breaker.#successes = snapshot.successes;
    breaker.#cause = snapshot.cause;
    breaker.#lastError = snapshot.lastError;
    if (snapshot.state === 'closed') return breaker;
    breaker.#backoffMs = Math.min(snapshot.backoffMs, longestMs(shared.policy(snapshot.name)));
    const nowMs = shared.clock.nowMs();
    // Opened in the future: the clock was set back, and the wait restarts at most once.
    breaker.#openedWallMs = Math.min(snapshot.openedAtMs ?? nowMs, nowMs);
    breaker.#openedMs = shared.clock.monotonicMs() - (nowMs - breaker.#openedWallMs);
    return breaker;
  }

  get state(): BreakerState {
    return this.#state;
  }

  allow(): Admission {
    if (this.#state === 'closed') {
      this.#allowed += 1;
      return { kind: 'allowed', generation: this.#generation, isTrial: false, trial: 0 };
    }
    if (this.#isTrialOut) this.#judgeHungTrial();
    const retryInMs = this.#retryInMs();
    if (this.#isTrialOut || retryInMs > 0) {
      this.#refused += 1;
      return new RefusedCall(this.name, this.#state, retryInMs, this.#shared);
    }
    if (this.#state === 'open') this.#halfOpen();
    this.#allowed += 1;
    this.#trial += 1;
    this.#isTrialOut = true;
    this.#markTrial();
    return { kind: 'allowed', generation: this.#generation, isTrial: true, trial: this.#trial };
  }

  onAlive(permit: Permit): void {
    if (permit.isTrial && this.#counts(permit)) this.#markTrial();
  }

  onSuccess(permit?: Permit): void {
    if (this.#isJudged(permit)) return;
    this.#succeeded += 1;
    if (!this.#counts(permit)) return;
    if (this.#state === 'closed') {
      if (this.#failures === 0) return;
      this.#failures = 0;
      this.#shared.changed(this, 'closed');
      return;
    }
    // A watcher without a permit reports on the dependency, not on the probe.
    if (permit !== undefined) this.#isTrialOut = false;
    this.#successes += 1;
    const { successThreshold } = this.#shared.policy(this.name);
    if (this.#successes < successThreshold) this.#shared.changed(this, 'half_open');
    else this.#close(`${requests(this.#successes)} in a row succeeded`);
  }

  onFailure(permit?: Permit, error?: string): void {
    if (this.#isJudged(permit)) return;
    this.#failed += 1;
    if (!this.#counts(permit)) return;
    if (error !== undefined) this.#lastError = error.slice(0, MAX_ERROR);
    if (this.#state === 'half_open') {
      this.#open('a probe failed');
      return;
    }
    this.#failures += 1;
    const { failureThreshold } = this.#shared.policy(this.name);
    if (this.#failures < failureThreshold) this.#shared.changed(this, 'closed');
    else this.#open(`${requests(this.#failures)} in a row failed`);
  }

  onIgnored(permit?: Permit): void {
    if (this.#isJudged(permit)) return;
    this.#ignored += 1;
    if (permit?.isTrial === true && this.#counts(permit)) this.#isTrialOut = false;
  }

  onAnswerWhileOpen(): void {
    if (this.#isTrialOut) this.#judgeHungTrial();
    if (this.#state !== 'open') return;
    this.#halfOpen();
    this.onSuccess();
  }

  trip(reason: string, forMs?: number): void {
    if (this.#isTrialOut) this.#judgeHungTrial();
    if (this.#state !== 'open') this.#open(reason.slice(0, MAX_ERROR), { waitMs: forMs });
  }

  reset(by: string): void {
    if (this.#state !== 'closed' || this.#failures > 0) this.#close(`closed by ${by}`);
  }

  snapshot(): BreakerSnapshot {
    const isClosed = this.#state === 'closed';
    return {
      name: this.name,
      dependency: this.dependency,
      state: this.#state,
      failures: this.#failures,
      successes: this.#successes,
      backoffMs: this.#backoffMs,
      ...(isClosed ? {} : { openedAtMs: Math.round(this.#openedWallMs) }),
      cause: this.#cause,
      ...(this.#lastError === undefined ? {} : { lastError: this.#lastError }),
    };
  }

  view(): BreakerView {
    if (this.#isTrialOut) this.#judgeHungTrial();
    const policy = this.#shared.policy(this.name);
    const isClosed = this.#state === 'closed';
    const seen = {
      name: this.name,
      dependency: this.dependency,
      state: this.#state,
      failures: this.#failures,
      successes: this.#successes,
      failureThreshold: policy.failureThreshold,
      successThreshold: policy.successThreshold,
      initialBackoffMs: policy.initialBackoffMs,
      maxBackoffMs: longestMs(policy),
      backoffMs: isClosed ? policy.initialBackoffMs : this.#backoffMs,
      ...(isClosed
        ? {}
        : {
            openedAtMs: Math.round(this.#openedWallMs),
            // Rounded up and the wall clock read last, so that it is never too early: the two clocks
            // differ by a fraction of a millisecond, and by more where others run in between.
            nextTrialAtMs: Math.ceil(this.#retryInMs() + this.#shared.clock.nowMs()),
          }),
      isTrialOut: this.#isTrialOut,
      counters: {
        allowed: this.#allowed,
        refused: this.#refused,
        succeeded: this.#succeeded,
        failed: this.#failed,
        ignored: this.#ignored,
      },
      ...(this.#lastError === undefined ? {} : { lastError: this.#lastError }),
    };
    const words = {
      cause: this.#cause,
      waiting: this.#shared.waiting(this.name),
      isDue: this.#retryInMs() <= 0,
      isPassive: !isClosed && this.#shared.isPassive?.(this.name) === true,
      timeWords: this.#shared.timeWords,
    };
    return { ...seen, explanation: explainBreaker(seen, words) };
  }

  /** True if this call already has a verdict; the first one counts. A watcher has no call. */
  #isJudged(permit: Permit | undefined): boolean {
    if (permit === undefined) return false;
    if (CircuitBreaker.#judged.has(permit)) return true;
    CircuitBreaker.#judged.add(permit);
    return false;
  }

  /** True if this verdict concerns the present state; one without a permit always does. */
  #counts(permit: Permit | undefined): boolean {
    if (this.#isTrialOut) this.#judgeHungTrial();
    if (this.#state === 'open') return false;
    if (permit === undefined) return true;
    if (permit.generation !== this.#generation) return false;
    return this.#state === 'closed' || (this.#isTrialOut && permit.trial === this.#trial);
  }

  #elapsedMs(sinceWallMs: number, sinceMs: number): number {
    const { clock } = this.#shared;
    return Math.max(clock.nowMs() - sinceWallMs, clock.monotonicMs() - sinceMs, 0);
  }

  #retryInMs(): number {
    if (this.#state !== 'open') return 0;
    return Math.max(0, this.#backoffMs - this.#elapsedMs(this.#openedWallMs, this.#openedMs));
  }

  #markTrial(): void {
    this.#trialWallMs = this.#shared.clock.nowMs();
    this.#trialMs = this.#shared.clock.monotonicMs();
  }

  /** A hung probe failed when its time was over, whenever that is checked. */
  #judgeHungTrial(): void {
    const overdueMs = this.#elapsedMs(this.#trialWallMs, this.#trialMs) - TRIAL_TIMEOUT_MS;
    if (overdueMs < 0) return;
    this.#open(`a probe got no answer for ${String(TRIAL_TIMEOUT_MS / 1_000)} s`, {
      sinceMs: overdueMs,
    });
  }

  #open(
    cause: string,
    {
      sinceMs = 0,
      waitMs,
    }: { readonly sinceMs?: number; readonly waitMs?: number | undefined } = {},
  ): void {
    const policy = this.#shared.policy(this.name);
    const nextMs =
      waitMs ?? (this.#state === 'closed' ? policy.initialBackoffMs : this.#backoffMs * 2);
    this.#backoffMs = Math.min(nextMs, longestMs(policy));
    this.#openedWallMs = this.#shared.clock.nowMs() - sinceMs;
    this.#openedMs = this.#shared.clock.monotonicMs() - sinceMs;
    this.#successes = 0;
    this.#move('open', cause);
  }

  #halfOpen(): void {
    this.#successes = 0;
    // The reason for opening still applies.
    this.#move('half_open', this.#cause);
  }

  #close(cause: string): void {
    this.#failures = 0;
    this.#successes = 0;
    this.#backoffMs = 0;
    this.#move('closed', cause);
  }

  #move(to: BreakerState, cause: string): void {
    const from = this.#state;
    this.#state = to;
    this.#cause = cause;
    this.#generation += 1;
    this.#isTrialOut = false;
    this.#shared.changed(this, from);
  }
}

/** Builds the sentence on demand: most rejections are never read. */
class RefusedCall implements Refusal {
  readonly kind = 'refused';
  readonly state: Refusal['state'];
  readonly retryInMs: number;
  readonly #name: string;
  readonly #shared: BreakerShared;

  constructor(name: string, state: BreakerState, retryInMs: number, shared: BreakerShared) {
    this.state = state === 'open' ? 'open' : 'half_open';
    // Whole ms, and never too early: it becomes an instant on disk.
    this.retryInMs = Math.ceil(retryInMs);
    this.#name = name;
    this.#shared = shared;
  }

  get reason(): string {
    const { clock, timeWords } = this.#shared;
    return refusalReason(this.#name, this, timeWords(clock.nowMs() + this.retryInMs));
  }
}

function longestMs(policy: BreakerPolicy): number {
  return Math.max(policy.initialBackoffMs, policy.maxBackoffMs);
}

function requests(count: number): string {
  return count === 1 ? '1 request' : `${String(count)} requests`;
}

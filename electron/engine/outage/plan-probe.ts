/**
 * When to probe a provider next. Two schedules, and either can start the recovery (R2): the
 * interval from the settings always runs during an outage; the breaker's curve (10, 20 … 120 s)
 * follows its probes once it is open, and runs independently before that. Pure.
 */
import type { BreakerView } from '../../../shared/types/outage';
import type { ProviderRecord } from '../../ports/journal/outage';

interface ProbePolicy {
  /** `resilience.probe_interval` */
  readonly intervalMs: number;
  /** `resilience.early_probe` */
  readonly isEarly: boolean;
}

interface ProbeFacts {
  readonly record: ProviderRecord;
  readonly breaker: Pick<
    BreakerView,
    | 'state'
    | 'successes'
    | 'nextTrialAtMs'
    | 'isTrialOut'
    | 'initialBackoffMs'
    | 'maxBackoffMs'
    | 'backoffMs'
  >;
  readonly policy: ProbePolicy;
  /** A turn that could be the canary waits or runs; it provides the second success. */
  readonly hasCanary: boolean;
  readonly nowMs: number;
}

/** `trial`: with the breaker's permit. `interval` and `early`: without it. */
export type ProbeWhy = 'interval' | 'early' | 'trial' | 'second';

export interface NextProbe {
  readonly atMs: number;
  readonly why: ProbeWhy;
}

/** The next light request to this provider; undefined if none is needed. */
export function nextProbe(facts: ProbeFacts): NextProbe | undefined {
  const { record, breaker } = facts;
  switch (record.standing.kind) {
    case 'down':
      return earliest([
        intervalProbe(facts, record.standing.sinceMs),
        earlyProbe(facts),
        trial(facts),
      ]);
    case 'key':
      return intervalProbe(facts, record.standing.sinceMs);
    case 'recovering':
      return facts.hasCanary ? undefined : { atMs: facts.nowMs, why: 'second' };
    case 'answering':
    case 'draining':
      // Only the breaker blocks the provider: its probes need no traffic (S2-07).
      if (breaker.state === 'open') return trial(facts);
      return breaker.state === 'half_open' &&
        !breaker.isTrialOut &&
        (breaker.successes === 0 || !facts.hasCanary)
        ? { atMs: facts.nowMs, why: 'second' }
        : undefined;
    case 'quota':
      return undefined;
  }
}

/**
 * When a turn probes a provider that has no light request: by the same two schedules, during an
 * outage.
 */
export function nextTurnTrial(facts: ProbeFacts): NextProbe | undefined {
  const { standing } = facts.record;
  return standing.kind === 'down'
    ? earliest([intervalProbe(facts, standing.sinceMs), earlyProbe(facts)])
    : undefined;
}

/**
 * The next probe of `probe_interval`, also for display. A probe that is overdue is due now, once.
 */
function intervalProbe(facts: Pick<ProbeFacts, 'record' | 'policy'>, sinceMs: number): NextProbe {
  return {
    atMs: (facts.record.probeAnchorMs ?? sinceMs) + facts.policy.intervalMs,
    why: 'interval',
  };
}

/**
 * The breaker's curve while the breaker is still closed: an outage may be declared before it opens.
 */
function earlyProbe({ record, breaker, policy }: ProbeFacts): NextProbe | undefined {
  if (!policy.isEarly || breaker.state !== 'closed' || record.lastTryAtMs === undefined)
    return undefined;
  const waitMs = Math.min(
    breaker.initialBackoffMs * 2 ** Math.min(record.tries, 30),
    breaker.maxBackoffMs,
  );
  return { atMs: record.lastTryAtMs + waitMs, why: 'early' };
}

function trial({ record, breaker, policy, nowMs }: ProbeFacts): NextProbe | undefined {
  if (breaker.state === 'closed' || breaker.isTrialOut) return undefined;
  // If the interval is shorter, a due probe waits for the next interval.
  if (record.standing.kind === 'down' && policy.intervalMs <= breaker.backoffMs) return undefined;
  return { atMs: breaker.nextTrialAtMs ?? nowMs, why: 'trial' };
}

function earliest(all: readonly (NextProbe | undefined)[]): NextProbe | undefined {
  return all
    .filter((one) => one !== undefined)
    .reduce<NextProbe | undefined>(
      (first, one) => (first === undefined || one.atMs < first.atMs ? one : first),
      undefined,
    );
}

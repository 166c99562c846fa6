import type { BreakerView } from '../../../shared/types/outage';

/** A breaker as the models look at it. */
export const CLOSED: BreakerView = {
  name: 'provider.p',
  dependency: 'provider',
  state: 'closed',
  failures: 0,
  successes: 0,
  failureThreshold: 5,
  successThreshold: 2,
  initialBackoffMs: 10_000,
  maxBackoffMs: 120_000,
  backoffMs: 10_000,
  isTrialOut: false,
  counters: { allowed: 0, refused: 0, succeeded: 0, failed: 0, ignored: 0 },
  explanation: '',
};

export const openUntil = (nextTrialAtMs: number, backoffMs = 10_000): BreakerView => ({
  ...CLOSED,
  state: 'open',
  failures: 5,
  nextTrialAtMs,
  backoffMs,
});

export const halfOpen = (successes: number, isTrialOut = false): BreakerView => ({
  ...CLOSED,
  state: 'half_open',
  successes,
  isTrialOut,
});

/** How one provider stands, for everybody who looks. Pure. X-01 */
import type { BreakerView, ProviderHealth, ProviderState } from '../../../shared/types/outage';
import type { ProviderRecord } from '../../ports/journal/outage';
import { providerSentence, type TimeText } from './describe-outage';
import type { NextProbe } from './plan-probe';

interface HealthFacts {
  readonly record: ProviderRecord;
  readonly breaker: BreakerView;
  readonly policy: { readonly threshold: number; readonly intervalMs: number };
  readonly waiting: number;
  readonly isProbing: boolean;
  readonly next: NextProbe | undefined;
  readonly time: TimeText;
}

/** What it is called: the standing, and what its breaker adds to it. */
function providerState(
  facts: Pick<HealthFacts, 'record' | 'breaker' | 'isProbing'>,
): ProviderState {
  const { record, breaker, isProbing } = facts;
  switch (record.standing.kind) {
    case 'down':
      return isProbing ? 'trying' : 'down';
    case 'recovering':
    case 'draining':
      return breaker.state === 'open' ? 'down' : 'recovering';
    case 'quota':
    case 'key':
      return record.standing.kind;
    case 'answering':
      if (breaker.state === 'open') return isProbing ? 'trying' : 'down';
      if (breaker.state === 'half_open') return breaker.successes > 0 ? 'recovering' : 'trying';
      return record.failedTurns > 0 ? 'failing' : 'answering';
  }
}

export function healthOf(facts: HealthFacts): ProviderHealth {
  const { record, breaker, policy, waiting, next, isProbing } = facts;
  const { standing } = record;
  const state = providerState(facts);
  // The trials of an agent's own breaker are not of this room.
  const trialAtMs = breaker.state === 'open' ? breaker.nextTrialAtMs : undefined;
  const nextTryAtMs =
    standing.kind === 'quota'
      ? standing.untilMs
      : (next?.atMs ?? (isProbing ? undefined : trialAtMs));
  return {
    provider: record.provider,
    state,
    failedTurns: record.failedTurns,
    outageThreshold: policy.threshold,
    breaker,
    ...('outageId' in standing && standing.sinceMs !== undefined
      ? { downSinceMs: standing.sinceMs }
      : {}),
    // Without a time of its own there is only the next try.
    ...(standing.kind === 'quota' && standing.isUnnamed !== true
      ? { quotaUntilMs: standing.untilMs }
      : {}),
    ...(nextTryAtMs === undefined ? {} : { nextTryAtMs }),
    ...(standing.kind === 'down' || standing.kind === 'key'
      ? { nextProbeAtMs: (record.probeAnchorMs ?? standing.sinceMs) + policy.intervalMs }
      : {}),
    waiting,
    ...(standing.kind === 'draining' ? { ramp: standing.ramp } : {}),
    ...(record.lastError === undefined ? {} : { lastError: record.lastError }),
    ...(record.lastErrorAtMs === undefined ? {} : { lastErrorAtMs: record.lastErrorAtMs }),
    sentence: providerSentence({
      record,
      state,
      waiting,
      threshold: policy.threshold,
      failedCalls: breaker.failures,
      nextTryAtMs,
      time: facts.time,
    }).slice(0, 500),
  };
}

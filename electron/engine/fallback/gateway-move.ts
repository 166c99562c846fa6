/** Whether a queued gateway request moves to another provider now. FB-05 */
import { durationMs } from '../../../shared/settings';
import type { Clock } from '../../ports/clock';
import type { GatewayFallbackMove } from '../../ports/gateway';
import type { SettingsPort } from '../../ports/settings';
import type { Outages } from '../outage/outages';
import { isSameVendor } from './candidates';
import { decideFallback } from './plan-fallback';

interface MoveDeps {
  readonly settings: Pick<SettingsPort, 'get'>;
  readonly outages: Pick<Outages, 'healthState' | 'isOpen'>;
  readonly clock: Pick<Clock, 'nowMs'>;
}

/**
 * The turn rules (`fallback.mode`, `fallback.after`) for a queued request. No one is asked about a
 * request: where a turn would ask, the request keeps waiting with that reason.
 */
export function gatewayMove(
  { settings, outages, clock }: MoveDeps,
  provider: string,
  others: readonly string[],
): GatewayFallbackMove {
  const providers = settings.get('providers');
  const decision = decideFallback({
    mode: settings.get('fallback.mode'),
    candidates: [
      { isOpen: false, isSameVendor: true },
      ...others.map((other) => ({
        isOpen: outages.isOpen(other),
        isSameVendor: isSameVendor(providers, provider, other),
      })),
    ],
    current: 0,
    healthState: outages.healthState(provider),
    nowMs: clock.nowMs(),
    afterMs: durationMs(settings.get('fallback.after')),
    answer: undefined,
  });
  switch (decision.kind) {
    case 'stay':
    case 'later':
      return decision;
    case 'go':
      return { kind: 'go', to: decision.to - 1 };
    case 'ask':
      return {
        kind: 'stay',
        why: `${others[decision.to - 1] ?? ''} could answer, but bills elsewhere, and fallback.mode is not "auto".`,
      };
  }
}

import type { VerbOutput } from '../../../shared/contract';
import { hasPrices } from '../../../shared/prices/prices';
import { GATEWAY_KINDS } from '../../../shared/states';
import type { ProviderHealth } from '../../../shared/types/outage';
import type { SettingsPort } from '../../ports/settings';
import type { ProviderState } from './request-queue';
import type { GatewayUsage } from './usage';

/** In these states only a probe calls the provider. */
const OUT: ReadonlySet<ProviderHealth['state']> = new Set(['down', 'trying', 'quota']);
/** What a provider's health means for gateway requests. */
export function providerState(health: ProviderHealth): ProviderState {
  const { state, ramp = 1, quotaUntilMs, nextTryAtMs, sentence } = health;
  return {
    isDown: OUT.has(state),
    untilMs: state === 'quota' ? (quotaUntilMs ?? nextTryAtMs) : undefined,
    slots: state === 'recovering' ? ramp : Infinity,
    reason: sentence,
  };
}

interface GatewayStatusDeps {
  readonly settings: SettingsPort;
  readonly usage: Pick<GatewayUsage, 'spentTodayUsd'>;
  readonly tokenPath: string;
}

/** The gateway as it is now; `port` is absent while it does not listen. */
export function gatewayStatus(
  { settings, usage, tokenPath }: GatewayStatusDeps,
  now: {
    readonly waiting: number;
    readonly port: number | undefined;
    readonly problem: string | undefined;
  },
): VerbOutput<'gateway.status'> {
  const { port, problem } = now;
  const budget = settings.get('gateway.budget_usd_per_day');
  const asked = settings.get('gateway.port');
  const isOn = settings.get('gateway.enabled');
  return {
    state: port !== undefined ? 'listening' : isOn ? 'not_listening' : 'off',
    ...(problem === undefined ? {} : { problem: problem.slice(0, 1000) }),
    ...(port === undefined ? {} : { port }),
    isOtherPort: port !== undefined && asked !== 0 && port !== asked,
    tokenPath,
    waiting: now.waiting,
    providers: Object.entries(settings.get('providers')).flatMap(([name, spec]) => {
      const kind = GATEWAY_KINDS.find((one) => one === spec.kind);
      if (kind === undefined) return [];
      return [
        {
          name,
          kind,
          ...(port === undefined ? {} : { baseUrl: baseUrlOf(port, name, kind) }),
          spentTodayUsd: usage.spentTodayUsd(name),
          ...(budget === 0 ? {} : { budgetUsd: budget }),
          hasPrices: hasPrices(spec),
        },
      ];
    }),
  };
}

/** As its clients are used to it: those of Anthropic put /v1 behind it themselves. */
function baseUrlOf(port: number, name: string, kind: (typeof GATEWAY_KINDS)[number]): string {
  const base = `http://127.0.0.1:${String(port)}/p/${name}`;
  return kind === 'anthropic' ? base : `${base}/v1`;
}

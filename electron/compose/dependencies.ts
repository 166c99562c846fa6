import { createProviders } from '../adapters/providers/providers';
import { resolveProviderKey } from '../adapters/secrets/provider-key';
import { createPracticeProvider } from '../engine/executors/llm/practice';
import type { Provider, Providers } from '../ports/provider';
import { createBreakersPart, type BreakersPart } from './breakers';
import type { Ground } from './ground';
import { createOutagePart, type OutagePart } from './outage';
import type { Rooms } from './rooms-type';
import { heldSource } from './turn-source';

/** The model providers, and what stands between Holdfast and everything that may be down. */
export interface Dependencies {
  readonly providers: Providers;
  /** Providers that the host brings; an agent may name them without a setting. */
  readonly hostProviders: readonly Provider[];
  readonly breakers: BreakersPart;
  readonly outage: OutagePart;
}

export function createDependencies(ground: Ground, later: () => Rooms): Dependencies {
  const { settings, keys, log, clock, version } = ground;
  const hostProviders = ground.compose.providers ?? [];
  const extra = [
    ...hostProviders,
    createPracticeProvider({ clock, downUntilMs: () => outage.practiceDownUntilMs() }),
  ];
  const providers = createProviders({
    settings,
    secretsKey: (name, spec) => resolveProviderKey(name, spec, keys),
    extra,
    log,
    clock,
    version,
  });
  const breakers = createBreakersPart({
    ...ground,
    extraProviders: hostProviders.map(({ name }) => name),
    channels: () => later().channels.names(),
    waiting: (name) => outage.waitingBehind(name),
    isPassive: (name) => later().trials.isPassive(name),
  });
  const outage = createOutagePart({
    ...ground,
    breakers: breakers.book,
    providers,
    extraProviders: extra.map(({ name }) => name),
    onFree: () => {
      later().scheduler.lookAgain();
    },
    sourceOf: (turnId) => heldSource(ground.scheduleReads, ground.workReads, turnId),
  });
  return { providers, hostProviders, breakers, outage };
}

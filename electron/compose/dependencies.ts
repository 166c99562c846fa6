import { createProviders } from '../adapters/providers/providers';
import { resolveProviderKey } from '../adapters/secrets/provider-key';
import { createPracticeProvider } from '../engine/executors/llm/practice';
import type { Provider, Providers } from '../ports/provider';
import { createBreakersPart, type BreakersPart } from './breakers';
import type { Core } from './core';
import { createOutagePart, type OutagePart } from './outage';
import { heldSource } from './turn-source';

/** The model providers, and what stands between Holdfast and everything that may be down. */
export interface Dependencies {
  readonly providers: Providers;
  /** Providers that the host brings; an agent may name them without a setting. */
  readonly hostProviders: readonly Provider[];
  readonly breakers: BreakersPart;
  readonly outage: OutagePart;
}

/** What the rooms that are made after these answer; asked only once all of them stand. */
interface DependenciesDeps {
  readonly channelNames: () => readonly string[];
  readonly isPassive: (breaker: string) => boolean;
  /** A turn that waited may go on. */
  readonly onFree: () => void;
}

export function createDependencies(core: Core, deps: DependenciesDeps): Dependencies {
  const { settings, keys, log, clock, version } = core;
  const hostProviders = core.compose.providers ?? [];
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
    ...core,
    extraProviders: hostProviders.map(({ name }) => name),
    channels: deps.channelNames,
    waiting: (name) => outage.waitingBehind(name),
    isPassive: deps.isPassive,
  });
  const outage = createOutagePart({
    ...core,
    breakers: breakers.book,
    providers,
    extraProviders: extra.map(({ name }) => name),
    onFree: deps.onFree,
    sourceOf: (turnId) => heldSource(core.scheduleReads, core.workReads, turnId),
  });
  return { providers, hostProviders, breakers, outage };
}

import { identifyAgent } from '../adapters/command/identify-agent';
import { computerZone } from '../adapters/clock/system-clock';
import { createProviders } from '../adapters/providers/providers';
import { resolveProviderKey } from '../adapters/secrets/provider-key';
import { createPracticeProvider } from '../engine/executors/llm/practice';
import type { Provider, Providers } from '../ports/provider';
import { createBreakers, type BreakersOfRun } from '../engine/breaker/breakers';
import { createOutage, type Outage } from '../engine/outage/outage';
import type { Core } from './core';

/** The model providers, and the protection against dependencies that may be down. */
export interface Dependencies {
  readonly providers: Providers;
  /** Providers that the host brings; an agent may name them without a setting. */
  readonly hostProviders: readonly Provider[];
  readonly breakers: BreakersOfRun;
  readonly outage: Outage;
  /** Providers that exist without a setting. */
  readonly extraProviders: readonly string[];
  /** Until then the practice provider plays one that is down. */
  readonly playDown: (untilMs: number) => void;
}

/** Answers of rooms that are created later; called only once all of them exist. */
interface DependenciesDeps {
  readonly channelNames: () => readonly string[];
  readonly isPassive: (breaker: string) => boolean;
  /** A waiting turn may continue. */
  readonly onFree: () => void;
}

export function createDependencies(core: Core, deps: DependenciesDeps): Dependencies {
  const { settings, version } = core;
  const { log } = core.records;
  const { keys } = core.secrets;
  const { clock } = core.world;
  let downUntilMs = 0;
  const onChanged = (): void => {
    core.told.emit('outage.changed', {});
    core.told.changed();
  };
  const hostProviders = core.compose.providers ?? [];
  const extra = [
    ...hostProviders,
    createPracticeProvider({ clock, downUntilMs: () => downUntilMs }),
  ];
  const providers = createProviders({
    settings,
    secretsKey: (name, spec) => resolveProviderKey(name, spec, keys),
    extra,
    log,
    clock,
    version,
  });
  const breakers = createBreakers({
    ...core.world,
    ...core.disk,
    ...core.records,
    ...core.life,
    settings: core.settings,
    extraProviders: hostProviders.map(({ name }) => name),
    channels: deps.channelNames,
    waiting: (name) => outage.waitingBehind(name),
    isPassive: deps.isPassive,
    onChanged,
  });
  const outage = createOutage({
    ...core.world,
    ...core.disk,
    ...core.records,
    ...core.life,
    settings: core.settings,
    breakers: breakers.registry,
    providers,
    onFree: deps.onFree,
    onChanged,
    extraProviders: hostProviders.map(({ name }) => name),
    zone: computerZone,
    identify: identifyAgent,
  });
  return {
    providers,
    hostProviders,
    breakers,
    outage,
    extraProviders: extra.map(({ name }) => name),
    playDown(untilMs) {
      downUntilMs = untilMs;
    },
  };
}

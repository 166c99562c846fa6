/** Dependencies that may be down: their breakers, outages and probes, and who answers instead. */
import { channelCheck, programCheck } from '../adapters/doctor/health-checks';
import { createProviders } from '../adapters/providers/providers';
import type { DescribeProvider } from '../engine/api/providers';
import { createDependencyProbes, type DependencyProbes } from '../engine/breaker/probes';
import type { AgentQuestions } from '../engine/executors/acp/ask-agent';
import type { Agents } from '../engine/executors/agents';
import { agentProbe } from '../engine/executors/program/agent-breaker';
import { createLazyFallback, type LazyFallback } from '../engine/fallback/lazy-fallback';
import type { Channels } from '../engine/replies/channels';
import type { AgentFolders } from '../ports/agent-folders';
import { createPracticeProvider } from '../engine/executors/llm/practice';
import type { Provider, Providers } from '../ports/provider';
import { createBreakers, type BreakersOfRun } from '../engine/breaker/breakers';
import { createOutage, type Outage } from '../engine/outage/outage';
import type { Core } from './core';
import type { Tools } from './tools';

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
  const onChanged = (): void => {
    core.emit('outage.changed', {});
    core.changed();
  };
  const hostProviders = core.compose.providers ?? [];
  const practice = createPracticeProvider(core);
  const extra = [...hostProviders, practice];
  const providers = createProviders({ ...core, extra });
  const breakers = createBreakers({
    ...core,
    extraProviders: hostProviders.map(({ name }) => name),
    channels: deps.channelNames,
    waiting: (name) => outage.waitingBehind(name),
    isPassive: deps.isPassive,
    onChanged,
  });
  const outage = createOutage({
    ...core,
    breakers: breakers.registry,
    providers,
    onFree: deps.onFree,
    onChanged,
    extraProviders: hostProviders.map(({ name }) => name),
  });
  return {
    providers,
    hostProviders,
    breakers,
    outage,
    extraProviders: extra.map(({ name }) => name),
    playDown: (untilMs) => practice.playDown(untilMs),
  };
}

export function createProbesPart(
  core: Core,
  rooms: {
    readonly dependencies: Dependencies;
    readonly tools: Tools;
    readonly agents: Agents;
    readonly outside: Pick<AgentQuestions, 'greet'>;
    readonly channels: Channels;
  },
): DependencyProbes {
  const { tools, agents, outside, channels } = rooms;
  return createDependencyProbes({
    ...core,
    breakers: rooms.dependencies.breakers.registry,
    mcp: (name) => tools.mcp.check(name),
    browser: (sessionId) => tools.browsers.check(sessionId),
    host: (place) => tools.pages.check(place),
    channel: (name) => channelCheck(channels.spec(name), core),
    agent: agentProbe({
      agents,
      greet: (name, spec) => outside.greet(name, spec),
      programCheck: (program) => programCheck(program, core),
    }),
  });
}

export function createFallbackPart(
  core: Core,
  rooms: {
    readonly dependencies: Dependencies;
    readonly describe: DescribeProvider;
    readonly folders: Pick<AgentFolders, 'usable'>;
    readonly agents: Pick<Agents, 'acpOf'>;
  },
): LazyFallback {
  const { outage, extraProviders } = rooms.dependencies;
  return createLazyFallback({
    ...core,
    onOutageMoved: (listener) => {
      outage.onMoved(listener);
    },
    async load() {
      const [{ createFallback }, { createIsUsable }] = await Promise.all([
        import('../engine/fallback/fallback'),
        import('../engine/fallback/is-usable'),
      ]);
      return createFallback({
        ...core,
        outages: outage,
        isUsable: createIsUsable({ ...rooms, ...rooms.agents, extraProviders }),
        onChange: core.changed,
      });
    },
  });
}

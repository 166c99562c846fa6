import { identifyAgent } from '../adapters/command/identify-agent';
import type { DescribeProvider } from '../engine/api/providers';
import type { Agents } from '../engine/executors/agents';
import type { AgentFolders } from '../ports/agent-folders';
import type { FallbackRoom } from '../engine/fallback/fallback';
import { createCoalesced } from '../engine/kernel/coalesce';
import type { Core } from './core';
import type { Dependencies } from './dependencies';

const loadCode = () => import('./load-fallback');

/** Fallbacks of turns that wait. Most starts have none, and do without their code. */
export interface FallbackPart {
  /** Looks at what already waits. */
  start(): void;
  use: FallbackRoom['use'];
}

export function createFallbackPart(
  core: Core,
  rooms: {
    readonly dependencies: Dependencies;
    readonly describe: DescribeProvider;
    readonly folders: Pick<AgentFolders, 'usable'>;
    readonly agents: Pick<Agents, 'acpOf'>;
  },
): FallbackPart {
  const { settings } = core;
  const { reads, journal } = core.disk;
  const { outage, extraProviders } = rooms.dependencies;
  /** An external agent is there, and its folder. */
  const hasAgent = (name: string): boolean => {
    const agent = rooms.agents.acpOf(name);
    return agent !== undefined && rooms.folders.usable(agent.workspace) !== undefined;
  };
  let loading: Promise<FallbackRoom> | undefined;
  let isStarted = false;
  const load = async (): Promise<FallbackRoom> =>
    (await loadCode()).createFallback({
      ...core.world,
      ...core.disk,
      ...core.records,
      ...core.life,
      settings: core.settings,
      outages: outage.room,
      identify: identifyAgent,
      async isUsable({ agent, provider }) {
        if (agent !== undefined) return hasAgent(agent);
        if (extraProviders.includes(provider)) return true;
        const view = await rooms.describe(provider);
        if (view === undefined || view.key.problem !== undefined) return false;
        return view.key.present || view.kind === 'openai-compatible';
      },
      onChange: core.told.changed,
    });
  const loaded = (): Promise<FallbackRoom> => (loading ??= load());
  const hasAny = (): boolean =>
    Object.values(settings.get('agents')).some(
      (agent) => agent.executor !== 'command' && (agent.fallback ?? []).length > 0,
    );
  const lookSoon = createCoalesced(() => {
    if (!isStarted || core.life.draining.aborted) return;
    // Nothing waits and nothing is asked: there is nothing to look at.
    if (loading === undefined && (!hasAny() || reads.countHeld() === 0)) return;
    void loaded().then((room) => room.look());
  });
  if (!core.life.isReadOnly) {
    outage.onMoved(lookSoon);
    journal.onCommitted(
      (entries) => {
        if (entries.some(({ kind }) => kind === 'turn.waits' || kind === 'turn.closed')) lookSoon();
      },
      { skipsSteps: true },
    );
    settings.onChange((keys) => {
      if (keys.some((key) => key.startsWith('fallback.') || key === 'agents')) lookSoon();
    });
  }
  return {
    start() {
      isStarted = true;
      lookSoon();
    },
    use: async (...asked) => (await loaded()).use(...asked),
  };
}

import { identifyAgent } from '../adapters/command/identify-agent';
import type { DescribeProvider } from '../engine/api/providers';
import type { Agents } from '../engine/executors/agents';
import { createLazyFallback, type LazyFallback } from '../engine/fallback/lazy-fallback';
import type { AgentFolders } from '../ports/agent-folders';
import type { Core } from './core';
import type { Dependencies } from './dependencies';

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
  const base = { ...core, ...core.world, ...core.disk, ...core.records, ...core.life };
  return createLazyFallback({
    ...base,
    onOutageMoved: (listener) => {
      outage.onMoved(listener);
    },
    async load() {
      const [{ createFallback }, { createIsUsable }] = await Promise.all([
        import('../engine/fallback/fallback'),
        import('../engine/fallback/is-usable'),
      ]);
      return createFallback({
        ...base,
        outages: outage,
        identify: identifyAgent,
        isUsable: createIsUsable({ ...rooms, ...rooms.agents, extraProviders }),
        onChange: core.told.changed,
      });
    },
  });
}

import os from 'node:os';
import { createShareHost } from '../adapters/shared-store/server/share-host';
import { createShareRoom, type ShareRoom } from '../engine/sharing/share-room';
import type { ShareGate } from '../engine/sharing/share-gate';
import type { Core } from './core';
import type { Dependencies } from './dependencies';
import type { LiveDeps } from './share';
import type { Turns } from './turns';

/** Out of the rooms of one engine. What works with a store is loaded with the first. */
export function createSharePart(
  core: Core,
  rooms: Pick<LiveDeps, 'agents' | 'approvals' | 'budgets' | 'hasReply' | 'sessions'> & {
    readonly dependencies: Dependencies;
    readonly gate: ShareGate;
    readonly turns: Turns;
  },
): ShareRoom {
  const { gate, turns, dependencies, ...work } = rooms;
  const { scheduler, quitWhenDone } = turns;
  return createShareRoom({
    settings: core.settings,
    secrets: core.secrets.keys.secrets,
    clock: core.world.clock,
    log: core.records.log,
    gate,
    hosting: createShareHost({
      dataDir: core.dataDir,
      log: core.records.log,
      loadServer: async () => (await import('./share-server')).ownServerOf(core),
    }),
    hostName: os.hostname(),
    store: () => import('../adapters/shared-store/invitation'),
    async open({ secret, address, ...self }) {
      const { openShare } = await import('./share');
      const live: LiveDeps = {
        ...work,
        outage: dependencies.outage,
        scheduler,
        isHeldBack: () => quitWhenDone.isWanted(),
      };
      return openShare(core, { ...live, ...self }, secret, address);
    },
    whyWaiting: async () => (await import('../engine/sharing/why-waiting')).whyWaiting,
    openTurns: () => core.disk.reads.openShared().length,
    onChange: core.told.changed,
  });
}

/** Shared work. The code for a store is loaded once this computer joins one, or has joined one. */
import os from 'node:os';
import { createShareHost } from '../adapters/shared-store/server/share-host';
import type { RoomsOfShare } from '../engine/sharing/open-share';
import { createShareRoom, type OpenedStore, type ShareRoom } from '../engine/sharing/share-room';
import type { ShareGate } from '../engine/sharing/share-gate';
import type { Core } from './core';
import type { Dependencies } from './dependencies';
import type { Turns } from './turns';

const TIMEOUT_MS = 5_000;

export function createSharePart(
  core: Core,
  rooms: Omit<RoomsOfShare, 'outage' | 'scheduler' | 'isHeldBack'> & {
    readonly dependencies: Dependencies;
    readonly gate: ShareGate;
    readonly turns: Turns;
  },
): ShareRoom {
  const { scheduler, quitWhenDone } = rooms.turns;
  const { settings, dataDir, log, keys, redactor, crashPoints, ownEnvironment: env } = core;
  return createShareRoom({
    settings,
    secrets: keys.secrets,
    clock: core.clock,
    log,
    gate: rooms.gate,
    hosting: createShareHost(core),
    hostName: os.hostname(),
    store: () => import('../adapters/shared-store/invitation'),
    async open({ secret, address: shown, name, ensure }): Promise<OpenedStore> {
      const [
        { addressOf },
        { createPostgresStore },
        { createMovedFiles },
        { remoteOrigin },
        { openShare },
      ] = await Promise.all([
        import('../adapters/shared-store/invitation'),
        import('../adapters/shared-store/postgres-store'),
        import('../adapters/git-workspace'),
        import('../adapters/providers/base-url'),
        import('../engine/sharing/open-share'),
      ]);
      const address = addressOf(shown, secret);
      redactor.learn(address.password);
      const seen = core.reads.sharedMark();
      const store = createPostgresStore({ address, timeoutMs: TIMEOUT_MS, seen, log });
      const share = openShare({
        core: core,
        rooms: {
          ...rooms,
          outage: rooms.dependencies.outage,
          scheduler,
          isHeldBack: () => quitWhenDone.isWanted() || core.isProgramChanged(),
        },
        self: { version: core.version, platform: process.platform, name },
        store,
        ensure,
        files: createMovedFiles({ dataDir, env, crashPoints }),
        accounts: {
          keyOf: async (provider, spec) => {
            const found = await core.keyOf(provider, spec).catch(() => undefined);
            return found?.key;
          },
          originOf: remoteOrigin,
        },
        onChange: core.changed,
      });
      return { store, share };
    },
    whyWaiting: async () => (await import('../engine/sharing/why-waiting')).whyWaiting,
    openTurns: () => core.reads.openShared().length,
    onChange: core.changed,
  });
}

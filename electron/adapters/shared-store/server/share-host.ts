/** Keeps our own server running while this computer's shared store uses it. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import type { StoreServer } from '../../../ports/shared-store';
import type { OwnServer, OwnServerDeps } from './own-server';

export function createShareHost(deps: OwnServerDeps): StoreServer {
  let loading: Promise<OwnServer> | undefined;
  let used: OwnServer | undefined;
  const create = async (): Promise<OwnServer> =>
    (await import('./own-server')).createOwnServer(deps);
  const load = (): Promise<OwnServer> => (loading ??= create());
  const stop = async (waitMs: number): Promise<void> => {
    const was = used;
    used = undefined;
    await was?.stop(waitMs);
  };
  return {
    async make(...asked) {
      used = await load();
      return used.make(...asked);
    },
    outlook: async () => (await load()).outlook(),
    async serverOf(address) {
      if (!existsSync(path.join(deps.dataDir, 'share', 'store'))) return undefined;
      const server = await load();
      if (address !== `127.0.0.1:${String(server.file()?.port)}/postgres`) return undefined;
      used = server;
      return server;
    },
    listens() {
      const file = used?.file();
      if (file === undefined) return undefined;
      return `${file.outside?.host ?? '127.0.0.1'}:${String(file.port)}`;
    },
    sweep() {
      if (!existsSync(path.join(deps.dataDir, 'share', 'store', 'cluster', 'postmaster.pid')))
        return;
      load()
        .then(async (server) => server.stop(5_000))
        .catch((error: unknown) => {
          deps.log.warn('share.server.sweep', { error });
        });
    },
    stop,
  };
}

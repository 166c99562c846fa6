import type { HostLinks } from '../engine/hosts/host-links';
import type { HostLists } from '../engine/hosts/host-lists';
import { createLazyHosts, type LazyHosts } from '../engine/hosts/lazy-hosts';
import type { Core } from './core';

export const createHostsPart = (core: Core): LazyHosts =>
  createLazyHosts({
    ...core,
    load: () => load(core),
  });

async function load(core: Core): Promise<HostLinks & HostLists> {
  const [{ createSshCommands, sshEnvironment }, { createHostLinks }, { createHostLists }] =
    await Promise.all([
      import('../adapters/hosts/ssh-command'),
      import('../engine/hosts/host-links'),
      import('../engine/hosts/host-lists'),
    ]);
  const links = createHostLinks({
    ...core,
    version: core.version,
    runFar: createSshCommands(await sshEnvironment(core)),
    addresses: () => core.settings.get('hosts.addresses'),
    onChange: core.changed,
    onAsks() {
      core.emit('hosts.changed', {});
    },
    onNews(host) {
      core.emit('hosts.news', { host });
    },
  });
  return { ...links, ...createHostLists(links) };
}

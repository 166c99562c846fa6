import { buildChildEnvironment, type Environment } from '../adapters/shell/child-environment';
import { loginVariables } from '../adapters/shell/login-environment';
import type { HostLinks } from '../engine/hosts/host-links';
import type { HostLists } from '../engine/hosts/host-lists';
import type { FarDecision, FarOutcome, HostInbox, StatusSnapshot } from '../../shared/types';
import type { Core } from './core';

/** Links to the other computers that are set. Loads and starts nothing where none is. HO-02 */
export interface HostsPart extends HostLists {
  outlook(): StatusSnapshot['hosts'];
  inbox(): readonly HostInbox[];
  answer(name: string, decision: FarDecision): Promise<FarOutcome>;
  start(): void;
  stop(): void;
}

type Links = HostLinks & HostLists;

const NO_HOST = { kind: 'untold', why: 'No host is connected.' } as const;

export function createHostsPart(core: Core): HostsPart {
  const { settings } = core;
  const addresses = () => settings.get('hosts.addresses');
  let loading: Promise<Links> | undefined;
  let links: Links | undefined;
  let isOver = false;
  const look = (): void => {
    if (isOver || (loading === undefined && Object.keys(addresses()).length === 0)) return;
    loading ??= load(core, addresses);
    loading
      .then((made) => {
        links = made;
        if (!isOver) made.follow();
      })
      .catch((error: unknown) => {
        core.records.log.error('hosts.failed', { error });
      });
  };
  let unfollow: (() => void) | undefined;
  return {
    outlook() {
      const names = Object.keys(addresses());
      if (isOver || names.length === 0 || !core.life.isRunning()) return undefined;
      return [...(links?.views() ?? names.map((name) => ({ kind: 'connecting' as const, name })))];
    },
    inbox: () => links?.inbox() ?? [],
    answer: (name, decision) =>
      links === undefined
        ? Promise.resolve({
            outcome: 'not_counted',
            why: 'Nothing was sent: no host is connected.',
          })
        : links.answer(name, decision),
    sessions: (name) => links?.sessions(name) ?? Promise.resolve(NO_HOST),
    transcript: (name, wanted) => links?.transcript(name, wanted) ?? Promise.resolve(NO_HOST),
    step: (name, wanted) => links?.step(name, wanted) ?? Promise.resolve(NO_HOST),
    search: (name, wanted) => links?.search(name, wanted) ?? Promise.resolve(NO_HOST),
    start() {
      unfollow = settings.onChange((keys) => {
        if (keys.includes('hosts.addresses')) look();
      });
      look();
    },
    stop() {
      isOver = true;
      unfollow?.();
      links?.stop();
    },
  };
}

async function load(core: Core, addresses: () => Record<string, string>): Promise<Links> {
  const code = await import('./load-hosts');
  const links = code.createHostLinks({
    ...core.world,
    ...core.records,
    version: core.version,
    runFar: code.createSshCommands(await environmentOf(core)),
    addresses,
    onChange: core.told.changed,
    onAsks() {
      core.told.emit('hosts.changed', {} as never);
    },
    onNews(host) {
      core.told.emit('hosts.news', { host } as never);
    },
  });
  return { ...links, ...code.createHostLists(links) };
}

/**
 * Our own environment, with where the agent with the keys listens: a desktop may start the app without what a
 * terminal knows. What is a secret is by the settings as they are at each start.
 */
async function environmentOf({ world, secrets }: Core): Promise<() => Environment> {
  const login = loginVariables(await world.loginEnvironment());
  const agent = world.ownEnvironment['SSH_AUTH_SOCK'] ?? login?.['SSH_AUTH_SOCK'];
  const own = { ...world.ownEnvironment, SSH_AUTH_SOCK: agent };
  return () =>
    buildChildEnvironment({
      login: undefined,
      own,
      declared: [],
      markers: {},
      secrets: secrets.findSecrets(login),
    }).env;
}

import type { FarDecision, FarOutcome, HostInbox, StatusSnapshot } from '../../../shared/types';
import type { Log } from '../../ports/log';
import type { SettingsPort } from '../../ports/settings';
import type { HostLinks } from './host-links';
import type { HostLists } from './host-lists';

/** Links to the configured computers. Loads and starts nothing if there are none. HO-02 */
export interface LazyHosts extends HostLists {
  outlook(): StatusSnapshot['hosts'];
  inbox(): readonly HostInbox[];
  answer(name: string, decision: FarDecision): Promise<FarOutcome>;
  start(): void;
  stop(): void;
}

type Links = Pick<HostLinks, 'views' | 'inbox' | 'answer' | 'follow' | 'stop'> & HostLists;

interface LazyHostsDeps {
  readonly load: () => Promise<Links>;
  readonly settings: Pick<SettingsPort, 'get' | 'onChange'>;
  readonly isRunning: () => boolean;
  readonly log: Pick<Log, 'error'>;
}

const NO_HOST = { kind: 'untold', why: 'No host is connected.' } as const;

export function createLazyHosts(deps: LazyHostsDeps): LazyHosts {
  const { settings } = deps;
  const names = (): readonly string[] => Object.keys(settings.get('hosts.addresses'));
  let loading: Promise<Links> | undefined;
  let links: Links | undefined;
  let isOver = false;
  const look = (): void => {
    if (isOver || (loading === undefined && names().length === 0)) return;
    loading ??= deps.load();
    loading
      .then((made) => {
        links = made;
        if (!isOver) made.follow();
      })
      .catch((error: unknown) => {
        deps.log.error('hosts.failed', { error });
      });
  };
  let unfollow: (() => void) | undefined;
  return {
    outlook() {
      if (isOver || names().length === 0 || !deps.isRunning()) return undefined;
      return [
        ...(links?.views() ?? names().map((name) => ({ kind: 'connecting' as const, name }))),
      ];
    },
    inbox: () => links?.inbox() ?? [],
    answer: (name, decision) =>
      links?.answer(name, decision) ??
      Promise.resolve({
        outcome: 'not_counted',
        why: 'Nothing was sent: no host is connected.',
      }),
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

/** The sessions of a host and what a search there finds, by the commands that it has for them. HO-02 */
import type { VerbInput } from '../../../shared/contract';
import { readFarHits, readFarSessions } from '../../../shared/far-lists';
import {
  MOST_FAR_HITS,
  MOST_FAR_SESSIONS,
  type HostHits,
  type HostSessions,
} from '../../../shared/types/far-lists';
import type { HostLinks } from './host-links';

type Wanted = Omit<VerbInput<'hosts.search'>, 'host'>;

/** Both say in a sentence why a list is not known, and never throw for what a host does. */
export interface HostLists {
  /** @throws INPUT_INVALID: no host has this name */
  sessions(host: string): Promise<HostSessions>;
  /** @throws INPUT_INVALID: no host has this name */
  search(host: string, wanted: Wanted): Promise<HostHits>;
}

/** A list that this version does not know as one: it is not known what is there. */
const strange = (host: string) => ({
  kind: 'untold' as const,
  why: `${host} has a Holdfast of another version, which this one does not understand.`,
});

/** The command there. Each value is one word with its option: none of them can be an option of its own. Pure. */
export function searchArguments({ words, ...narrow }: Wanted): readonly string[] {
  const { agent, session, state, tool, file, minCostUsd, sinceMs, untilMs } = narrow;
  const when = (atMs: number | undefined) =>
    atMs === undefined ? undefined : new Date(atMs).toISOString();
  const options = {
    agent,
    session,
    state,
    tool,
    file,
    'min-cost': minCostUsd,
    since: when(sinceMs),
    until: when(untilMs),
  };
  return [
    'search',
    '--json',
    `--limit=${String(MOST_FAR_HITS)}`,
    ...Object.entries(options).flatMap(([name, value]) =>
      value === undefined ? [] : [`--${name}=${String(value)}`],
    ),
    '--',
    words,
  ];
}

export const createHostLists = ({ ask }: Pick<HostLinks, 'ask'>): HostLists => ({
  async sessions(host) {
    const args = ['sessions', 'list', '--limit', String(MOST_FAR_SESSIONS), '--json'];
    const told = await ask(host, 'sessions', args);
    return told.kind === 'untold' ? told : (readFarSessions(told.value) ?? strange(host));
  },
  async search(host, wanted) {
    const told = await ask(host, 'search', searchArguments(wanted));
    return told.kind === 'untold' ? told : (readFarHits(told.value) ?? strange(host));
  },
});

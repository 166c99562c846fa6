import type { HOST_VERBS } from '../../../shared/contract/hosts';
import type { VerbInput } from '../../../shared/contract';
import { readFarHits, readFarSessions } from '../../../shared/far-lists';
import { MOST_FAR_HITS, MOST_FAR_SESSIONS } from '../../../shared/types/far-lists';
import type { HostLinks } from '../hosts/host-links';
import type { Handlers } from './handlers';

interface HostsDeps {
  readonly hosts: Pick<HostLinks, 'inbox' | 'answer' | 'ask'>;
}

/** A list that this version does not know as one: it is not known what is there. */
const strange = (host: string) => ({
  kind: 'untold' as const,
  why: `${host} has a Holdfast of another version, which this one does not understand.`,
});

/** The command there. Each value is one word with its option: none of them can be an option of its own. Pure. */
export function searchArguments({
  words,
  ...narrow
}: Omit<VerbInput<'hosts.search'>, 'host'>): readonly string[] {
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

/** Other computers. */
export const hostHandlers = ({ hosts }: HostsDeps): Handlers<keyof typeof HOST_VERBS> => ({
  'hosts.inbox': () => Promise.resolve({ hosts: [...hosts.inbox()] }),
  'hosts.sessions': async ({ host }) => {
    const args = ['sessions', 'list', '--limit', String(MOST_FAR_SESSIONS), '--json'];
    const told = await hosts.ask(host, 'sessions', args);
    return told.kind === 'untold' ? told : (readFarSessions(told.value) ?? strange(host));
  },
  'hosts.search': async ({ host, ...asked }) => {
    const told = await hosts.ask(host, 'search', searchArguments(asked));
    return told.kind === 'untold' ? told : (readFarHits(told.value) ?? strange(host));
  },
  'hosts.answer': ({ host, ...decision }) => hosts.answer(host, decision),
});

import type { HOST_VERBS } from '../../../shared/contract/hosts';
import { readFarSessions } from '../../../shared/far-lists';
import { MOST_FAR_SESSIONS } from '../../../shared/types/far-lists';
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

/** Other computers. */
export const hostHandlers = ({ hosts }: HostsDeps): Handlers<keyof typeof HOST_VERBS> => ({
  'hosts.inbox': () => Promise.resolve({ hosts: [...hosts.inbox()] }),
  'hosts.sessions': async ({ host }) => {
    const args = ['sessions', 'list', '--limit', String(MOST_FAR_SESSIONS), '--json'];
    const told = await hosts.ask(host, 'sessions', args);
    return told.kind === 'untold' ? told : (readFarSessions(told.value) ?? strange(host));
  },
  'hosts.answer': ({ host, ...decision }) => hosts.answer(host, decision),
});

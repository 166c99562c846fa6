import type { HOST_VERBS } from '../../../shared/contract/hosts';
import type { HostLists } from '../hosts/host-lists';
import type { HostLinks } from '../hosts/host-links';
import type { Handlers } from './handlers';

interface HostsDeps {
  readonly hosts: Pick<HostLinks, 'inbox' | 'answer'> & HostLists;
}

/** Other computers. */
export const hostHandlers = ({ hosts }: HostsDeps): Handlers<keyof typeof HOST_VERBS> => ({
  'hosts.inbox': () => Promise.resolve({ hosts: [...hosts.inbox()] }),
  'hosts.sessions': ({ host }) => hosts.sessions(host),
  'hosts.transcript': ({ host, ...asked }) => hosts.transcript(host, asked),
  'hosts.step': ({ host, ...asked }) => hosts.step(host, asked),
  'hosts.search': ({ host, ...asked }) => hosts.search(host, asked),
  'hosts.answer': ({ host, ...decision }) => hosts.answer(host, decision),
});

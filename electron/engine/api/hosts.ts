import type { HOST_VERBS } from '../../../shared/contract/hosts';
import type { HostLinks } from '../hosts/host-links';
import type { Handlers } from './handlers';

interface HostsDeps {
  readonly hosts: Pick<HostLinks, 'inbox' | 'answer'>;
}

/** Other computers. */
export const hostHandlers = ({ hosts }: HostsDeps): Handlers<keyof typeof HOST_VERBS> => ({
  'hosts.inbox': () => Promise.resolve({ hosts: [...hosts.inbox()] }),
  'hosts.answer': ({ host, ...decision }) => hosts.answer(host, decision),
});

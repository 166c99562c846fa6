import { hostFacts } from '../../shared/host-facts';
import { hostNeedsText } from '../../shared/host-words';
import { t } from '../../shared/messages';
import type { HostInbox } from '../../shared/types';
import { useVerb } from '../bridge';
import { useStatus } from '../status';
import { farGroups, type FarGroup } from './far-inbox-view';

const NONE: readonly HostInbox[] = [];

/**
 * Pending items on other computers, and a sentence about them. Asks nothing if no host is
 * configured.
 */
export function useFarInbox(): {
  readonly far: readonly FarGroup[];
  readonly farNeeds: string | undefined;
} {
  const hosts = useStatus().status?.hosts;
  const told = useVerb('hosts.inbox', hosts === undefined ? undefined : {});
  const needs = hostNeedsText(hostFacts(hosts), t);
  return {
    far: farGroups(hosts, told.data?.hosts ?? NONE),
    farNeeds: needs === undefined ? undefined : t('host.sentence', { text: needs }),
  };
}

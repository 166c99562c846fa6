/** Which hosts share one line because many cannot be reached. Pure. HO-02 */
import type { HostView } from '../../shared/types';

/** So many stand apart, each with its reason. */
const MAX_APART = 2;

const isAway = (host: HostView): boolean =>
  host.kind === 'unreachable' || (host.kind === 'connecting' && host.failed !== undefined);

/** Names of the hosts that share one line; empty if they are few. */
export function foldedHosts(hosts: readonly HostView[]): ReadonlySet<string> {
  const away = hosts.filter(isAway).map(({ name }) => name);
  return new Set(away.length > MAX_APART ? away : []);
}

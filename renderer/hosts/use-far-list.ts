/** A list from another computer. It is only requested while it is shown. HO-02 */
import { useEffect, useRef, useState } from 'react';
import type { VerbInput, VerbOutput } from '../../shared/contract';
import type { HostView } from '../../shared/types';
import { useEvent, useVerb, type Query } from '../bridge';
import { useIsSeen } from '../parts/use-is-seen';

/** Verbs that ask a host. */
type FarListVerb = 'hosts.sessions' | 'hosts.transcript' | 'hosts.step' | 'hosts.search';

/** Delay after a state change: changes come together, and one question is enough for them. */
const GATHER_MS = 1_500;

/** The host's news counter: when it changes, the list may be outdated. */
const newsOf = (host: HostView): string | undefined =>
  host.kind === 'connected'
    ? [host.sinceMs, host.phase, host.running, host.needsYou].join(' ')
    : undefined;

/** Asks a connected host. A hidden window asks only once it is visible again. */
export function useFarList<V extends FarListVerb>(
  verb: V,
  host: HostView,
  input: VerbInput<V>,
): Query<VerbOutput<V>> {
  const isSeen = useIsSeen();
  const [wasSeen, setWasSeen] = useState(isSeen);
  if (isSeen && !wasSeen) setWasSeen(true);
  return useVerb(verb, host.kind === 'connected' && wasSeen ? input : undefined);
}

/** The same, and again when the connection reports a change there: there is no polling. */
export function useFollowedFarList<V extends FarListVerb>(
  verb: V,
  host: HostView,
  input: VerbInput<V>,
  /** True if this answer can never change. */
  isFinal: (told: VerbOutput<V>) => boolean = () => false,
): Query<VerbOutput<V>> {
  const isSeen = useIsSeen();
  const query = useFarList(verb, host, input);
  const { reload, data } = query;
  const isOver = data !== undefined && isFinal(data);
  const news = newsOf(host);
  const asked = useRef(news);
  /** A session there has changed since the request. */
  const [isOld, setOld] = useState(false);
  useEvent('hosts.news', (of) => {
    if (of.host === host.name) setOld(true);
  });
  useEffect(() => {
    // A new connection requests it anyway.
    if (news === undefined || asked.current === undefined) asked.current = news;
    if (isOver || !isSeen || news === undefined) return undefined;
    if (asked.current === news && !isOld) return undefined;
    const timer = setTimeout(() => {
      asked.current = news;
      setOld(false);
      reload();
    }, GATHER_MS);
    return () => clearTimeout(timer);
  }, [isSeen, news, isOld, isOver, reload]);
  return query;
}

/** After a new connection, data from the previous one may be outdated, so it is requested again. */
export const connectionKey = (host: HostView): string =>
  `${host.name} ${host.kind === 'connected' ? String(host.sinceMs) : host.kind}`;

/** A list from another computer. It is only requested while it is shown. HO-02 */
import { useEffect, useRef, useState } from 'react';
import type { VerbInput, VerbOutput } from '../../shared/contract';
import type { HostView } from '../../shared/types';
import { useEvent, useVerb, type Query } from '../bridge';
import { useIsSeen } from '../parts/use-is-seen';

/** Verbs that ask a host. */
type FarListVerb = 'hosts.sessions' | 'hosts.transcript' | 'hosts.step' | 'hosts.search';

/** After its state changed: changes come together, and one question is enough for them. */
const GATHER_MS = 1_500;

/** The host's news counter: when it changes, the list may be outdated. */
const newsOf = (host: HostView): string | undefined =>
  host.kind === 'connected'
    ? [host.sinceMs, host.phase, host.running, host.needsYou].join(' ')
    : undefined;

/** Asks a connected host. Of a hidden window nothing is asked until it is looked at. */
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

/** The same, and again when the connection tells that something changed there: there is no polling. */
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
  /** A session there has changed since it was asked. */
  const [isOld, setOld] = useState(false);
  useEvent('hosts.news', (of) => {
    if (of.host === host.name) setOld(true);
  });
  useEffect(() => {
    // It is asked with a new connection, anyway.
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

/** A new connection is a new question: what was read over the one before may be old. */
export const connectionKey = (host: HostView): string =>
  `${host.name} ${host.kind === 'connected' ? String(host.sinceMs) : host.kind}`;

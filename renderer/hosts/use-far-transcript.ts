/**
 * A transcript from another computer: its newest part while it is viewed, earlier parts on request.
 * HO-02
 */
import { useEffect, useState } from 'react';
import type { HostTranscript, HostView } from '../../shared/types';
import { callVerb, useBridge, type Trouble } from '../bridge';
import { asSentence } from './host-notes';
import { takeEarlier, takeNewest, type ReadTranscript } from './far-transcript-view';
import { useFollowedFarList } from './use-far-list';

export interface FarTranscript {
  readonly told: HostTranscript | undefined;
  readonly trouble: Trouble | undefined;
  /** The part read so far; it stays if the host can no longer be asked. */
  readonly read: ReadTranscript | undefined;
  /** Undefined: it is loaded from its beginning. */
  readonly onEarlier: (() => void) | undefined;
  readonly isAsking: boolean;
  /** Why the previous part could not be loaded. */
  readonly whyNot: string | undefined;
}

export function useFarTranscript(host: HostView, sessionId: number): FarTranscript {
  const bridge = useBridge();
  const asked = { host: host.name, sessionId };
  const { data: told, trouble } = useFollowedFarList('hosts.transcript', host, asked);
  const [read, setRead] = useState<ReadTranscript | undefined>(undefined);
  const [earlier, setEarlier] = useState<{
    readonly isAsking: boolean;
    readonly whyNot: string | undefined;
  }>({ isAsking: false, whyNot: undefined });
  useEffect(() => {
    if (told?.kind === 'told') setRead((before) => takeNewest(before, told));
  }, [told]);
  const beforeSeq = read?.nextBefore;
  const onEarlier = async (): Promise<void> => {
    if (beforeSeq === undefined || earlier.isAsking) return;
    setEarlier({ isAsking: true, whyNot: undefined });
    const answer = await callVerb(bridge, 'hosts.transcript', { ...asked, beforeSeq });
    const value = answer.ok ? answer.value : undefined;
    if (value?.kind === 'told')
      // The newest part may have replaced the loaded part meanwhile.
      setRead((now) => (now?.nextBefore === beforeSeq ? takeEarlier(now, value) : now));
    const why = answer.ok ? (value?.kind === 'untold' ? value.why : undefined) : answer.message;
    setEarlier({ isAsking: false, whyNot: why === undefined ? undefined : asSentence(why) });
  };
  return {
    told,
    trouble,
    read,
    onEarlier: beforeSeq === undefined ? undefined : () => void onEarlier(),
    ...earlier,
  };
}

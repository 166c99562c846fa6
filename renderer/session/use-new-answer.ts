/** What a screen reader announces in an open conversation. */
import { useState } from 'react';
import type { SessionEvent } from '../../shared/types';
import { oneLine } from '../parts/inert-view';

const MAX_SAID = 600;

/** An answer that arrived while the chat was open, to be announced; older ones are not. */
export function useNewAnswer(events: readonly SessionEvent[]): string {
  const [seenSeq, setSeenSeq] = useState<number | undefined>(undefined);
  const newestSeq = events.at(-1)?.seq;
  if (seenSeq === undefined && newestSeq !== undefined) setSeenSeq(newestSeq);
  const answer = events.findLast((event) => event.type === 'agent.message' && event.text !== '');
  return answer && seenSeq !== undefined && answer.seq > seenSeq
    ? oneLine(answer.text, MAX_SAID)
    : '';
}

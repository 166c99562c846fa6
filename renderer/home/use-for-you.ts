/** Items for the user that block nothing: drafts to review, unread answers. */
import { useState } from 'react';
import { PRACTICE_SESSION } from '../../shared/practice';
import type { TurnSummary } from '../../shared/types';
import { useVerb } from '../bridge';
import { draftGroups, type DraftGroup } from '../drafts/drafts-view';
import { isRead, markAllRead, readSeen, type Seen } from './seen-answers';

export interface ForYouGiven {
  readonly drafts: readonly DraftGroup[];
  readonly answers: readonly TurnSummary[];
  /** The turns of the answers, which are listed once. */
  readonly turnIds: ReadonlySet<number>;
  readonly readAll: () => void;
}

/** Completed turns that were not on the screen since; the demo's do not count. */
const unreadAnswers = (turns: readonly TurnSummary[], seen: Seen): readonly TurnSummary[] =>
  turns.filter(
    ({ state, endedAtMs, sessionId, sessionKey }) =>
      state === 'completed' &&
      endedAtMs !== undefined &&
      sessionKey !== PRACTICE_SESSION &&
      !isRead(seen, sessionId, endedAtMs),
  );

export function useForYou(recent: readonly TurnSummary[]): ForYouGiven {
  const drafts = useVerb('drafts.list', {});
  const [seen, setSeen] = useState(readSeen);
  const answers = unreadAnswers(recent, seen);
  return {
    drafts: draftGroups(drafts.data?.drafts ?? []),
    answers,
    turnIds: new Set(answers.map(({ id }) => id)),
    readAll: () => {
      markAllRead();
      setSeen(readSeen());
    },
  };
}

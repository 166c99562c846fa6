/** What is there for the user and waits for nobody: drafts to review, answers not read yet. */
import { useState } from 'react';
import { PRACTICE_SESSION } from '../../shared/practice';
import type { TurnSummary } from '../../shared/types';
import type { DraftView } from '../../shared/types/drafts';
import { useVerb } from '../bridge';
import { isRead, markAllRead, readSeen, type Seen } from './seen-answers';

/** The drafts of one session. */
export interface DraftGroup {
  readonly sessionId: number;
  readonly title: string;
  readonly agent: string;
  readonly paths: readonly string[];
}

export interface ForYouGiven {
  readonly drafts: readonly DraftGroup[];
  readonly answers: readonly TurnSummary[];
  /** The turns of the answers: they are listed once. */
  readonly turnIds: ReadonlySet<number>;
  readonly readAll: () => void;
}

/** Drafts that wait, by session, as they came. */
function draftGroups(drafts: readonly DraftView[]): readonly DraftGroup[] {
  const groups = new Map<number, DraftGroup>();
  for (const draft of drafts) {
    const known = groups.get(draft.sessionId);
    groups.set(draft.sessionId, {
      sessionId: draft.sessionId,
      title: known?.title ?? (draft.sessionTitle === '' ? draft.sessionKey : draft.sessionTitle),
      agent: draft.agent,
      paths: [...(known?.paths ?? []), draft.path],
    });
  }
  return [...groups.values()];
}

/** Completed turns that were never on the screen since; those of the demo are no news. */
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

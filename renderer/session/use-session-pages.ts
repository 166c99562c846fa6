/** The engine's sessions, page by page, updated by events. */
import { useCallback, useEffect, useRef, useState } from 'react';
import type { VerbInput } from '../../shared/contract';
import { callVerb, useBridge, useEvent, type Trouble, troubleOf } from '../bridge';
import type { SessionView } from '../../shared/types';

/** Loaded sessions, without a gap between them. */
export interface HeldSessions {
  readonly sessions: readonly SessionView[];
  readonly hasMore: boolean;
}
export const NO_SESSIONS: HeldSessions = { sessions: [], hasMore: false };

type SessionOrder = Pick<SessionView, 'lastEventAtMs' | 'id'>;
/** Negative: `a` was used later, so it is above `b`. */
const order = (a: SessionOrder, b: SessionOrder): number =>
  b.lastEventAtMs - a.lastEventAtMs || b.id - a.id;

/** Appends the next older page. */
export function joinOlderSessions(held: HeldSessions, page: HeldSessions): HeldSessions {
  const known = new Set(held.sessions.map((one) => one.id));
  return {
    sessions: [...held.sessions, ...page.sessions.filter((one) => !known.has(one.id))],
    hasMore: page.hasMore,
  };
}

/**
 * Merges the newest page: it replaces the sessions it covers, and older ones stay. If it does not
 * overlap the loaded ones, those are dropped, because a list with a hidden gap would be wrong.
 */
export function takeNewestSessions(held: HeldSessions, page: HeldSessions): HeldSessions {
  const oldest = page.sessions.at(-1);
  if (!page.hasMore || oldest === undefined) return page;
  const covered = new Set(page.sessions.map((one) => one.id));
  // Sessions used since then moved to the top; the others keep their place.
  const touches = held.sessions.some((one) => order(one, oldest) <= 0);
  const older = held.sessions.filter((one) => !covered.has(one.id) && order(one, oldest) > 0);
  if (!touches || older.length === 0) return page;
  return { sessions: [...page.sessions, ...older], hasMore: held.hasMore };
}

/** Updates one session in place; one that is not loaded is ignored. */
export const putSession = (held: HeldSessions, session: SessionView): HeldSessions => ({
  ...held,
  sessions: held.sessions.map((one) => (one.id === session.id ? session : one)),
});

/** A session that was deleted, or moved to another list. */
const dropSession = (held: HeldSessions, sessionId: number): HeldSessions => ({
  ...held,
  sessions: held.sessions.filter((one) => one.id !== sessionId),
});

const FIRST_PAGE = 100;
const PAGE = 300;
/** Up to this many changed older sessions are fetched one by one; of more, the oldest wait. */
const MAX_SINGLE = 12;
const GATHER_MS = 200;

export interface SessionPages {
  readonly held: HeldSessions;
  readonly isLoading: boolean;
  readonly trouble: Trouble | undefined;
  /** Loads the next older page, one at a time. */
  readonly loadOlder: () => void;
}

/** The archived sessions, or all others. */
export function useSessionPages(archived = false): SessionPages {
  const bridge = useBridge();
  const [state, setState] = useState<{
    readonly held: HeldSessions;
    readonly isLoading: boolean;
    readonly trouble: Trouble | undefined;
  }>({ held: NO_SESSIONS, isLoading: true, trouble: undefined });
  const held = useRef(state.held);
  useEffect(() => {
    held.current = state.held;
  });
  const isAsking = useRef(false);

  const ask = useCallback(
    async (
      page: VerbInput<'sessions.list'>,
      take: (held: HeldSessions, page: HeldSessions) => HeldSessions,
    ): Promise<void> => {
      const answer = await callVerb(bridge, 'sessions.list', { ...page, archived });
      setState((before) =>
        answer.ok
          ? { held: take(before.held, answer.value), isLoading: false, trouble: undefined }
          : { held: before.held, isLoading: false, trouble: troubleOf(answer) },
      );
    },
    [bridge, archived],
  );
  useEffect(() => {
    void ask({ limit: FIRST_PAGE }, takeNewestSessions);
  }, [ask]);

  const changed = useRef(new Set<number>());
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const note = (sessionId: number): void => {
    changed.current.add(sessionId);
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      const ids = new Set(changed.current);
      changed.current.clear();
      void ask({ limit: FIRST_PAGE }, takeNewestSessions);
      // A state can change without a new event in the session: then the session keeps its place.
      const older = held.current.sessions.slice(FIRST_PAGE).filter(({ id }) => ids.has(id));
      for (const { id, key } of older.slice(0, MAX_SINGLE)) {
        void callVerb(bridge, 'session.status', { session: key }).then((answer) => {
          if (!answer.ok && answer.code !== 'SESSION_UNKNOWN') return;
          const now = answer.ok ? answer.value.session : undefined;
          const isHere = now !== undefined && (now.isArchived === true) === archived;
          setState((before) => ({
            ...before,
            held: isHere ? putSession(before.held, now) : dropSession(before.held, id),
          }));
        });
      }
    }, GATHER_MS);
  };
  useEvent('session.changed', ({ sessionId }) => note(sessionId));
  useEvent('turn.changed', ({ sessionId }) => note(sessionId));

  const loadOlder = useCallback(() => {
    const last = held.current.sessions.at(-1);
    if (!held.current.hasMore || last === undefined || isAsking.current) return;
    isAsking.current = true;
    const before = { lastEventAtMs: last.lastEventAtMs, id: last.id };
    void ask({ limit: PAGE, before }, joinOlderSessions).finally(() => {
      isAsking.current = false;
    });
  }, [ask]);

  return { ...state, loadOlder };
}

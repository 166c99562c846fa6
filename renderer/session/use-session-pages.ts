/** Sessions of the engine, page by page, updated by events. */
import { useCallback, useEffect, useRef, useState } from 'react';
import type { VerbInput } from '../../shared/contract';
import { callVerb, useBridge, useEvent } from '../bridge';
import type { Trouble } from '../bridge';
import {
  NO_SESSIONS,
  joinOlderSessions,
  putSession,
  takeNewestSessions,
} from './session-pages-view';
import type { HeldSessions } from './session-pages-view';

const FIRST_PAGE = 100;
const PAGE = 300;
/** Up to this many changed older sessions are fetched one by one; of more, the oldest wait. */
const MOST_SINGLE = 12;
const GATHER_MS = 200;

export interface SessionPages {
  readonly held: HeldSessions;
  readonly isLoading: boolean;
  readonly trouble: Trouble | undefined;
  /** Fetches the next older page, one at a time. */
  readonly loadOlder: () => void;
}

export function useSessionPages(): SessionPages {
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
      const answer = await callVerb(bridge, 'sessions.list', page);
      setState((before) =>
        answer.ok
          ? { held: take(before.held, answer.value), isLoading: false, trouble: undefined }
          : {
              held: before.held,
              isLoading: false,
              trouble: { code: answer.code, message: answer.message },
            },
      );
    },
    [bridge],
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
      // A state can change without a new event in the session: then it stays in place.
      const older = held.current.sessions.slice(FIRST_PAGE).filter(({ id }) => ids.has(id));
      for (const { key } of older.slice(0, MOST_SINGLE)) {
        void callVerb(bridge, 'session.status', { session: key }).then((answer) => {
          if (!answer.ok) return;
          setState((before) => ({
            ...before,
            held: putSession(before.held, answer.value.session),
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

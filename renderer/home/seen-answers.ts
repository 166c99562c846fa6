/** Which answers were viewed in this window: until when each session was read. */
import { useEffect } from 'react';
import { PRACTICE_SESSION } from '../../shared/practice';
import type { SessionView } from '../../shared/types';
import { useEvent } from '../bridge';

export interface Seen {
  /** Turns that ended before count as read. */
  readonly sinceMs: number;
  /** By session: when it was last on the screen. */
  readonly sessions: Readonly<Record<string, number>>;
}

const KEY = 'holdfast.seen';
/** Maximum remembered sessions: in older ones everything counts as read. */
const MOST = 200;

const isSeen = (value: unknown): value is Seen =>
  typeof value === 'object' &&
  value !== null &&
  typeof (value as Seen).sinceMs === 'number' &&
  typeof (value as Seen).sessions === 'object' &&
  (value as Seen).sessions !== null;

/** Parses the stored text; a damaged or missing one starts now. */
export function parseSeen(stored: string | null, nowMs: number): Seen {
  try {
    const value: unknown = JSON.parse(stored ?? '');
    if (isSeen(value)) return value;
  } catch {
    // Not ours, or nothing yet.
  }
  return { sinceMs: nowMs, sessions: {} };
}

/** The same with one session read up to now. */
export function withRead(seen: Seen, sessionId: number, nowMs: number): Seen {
  const all = { ...seen.sessions, [String(sessionId)]: nowMs };
  const newest = Object.entries(all).toSorted(([, a], [, b]) => b - a);
  const dropped = newest.slice(MOST).map(([, atMs]) => atMs);
  return {
    sinceMs: Math.max(seen.sinceMs, ...dropped),
    sessions: Object.fromEntries(newest.slice(0, MOST)),
  };
}

/** True if the turn ended while the session was on the screen. */
export const isRead = (seen: Seen, sessionId: number, endedAtMs: number): boolean =>
  endedAtMs <= Math.max(seen.sinceMs, seen.sessions[String(sessionId)] ?? 0);

/** An idle session in which a turn ended since it was on the screen; the demo does not count. */
export const hasNews = (
  seen: Seen,
  session: Pick<SessionView, 'id' | 'key' | 'status' | 'stopReason' | 'turns' | 'lastEventAtMs'>,
): boolean =>
  session.status === 'idle' &&
  session.stopReason === '' &&
  session.turns > 0 &&
  session.key !== PRACTICE_SESSION &&
  !isRead(seen, session.id, session.lastEventAtMs);

const write = (seen: Seen): void => window.localStorage.setItem(KEY, JSON.stringify(seen));

/** The stored state; the first call in a window without any stores the current time. */
export function readSeen(): Seen {
  const stored = window.localStorage.getItem(KEY);
  const seen = parseSeen(stored, Date.now());
  if (stored === null) write(seen);
  return seen;
}

export const markAllRead = (): void => write({ sinceMs: Date.now(), sessions: {} });

/** While a page shows a session, turns that end in it count as read. */
export function useRead(sessionId: number | undefined): void {
  useEffect(() => {
    if (sessionId === undefined) return undefined;
    const mark = (): void => {
      if (document.visibilityState === 'visible')
        write(withRead(readSeen(), sessionId, Date.now()));
    };
    mark();
    document.addEventListener('visibilitychange', mark);
    return () => {
      document.removeEventListener('visibilitychange', mark);
      mark();
    };
  }, [sessionId]);
  useEvent('turn.changed', (changed) => {
    if (changed.sessionId === sessionId && document.visibilityState === 'visible')
      write(withRead(readSeen(), changed.sessionId, Date.now()));
  });
}

/** Sessions as the window holds them: pages of the engine, the last used first. Pure. */
import type { SessionView } from '../../shared/types';

/** Loaded sessions, without a gap between them. */
export interface HeldSessions {
  readonly sessions: readonly SessionView[];
  readonly hasMore: boolean;
}
export const NO_SESSIONS: HeldSessions = { sessions: [], hasMore: false };

type Place = Pick<SessionView, 'lastEventAtMs' | 'id'>;
/** Negative: `a` was used later, so it is above `b`. */
const order = (a: Place, b: Place): number => b.lastEventAtMs - a.lastEventAtMs || b.id - a.id;

/** Puts the next older page below. */
export function joinOlderSessions(held: HeldSessions, page: HeldSessions): HeldSessions {
  const known = new Set(held.sessions.map((one) => one.id));
  return {
    sessions: [...held.sessions, ...page.sessions.filter((one) => !known.has(one.id))],
    hasMore: page.hasMore,
  };
}

/**
 * Merges the newest page: it replaces what it covers, older ones stay. If it does not touch the
 * loaded ones, they are dropped, because a list with a hidden gap would be wrong.
 */
export function takeNewestSessions(held: HeldSessions, page: HeldSessions): HeldSessions {
  const oldest = page.sessions.at(-1);
  if (!page.hasMore || oldest === undefined) return page;
  const covered = new Set(page.sessions.map((one) => one.id));
  // What was used since then moved to the top; the rest is in place.
  const touches = held.sessions.some((one) => order(one, oldest) <= 0);
  const older = held.sessions.filter((one) => !covered.has(one.id) && order(one, oldest) > 0);
  if (!touches || older.length === 0) return page;
  return { sessions: [...page.sessions, ...older], hasMore: held.hasMore };
}

/** Updates one session in place; one that is not loaded stays out. */
export const putSession = (held: HeldSessions, session: SessionView): HeldSessions => ({
  ...held,
  sessions: held.sessions.map((one) => (one.id === session.id ? session : one)),
});

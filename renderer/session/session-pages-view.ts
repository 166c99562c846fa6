/** Sessions as the window holds them: pages of the engine, the last used first. Pure. */
import type { SessionView } from '../../shared/types';

/** Sessions that are held, without a hole between them. */
export interface HeldSessions {
  readonly sessions: readonly SessionView[];
  readonly hasMore: boolean;
}
export const NO_SESSIONS: HeldSessions = { sessions: [], hasMore: false };

type Place = Pick<SessionView, 'lastEventAtMs' | 'id'>;
/** Before zero: `a` was used later, so it stands above `b`. */
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
 * Takes in the newest page: it replaces what it covers, older ones stay. Where it does not touch
 * what is held, that goes, because a list with an unseen hole would be wrong.
 */
export function takeNewestSessions(held: HeldSessions, page: HeldSessions): HeldSessions {
  const oldest = page.sessions.at(-1);
  if (!page.hasMore || oldest === undefined) return page;
  const covered = new Set(page.sessions.map((one) => one.id));
  // What was used since moved to the top; the rest of what is held is where it was.
  const touches = held.sessions.some((one) => order(one, oldest) <= 0);
  const older = held.sessions.filter((one) => !covered.has(one.id) && order(one, oldest) > 0);
  if (!touches || older.length === 0) return page;
  return { sessions: [...page.sessions, ...older], hasMore: held.hasMore };
}

/** One session as it is now, where it stands; one that is not held stays out. */
export const putSession = (held: HeldSessions, session: SessionView): HeldSessions => ({
  ...held,
  sessions: held.sessions.map((one) => (one.id === session.id ? session : one)),
});

/** The list of turns as loaded in the window: pages from the engine, newest first. Pure. */
import type { MessageKey } from '../../shared/messages';
import type { SessionView, TurnState, TurnSummary } from '../../shared/types';

/** Loaded turns, without a gap between them. */
export interface HeldTurns {
  readonly turns: readonly TurnSummary[];
  readonly hasMore: boolean;
}
export const NO_TURNS: HeldTurns = { turns: [], hasMore: false };

/** Appends the next older page. */
export function joinOlder(held: HeldTurns, page: HeldTurns): HeldTurns {
  const last = held.turns.at(-1)?.id ?? Number.MAX_SAFE_INTEGER;
  return {
    turns: [...held.turns, ...page.turns.filter((turn) => turn.id < last)],
    hasMore: page.hasMore,
  };
}

/**
 * Merges the newest page: it replaces the turns it covers, and older ones stay. If it does not
 * overlap the loaded ones, those are dropped, because a list with a hidden gap would be wrong.
 */
export function takeNewest(held: HeldTurns, page: HeldTurns): HeldTurns {
  const oldest = page.turns.at(-1)?.id;
  if (!page.hasMore || oldest === undefined) return page;
  const newestHeld = held.turns[0]?.id;
  if (newestHeld === undefined || newestHeld < oldest) return page;
  return {
    turns: [...page.turns, ...held.turns.filter((turn) => turn.id < oldest)],
    hasMore: held.turns.some((turn) => turn.id < oldest) ? held.hasMore : page.hasMore,
  };
}

/**
 * One turn in its current state; undefined if it no longer matches the filter. Turns below the
 * loaded range are ignored.
 */
export function putTurn(held: HeldTurns, turnId: number, turn: TurnSummary | undefined): HeldTurns {
  const last = held.turns.at(-1)?.id;
  if (last === undefined || (turnId < last && held.hasMore)) return held;
  const rest = held.turns.filter((one) => one.id !== turnId);
  if (!turn) return rest.length === held.turns.length ? held : { ...held, turns: rest };
  const at = rest.findIndex((one) => one.id < turnId);
  const turns = at < 0 ? [...rest, turn] : [...rest.slice(0, at), turn, ...rest.slice(at)];
  return { ...held, turns };
}

/** The filters of the list. */
export const TURN_FILTERS = [
  { name: 'all', label: 'filter.all', states: undefined },
  { name: 'running', label: 'state.running', states: ['running'] },
  {
    name: 'needsYou',
    label: 'state.needsYou',
    states: ['requires_action', 'held', 'parked'],
  },
  { name: 'waiting', label: 'state.waiting', states: ['queued', 'waiting'] },
  { name: 'finished', label: 'state.completed', states: ['completed'] },
  { name: 'failed', label: 'state.failed', states: ['failed'] },
  { name: 'stopped', label: 'filter.stopped', states: ['cancelled', 'discarded'] },
] as const satisfies readonly {
  name: string;
  label: MessageKey;
  states: readonly TurnState[] | undefined;
}[];
export type TurnFilter = (typeof TURN_FILTERS)[number]['name'];

export const SESSION_FILTERS = [
  { name: 'all', label: 'filter.all', statuses: undefined },
  { name: 'running', label: 'state.running', statuses: ['running'] },
  { name: 'needsYou', label: 'state.needsYou', statuses: ['requires_action'] },
  { name: 'waiting', label: 'state.waiting', statuses: ['rescheduling'] },
  { name: 'idle', label: 'session.idle', statuses: ['idle', 'terminated'] },
  { name: 'archived', label: 'filter.archived', statuses: undefined },
] as const satisfies readonly {
  name: string;
  label: MessageKey;
  statuses: readonly SessionView['status'][] | undefined;
}[];
export type SessionFilter = (typeof SESSION_FILTERS)[number]['name'];

/**
 * The fields of a session that are compared. The state of another computer's session may be unknown
 * to this version.
 */
type Fitting = Pick<SessionView, 'title' | 'key' | 'agent' | 'stopReason'> & {
  readonly status?: SessionView['status'] | undefined;
};

/** Sessions that match the filter and contain every word, in their original order. */
export function fitSessions<T extends Fitting>(
  sessions: readonly T[],
  filter: SessionFilter,
  search = '',
): readonly T[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const has = ({ title, key, agent, stopReason }: Fitting): boolean => {
    const text = `${title} ${key} ${agent} ${stopReason}`.toLowerCase();
    return words.every((word) => text.includes(word));
  };
  const fitting = words.length === 0 ? sessions : sessions.filter(has);
  const statuses: readonly SessionView['status'][] | undefined = SESSION_FILTERS.find(
    (one) => one.name === filter,
  )?.statuses;
  return statuses
    ? fitting.filter(({ status }) => status !== undefined && statuses.includes(status))
    : fitting;
}

/**
 * Turns of a session that wait behind the current one: a turn that runs or needs the user does not
 * count as waiting.
 */
export function turnsBehind(session: Pick<SessionView, 'pendingEvents'>): number {
  return Math.max(0, session.pendingEvents - 1);
}

/** How long a turn took, or has taken so far; undefined before its start. */
export function turnTookMs(turn: TurnSummary, nowMs: number): number | undefined {
  if (turn.startedAtMs === undefined) return undefined;
  if (turn.endedAtMs !== undefined) return Math.max(0, turn.endedAtMs - turn.startedAtMs);
  return turn.state === 'running' ? Math.max(0, nowMs - turn.startedAtMs) : undefined;
}

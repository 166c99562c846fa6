import { describe, expect, it } from 'vitest';
import {
  NO_TURNS,
  TURN_FILTERS,
  fitSessions,
  turnsBehind,
  joinOlder,
  putTurn,
  takeNewest,
  turnTookMs,
} from '../../../renderer/session/turn-list-view';
import type { HeldTurns } from '../../../renderer/session/turn-list-view';
import { TURN_STATES } from '../../../shared/states';
import type { TurnSummary } from '../../../shared/types';
import { createSeed } from '../../helpers/fake-seed';
import { SLACK } from '../../helpers/slack';

const seed = createSeed(Date.UTC(2026, 2, 24, 14, 31));
const base = seed.turns[0] as TurnSummary;
const turn = (id: number, given: Partial<TurnSummary> = {}): TurnSummary => ({
  ...base,
  id,
  ...given,
});
const held = (ids: readonly number[], hasMore = true): HeldTurns => ({
  turns: ids.map((id) => turn(id)),
  hasMore,
});
const ids = (given: HeldTurns): readonly number[] => given.turns.map((one) => one.id);

describe('pages of turns', () => {
  it('puts an older page below, each turn once', () => {
    const joined = joinOlder(held([9, 8, 7]), held([7, 6, 5], false));
    expect([ids(joined), joined.hasMore]).toEqual([[9, 8, 7, 6, 5], false]);
  });

  it('replaces what the newest page covers and keeps the older ones', () => {
    const fresh = {
      turns: [turn(10), turn(9, { state: 'failed' }), turn(8)],
      hasMore: true,
    };
    const taken = takeNewest(held([9, 8, 7, 6], false), fresh);
    expect(ids(taken)).toEqual([10, 9, 8, 7, 6]);
    expect(taken.turns[1]?.state).toBe('failed');
    expect(taken.hasMore).toBe(false);
  });

  it('starts again where the newest page does not touch what is held: no unseen hole', () => {
    expect(ids(takeNewest(held([9, 8, 7]), held([500, 499])))).toEqual([500, 499]);
  });

  it('drops turns that no longer fit when the newest page is all there is', () => {
    expect(ids(takeNewest(held([9, 8, 7], false), held([9], false)))).toEqual([9]);
  });

  it.each([
    ['replaces a turn in its place', 8, turn(8, { state: 'failed' }), [9, 8, 6]],
    ['puts a turn that fits now in its order', 7, turn(7), [9, 8, 7, 6]],
    ['takes out one that fits no more', 8, undefined, [9, 6]],
    ['leaves what is below the pages to the next page', 3, turn(3), [9, 8, 6]],
    ['is not surprised by one it never held', 7, undefined, [9, 8, 6]],
  ])('%s', (_title, id, given, expected) => {
    expect(ids(putTurn(held([9, 8, 6]), id, given))).toEqual(expected);
  });

  it('holds nothing at first', () => {
    expect(ids(putTurn(NO_TURNS, 3, turn(3)))).toEqual([]);
  });

  it('joins 100,000 turns page by page within 3 s', () => {
    const startMs = performance.now();
    let all: HeldTurns = NO_TURNS;
    for (let top = 100_000; top > 0; top -= 1000) {
      all = joinOlder(all, {
        turns: Array.from({ length: 1000 }, (_, at) => turn(top - at)),
        hasMore: top > 1000,
      });
    }
    expect([all.turns.length, all.hasMore]).toEqual([100_000, false]);
    expect(performance.now() - startMs).toBeLessThan(3_000 * SLACK);
  });
});

describe('filters', () => {
  it('every state of a turn is in exactly one filter', () => {
    const listed = TURN_FILTERS.flatMap(({ states }) => states ?? []);
    expect(listed.toSorted()).toEqual([...TURN_STATES].toSorted());
  });

  it('narrows sessions by what they do', () => {
    expect(fitSessions(seed.sessions, 'all')).toHaveLength(seed.sessions.length);
    for (const one of fitSessions(seed.sessions, 'needsYou'))
      expect(one.status).toBe('requires_action');
    expect(fitSessions(seed.sessions, 'needsYou').length).toBeGreaterThan(0);
  });
});

describe('how long a turn took', () => {
  it.each([
    [{ startedAtMs: 1000, endedAtMs: 4000 }, 3000],
    [{ state: 'running' as const, startedAtMs: 1000, endedAtMs: undefined }, 9000],
    [{ state: 'held' as const, startedAtMs: 1000, endedAtMs: undefined }, undefined],
    [{ startedAtMs: undefined, endedAtMs: undefined }, undefined],
  ])('%j gives %s ms', (given, expected) => {
    expect(turnTookMs({ ...base, ...given } as TurnSummary, 10_000)).toBe(expected);
  });
});

describe('turns that wait in a session', () => {
  it.each([
    [0, 0],
    [1, 0],
    [2, 1],
    [6, 5],
  ])('of %i open ones %i wait behind the one its state speaks of', (pendingEvents, count) => {
    expect(turnsBehind({ pendingEvents })).toBe(count);
  });
});

import { describe, expect, it } from 'vitest';
import { createOwnConversations } from '../../../electron/engine/executors/program/session-refs';
import type { TurnRow } from '../../../electron/ports/journal/rows';
import type { ExternalReads, ExternalSessionRow } from '../../../electron/ports/journal/external';

const KEPT: ExternalSessionRow = {
  sessionId: 1,
  agent: 'own',
  ref: 'kept',
  usedAtMs: 1,
  isInTerminal: false,
  costUsd: 3,
};
const turn = { id: 7, sessionId: 1, agent: 'own' } as TurnRow;

function conversations(isKept: boolean) {
  const reads: Pick<ExternalReads, 'outsideSession' | 'isOutsideSessionKept'> = {
    outsideSession: () => KEPT,
    isOutsideSessionKept: () => isKept,
  };
  return createOwnConversations({ reads: reads as ExternalReads, clock: { nowMs: () => 5 } });
}

describe('the conversation that an outside agent keeps', () => {
  it('S4-29 an ordinary turn goes on in the one on disk, and what it becomes is 1 entry', () => {
    const own = conversations(false);
    expect(own.of(turn)).toBe(KEPT);
    expect(own.remember(turn, 'next', 4)).toEqual([
      { kind: 'outside.session', sessionId: 1, agent: 'own', ref: 'next', turnId: 7, costUsd: 4 },
    ]);
    expect(own.remember(turn, 'next')).toEqual([
      { kind: 'outside.session', sessionId: 1, agent: 'own', ref: 'next', turnId: 7 },
    ]);
  });

  it('S4-29 in a start without restore the first turn begins one, later turns of the session go on there, nothing is written, its cost is its own', () => {
    const own = conversations(true);
    expect(own.of(turn)).toBeUndefined();
    expect(own.remember(turn, 'apart', 0)).toEqual([]);
    expect(own.remember(turn, 'apart', 0.5)).toEqual([]);
    expect(own.remember(turn, 'apart')).toEqual([]);
    expect(own.of(turn)).toMatchObject({ ref: 'apart', costUsd: 0.5, usedAtMs: 5 });
    expect(own.of({ ...turn, sessionId: 2 })).toBeUndefined();
    expect(own.of({ ...turn, agent: 'other' })).toBeUndefined();
  });
});

import { because, quoted } from '../../../shared/reason';
import { describe, expect, test } from 'vitest';
import {
  decisionKind,
  isDecision,
  openItem,
  waitForDecision,
} from '../../../electron/engine/inbox/entries';

const turn = { id: 7, sessionId: 3, promptStart: 'Send the report' };

describe('a turn that waits for a decision', () => {
  test.each([
    ['held', 'held', 'replay_decision'],
    ['stale', 'held', 'replay_decision'],
    ['parked', 'parked', 'replay_decision'],
    ['limit', 'waiting', 'limit'],
  ] as const)('S0-09 %s: the turn is %s, and the question says why', (decision, state, item) => {
    const [stops, asks] = waitForDecision(12, turn, decision, because('reason.drift'));
    const reason = { key: 'reason.drift' };
    expect(stops).toEqual({ kind: 'turn.state', turnId: 7, state, reason });
    expect(asks).toEqual({
      kind: 'inbox.opened',
      inboxId: 12,
      item,
      turnId: 7,
      sessionId: 3,
      title: 'Send the report',
      detail: reason,
      facts: { decision },
    });
    expect(isDecision(asks)).toBe(true);
    expect(decisionKind({ item: asks.item, facts: asks.facts })).toBe(decision);
  });

  test('S0-09 words from outside are stored with 1,000 characters at most', () => {
    const [stops, asks] = waitForDecision(1, turn, 'parked', quoted('x'.repeat(5000)));
    expect(stops).toMatchObject({ reason: quoted('x'.repeat(1000)) });
    expect(asks.detail).toEqual(quoted('x'.repeat(1000)));
  });
});

test('a notice leaves out what it is not about, and no title is longer than a line', () => {
  expect(
    openItem(4, 'problem', { title: 't'.repeat(400), detail: 'd', turnId: undefined }),
  ).toEqual({
    kind: 'inbox.opened',
    inboxId: 4,
    item: 'problem',
    title: 't'.repeat(300),
    detail: quoted('d'),
  });
});

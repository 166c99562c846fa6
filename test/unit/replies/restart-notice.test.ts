import { describe, expect, it } from 'vitest';
import { spanText } from '../../../shared/durations';
import { restartSentence } from '../../../electron/engine/replies/restart-notice';
import { RESTART_REASONS, type RestartNotice } from '../../../shared/types';

const notice: RestartNotice = {
  reason: 'kill',
  startedAtMs: 10,
  downSinceMs: 1,
  downMs: 253_000,
  resumedTurns: [1, 2, 3],
  heldTurns: [4],
  parkedTurns: [],
  staleTurns: [],
  restoreSkipped: false,
  isDismissed: false,
};

describe('the restart notice', () => {
  it('S0-30 says what happened, how long, what was resumed and what needs a decision', () => {
    expect(restartSentence(notice)).toBe(
      'Restarted after an unexpected shutdown (down at most 4 min 13 s). 3 turns resumed, 1 needs a decision.',
    );
  });

  it('S0-30 every reason has words of its own', () => {
    const texts = RESTART_REASONS.map((reason) => restartSentence({ ...notice, reason }));
    expect(new Set(texts).size).toBe(RESTART_REASONS.length);
  });

  it.each([
    [{ resumedTurns: [], heldTurns: [] }, /No turns were interrupted\.$/],
    [{ resumedTurns: [1], heldTurns: [] }, /1 turn resumed\.$/],
    [{ resumedTurns: [], heldTurns: [1, 2] }, /2 need a decision\.$/],
    [{ resumedTurns: [], heldTurns: [], restoreSkipped: true }, /without recovery/],
    [{ parkedTurns: [5], staleTurns: [6] }, /3 turns resumed, 3 need a decision\.$/],
  ] as const)('S0-30 %j ends as %s', (part, end) => {
    expect(restartSentence({ ...notice, ...(part as unknown as Partial<RestartNotice>) })).toMatch(
      end,
    );
  });

  it.each([
    [400, '1 s'],
    [59_000, '59 s'],
    [60_000, '1 min'],
    [5_340_000, '1 h 29 min'],
    [183_600_000, '2 d 3 h'],
  ])('prints %i ms as %s', (ms, text) => {
    expect(spanText(ms)).toBe(text);
  });
});

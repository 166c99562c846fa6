import { describe, expect, it } from 'vitest';
import { AWAY_MS, awayNow, awayRows, parseAway } from '../../../renderer/home/away-view';
import type { AwayFacts } from '../../../renderer/home/away-view';

const NOW_MS = new Date(2026, 10, 26, 14, 31).getTime();
const MIN = 60_000;
const away = { fromMs: NOW_MS - 60 * MIN, toMs: NOW_MS };

describe('whether somebody was away', () => {
  it.each([
    ['nobody looked before', undefined, undefined, undefined],
    ['a short look elsewhere', NOW_MS - AWAY_MS + 1, undefined, undefined],
    ['ten minutes', NOW_MS - AWAY_MS, undefined, { fromMs: NOW_MS - AWAY_MS, toMs: NOW_MS }],
    ['a period that is not dismissed stays', NOW_MS - MIN, away, away],
    [
      'and grows with the next',
      NOW_MS - 30 * MIN,
      { fromMs: NOW_MS - 90 * MIN, toMs: NOW_MS - 40 * MIN },
      { fromMs: NOW_MS - 90 * MIN, toMs: NOW_MS },
    ],
  ])('S0-34 %s', (_words, lastSeenMs, known, now) => {
    expect(awayNow(lastSeenMs, known, NOW_MS)).toEqual(now);
  });

  it('reads what it wrote, and takes anything else for nothing', () => {
    expect(parseAway(JSON.stringify(away))).toEqual(away);
    for (const text of [null, '', '{}', '[]', 'null', '{"fromMs":"1"}', '{'])
      expect(parseAway(text)).toBeUndefined();
  });
});

const turn = (id: number, state: string, minutesAgo: number, sessionId = 1) => ({
  id,
  state,
  sessionId,
  promptStart: `Do ${String(id)}.`,
  acceptedAtMs: NOW_MS - 300 * MIN,
  endedAtMs: NOW_MS - minutesAgo * MIN,
});
const facts = (over: Record<string, unknown[]>): AwayFacts =>
  ({ turns: [], outages: [], runs: [], items: [], ...over }) as unknown as AwayFacts;

describe('what happened meanwhile', () => {
  it('S0-34 tells questions first, then what failed, outages, missed tasks and how many turns completed', () => {
    const { rows, more } = awayRows(
      away,
      facts({
        turns: [
          turn(9, 'completed', 5),
          turn(8, 'completed', 7),
          turn(7, 'failed', 20),
          turn(6, 'failed', 70),
          turn(5, 'completed', 70),
        ],
        outages: [
          {
            outageId: 1,
            provider: 'office proxy',
            startedAtMs: NOW_MS - 40 * MIN,
            resolvedAtMs: NOW_MS - 28 * MIN,
          },
          { outageId: 2, provider: 'anthropic', startedAtMs: NOW_MS - 3 * MIN },
          {
            outageId: 3,
            provider: 'old',
            startedAtMs: NOW_MS - 400 * MIN,
            resolvedAtMs: NOW_MS - 300 * MIN,
          },
        ],
        runs: [
          { taskId: 4, slotMs: 1, atMs: NOW_MS - 10 * MIN, outcome: 'skipped', words: 'Too late.' },
          { taskId: 4, slotMs: 2, atMs: NOW_MS - 9 * MIN, outcome: 'ran', words: 'Ran.' },
        ],
        items: [
          { kind: 'approval', createdAtMs: NOW_MS - 4 * MIN },
          { kind: 'limit', createdAtMs: NOW_MS - 5 * MIN },
          { kind: 'approval', createdAtMs: NOW_MS - 5 * MIN, settledAtMs: NOW_MS },
          { kind: 'problem', createdAtMs: NOW_MS - 5 * MIN },
          { kind: 'approval', createdAtMs: NOW_MS - 100 * MIN },
        ],
      }),
    );
    expect(rows.map(({ text }) => text)).toEqual([
      '2 questions for you',
      'Failed: Do 7',
      'Office proxy was down for 12 min',
      'Anthropic is down',
      'Too late.',
      '2 turns completed',
    ]);
    expect(more).toBe(0);
    expect(rows.map(({ route }) => route.kind)).toEqual([
      'decisions',
      'turn',
      'outages',
      'outages',
      'schedule',
      'sessions',
    ]);
  });

  it('S0-34 shows 8 rows and counts the rest', () => {
    const { rows, more } = awayRows(
      away,
      facts({ turns: Array.from({ length: 12 }, (_one, at) => turn(at + 1, 'failed', at)) }),
    );
    expect(rows).toHaveLength(8);
    expect(more).toBe(4);
  });

  it('S0-34 one turn that completed leads to its session', () => {
    const { rows } = awayRows(away, facts({ turns: [turn(3, 'completed', 5, 44)] }));
    expect(rows).toMatchObject([
      { text: '1 turn completed', route: { kind: 'sessions', sessionId: 44 } },
    ]);
  });
});

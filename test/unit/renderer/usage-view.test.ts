import { describe, expect, it } from 'vitest';
import {
  budgetShare,
  budgetText,
  budgetTitle,
  chartModel,
  chartSentence,
  costText,
  dayReading,
  niceTop,
  savedText,
  usageFacts,
  usageHead,
  usageSub,
} from '../../../renderer/usage/usage-view';
import type { UsageLine } from '../../../shared/types/gateway';

const NOW_MS = new Date(2026, 10, 26, 14, 31).getTime();
const line = (given: Partial<UsageLine>): UsageLine => ({
  day: '2026-11-26',
  provider: 'anthropic',
  source: 'turns',
  agent: 'coder',
  count: 1,
  remembered: 0,
  cut: 0,
  inputTokens: 900,
  outputTokens: 100,
  costUsd: 1,
  savedInputTokens: 0,
  savedOutputTokens: 0,
  ...given,
});
const facts = (lines: readonly UsageLine[], days = 7) => usageFacts(lines, days, NOW_MS);
const agents = (count: number): UsageLine[] =>
  Array.from({ length: count }, (_, at) => line({ agent: `agent-${at}`, costUsd: 10 - at }));

describe('usage by day and agent', () => {
  it('BU-06 sums each day by agent, over providers, with what recovery saved, in the order of the cost', () => {
    const given = facts([
      line({ costUsd: 1 }),
      line({ provider: 'openai', costUsd: 0.5, savedInputTokens: 90, savedUsd: 0.25 }),
      line({ agent: 'mender', costUsd: 4, day: '2026-11-24' }),
      line({ source: 'gateway', agent: undefined, client: 'laptop', costUsd: 2, count: 3 }),
    ]);
    expect(given.series).toEqual(['mender', 'Gateway: laptop', 'coder']);
    expect(given.days.map(({ day }) => day)).toEqual([
      '2026-11-20',
      '2026-11-21',
      '2026-11-22',
      '2026-11-23',
      '2026-11-24',
      '2026-11-25',
      '2026-11-26',
    ]);
    expect(given.days.map(({ parts }) => parts)).toEqual([
      ...Array.from({ length: 4 }, () => [0, 0, 0]),
      [4, 0, 0],
      [0, 0, 0],
      [0, 2, 1.5],
    ]);
    expect(given.days.at(-1)).toMatchObject({ saved: 0.25, turns: 2, requests: 3 });
    expect(usageHead(given, 7)).toBe('$7.50 in the last 7 days');
    expect(usageSub(given)).toBe('Recovery saved $0.25.');
    expect(chartSentence(given)).toBe(
      '7 days as bars, by mender, Gateway: laptop, coder. The highest day is 2026-11-24 with $4.00. The table has every value.',
    );
  });

  it('BU-03 says at least where a part has no price or broke off', () => {
    const mixed = facts([line({}), line({ agent: 'codex', costUsd: undefined })]);
    expect(usageHead(mixed, 30)).toBe('At least $1.00 in the last 30 days');
    expect(usageSub(mixed)).toContain('the cost is a minimum');
    expect(mixed.spenders.map(costText)).toEqual(['$1.00', '–']);
    expect(facts([line({ cut: 1 })]).spenders.map(costText)).toEqual(['at least $1.00']);
  });

  it('BU-06 shows tokens, never a cost of zero, where no price is known', () => {
    const free = facts([line({ costUsd: undefined, savedOutputTokens: 1500 })]);
    expect(free.measure).toBe('tokens');
    expect(usageHead(free, 7)).toBe('1K tokens in the last 7 days');
    expect(usageSub(free)).toBe(
      'Recovery saved 1.5K tokens. No prices are known, so tokens are shown.',
    );
    expect(free.days.at(-1)).toMatchObject({ parts: [1000], saved: 1500 });
    expect(free.spenders.map(savedText)).toEqual(['1,500 tokens']);
  });

  it('BU-06 draws five agents and joins a sixth with the fifth', () => {
    expect(facts(agents(5)).series).toHaveLength(5);
    const six = facts(agents(6));
    expect(six.series).toEqual(['agent-0', 'agent-1', 'agent-2', 'agent-3', 'Others']);
    expect(six.days.at(-1)?.parts).toEqual([10, 9, 8, 7, 11]);
    expect(six.spenders).toHaveLength(6);
  });

  it('BU-06 says so where nothing was used', () => {
    const none = facts([], 30);
    expect(usageHead(none, 30)).toBe('Nothing used in the last 30 days');
    expect(chartSentence(none)).toBe('30 days as bars. Nothing was used.');
    expect(none.days).toHaveLength(30);
  });

  it('a day reads its parts, and what was saved', () => {
    const given = facts([line({ savedUsd: 0.5, savedInputTokens: 10 })]);
    expect(given.days.map((day) => dayReading(day, given, 'Nov 26')).slice(-2)).toEqual([
      'Nov 26\nNothing used',
      'Nov 26\ncoder: $1.00\nRecovery saved $0.50.',
    ]);
  });
});

describe('the bars', () => {
  it.each([
    [0, 1],
    [0.003, 0.004],
    [1, 1],
    [1.01, 2],
    [4.2, 6],
    [7, 8],
    [99, 100],
  ])('the axis of %d ends at %d', (value, top) => {
    expect(niceTop(value)).toBeCloseTo(top, 10);
  });

  it('BU-06 stacks parts from the foot, stays inside at 7, 30 and 90 days, and sets what was saved beside', () => {
    for (const days of [7, 30, 90]) {
      const given = facts(
        [line({ costUsd: 3 }), line({ agent: 'b', costUsd: 1, savedUsd: 2, savedInputTokens: 9 })],
        days,
      );
      const model = chartModel(given, { width: 800, height: 100, left: 60, right: 16 });
      const today = model.days.at(-1);
      expect(today?.parts.map(({ y, height }) => [y, height])).toEqual([
        [25, 75],
        [0, 25],
      ]);
      expect(today?.saved).toMatchObject({ y: 50, height: 50 });
      for (const { slot, parts, saved } of model.days)
        for (const bar of [...parts, ...(saved === undefined ? [] : [saved])]) {
          expect(bar.width).toBeGreaterThan(0);
          expect(bar.x).toBeGreaterThanOrEqual(slot.x);
          expect(bar.x + bar.width).toBeLessThanOrEqual(slot.x + slot.width + 1e-9);
        }
      expect(model.ticks.at(-1)?.startMs).toBe(given.days.at(-1)?.startMs);
      for (const [at, { x }] of model.ticks.entries())
        expect(x - (model.ticks[at - 1]?.x ?? -Infinity)).toBeGreaterThanOrEqual(70);
    }
  });
});

it('BU-02 a budget is told with what is allowed on top of it', () => {
  const budget = {
    name: 'daily',
    scope: 'agent',
    key: 'coder',
    per: 'day',
    usd: 2,
    allowedUsd: 2,
    spentUsd: 3,
    state: 'nearly',
  } as const;
  expect(budgetTitle(budget)).toBe('daily (agent coder)');
  expect(budgetTitle({ ...budget, key: '' })).toBe('daily');
  expect(budgetText(budget)).toBe('$3.00 of $4.00 today');
  expect(budgetShare(budget)).toBe(0.75);
  expect(budgetShare({ ...budget, spentUsd: 9 })).toBe(1);
});

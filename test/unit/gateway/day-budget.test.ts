import { describe, expect, it } from 'vitest';
import { mostCostUsd } from '../../../electron/adapters/providers/price';
import { createDayBudget } from '../../../electron/engine/gateway/budget';

function dayBudget(facts: { budget: number; spent: number; capped?: string }) {
  return createDayBudget({
    capsSpent: () => facts.capped,
    budgetUsd: () => facts.budget,
    spentTodayUsd: () => facts.spent,
  });
}

describe('the money of the day', () => {
  it('S0-38 calls go side by side up to the budget and not a cent above it; who does not fit waits for their end', () => {
    const facts = { budget: 10, spent: 4 };
    const money = dayBudget(facts);
    const first = money.setAside('p', 4);
    expect(money.blocks('p', 2)).toBeUndefined();
    expect(money.blocks('p', 2.01)).toMatch(
      /^Requests to p that are in progress .* waits for them\.$/,
    );
    expect(money.blocks('other', 2.01)).toBeUndefined();
    const second = money.setAside('p', 2);
    expect(money.blocks('p', 0.01)).toBeDefined();
    facts.spent = 6;
    first();
    expect(money.blocks('p', 2)).toBeUndefined();
    second();
    // Alone it goes, whatever it may cost: only the last one can pass the budget.
    expect(money.blocks('p', 1_000)).toBeUndefined();
  });

  it.each([
    ['no budget', { budget: 0, spent: 99 }],
    ['a budget that is used up, where it is refused at once', { budget: 5, spent: 5 }],
  ])('S0-38 nobody waits with %s', (_, facts) => {
    const money = dayBudget(facts);
    money.setAside('p', 4);
    expect(money.blocks('p', 4)).toBeUndefined();
  });

  it('BU-01 a budget of the settings that is spent refuses with its reason, whatever the day has left', () => {
    const money = dayBudget({ budget: 0, spent: 0, capped: 'The budget "daily" is spent.' });
    expect(money.overBudget('p')).toBe('The budget "daily" is spent.');
    expect(dayBudget({ budget: 0, spent: 99 }).overBudget('p')).toBeUndefined();
  });

  it('S0-38 is used up at the budget, not below it', () => {
    const facts = { budget: 5, spent: 4.99 };
    const money = dayBudget(facts);
    expect(money.overBudget('p')).toBeUndefined();
    facts.spent = 5;
    expect(money.overBudget('p')).toContain('5.00 of 5.00 US dollars');
    facts.budget = 0;
    expect(money.overBudget('p')).toBeUndefined();
  });

  const prices = { input: 2, output: 10, from: 'settings' } as const;
  it.each([
    ['half of its bytes in, 32,000 tokens out', { bytes: 1_000_000, json: {} }, 1 + 0.32],
    ['the limit that it sets', { bytes: 0, json: { max_tokens: 1_000 } }, 0.01],
    ['that of newer models', { bytes: 0, json: { max_completion_tokens: 2_000 } }, 0.02],
    ['that of responses', { bytes: 0, json: { max_output_tokens: 3_000 } }, 0.03],
    ['each of several answers', { bytes: 0, json: { max_tokens: 1_000, n: 4 } }, 0.04],
    ['no nonsense', { bytes: 0, json: { max_tokens: -1, n: 'x' } }, 0.32],
  ])('S0-38 a request is reckoned with %s', (_, request, usd) => {
    expect(mostCostUsd(request, prices)).toBeCloseTo(usd, 10);
  });

  it('S0-38 without prices there is nothing to reckon with', () => {
    expect(mostCostUsd({ bytes: 9, json: {} }, undefined)).toBe(0);
  });
});

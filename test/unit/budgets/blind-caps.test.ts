import { describe, expect, it } from 'vitest';
import { capsIn, refuseBlindCaps } from '../../../electron/engine/budgets/blind-caps';
import { BUDGET_SCOPES, type BudgetSettings } from '../../../shared/settings/budgets';

const cap = (scope: BudgetSettings['scope'], of?: string): BudgetSettings => ({
  scope,
  per: scope === 'turn' ? 'turn' : 'day',
  usd: 5,
  ...(of === undefined ? {} : { of }),
});
const UNPRICED = [
  { agent: 'codex', provider: 'agent.codex', canHavePrices: false },
  { agent: 'own', provider: 'office', canHavePrices: true },
];
const set =
  (daily: BudgetSettings, before: Record<string, BudgetSettings> = {}) =>
  (): void =>
    refuseBlindCaps({ daily }, before, UNPRICED);

describe('BU-03 a budget that could stop nothing', () => {
  it.each<[string, BudgetSettings, string]>([
    ['of an agent that tells no cost', cap('agent', 'codex'), 'Let the agent use the gateway'],
    ['of it as a provider', cap('provider', 'agent.codex'), 'Let the agent use the gateway'],
    ['of an agent without prices', cap('agent', 'own'), 'of the provider "office"'],
    ['of a provider without prices', cap('provider', 'office'), 'Set price_input_per_million_usd'],
  ])('%s is refused at set-up with the reason and what to do instead', (_what, daily, hint) => {
    let refusal: unknown;
    try {
      set(daily)();
    } catch (error) {
      refusal = error;
    }
    expect(refusal).toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining('The budget "daily" could not stop anything') as string,
      hint: expect.stringContaining(hint) as string,
    });
  });

  it.each<[string, BudgetSettings]>([
    ...BUDGET_SCOPES.map((scope): [string, BudgetSettings] => [`for ${scope}`, cap(scope)]),
    ['of another agent', cap('agent', 'claude')],
    ['of a task with such a name', cap('task', 'codex')],
  ])('%s counts others, too, and is kept', (_what, daily) => {
    expect(set(daily)).not.toThrow();
  });

  it('that is in the settings already stays, so that another one can be added beside it', () => {
    const blind = cap('agent', 'codex');
    expect(set(blind, { daily: blind })).not.toThrow();
    expect(set({ ...blind, usd: 6 }, { daily: blind })).toThrow('could not stop anything');
  });

  it('is found in the setting and in its section, and in nothing else', () => {
    const caps = { daily: cap('agent', 'codex') };
    expect(capsIn('budgets.caps', caps)).toEqual(caps);
    expect(capsIn('budgets', { caps })).toEqual(caps);
    for (const [key, value] of [
      ['budgets.caps', 'no'],
      ['budgets.caps', { daily: { scope: 'agent' } }],
      ['budgets', { timezone: 'UTC' }],
      ['agents', caps],
      ['budgets', null],
    ] as const)
      expect(capsIn(key, value)).toBeUndefined();
  });
});

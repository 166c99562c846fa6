import { describe, expect, it } from 'vitest';
import {
  numberOf,
  percentText,
  shareOf,
  withChange,
  type Budget,
} from '../../../renderer/settings/budget-rows-view';
import { BUDGET_PERIODS, BUDGET_SCOPES, BUDGET_SETTINGS } from '../../../shared/settings/budgets';

const schema = BUDGET_SETTINGS['budgets.caps'].schema;
const STARTS: readonly Budget[] = [
  { scope: 'all', per: 'day', usd: 5 },
  { scope: 'turn', per: 'turn', usd: 1 },
  { scope: 'account', of: 'team', per: 'month', usd: 9, resets_on: 15, is_credit: true },
];

describe('one change of a budget', () => {
  it('BU-01 BU-05 of what it counts or of its time leaves a budget that the settings take, whatever it was', () => {
    for (const start of STARTS)
      for (const scope of BUDGET_SCOPES)
        for (const per of BUDGET_PERIODS.filter((one) => one !== 'turn')) {
          const counted = withChange(start, { scope });
          const next = scope === 'turn' ? counted : withChange(counted, { per });
          expect(schema.safeParse({ one: next }), JSON.stringify(next)).toMatchObject({
            success: true,
          });
          const single = scope === 'all' || scope === 'turn' ? next : withChange(next, { of: 'x' });
          expect(schema.safeParse({ one: single }).success, JSON.stringify(single)).toBe(true);
        }
  });

  it('BU-01 an amount is a number, text stays for the engine to refuse, and empty is absent', () => {
    expect(['12.5', '', '5 dollars'].map(numberOf)).toEqual([12.5, undefined, '5 dollars']);
    expect(['80', '7', '', 'most'].map(shareOf)).toEqual([0.8, 0.07, undefined, 'most']);
    expect([0.8, 0.07, undefined, 'most', 0].map(percentText)).toEqual([
      '80',
      '7',
      '',
      'most',
      '0',
    ]);
  });
});

import { describe, expect, it } from 'vitest';
import {
  accountViews,
  type AccountsFacts,
  type ReportedWindow,
} from '../../../electron/engine/budgets/accounts';
import type { AccountMember } from '../../../electron/ports/accounts';
import type { BudgetView } from '../../../shared/types';

const FROM_MS = Date.parse('2026-11-01T00:00:00Z');
const RESET_MS = Date.parse('2026-11-27T20:00:00Z');

const member = (name: string, by: AccountMember['by'], account = 'acme'): AccountMember => ({
  name,
  account,
  by,
});
const window = (
  provider: string,
  kind: ReportedWindow['window'],
  usedPercent?: number,
): ReportedWindow => ({
  provider,
  window: kind,
  ...(usedPercent === undefined ? {} : { usedPercent }),
  isWarning: true,
  resetsAtMs: RESET_MS,
  sentence: 'Claude: it is used.',
});
const credit: BudgetView = {
  name: 'team',
  scope: 'account',
  key: 'acme',
  per: 'month',
  usd: 200,
  allowedUsd: 0,
  spentUsd: 50,
  state: 'open',
  isCredit: true,
};
const facts = (over: Partial<AccountsFacts>): AccountsFacts => ({
  members: [member('main', 'unknown')],
  withKey: new Set(),
  spend: {
    span: { startMs: FROM_MS, endMs: FROM_MS + 30 * 86_400_000 },
    usdOf: new Map(),
    atLeast: new Set(),
  },
  budgets: [],
  windows: [],
  heldUntilMs: () => undefined,
  ...over,
});
const kindOf = (over: Partial<AccountsFacts>): string | undefined =>
  accountViews(facts(over))[0]?.kind;

describe('how an account is paid', () => {
  it.each<[string, string, Partial<AccountsFacts>]>([
    ['a provider without a key', 'unknown', {}],
    ['a provider with a key in the settings', 'key', { members: [member('main', 'key')] }],
    ['a provider with a stored key', 'key', { withKey: new Set(['main']) }],
    ['a login', 'plan', { members: [member('agent.claude', 'login')] }],
    [
      'an unknown program that reports a weekly limit',
      'plan',
      { windows: [window('main', 'weekly')] },
    ],
    [
      'an unknown program that reports a session limit',
      'plan',
      { windows: [window('main', 'session')] },
    ],
    ['a limit for a day', 'unknown', { windows: [window('main', 'daily')] }],
    [
      'a key that has a weekly limit',
      'key',
      { members: [member('main', 'key')], windows: [window('main', 'weekly')] },
    ],
    [
      'a login that a key joins',
      'key',
      { members: [member('agent.claude', 'login'), member('main', 'key')] },
    ],
    ['a login with a credit', 'credit', { members: [member('x', 'login')], budgets: [credit] }],
    [
      'a credit of another account',
      'key',
      { members: [member('main', 'key')], budgets: [{ ...credit, key: 'other' }] },
    ],
    [
      'a budget of the account that is no credit',
      'key',
      { members: [member('main', 'key')], budgets: [{ ...credit, isCredit: undefined }] },
    ],
  ])('BU-05 %s: %s', (_, kind, over) => {
    expect(kindOf(over)).toBe(kind);
  });

  it('BU-05 joins what shares a login, with its windows, what it has spent and how long a limit holds it', () => {
    const views = accountViews(
      facts({
        members: [
          member('agent.two', 'login', 'login claude'),
          member('agent.one', 'login', 'login claude'),
          member('main', 'key', 'key $KEY'),
        ],
        windows: [window('agent.one', 'session', 85), window('other', 'weekly', 10)],
        spend: {
          span: { startMs: FROM_MS, endMs: RESET_MS },
          usdOf: new Map([['login claude', 3.2]]),
          atLeast: new Set(['key $KEY']),
        },
        heldUntilMs: (name) => (name === 'agent.two' ? RESET_MS : undefined),
      }),
    );
    expect(views).toEqual([
      {
        account: 'key $KEY',
        kind: 'key',
        members: ['main'],
        spentUsd: 0,
        isAtLeast: true,
        fromMs: FROM_MS,
        windows: [],
      },
      {
        account: 'login claude',
        kind: 'plan',
        members: ['agent.one', 'agent.two'],
        spentUsd: 3.2,
        isAtLeast: false,
        fromMs: FROM_MS,
        windows: [
          {
            window: 'session',
            usedPercent: 85,
            isWarning: true,
            resetsAtMs: RESET_MS,
            sentence: 'Claude: it is used.',
          },
        ],
        heldUntilMs: RESET_MS,
      },
    ]);
  });
});

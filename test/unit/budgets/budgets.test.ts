import { reasonText } from '../../../shared/reason';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { noticeText, spentText } from '../../../electron/engine/budgets/describe-budget';
import { periodAt } from '../../../electron/engine/budgets/periods';
import {
  type Account,
  type Budget,
  gatewayPayer,
  keyOf,
  noticeOf,
  planStep,
} from '../../../electron/engine/budgets/plan-budgets';
import { BUDGET_SETTINGS } from '../../../shared/settings/budgets';

const payer = {
  turnId: 7,
  agent: 'claude',
  provider: 'main',
  account: 'key $MAIN_KEY',
  session: 'notes',
  task: '3',
};
const budget = (over: Partial<Budget> = {}): Budget => ({
  name: 'daily',
  scope: 'all',
  per: 'day',
  usd: 5,
  ...over,
});
const account = (over: Partial<Account> = {}): Account => ({
  budget: budget(),
  key: '',
  spentUsd: 0,
  asideUsd: 0,
  allowedUsd: 0,
  ...over,
});

describe('whom a step is charged to', () => {
  it.each([
    ['all', undefined, ''],
    ['agent', undefined, 'claude'],
    ['agent', 'claude', 'claude'],
    ['agent', 'codex', undefined],
    ['provider', 'main', 'main'],
    ['account', undefined, 'key $MAIN_KEY'],
    ['account', 'key $MAIN_KEY', 'key $MAIN_KEY'],
    ['account', 'key $OTHER', undefined],
    ['session', undefined, 'notes'],
    ['task', '3', '3'],
    ['task', '4', undefined],
    ['turn', undefined, '7'],
  ] as const)('BU-01 %s of %s counts it as %j', (scope, of, key) => {
    expect(keyOf({ scope, of }, payer)).toBe(key);
  });

  it.each([
    ['all', ''],
    ['provider', 'main'],
    ['account', 'acme'],
    ['agent', undefined],
    ['session', undefined],
    ['task', undefined],
    ['turn', undefined],
  ] as const)('BU-01 a request through the gateway is counted by %s as %j', (scope, key) => {
    expect(keyOf({ scope, of: undefined }, gatewayPayer('main', 'acme'))).toBe(key);
  });

  it('BU-01 a turn that no task made belongs to no budget of tasks', () => {
    expect(keyOf({ scope: 'task', of: undefined }, { ...payer, task: undefined })).toBeUndefined();
  });
});

describe('whether a step may start', () => {
  it.each([
    ['go', {}, 1],
    ['spent', { spentUsd: 5 }, 0],
    ['go', { spentUsd: 5, allowedUsd: 1 }, 0],
    ['go', { spentUsd: 4.99 }, 3],
    ['go', { spentUsd: 1, asideUsd: 1 }, 3],
    ['wait', { spentUsd: 1, asideUsd: 1 }, 3.01],
    ['wait', { asideUsd: 0.01 }, undefined],
    ['go', {}, undefined],
  ] as const)('BU-04 %s with %o and a step of at most %s', (kind, over, mostUsd) => {
    expect(planStep([account(over)], mostUsd).kind).toBe(kind);
  });

  it('BU-04 however many steps are asked for at once, a budget is exceeded by less than one step', () => {
    const step = fc.record({
      mostUsd: fc.double({ min: 0.01, max: 3, noNaN: true }),
      share: fc.double({ min: 0, max: 1, noNaN: true }),
    });
    fc.assert(
      fc.property(
        fc.array(step, { maxLength: 60 }),
        fc.integer({ min: 1, max: 9 }),
        (steps, width) => {
          let spentUsd = 0;
          let running: { readonly mostUsd: number; readonly share: number }[] = [];
          const finish = (): void => {
            const first = running.shift();
            if (first !== undefined) spentUsd += first.mostUsd * first.share;
          };
          for (const one of steps) {
            for (;;) {
              const asideUsd = running.reduce((sum, { mostUsd }) => sum + mostUsd, 0);
              const verdict = planStep([account({ spentUsd, asideUsd })], one.mostUsd);
              if (verdict.kind === 'spent') return;
              if (verdict.kind === 'go' && running.length < width) break;
              finish();
            }
            running = [...running, one];
            const all = spentUsd + running.reduce((sum, { mostUsd }) => sum + mostUsd, 0);
            expect(all).toBeLessThan(5 + 3);
          }
          while (running.length > 0) finish();
          expect(spentUsd).toBeLessThan(5 + 3);
        },
      ),
    );
  });

  it('BU-02 tells of 80 %, of all, and of neither before; a share of one is never told early', () => {
    expect([3.99, 4, 4.99, 5].map((spentUsd) => noticeOf(account({ spentUsd })))).toEqual([
      'none',
      'nearly',
      'nearly',
      'spent',
    ]);
    expect(noticeOf(account({ budget: budget({ warn_at: 0 }), spentUsd: 4.9 }))).toBe('none');
  });

  it('BU-02 says what is spent, what happens and how to continue', () => {
    expect(reasonText(spentText(account({ spentUsd: 5.03 }), '00:00'))).toBe(
      'The budget "daily" is spent: $5.03 of $5.00 today. The turn is saved and continues at 00:00, or when you allow more.',
    );
    const each = account({
      budget: budget({ scope: 'agent', per: 'week' }),
      key: 'claude',
      spentUsd: 4,
    });
    expect(noticeText(each, 'nearly', 'Mon 00:00')).toEqual({
      title: 'The budget "daily" of agent claude is nearly spent',
      detail:
        '$4.00 of $5.00 this week. Work continues until it is spent. It starts again at Mon 00:00.',
    });
  });
});

describe('a monthly credit', () => {
  const credit = account({
    budget: budget({
      name: 'team',
      scope: 'account',
      of: 'acme',
      per: 'month',
      usd: 200,
      is_credit: true,
      resets_on: 15,
    }),
    key: 'acme',
    spentUsd: 200.4,
  });
  it('BU-05 says that the credit is spent, and when it starts again', () => {
    expect(reasonText(spentText(credit, 'Tue Dec 15 00:00'))).toBe(
      'The credit "team" is spent: $200.40 of $200.00 since it last started again. The turn is saved and continues when the credit starts again at Tue Dec 15 00:00, or when you allow more.',
    );
    expect(noticeText(credit, 'spent', 'Tue Dec 15 00:00')).toEqual({
      title: 'The credit "team" is spent',
      detail:
        '$200.40 of $200.00 since it last started again. New turns wait, and running turns pause when a step is done; nothing is lost. It starts again at Tue Dec 15 00:00. To continue now: holdfast budgets allow team',
    });
  });
  it('BU-02 the notice of a budget of each agent says for whom to allow more, as a shell takes it', () => {
    const each = account({ budget: budget({ scope: 'agent' }), key: "o'neil", spentUsd: 5 });
    expect(noticeText(each, 'spent', undefined).detail).toContain(
      `holdfast budgets allow daily --key 'o'\\''neil'`,
    );
  });
  it('BU-05 does not call a month that starts on the 15th "this month"', () => {
    const cap = account({ budget: budget({ per: 'month', usd: 5, resets_on: 15 }), spentUsd: 5 });
    expect(reasonText(spentText(cap, 'Tue'))).toContain(
      '$5.00 of $5.00 since it last started again',
    );
    const first = account({ budget: budget({ per: 'month', usd: 5, resets_on: 1 }), spentUsd: 5 });
    expect(reasonText(spentText(first, 'Tue'))).toContain('$5.00 of $5.00 this month');
  });
});

describe('periods of budgets', () => {
  const at = (text: string): number => Date.parse(text);
  const span = (
    per: 'day' | 'week' | 'month',
    now: string,
    zone: string,
    start: 'monday' | 'sunday' | 'saturday' = 'monday',
    monthDay = 1,
  ) => {
    const { startMs, endMs } = periodAt(per, at(now), zone, { weekStart: start, monthDay });
    return [new Date(startMs).toISOString(), new Date(endMs).toISOString()];
  };
  it.each([
    ['day', '2026-11-26T12:00:00Z', 'UTC', '2026-11-26T00:00:00.000Z', '2026-11-27T00:00:00.000Z'],
    [
      'day',
      '2026-11-26T23:30:00Z',
      'Europe/Berlin',
      '2026-11-26T23:00:00.000Z',
      '2026-11-27T23:00:00.000Z',
    ],
    [
      'day',
      '2026-03-29T12:00:00Z',
      'Europe/Berlin',
      '2026-03-28T23:00:00.000Z',
      '2026-03-29T22:00:00.000Z',
    ],
    [
      'day',
      '2026-10-25T12:00:00Z',
      'Europe/Berlin',
      '2026-10-24T22:00:00.000Z',
      '2026-10-25T23:00:00.000Z',
    ],
    [
      'day',
      '2026-11-26T12:00:00Z',
      'Asia/Kathmandu',
      '2026-11-25T18:15:00.000Z',
      '2026-11-26T18:15:00.000Z',
    ],
    // Midnight itself is skipped: the day starts at 01:00.
    [
      'day',
      '2018-11-04T12:00:00Z',
      'America/Sao_Paulo',
      '2018-11-04T03:00:00.000Z',
      '2018-11-05T02:00:00.000Z',
    ],
    ['week', '2026-11-26T12:00:00Z', 'UTC', '2026-11-23T00:00:00.000Z', '2026-11-30T00:00:00.000Z'],
    [
      'month',
      '2026-11-26T12:00:00Z',
      'UTC',
      '2026-11-01T00:00:00.000Z',
      '2026-12-01T00:00:00.000Z',
    ],
    [
      'month',
      '2026-12-31T23:30:00Z',
      'Europe/Berlin',
      '2026-12-31T23:00:00.000Z',
      '2027-01-31T23:00:00.000Z',
    ],
  ] as const)('BU-01 the %s of %s in %s', (per, now, zone, start, end) => {
    expect(span(per, now, zone)).toEqual([start, end]);
  });

  it('BU-01 weeks start on the day of the setting', () => {
    const starts = (['monday', 'sunday', 'saturday'] as const).map((day) =>
      span('week', '2026-11-26T12:00:00Z', 'UTC', day)[0]?.slice(0, 10),
    );
    expect(starts).toEqual(['2026-11-23', '2026-11-22', '2026-11-21']);
  });

  it.each([
    ['2026-11-14T12:00:00Z', 'UTC', 15, '2026-10-15T00:00:00.000Z', '2026-11-15T00:00:00.000Z'],
    ['2026-11-15T00:00:00Z', 'UTC', 15, '2026-11-15T00:00:00.000Z', '2026-12-15T00:00:00.000Z'],
    ['2026-12-31T12:00:00Z', 'UTC', 31, '2026-12-31T00:00:00.000Z', '2027-01-31T00:00:00.000Z'],
    ['2027-02-27T12:00:00Z', 'UTC', 31, '2027-01-31T00:00:00.000Z', '2027-02-28T00:00:00.000Z'],
    ['2027-02-28T12:00:00Z', 'UTC', 31, '2027-02-28T00:00:00.000Z', '2027-03-31T00:00:00.000Z'],
    ['2028-02-28T12:00:00Z', 'UTC', 30, '2028-01-30T00:00:00.000Z', '2028-02-29T00:00:00.000Z'],
    ['2027-01-02T12:00:00Z', 'UTC', 5, '2026-12-05T00:00:00.000Z', '2027-01-05T00:00:00.000Z'],
    // The clock changes on March 28: this month has an hour less.
    [
      '2027-03-20T12:00:00Z',
      'Europe/Berlin',
      10,
      '2027-03-09T23:00:00.000Z',
      '2027-04-09T22:00:00.000Z',
    ],
    // It is the 10th there while it is the 9th in UTC.
    [
      '2026-11-09T13:00:00Z',
      'Pacific/Auckland',
      10,
      '2026-11-09T11:00:00.000Z',
      '2026-12-09T11:00:00.000Z',
    ],
  ] as const)(
    'BU-05 at %s in %s a month that starts on day %i is %s to %s',
    (now, zone, day, starts, ends) => {
      expect(span('month', now, zone, 'monday', day)).toEqual([starts, ends]);
    },
  );

  it('BU-01 every instant is in its period, and the next one starts where it ends', () => {
    const zone = fc.constantFrom(
      'UTC',
      'Europe/Berlin',
      'America/New_York',
      'Asia/Kathmandu',
      'Australia/Lord_Howe',
      'America/Sao_Paulo',
    );
    const instant = fc.integer({ min: at('2015-01-01'), max: at('2035-01-01') });
    fc.assert(
      fc.property(
        fc.constantFrom('day', 'week', 'month'),
        instant,
        zone,
        fc.integer({ min: 1, max: 31 }),
        (per, nowMs, name, monthDay) => {
          const spanAt = (atMs: number) =>
            periodAt(per, atMs, name, { weekStart: 'monday', monthDay });
          const one = spanAt(nowMs);
          expect(nowMs >= one.startMs && nowMs < one.endMs).toBe(true);
          expect(spanAt(one.endMs).startMs).toBe(one.endMs);
          expect(spanAt(one.endMs - 1).startMs).toBe(one.startMs);
        },
      ),
      { numRuns: 300 },
    );
  });
});

describe('settings of budgets', () => {
  const caps = BUDGET_SETTINGS['budgets.caps'].schema;
  it.each([
    [true, { scope: 'all', per: 'day', usd: 5 }],
    [true, { scope: 'agent', of: 'claude', per: 'month', usd: 100, warn_at: 0.5 }],
    [true, { scope: 'turn', per: 'turn', usd: 1 }],
    [false, { scope: 'turn', per: 'day', usd: 1 }],
    [false, { scope: 'agent', per: 'turn', usd: 1 }],
    [false, { scope: 'all', of: 'x', per: 'day', usd: 1 }],
    [false, { scope: 'all', per: 'day', usd: 0 }],
    [false, { scope: 'all', per: 'year', usd: 1 }],
    [true, { scope: 'all', per: 'month', usd: 1, resets_on: 31 }],
    [false, { scope: 'all', per: 'week', usd: 1, resets_on: 3 }],
    [false, { scope: 'all', per: 'month', usd: 1, resets_on: 0 }],
    [false, { scope: 'all', per: 'month', usd: 1, resets_on: 32 }],
    [true, { scope: 'account', of: 'team', per: 'month', usd: 200, is_credit: true, resets_on: 9 }],
    [false, { scope: 'account', per: 'month', usd: 200, is_credit: true }],
    [false, { scope: 'provider', of: 'team', per: 'month', usd: 200, is_credit: true }],
    [false, { scope: 'account', of: 'team', per: 'week', usd: 200, is_credit: true }],
  ])('BU-01 takes %s: %o', (isTaken, one) => {
    expect(caps.safeParse({ daily: one }).success).toBe(isTaken);
  });

  it('BU-01 takes a time zone that this computer knows, and no other', () => {
    const zone = BUDGET_SETTINGS['budgets.timezone'].schema;
    expect(['', 'Europe/Berlin', 'Mars/Base'].map((one) => zone.safeParse(one).success)).toEqual([
      true,
      true,
      false,
    ]);
  });
});

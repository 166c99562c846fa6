import { describe, expect, it } from 'vitest';
import type { OwnTrouble } from '../../../electron/engine/outage/elsewhere';
import { createCommonLimits } from '../../../electron/engine/sharing/common-limits';
import type { JournalEntry } from '../../../electron/ports/journal/entries';
import { createElsewhereSpend, type CommonSpend } from '../../../electron/engine/budgets/elsewhere';
import type { Budget } from '../../../electron/engine/budgets/plan-budgets';

const NOW = 1_000_000;
const HOUR = 3_600_000;

/** `work` and `home` are of one account; `local` has none, and `private` is on this computer. */
const ACCOUNTS: Readonly<Record<string, string>> = { work: 'key 1', home: 'key 1' };
const ADDRESSES: Readonly<Record<string, string>> = {
  work: 'https://models.example.com',
  local: 'https://other.example.com',
};

function world(fails: (what: string, ...said: readonly unknown[]) => boolean = () => false) {
  let troubles: readonly OwnTrouble[] = [];
  let spend: readonly CommonSpend[] = [];
  let nowMs = NOW;
  const heard: unknown[] = [];
  const limits = createCommonLimits({
    outage: {
      ownTroubles: () => troubles,
      heardLimit: (...said) => {
        if (fails('limit', ...said)) throw new Error('the disk is full');
        heard.push(['limit', ...said]);
      },
      heardLimitOver: (...said) => void heard.push(['limit over', ...said]),
      heardDown: (...said) => {
        if (fails('down', ...said)) return Promise.reject(new Error('no answer'));
        heard.push(['down', ...said]);
        return Promise.resolve();
      },
      heardUp: (...said) => void heard.push(['up', ...said]),
    },
    budgets: {
      commonSpend: () => spend,
      heardSpend: (...said) => void heard.push(['spend', ...said]),
    },
    names: {
      refresh: () => Promise.resolve(),
      accountOf: (name) => ACCOUNTS[name],
      addressOf: (name) => ADDRESSES[name],
      providers: () => ['work', 'home', 'local'],
    },
    clock: { nowMs: () => nowMs },
  });
  const contact = { kind: 'provider.contact' } as JournalEntry;
  return {
    limits,
    heard,
    meet(now: readonly OwnTrouble[]) {
      troubles = now;
      return limits.follow([contact]);
    },
    pay(now: readonly CommonSpend[]) {
      spend = now;
      const end = { state: 'completed', usage: { inputTokens: 1, outputTokens: 1, costUsd: 1 } };
      return limits.follow([{ kind: 'step.ended', end } as unknown as JournalEntry]);
    },
    pass: (ms: number) => (nowMs += ms),
    async tell() {
      const news = await limits.toTell();
      news?.told();
      return news?.facts.map(({ kind, key, forMs }) => [kind, key, forMs]);
    },
  };
}

const limitOf = (provider: string, untilMs: number): OwnTrouble => ({
  kind: 'limit',
  provider,
  cause: 'quota',
  untilMs,
  isUnnamed: false,
});

describe('limits that count on every computer', () => {
  it('DW-25 tells each limit once, the longest of an account, and that it is over; nothing is told while nothing changes', async () => {
    const { limits, meet, tell } = world();
    expect((await limits.toTell())?.isAll).toBe(true);
    expect(await tell()).toEqual([]);
    expect(await tell()).toBeUndefined();
    expect(meet([limitOf('work', NOW + 10), limitOf('home', NOW + 20)])).toBe(true);
    expect(await tell()).toEqual([['limit', 'key 1', 20]]);
    expect(await tell()).toBeUndefined();
    meet([limitOf('work', NOW + 10), limitOf('home', NOW + 20)]);
    expect(await tell()).toBeUndefined();
    meet([]);
    expect(await tell()).toEqual([['limit', 'key 1', 0]]);
  });

  it('DW-25 what did not arrive is told again', async () => {
    const { limits, meet } = world();
    (await limits.toTell())?.told();
    meet([limitOf('work', NOW + 10)]);
    for (let tries = 0; tries < 3; tries += 1)
      expect((await limits.toTell())?.facts).toHaveLength(1);
    (await limits.toTell())?.told();
    expect(await limits.toTell()).toBeUndefined();
  });

  it('DW-25 tells no limit without a known account, and no outage of a model on this computer', async () => {
    const { meet, tell } = world();
    await tell();
    meet([
      limitOf('local', NOW + 10),
      { kind: 'outage', provider: 'private', sinceMs: NOW },
      { kind: 'outage', provider: 'local', sinceMs: NOW },
      { kind: 'breaker', provider: 'work', openedAtMs: NOW, untilMs: NOW + 30 },
    ]);
    expect(await tell()).toEqual([
      ['outage', 'https://other.example.com', 24 * HOUR],
      ['breaker', 'https://models.example.com', 30],
    ]);
  });

  it('DW-25 DW-29 what a step costs wakes nobody: it goes with the next look; a budget that is nearly spent is told at once', async () => {
    const { limits, pay, tell } = world();
    await tell();
    expect(pay([{ key: '["day"]', usd: 1, endsAtMs: NOW + HOUR }])).toBe(false);
    expect(await tell()).toEqual([['spend', '["day"]', HOUR]]);
    expect(limits.follow([{ kind: 'budget.told' } as JournalEntry])).toBe(true);
  });

  it('DW-25 what is heard goes to every provider of that account or address, with the time that is left here', async () => {
    const { limits, heard, pass } = world();
    pass(500);
    const from = { machine: 'm1', name: 'desk-1' };
    const fact = (kind: string, key: string, leftMs: number, body = '{}') => ({
      ...from,
      kind,
      key,
      leftMs,
      body,
    });
    await limits.hear([
      fact('limit', 'key 1', 100, '{"cause":"retry_after","isUnnamed":false}'),
      fact('limit', 'key 1', 0),
      fact('outage', 'https://models.example.com', 100),
      fact('breaker', 'https://models.example.com', 100),
      fact('outage', 'https://models.example.com', 0),
      fact('spend', '["day"]', 100, '{"usd":2}'),
      fact('spend', '["day"]', 100, '{"usd":"much"}'),
      fact('of a newer version', 'x', 100),
      // What cannot be read keeps nothing back that comes behind it.
      fact('spend', '["day"]', 100, '{"usd":'),
      fact('spend', '["day"]', 100, 'null'),
      fact('limit', 'key 2', 100),
      fact('limit', 'key 1', 100, '{"cause":"retry_after","isUnnamed":false}'),
    ]);
    const limit = { from: 'desk-1', cause: 'retry_after', untilMs: NOW + 600, isUnnamed: false };
    expect(heard).toEqual([
      ['limit', 'work', limit],
      ['limit', 'home', limit],
      ['limit over', 'work', 'desk-1'],
      ['limit over', 'home', 'desk-1'],
      ['down', 'work', { from: 'desk-1', breakerForMs: undefined }],
      ['down', 'work', { from: 'desk-1', breakerForMs: 100 }],
      ['up', 'work'],
      ['spend', 'm1', { key: '["day"]', usd: 2, endsAtMs: NOW + 600 }],
      ['limit', 'work', limit],
      ['limit', 'home', limit],
    ]);
  });

  it('DW-25 a fact that fails is heard again with each poll until it succeeds, is over or is replaced; those behind it are heard at once', async () => {
    let isDiskFull = true;
    const { limits, heard, pass } = world(
      (what, provider) => isDiskFull && (what === 'down' || provider === 'work'),
    );
    const from = { machine: 'm1', name: 'desk-1', body: '{"cause":"quota"}' };
    const limit = { ...from, kind: 'limit', key: 'key 1' };
    const down = { ...from, kind: 'outage', key: 'https://models.example.com', leftMs: 300 };
    const brief = { ...from, kind: 'breaker', key: 'https://models.example.com', leftMs: 50 };
    const spend = { ...from, kind: 'spend', key: 'day', leftMs: 100, body: '{"usd":2}' };
    const spent = ['spend', 'm1', { key: 'day', usd: 2, endsAtMs: NOW + 100 }];
    await expect(limits.hear([{ ...limit, leftMs: 900 }, brief, down, spend])).rejects.toThrow(
      'the disk is full',
    );
    expect(heard).toEqual([spent]);
    pass(100);
    // It is said once that it failed.
    await limits.hear([]);
    expect(heard).toEqual([spent]);
    pass(100);
    isDiskFull = false;
    // The limit is shorter by now.
    await limits.hear([{ ...limit, leftMs: 400 }]);
    const until = { from: 'desk-1', cause: 'quota', untilMs: NOW + 600, isUnnamed: false };
    expect(heard).toEqual([
      spent,
      ['down', 'work', { from: 'desk-1', breakerForMs: undefined }],
      ['limit', 'work', until],
      ['limit', 'home', until],
    ]);
    await limits.hear([]);
    expect(heard).toHaveLength(4);
  });

  it.each(['no JSON', 'null', '{}'])(
    'DW-25 what was spent of a budget counts also where another computer told %s as a name',
    (key) => {
      const reads = { session: () => undefined, turns: () => [], sharedTurn: () => undefined };
      const elsewhere = createElsewhereSpend({ clock: { nowMs: () => NOW }, reads });
      const budget = { name: 'day', scope: 'all', per: 'day' } as Budget;
      const named = elsewhere.keyOf({ budget, key: '' }) ?? '';
      elsewhere.heard('m1', { key, usd: 1, endsAtMs: NOW + HOUR });
      elsewhere.heard('m1', { key: named, usd: 2, endsAtMs: NOW + HOUR });
      expect(elsewhere.keysOf(budget)).toEqual(['']);
    },
  );
});

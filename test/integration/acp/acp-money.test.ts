/** What a turn of an agent of another program has cost, and its limit of money. */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  again,
  answerOf,
  app,
  begin,
  configure,
  effects,
  ended,
  goOn,
  nested,
  questions,
  send,
  useAcpWorld,
  world,
} from './acp-world';

useAcpWorld();

describe('the cost of a turn of an outside agent', () => {
  it('S4-+09 each turn has cost what the count of its session has grown by, over a restart too', async () => {
    configure('plain');
    await begin();
    const costs: (number | undefined)[] = [];
    for (const text of ['do: cost 0.25', 'do: cost 0.5\ndo: cost 0.5', 'do: say nothing paid']) {
      costs.push((await ended(await send(text))).usage.costUsd);
      await again();
    }
    expect(costs).toEqual([0.25, 1, undefined]);
  });

  it('S4-+09 of Claude Code each turn has cost what its count grew by over that of its record', async () => {
    configure('claude');
    await begin();
    expect((await ended(await send('do: cost 0.5'))).usage.costUsd).toBe(0.5);
    // A release that counts each process alone keeps no count.
    expect((await ended(await send('do: cost 0.25'))).usage.costUsd).toBe(0.25);
    const [name = ''] = fs.readdirSync(path.join(world.outside, 'acp-sessions'));
    const project = path.join(world.outside, '.claude', 'projects', 'own');
    fs.mkdirSync(project, { recursive: true });
    const lines = [{ type: 'cost-state', totalCostUSD: 0.75 }, { type: 'user' }];
    fs.writeFileSync(
      path.join(project, name.replace('.json', '.jsonl')),
      lines.map((line) => `${JSON.stringify(line)}\n`).join(''),
    );
    expect((await ended(await send('do: cost 1'))).usage.costUsd).toBe(0.25);
  });

  it.each([
    [2, 'do: cost 1.5\ndo: cost 0.75\ndo: never', 2.25],
    [0.1, 'do: cost 0.09\ndo: cost 0.02\ndo: never', 0.11],
  ])(
    'S4-+09 a limit of $%s acts inside of a prompt: it is cut off, paid for, asks, and goes on when it is raised',
    async (limit, text, cost) => {
      configure('plain', limit === 2 ? {} : { limits: { turn_cost_usd: limit } });
      await begin();
      const turnId = await send(text);
      const paused = await ended(turnId);
      expect([paused.state, paused.usage.costUsd]).toEqual(['waiting', cost]);
      expect(paused.reason).toBe(
        `This turn reached $${cost.toFixed(2)}. It is paused: raise the limit or cancel it.`,
      );
      const [item] = (await app().holdfast.call('inbox.list', {}, 'test')).items;
      expect(item?.kind).toBe('limit');
      // What was paid for is not forgotten by a restart; the raise is for as much again.
      await again();
      expect((await ended(turnId)).usage.costUsd).toBe(cost);
      await goOn(turnId);
      const spent = async () =>
        (await app().holdfast.call('turns.show', { turnId }, 'test')).turn.usage.costUsd;
      await expect.poll(spent).toBe(2 * cost);
      expect((await ended(turnId)).reason).toContain(`$${(2 * cost).toFixed(2)}. It is paused`);
    },
  );

  it('S4-+09 a count above the limit that comes with the end of a prompt does not take its answer', async () => {
    configure('plain');
    await begin();
    const turn = await ended(await send('do: cost 5\ndo: say all done'));
    expect([turn.state, turn.usage.costUsd]).toEqual(['completed', 5]);
    expect(await answerOf()).toBe('all done');
  });

  it('S4-+09 above the limit no further call is begun: its question comes to nobody', async () => {
    configure('plain', nested());
    await begin();
    const turnId = await send('do: cost 3\ndo: run one');
    expect((await ended(turnId)).state).toBe('waiting');
    expect(effects()).toEqual([]);
    expect(await questions()).toEqual([]);
  });

  it.each([
    ['account', 'work'],
    ['provider', 'agent.own'],
    ['agent', 'own'],
  ])(
    'BU-01 BU-05 counts for a budget of its %s "%s": what is above it waits, over a restart too',
    async (scope, of) => {
      const budgets = { caps: { day: { scope, of, per: 'day', usd: 1 } } };
      configure('plain', { budgets }, { account: 'work' });
      await begin();
      expect((await ended(await send('do: cost 0.75\ndo: say one'))).state).toBe('completed');
      await again();
      const { budgets: seen } = await app().holdfast.call('budgets.list', {}, 'test');
      expect(seen.map(({ key, spentUsd }) => [key, spentUsd])).toEqual([[of, 0.75]]);
      const turnId = await send('do: cost 0.5\ndo: never', 'other');
      expect(await ended(turnId)).toMatchObject({ state: 'waiting', usage: { costUsd: 0.5 } });
      await again();
      expect((await ended(turnId)).state).toBe('waiting');
      const { accounts } = await app().holdfast.call('budgets.accounts', {}, 'test');
      expect(accounts.map(({ account, spentUsd }) => [account, spentUsd])).toEqual([
        ['work', 1.25],
      ]);
      const { lines } = await app().holdfast.call('usage.list', { by: ['account'] }, 'test');
      expect(
        lines.map((one) => [one.provider, one.account, one.agent, one.costUsd, one.count]),
      ).toEqual([['agent.own', 'work', undefined, 1.25, 2]]);
    },
  );
});

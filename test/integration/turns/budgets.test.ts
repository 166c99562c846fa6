/** Budgets in the whole engine: the fake provider takes one cent for each answer. */
import { describe, expect, it } from 'vitest';
import {
  createFakeProvider,
  createFakeTools,
  linesOf,
  resultsSoFar,
} from '../../helpers/fake-world';
import { composeIn, ENDED, turnIn } from '../../helpers/compose-world';
import type { ProviderOutcome } from '../../../electron/ports/provider';
import { createVirtualClock } from '../../helpers/virtual-clock';
import { writeConfig } from '../../helpers/compose-world';
import { useWorld } from '../../helpers/use-world';

const NOON = Date.parse('2026-11-26T12:00:00Z');
const { world, running } = useWorld();

const DOWN = {
  kind: 'failed',
  failure: {
    kind: 'network',
    message: 'It cannot be reached.',
    hint: '',
    isRetryable: true,
  },
} as const;

const budgets = (caps: Record<string, unknown>): void =>
  writeConfig(world, { budgets: { caps, timezone: 'UTC' }, limits: { max_running_turns: 50 } });

/** A life of the engine whose turns make `steps` model calls each. */
async function start(steps: number, extra: Parameters<typeof composeIn>[1] = {}) {
  const tools = createFakeTools({ dir: world.outside });
  const provider = createFakeProvider({
    dir: world.outside,
    script: (request) =>
      resultsSoFar(request) < steps - 1
        ? { calls: [{ tool: 'look', args: { n: resultsSoFar(request) } }] }
        : { text: 'done' },
  });
  const clock = createVirtualClock(NOON);
  const app = composeIn(world, { providers: [provider], toolHosts: [tools], clock, ...extra });
  running.push(app);
  expect(await app.lifecycle.start()).toEqual({ kind: 'started' });
  const send = async (session: string): Promise<number> =>
    (await app.holdfast.call('send', { text: 'work', session, agent: 'fake' }, 'test')).turnId;
  const list = async () => (await app.holdfast.call('budgets.list', {}, 'test')).budgets;
  const inbox = async () =>
    (await app.holdfast.call('inbox.list', { includeSettled: false }, 'test')).items.map(
      ({ title }) => title,
    );
  const open = async () =>
    (await app.holdfast.call('turns.list', { limit: 50 }, 'test')).turns.filter(
      ({ state }) => !ENDED.some((one) => one === state),
    );
  return { app, clock, send, list, open, inbox, asked: () => linesOf(provider.log).length };
}

describe('a budget', () => {
  it('BU-02 at 80 % one notice, at 100 % the running turn pauses between two steps and new ones wait; one question for all; the next day all continue, and nothing is asked twice', async () => {
    budgets({ daily: { scope: 'all', per: 'day', usd: 0.05 } });
    const { app, clock, send, list, open, inbox, asked } = await start(7);
    const first = await send('a');
    const paused = await turnIn(app, first, ['waiting']);
    expect(paused.reason).toMatch(
      /^The budget "daily" is spent: \$0\.05 of \$0\.05 today\. The turn is saved/,
    );
    const others = [await send('b'), await send('c')];
    for (const id of others) await turnIn(app, id, ['waiting']);
    expect(asked()).toBe(5);
    await expect.poll(inbox).toEqual(['The budget "daily" is spent']);
    expect(await list()).toMatchObject([
      { name: 'daily', key: '', spentUsd: 0.05, state: 'spent', endsAtMs: NOON + 12 * 3_600_000 },
    ]);
    // 21 answers at 5 a day: the last one comes on the fifth day.
    const days: number[] = [];
    while (days.length < 4) {
      const before = asked();
      await clock.advance(days.length === 0 ? 12 * 3_600_000 + 60_000 : 24 * 3_600_000);
      await expect.poll(asked).toBe(Math.min(before + 5, 21));
      days.push(asked());
      if (days.length < 4)
        for (const { id } of await open()) await turnIn(app, id, ['waiting', ...ENDED]);
    }
    expect(days).toEqual([10, 15, 20, 21]);
    for (const id of [first, ...others])
      expect((await turnIn(app, id, [...ENDED])).state).toBe('completed');
  });

  it('BU-05 a monthly credit that is spent pauses its turns until the day it starts again, over a restart; then they continue, and each step is asked once', async () => {
    writeConfig(world, {
      providers: { fake: { kind: 'anthropic', account: 'acme' } },
      budgets: {
        caps: {
          team: {
            scope: 'account',
            of: 'acme',
            per: 'month',
            usd: 0.03,
            is_credit: true,
            resets_on: 28,
          },
        },
        timezone: 'UTC',
      },
    });
    const before = await start(5);
    const turn = await before.send('a');
    const paused = await turnIn(before.app, turn, ['waiting']);
    expect(paused.reason).toMatch(
      /^The credit "team" is spent: \$0\.03 of \$0\.03 since it last started again\. The turn is saved and continues when the credit starts again at Sat Nov 28/,
    );
    await expect.poll(before.inbox).toEqual(['The credit "team" is spent']);
    const accounts = async (of: typeof before) =>
      (await of.app.holdfast.call('budgets.accounts', {}, 'test')).accounts.filter(
        ({ account }) => account === 'acme',
      );
    expect(await accounts(before)).toMatchObject([
      {
        kind: 'credit',
        members: ['fake'],
        spentUsd: 0.03,
        credit: { spentUsd: 0.03, usd: 0.03, state: 'spent', endsAtMs: NOON + 36 * 3_600_000 },
      },
    ]);
    await before.app.lifecycle.stop('stop');
    running.length = 0;
    const after = await start(5);
    await turnIn(after.app, turn, ['waiting']);
    expect(after.asked()).toBe(3);
    await after.clock.advance(36 * 3_600_000 + 60_000);
    expect((await turnIn(after.app, turn, [...ENDED])).state).toBe('completed');
    expect(after.asked()).toBe(5);
    await expect.poll(after.inbox).toEqual([]);
    // The month of the calendar has all five; the credit has what came after it started again.
    expect(await accounts(after)).toMatchObject([
      { spentUsd: 0.05, credit: { spentUsd: 0.02, state: 'open' } },
    ]);
  });

  it('BU-02 "allow" lets the waiting turns continue at once, for this period only, and closes the question', async () => {
    budgets({ daily: { scope: 'agent', per: 'day', usd: 0.02 } });
    const { app, send, inbox, asked } = await start(4);
    const turn = await send('a');
    await turnIn(app, turn, ['waiting']);
    await expect.poll(inbox).toEqual(['The budget "daily" of agent fake is spent']);
    const allowed = await app.holdfast.call(
      'budgets.allow',
      { name: 'daily', key: 'fake', usd: 0.05 },
      'test',
    );
    expect(allowed).toMatchObject({ allowedUsd: 0.05, state: 'open' });
    expect((await turnIn(app, turn, [...ENDED])).state).toBe('completed');
    expect([asked(), await inbox()]).toEqual([4, []]);
    await expect(
      app.holdfast.call('budgets.allow', { name: 'weekly', usd: 1 }, 'test'),
    ).rejects.toMatchObject({ code: 'BUDGET_UNKNOWN' });
  });

  it('BU-02 "allow" of a budget of one session needs no key', async () => {
    budgets({ one: { scope: 'session', of: 'a', per: 'day', usd: 0.02 } });
    const { app, send } = await start(4);
    const turn = await send('a');
    await turnIn(app, turn, ['waiting']);
    await app.holdfast.call('budgets.allow', { name: 'one', usd: 0.05 }, 'test');
    expect((await turnIn(app, turn, [...ENDED])).state).toBe('completed');
  });

  it('BU-02 a budget that is raised in the settings lets them continue, too', async () => {
    budgets({ daily: { scope: 'session', of: 'a', per: 'day', usd: 0.02 } });
    const { app, send } = await start(3);
    const turn = await send('a');
    await turnIn(app, turn, ['waiting']);
    expect((await turnIn(app, await send('b'), [...ENDED])).state).toBe('completed');
    const raised = { daily: { scope: 'session', of: 'a', per: 'day', usd: 1 } };
    await app.holdfast.call('config.set', { key: 'budgets.caps', value: raised }, 'test');
    expect((await turnIn(app, turn, [...ENDED])).state).toBe('completed');
  });

  it('BU-02 a turn that waits for a budget is not counted to an outage of its provider: the outage ends without it, over a restart in the middle', async () => {
    writeConfig(world, {
      budgets: {
        caps: { daily: { scope: 'session', of: 'a', per: 'day', usd: 0.03 } },
        timezone: 'UTC',
      },
      resilience: { outage_threshold: 1 },
      retry: { server: { max_attempts: 1 } },
    });
    let isDown = false;
    const lives = () =>
      start(4, {
        providers: [
          createFakeProvider({
            dir: world.outside,
            script: (request) =>
              resultsSoFar(request) < 3
                ? { calls: [{ tool: 'look', args: { n: resultsSoFar(request) } }] }
                : { text: 'done' },
            probe: () => (isDown ? DOWN : { kind: 'ok' }),
            gate: () => (isDown ? { kind: 'failure', failure: DOWN.failure } : undefined),
          }),
        ],
      });
    const one = await lives();
    const paused = await one.send('a');
    await turnIn(one.app, paused, ['waiting']);
    isDown = true;
    const other = await one.send('b');
    await turnIn(one.app, other, ['waiting']);
    await one.app.lifecycle.stop('stop');
    running.length = 0;
    const two = await lives();
    const state = async () =>
      (await two.app.holdfast.call('provider.status', { provider: 'fake' }, 'test')).providers[0];
    await expect.poll(async () => (await state())?.state).toBe('down');
    expect((await turnIn(two.app, paused, ['waiting'])).reason).toContain('The budget "daily"');
    isDown = false;
    await expect
      .poll(async () => {
        await two.clock.advance(60_000);
        return (await state())?.state;
      })
      .toBe('answering');
    expect((await turnIn(two.app, other, [...ENDED])).state).toBe('completed');
    expect((await turnIn(two.app, paused, ['waiting'])).reason).toContain('The budget "daily"');
    await two.clock.advance(12 * 3_600_000);
    expect((await turnIn(two.app, paused, [...ENDED])).state).toBe('completed');
    await expect.poll(two.inbox).not.toContain('The budget "daily" is spent');
  });

  it('BU-03 is counted once per answer over a restart', async () => {
    budgets({ daily: { scope: 'provider', per: 'month', usd: 0.03 } });
    const one = await start(2);
    await turnIn(one.app, await one.send('a'), [...ENDED]);
    await one.app.lifecycle.stop('stop');
    running.length = 0;
    const two = await start(2);
    expect(await two.list()).toMatchObject([{ key: 'fake', spentUsd: 0.02, state: 'open' }]);
    await turnIn(two.app, await two.send('b'), ['waiting']);
    expect(two.asked()).toBe(3);
  });

  describe('answers that were billed and cannot be used', () => {
    const broken = (used: (asked: number) => ProviderOutcome | undefined) => {
      let asked = 0;
      return createFakeProvider({
        dir: world.outside,
        script: () => ({ text: 'done' }),
        gate: () => used((asked += 1)),
      });
    };
    const bad: ProviderOutcome = {
      kind: 'failure',
      failure: {
        kind: 'malformed',
        message: 'It cannot be read.',
        hint: '',
        isRetryable: true,
        usage: { inputTokens: 10, outputTokens: 1, costUsd: 0.02 },
      },
    };
    const withRetries = (usd: number): void =>
      writeConfig(world, {
        budgets: { caps: { daily: { scope: 'all', per: 'day', usd } }, timezone: 'UTC' },
        retry: { server: { max_attempts: 9, first_wait: '2m', max_wait: '2m' } },
      });

    it('BU-03 are in the budget while the next try is still waited for, and once over a restart in that wait', async () => {
      withRetries(5);
      const one = await start(1, { providers: [broken(() => bad)] });
      await one.send('a');
      const spent = async (of: typeof one) => (await of.list())[0]?.spentUsd;
      await expect.poll(() => spent(one)).toBe(0.02);
      await one.clock.advance(120_000);
      await expect.poll(() => spent(one)).toBe(0.04);
      running.length = 0;
      let isStopped = false;
      const stopped = one.app.lifecycle.stop('stop').then(() => (isStopped = true));
      // It gives a running step its time on this clock, which is less than the next try is away; what it
      // writes meanwhile takes real time.
      while (!isStopped && one.clock.nowMs() < NOON + 220_000) {
        await Promise.race([stopped, new Promise((resolve) => setTimeout(resolve, 50))]);
        await one.clock.advance(1_000);
      }
      expect(isStopped).toBe(true);
      const { clock } = one;
      const two = await start(1, { providers: [broken(() => undefined)], clock });
      expect(await spent(two)).toBe(0.04);
      await clock.advance(240_000);
      await expect.poll(() => spent(two)).toBe(0.05);
      const { turns } = await two.app.holdfast.call('turns.list', { limit: 5 }, 'test');
      expect(turns).toMatchObject([{ state: 'completed', usage: { costUsd: 0.05 } }]);
    });

    it('BU-04 no try follows once they have used the budget up: the turn waits for it, and goes on when more is allowed', async () => {
      withRetries(0.05);
      const one = await start(1, { providers: [broken((asked) => (asked < 4 ? bad : undefined))] });
      const id = await one.send('a');
      for (let tries = 1; tries <= 3; tries += 1) {
        await expect.poll(one.asked).toBe(tries);
        await expect.poll(async () => (await one.list())[0]?.spentUsd).toBeCloseTo(tries * 0.02);
        await one.clock.advance(120_000);
      }
      expect((await turnIn(one.app, id, ['waiting'])).reason).toMatch(
        /^The budget "daily" is spent: \$0\.06 of \$0\.05 today/,
      );
      expect(one.asked()).toBe(3);
      await one.app.holdfast.call('budgets.allow', { name: 'daily', usd: 1 }, 'test');
      expect((await turnIn(one.app, id, [...ENDED])).state).toBe('completed');
      expect(one.asked()).toBe(4);
    });
  });

  it('BU-03 of an agent that reports no cost is refused when it is set, and nothing is changed; one that counts others is kept and marks it', async () => {
    writeConfig(world, {
      agents: {
        coder: { executor: 'command', command: 'codex', workspace: world.workspace },
        script: { executor: 'command', command: 'cat', workspace: world.workspace },
      },
    });
    const { app, list } = await start(1);
    const set = (value: Record<string, Record<string, string | number>>) =>
      app.holdfast.call('config.set', { key: 'budgets.caps', value }, 'test');
    for (const of of ['coder', 'script'])
      await expect(set({ it: { scope: 'agent', of, per: 'day', usd: 5 } })).rejects.toMatchObject({
        code: 'CONFIG_INVALID',
        message: `The budget "it" could not stop anything: "${of}" reports no cost.`,
      });
    expect(await list()).toEqual([]);
    await set({ all: { scope: 'all', per: 'day', usd: 5 } });
    expect((await list())[0]?.notEnforcedFor).toEqual(expect.arrayContaining(['coder', 'script']));
  });

  it('BU-04 50 turns at once at a budget of 10 steps ask 10 times', async () => {
    budgets({ daily: { scope: 'all', per: 'day', usd: 0.1 } });
    const { app, send, asked } = await start(1);
    const turns = await Promise.all(Array.from({ length: 50 }, (_, n) => send(`s${String(n)}`)));
    const states = await Promise.all(turns.map((id) => turnIn(app, id, ['waiting', ...ENDED])));
    const count = (state: string): number => states.filter((one) => one.state === state).length;
    expect([count('completed'), count('waiting'), asked()]).toEqual([10, 40, 10]);
  });

  it('BU-02 the item of a spent budget names it, so that a window can allow more; the turns go on', async () => {
    budgets({ daily: { scope: 'all', per: 'day', usd: 0.01 } });
    const { app, send } = await start(3);
    const turnId = await send('a');
    const item = async () =>
      (await app.holdfast.call('inbox.list', { includeSettled: false }, 'test')).items.find(
        ({ budget }) => budget !== undefined,
      );
    await expect.poll(async () => (await item())?.budget).toEqual({ name: 'daily', key: '' });
    await app.holdfast.call('budgets.allow', { name: 'daily', key: '', usd: 1 }, 'test');
    await turnIn(app, turnId, ['completed']);
    expect(await item()).toBeUndefined();
  });

  it('BU-05 usage is split by agent and by task, and the sums stay the same', async () => {
    const { app, send } = await start(2);
    await turnIn(app, await send('a'), ['completed']);
    const call = app.holdfast.call.bind(app.holdfast);
    const { id } = await call(
      'tasks.add',
      { prompt: 'work', schedule: 'every 1h', agent: 'fake' },
      'test',
    );
    const { turnId } = await call('tasks.run', { taskId: id }, 'test');
    await turnIn(app, turnId, ['completed']);
    const [whole] = (await call('usage.list', {}, 'test')).lines;
    expect(whole?.count).toBe(2);
    expect(whole).not.toHaveProperty('agent');
    const { lines } = await call('usage.list', { by: ['agent', 'task'] }, 'test');
    expect(lines.map(({ agent, taskId, count }) => [agent, taskId, count])).toEqual([
      ['fake', undefined, 1],
      ['fake', id, 1],
    ]);
    const accounts = (await call('usage.list', { by: ['account'] }, 'test')).lines;
    expect(accounts.map(({ account, count }) => [account, count])).toEqual([['fake', 2]]);
    const sum = lines.reduce((usd, line) => usd + (line.costUsd ?? 0), 0);
    expect(sum).toBeCloseTo(whole?.costUsd ?? -1, 6);
  });
});

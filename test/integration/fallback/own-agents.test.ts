/** Fallbacks of built-in agents: the whole engine, three providers, a virtual clock. */
import { afterEach, describe, expect, it } from 'vitest';
import { ENDED, turnIn } from '../../helpers/compose-world';
import type { Composition } from '../../../electron/compose/options';
import { createFallbackWorld, HOUR, MINUTE, send, type FallbackWorld } from './fallback-world';
import type { UsagePart } from '../../../shared/states';

let world: FallbackWorld;
afterEach(() => world.end());

const questions = async (app: Composition) =>
  (await app.holdfast.call('inbox.list', { includeSettled: false }, 'test')).items;
const show = async (app: Composition, turnId: number) =>
  app.holdfast.call('turns.show', { turnId }, 'test');

/** The first model is at its limit from the second request on. */
function limitAfterOne({ hooks, trouble }: FallbackWorld, limitMs = 3 * HOUR): void {
  hooks.onRequest = ({ messages }) => {
    if (messages.some(({ role }) => role === 'tool')) trouble.set('one', { limitMs });
  };
}

describe('a built-in agent whose model is at its limit', () => {
  it('FB-02 FB-03 FB-04 FB-06 mode auto: waits for fallback.after, goes on with the next model and everything done so far, makes no effect twice, and the next turn after the reset is with the first again', async () => {
    world = createFallbackWorld();
    const app = await world.start();
    limitAfterOne(world);
    const turnId = await send(app);
    const waiting = await turnIn(app, turnId, ['waiting']);
    expect(waiting.reason).toContain('usage limit');
    await world.clock.advance(2 * MINUTE - 1);
    expect(world.asked()).toEqual(['big', 'big']);
    await world.clock.advance(1);
    expect((await turnIn(app, turnId, [...ENDED])).state).toBe('completed');
    expect(world.asked()).toEqual(['big', 'big', 'small', 'small']);
    // The second model got the call of the first one with its result.
    expect(world.requests[2]?.messages).toEqual(world.requests[1]?.messages);
    expect(world.effects()).toHaveLength(2);
    const { turn, steps } = await show(app, turnId);
    expect(turn.fallbacks).toMatchObject([
      {
        provider: 'two',
        model: 'small',
        instead: { provider: 'one', model: 'big' },
        cause: 'limit',
        by: 'auto',
      },
    ]);
    expect(
      steps.flatMap(({ purity, state, answeredBy, usage }) =>
        purity === 'llm' ? [[state, answeredBy?.model, usage?.costUsd]] : [],
      ),
    ).toEqual([
      ['completed', 'big', 0.01],
      ['failed', 'big', undefined],
      ['completed', 'small', 0.01],
      ['completed', 'small', 0.01],
    ]);
    // A new turn in the same limit does not wait again.
    const second = await send(app, 'main', 'other');
    expect((await turnIn(app, second, [...ENDED])).state).toBe('completed');
    expect(world.asked().slice(4)).toEqual(['small', 'small', 'small']);
    world.hooks.onRequest = () => undefined;
    world.trouble.clear();
    await world.clock.advance(3 * HOUR);
    const third = await send(app, 'main', 's');
    await turnIn(app, third, [...ENDED]);
    expect(world.asked().slice(7)).toEqual(['big', 'big', 'big']);
    expect((await show(app, third)).turn).toMatchObject({
      backFrom: { provider: 'two', model: 'small' },
    });
  });

  it('FB-02 mode ask: one question for all waiting turns of the agent; agreed to on the command line, all continue, and later turns of the same limit do not ask again', async () => {
    world = createFallbackWorld({ fallback: { mode: 'ask', after: '1m' } });
    world.trouble.set('one', { limitMs: 3 * HOUR });
    const app = await world.start();
    const turns = [await send(app, 'main', 'a'), await send(app, 'main', 'b')];
    for (const id of turns) await turnIn(app, id, ['waiting']);
    await world.clock.advance(MINUTE);
    await expect
      .poll(async () => (await questions(app)).map(({ title }) => title))
      .toEqual(['Continue the turns of "main" with two/small?']);
    expect(world.asked()).not.toContain('small');
    const used = await app.holdfast.call('outage.fallback', { agent: 'main' }, 'cli');
    expect(used).toEqual({ turnIds: turns, to: 'two/small' });
    for (const id of turns) expect((await turnIn(app, id, [...ENDED])).state).toBe('completed');
    expect(await questions(app)).toEqual([]);
    await turnIn(app, await send(app, 'main', 'c'), [...ENDED]);
    expect(await questions(app)).toEqual([]);
    await expect(app.holdfast.call('outage.fallback', { agent: 'main' }, 'cli')).rejects.toThrow(
      /No turn of "main" waits/,
    );
  });

  it('FB-06 BU-05 usage names each model that answered a part of a turn, on the day of each part; the turn is counted once', async () => {
    world = createFallbackWorld();
    let app = await world.start();
    limitAfterOne(world);
    const turnId = await send(app);
    await turnIn(app, turnId, ['waiting']);
    await world.clock.advance(2 * MINUTE);
    await turnIn(app, turnId, [...ENDED]);
    const used = async (...by: UsagePart[]) =>
      (await app.holdfast.call('usage.list', { by, days: 7 }, 'test')).lines.map((line) => [
        line.provider,
        ...by.map((part) => line[part === 'task' ? 'taskId' : part]),
        line.count,
        line.inputTokens,
        line.outputTokens,
        line.costUsd,
      ]);
    const lines = [
      ['one', 0, 100, 10, 0.01],
      ['two', 1, 200, 20, 0.02],
    ];
    expect(await used()).toEqual(lines);
    expect(await used('agent', 'account')).toEqual([
      ['one', 'main', 'one', ...(lines[0]?.slice(1) ?? [])],
      ['two', 'main', 'two', ...(lines[1]?.slice(1) ?? [])],
    ]);
    // Three days later the turn's parts are still where they were used.
    await app.lifecycle.stop('stop');
    app = await world.start();
    await world.clock.advance(72 * HOUR);
    expect(await used()).toEqual(lines);
    expect((await app.holdfast.call('usage.list', { days: 2 }, 'test')).lines).toEqual([]);
  });

  it('FB-02 mode ask: dismissed, it keeps waiting and is not asked again; the question of a limit that is over closes', async () => {
    world = createFallbackWorld({ fallback: { mode: 'ask', after: '1m' } });
    world.trouble.set('one', { limitMs: HOUR });
    let app = await world.start();
    const turnId = await send(app);
    await turnIn(app, turnId, ['waiting']);
    await world.clock.advance(MINUTE);
    await expect.poll(async () => (await questions(app)).length).toBe(1);
    // A restart asks the same question, not another one.
    await app.lifecycle.stop('stop');
    app = await world.start();
    await world.clock.advance(MINUTE);
    const [question] = await questions(app);
    expect(await questions(app)).toHaveLength(1);
    await app.holdfast.call('inbox.dismiss', { inboxId: question?.id ?? 0 }, 'test');
    await world.clock.advance(10 * MINUTE);
    expect(await questions(app)).toEqual([]);
    world.trouble.clear();
    await world.clock.advance(HOUR);
    expect((await turnIn(app, turnId, [...ENDED])).state).toBe('completed');
    expect(world.asked()).not.toContain('small');
    world.trouble.set('one', { limitMs: HOUR });
    const next = await send(app, 'main', 'next');
    await turnIn(app, next, ['waiting']);
    await world.clock.advance(2 * MINUTE);
    await expect.poll(async () => (await questions(app)).length).toBe(1);
    world.trouble.clear();
    await world.clock.advance(HOUR);
    await turnIn(app, next, [...ENDED]);
    await expect.poll(async () => questions(app)).toEqual([]);
  });

  it('FB-01 FB-02 mode off, and an agent without fallbacks: they wait', async () => {
    world = createFallbackWorld({ fallback: { mode: 'off' } });
    world.trouble.set('one', { limitMs: HOUR });
    const app = await world.start();
    const turns = [await send(app, 'main', 'a'), await send(app, 'alone', 'b')];
    for (const id of turns) await turnIn(app, id, ['waiting']);
    await world.clock.advance(30 * MINUTE);
    expect(new Set(world.asked())).toEqual(new Set(['big']));
    expect(await questions(app)).toEqual([]);
  });

  it('FB-01 a fallback that is at its limit as well is passed over, within a turn never back', async () => {
    world = createFallbackWorld();
    world.trouble.set('one', { limitMs: HOUR });
    world.trouble.set('two', { limitMs: HOUR });
    const app = await world.start();
    const turnId = await send(app);
    await turnIn(app, turnId, ['waiting']);
    await world.clock.advance(2 * MINUTE);
    await expect.poll(() => world.asked()).toEqual(['big', 'small']);
    await turnIn(app, turnId, ['waiting']);
    await world.clock.advance(2 * MINUTE);
    await turnIn(app, turnId, [...ENDED]);
    expect(world.asked()).toEqual(['big', 'small', 'tiny', 'tiny', 'tiny']);
    expect(world.effects()).toHaveLength(2);
    const { turn } = await show(app, turnId);
    expect(turn.fallbacks?.map(({ model, cause, afterStep }) => [model, cause, afterStep])).toEqual(
      [
        ['small', 'limit', 1],
        ['tiny', 'limit', 2],
      ],
    );
  });

  it('BU-03 FB-06 each provider is charged for what it answered, also after a restart, for budgets that are new, and in the accounts', async () => {
    const cap = { scope: 'account', per: 'day', usd: 1 };
    const kind = 'anthropic';
    world = createFallbackWorld({
      providers: { one: { kind, account: 'A' }, two: { kind, account: 'B' } },
      budgets: { caps: { each: cap }, timezone: 'UTC' },
    });
    let app = await world.start();
    limitAfterOne(world);
    const turnId = await send(app);
    await turnIn(app, turnId, ['waiting']);
    await world.clock.advance(2 * MINUTE);
    expect((await turnIn(app, turnId, [...ENDED])).state).toBe('completed');
    const spent = async (name: string) =>
      (await app.holdfast.call('budgets.list', {}, 'test')).budgets
        .filter((one) => one.name === name)
        .map(({ key, spentUsd }) => [key, spentUsd]);
    const both = [
      ['A', 0.01],
      ['B', 0.02],
    ];
    expect(await spent('each')).toEqual(both);
    await app.lifecycle.stop('stop');
    app = await world.start();
    expect(await spent('each')).toEqual(both);
    const value = { each: cap, provider: { ...cap, scope: 'provider' } };
    await app.holdfast.call('config.set', { key: 'budgets.caps', value }, 'test');
    expect(await spent('each')).toEqual(both);
    expect(await spent('provider')).toEqual([
      ['one', 0.01],
      ['two', 0.02],
    ]);
    const { accounts } = await app.holdfast.call('budgets.accounts', {}, 'test');
    expect(accounts.map(({ account, spentUsd }) => [account, spentUsd])).toEqual(both);
  });

  it('FB-01 a declared outage is enough; failures before it are not', async () => {
    world = createFallbackWorld();
    world.trouble.set('one', { isDown: true });
    const app = await world.start();
    const turnId = await send(app);
    // Each wait between the failures begins when the one before has been counted.
    await expect
      .poll(async () => {
        await world.clock.advance(1_000);
        return (await app.holdfast.call('outage.queue', {}, 'test')).items.length;
      })
      .toBe(1);
    expect(world.asked()).not.toContain('small');
    await world.clock.advance(2 * MINUTE);
    expect((await turnIn(app, turnId, [...ENDED])).state).toBe('completed');
    expect(world.asked().slice(-3)).toEqual(['small', 'small', 'small']);
  });

  it.each([
    ['a bad request', { status: 400 }],
    ['a rejected key', { status: 401 }],
    ['a conversation that is too long', { status: 400, mend: 'too_long' as const }],
  ])('FB-01 %s is no reason for a fallback', async (_name, refusal) => {
    world = createFallbackWorld();
    world.trouble.set('one', { refusal });
    const app = await world.start();
    const turnId = await send(app);
    await turnIn(app, turnId, ['parked', 'waiting']);
    await world.clock.advance(30 * MINUTE);
    expect(new Set(world.asked())).toEqual(new Set(['big']));
  });
});

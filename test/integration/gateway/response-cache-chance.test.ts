/** Answers that may differ by chance are never one; those of one request of its client are. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { clientsOf, DIALECTS, good, wholeAnswer, type Dialect } from './gateway-clients';
import { startGatewayWorld, type GatewayWorld } from './gateway-world';

let world: GatewayWorld;
beforeEach(async () => {
  world = await startGatewayWorld();
});
afterEach(() => world.stop());
const { calls, post } = clientsOf(() => world);

const pathOf = (dialect: Dialect): string =>
  dialect === 'anthropic' ? '/v1/messages' : '/v1/chat/completions';

describe.each(DIALECTS)('S0-18 the response cache of the gateway over %s', (dialect) => {
  const body = { model: 'm', max_tokens: 9, messages: [{ role: 'user', content: 'roll a die' }] };
  const sampled = (): void => {
    let sample = 0;
    world.provider.setScript((request) => {
      const text = `sample-${String((sample += 1))}`;
      const isStream = (request.json as { stream?: boolean }).stream === true;
      return isStream ? good(text) : wholeAnswer(dialect, text);
    });
  };
  const samplesOf = async (
    more: object,
    headers: readonly Record<string, string>[],
    isAtOnce: boolean,
  ): Promise<number> => {
    sampled();
    const ask = async (one: Record<string, string>): Promise<string> =>
      /sample-\d/.exec(
        await (await post(pathOf(dialect), { ...body, ...more }, one)).text(),
      )?.[0] ?? 'none';
    const said: string[] = [];
    if (isAtOnce) said.push(...(await Promise.all(headers.map(ask))));
    else for (const one of headers) said.push(await ask(one));
    expect(said).not.toContain('none');
    expect(new Set(said).size).toBe(calls().length);
    return calls().length;
  };
  const three = (header: Record<string, string> = {}) => [header, header, header];

  describe.each([
    ['one after the other', false],
    ['at once', true],
  ])('asked three times %s', (_how, isAtOnce) => {
    it.each([
      ['without a temperature, which is 1 then', {}],
      ['at temperature 1', { temperature: 1 }],
      ['at temperature 0.01', { temperature: 0.01 }],
      ['at a temperature that is no number', { temperature: '0' }],
      ['at temperature null', { temperature: null }],
      ['at temperature 1 with a seed', { temperature: 1, seed: 7 }],
      ['as a stream at temperature 1', { temperature: 1, stream: true }],
    ])('%s has three samples', async (_what, more) => {
      expect(await samplesOf(more, three(), isAtOnce)).toBe(3);
    });

    it.each([
      ['temperature 0', { temperature: 0 }, {}],
      ['one id of its client', { temperature: 1 }, { 'idempotency-key': 'a' }],
      ['one id of its client, as a stream', { stream: true }, { 'x-idempotency-key': 'a' }],
    ])('at %s has one', async (_what, more, header) => {
      expect(await samplesOf(more, three(header), isAtOnce)).toBe(1);
    });

    it('with three ids has three, at temperature 0 as well', async () => {
      const ids = ['a', 'b', 'c'].map((id) => ({ 'idempotency-key': id }));
      expect(await samplesOf({ temperature: 0 }, ids, isAtOnce)).toBe(3);
    });

    it.each([
      ['temperature 0', { temperature: 0 }, {}],
      ['an id', {}, { 'idempotency-key': 'a' }],
    ])('with memo_window 0 has three, also with %s', async (_what, more, header) => {
      world.rules.memoMs = 0;
      expect(await samplesOf(more, three(header), isAtOnce)).toBe(3);
    });
  });

  it('one id is that of its client, also after a restart of the turns, and another request under it is another one', async () => {
    sampled();
    const id = { 'idempotency-key': 'a' };
    await (await post(pathOf(dialect), body, id)).text();
    world.rules.turns = [7];
    await (await post(pathOf(dialect), body, id)).text();
    expect(calls()).toHaveLength(1);
    await (await post(pathOf(dialect), { ...body, max_tokens: 8 }, id)).text();
    expect(calls()).toHaveLength(2);
    expect(world.uses.map(({ isRemembered }) => isRemembered)).toEqual([false, true, false]);
  });

  it('what is not remembered is counted and bounded by its budget like all the rest', async () => {
    sampled();
    world.rules.budgetUsd = 1;
    expect((await post(pathOf(dialect), { ...body, temperature: 1 })).status).toBe(200);
    expect(world.uses).toHaveLength(1);
    expect((await post(pathOf(dialect), { ...body, temperature: 1 })).status).toBe(
      (world.uses[0]?.costUsd ?? 0) >= 1 ? 402 : 200,
    );
  });
});

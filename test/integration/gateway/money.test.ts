/** What answers through the gateway cost, and what keeps an agent from paying twice. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { FakeReply } from '../../helpers/fake-provider-types';
import { clientsOf, DIALECTS, good, pause, prompt, wholeAnswer } from './gateway-clients';
import { startGatewayWorld, type GatewayWorld } from './gateway-world';

let world: GatewayWorld;
beforeEach(async () => {
  world = await startGatewayWorld();
});
afterEach(() => world.stop());

const { modelOf, ask, script, calls, post } = clientsOf(() => world);

/** The provider says this as soon as, and not before, it is let. */
function heldAnswer(reply: FakeReply): () => void {
  let answer = (): void => undefined;
  const isLet = new Promise<void>((resolve) => {
    answer = resolve;
  });
  world.provider.setScript(async () => {
    await isLet;
    return reply;
  });
  return answer;
}

describe.each(DIALECTS)('the gateway, to a client of %s,', (dialect) => {
  it.each<[string, FakeReply]>([
    ['reset in its middle', { fault: 'cut' }],
    ['ended before its end', { fault: 'eof' }],
    ['ended by an error', { fault: 'error_event' }],
    ['silent in its middle', { fault: 'stall_mid_stream' }],
  ])('S0-38 counts what was told of an answer that is %s, and marks it', async (_name, fault) => {
    script({ ...good('one two three four'), ...fault, chunkDelayMs: 5 });
    await ask(dialect).catch(() => undefined);
    await expect.poll(() => world.uses).toHaveLength(1);
    // Anthropic tells the input first; the others tell everything last.
    expect(world.uses[0]).toMatchObject({ isCut: true, isRemembered: false, client: 'default' });
    const isTold = dialect === 'anthropic' || fault.fault === 'error_event';
    expect([world.uses[0]?.inputTokens, world.uses[0]?.costUsd]).toEqual(
      isTold ? [10, 1] : [0, undefined],
    );
  });

  it('S0-38 counts an answer that its client left, as far as it was told', async () => {
    script({ ...good('one two three four five six'), chunkDelayMs: 30 });
    const abort = new AbortController();
    const left = ask(dialect, 'hi', abort.signal).catch(() => 'left');
    await world.provider.waitForRequests(1);
    await pause();
    abort.abort();
    await left;
    await expect.poll(() => world.uses.map(({ isCut }) => isCut)).toEqual([true]);
  });

  it('answers the same question of an agent that died again, unpaid, as it was streamed', async () => {
    script(good('first'), good('second'));
    const first = await ask(dialect, 'same');
    const again = await ask(dialect, 'same');
    expect(again).toEqual(first);
    expect(calls()).toHaveLength(1);
    expect(world.uses.map(({ isRemembered, costUsd }) => [isRemembered, costUsd])).toEqual([
      [false, 1],
      [true, 0],
    ]);
    expect((await ask(dialect, 'another')).text).toBe('second');
    world.rules.memoMs = 0;
    await ask(dialect, 'same');
    expect(calls()).toHaveLength(3);
  });

  it('asks once for clients that ask the same at once, and each hears the whole answer', async () => {
    const answer = heldAnswer({ ...good('one two three four'), chunkDelayMs: 5 });
    const said = [ask(dialect), ask(dialect)];
    await world.provider.waitForRequests(1);
    const late = ask(dialect);
    await pause();
    answer();
    for (const one of await Promise.all([...said, late]))
      expect(one).toEqual({ text: 'one two three four', finish: 'stop', errors: [] });
    expect(calls()).toHaveLength(1);
    await expect
      .poll(() => world.uses.map(({ isRemembered, costUsd }) => [isRemembered, costUsd]).sort())
      .toEqual([
        [false, 1],
        [true, 0],
        [true, 0],
      ]);
  });

  it('goes on for who still waits where the first of several clients leaves', async () => {
    const answer = heldAnswer(good('for the other'));
    const abort = new AbortController();
    const first = ask(dialect, 'hi', abort.signal).catch(() => 'left');
    await world.provider.waitForRequests(1);
    const second = ask(dialect);
    await expect.poll(() => world.logged.join()).toContain('gateway.shared');
    abort.abort();
    expect(await first).toBe('left');
    answer();
    expect(await second).toMatchObject({ text: 'for the other', finish: 'stop' });
    expect(calls()).toHaveLength(1);
  });

  it('S0-38 sends no held request either where the others have used the budget up', async () => {
    world.rules.budgetUsd = 1;
    world.rules.slots = 1;
    const goOn = heldAnswer(good('paid'));
    const first = ask(dialect, 'one');
    await world.provider.waitForRequests(1);
    const held = ask(dialect, 'two').catch((thrown: unknown) => thrown);
    await expect.poll(() => world.waiting()).toBe(1);
    goOn();
    expect((await first).text).toBe('paid');
    expect(JSON.stringify(await held)).toContain('gateway.budget_usd_per_day');
    expect(calls()).toHaveLength(1);
    expect(world.outcomes.map(({ kind }) => kind)).toEqual(['success']);
  });

  it('S0-38 4 requests at once, each of which may use up the rest of a budget of 3 dollars and takes 1: 3 go one after the other, the 4th is refused', async () => {
    world.rules.budgetUsd = 3;
    world.rules.isForOutage = false;
    let open = 0;
    let most = 0;
    world.provider.setScript(async () => {
      most = Math.max(most, (open += 1));
      await pause();
      open -= 1;
      return good('paid');
    });
    const said = await Promise.allSettled(
      ['one', 'two', 'three', 'four'].map((text) => ask(dialect, text)),
    );
    expect(
      said.filter((one) => one.status === 'fulfilled' && one.value.text === 'paid').length,
    ).toBe(3);
    expect(JSON.stringify(said)).toContain('gateway budget');
    expect([calls().length, most, world.waiting()]).toEqual([3, 1, 0]);
    expect(world.uses.map(({ costUsd }) => costUsd)).toEqual([1, 1, 1]);
  });

  it('S0-38 requests go side by side where the budget has room for all that they may cost', async () => {
    world.rules.budgetUsd = 1_000;
    const goOn = heldAnswer(good('paid'));
    const said = ['one', 'two', 'three', 'four'].map((text) => ask(dialect, text));
    await world.provider.waitForRequests(4);
    goOn();
    for (const one of await Promise.all(said)) expect(one.text).toBe('paid');
  });

  it('S0-38 an answer is counted as begun before its client hears of it, and its end says what had been counted', async () => {
    script({ ...good('one two three four'), chunkDelayMs: 20 });
    const said = ask(dialect);
    await expect.poll(() => world.begins).toHaveLength(1);
    expect(world.uses).toEqual([]);
    await said;
    // Anthropic tells the input first; the others tell everything last.
    const [begin] = world.begins;
    expect(begin).toMatchObject({ inputTokens: dialect === 'anthropic' ? 10 : 0 });
    expect(world.uses).toMatchObject([{ inputTokens: 10, begun: { use: begin } }]);
  });

  it('S0-38 an answer that comes whole is on record as asked for before its provider hears of it, and its end says what it took', async () => {
    const answer = heldAnswer(wholeAnswer(dialect, 'whole'));
    const said = modelOf(dialect).doGenerate({ prompt: prompt('hi') });
    await world.provider.waitForRequests(1);
    expect(world.begins).toMatchObject([{ isAsked: true, inputTokens: 0, outputTokens: 0 }]);
    expect(world.uses).toEqual([]);
    answer();
    await said;
    const [use] = world.begins;
    expect(world.uses).toMatchObject([{ inputTokens: 7, costUsd: 0.7, begun: { use } }]);
    expect(world.uses[0]?.isCut).toBeUndefined();
  });

  it.each<[string, FakeReply, Partial<Record<'refused' | 'unknown' | 'whole', number>>]>([
    ['is refused with 400', { status: 400 }, { refused: 1 }],
    ['is refused with 503 and comes then', { status: 503 }, { refused: 1, whole: 1 }],
    ['ends with its connection and comes then', { fault: 'reset' }, { unknown: 1, whole: 1 }],
    ['never comes and comes then', { fault: 'stall_first_byte' }, { unknown: 1, whole: 1 }],
  ])(
    'S0-38 a whole answer that %s counts at an unknown cost only where it may have been made',
    async (_how, reply, counted) => {
      script(reply, wholeAnswer(dialect, 'whole'));
      const body = { model: 'm', messages: [] };
      const place = dialect === 'anthropic' ? '/v1/messages' : '/v1/chat/completions';
      await (await post(place, body)).text();
      expect(world.begins.every(({ isAsked }) => isAsked)).toBe(true);
      const unknown = world.uses.filter(({ isCut }) => isCut);
      const whole = world.uses.filter(({ isCut }) => isCut === undefined);
      const refused = world.refused.length;
      expect({ refused, unknown: unknown.length, whole: whole.length }).toEqual({
        refused: 0,
        unknown: 0,
        whole: 0,
        ...counted,
      });
      for (const use of unknown)
        expect([use.inputTokens, use.outputTokens, use.costUsd]).toEqual([0, 0, undefined]);
    },
  );

  it('S0-38 a whole answer that its client no longer waits for counts as one whose cost is not known', async () => {
    heldAnswer(wholeAnswer(dialect, 'whole'));
    const abort = new AbortController();
    const left = Promise.resolve(
      modelOf(dialect).doGenerate({ prompt: prompt('hi'), abortSignal: abort.signal }),
    ).catch(() => 'left');
    await world.provider.waitForRequests(1);
    abort.abort();
    expect(await left).toBe('left');
    await expect.poll(() => world.uses).toMatchObject([{ isCut: true, inputTokens: 0 }]);
    expect(world.uses[0]?.costUsd).toBeUndefined();
  });

  it('S0-38 stops at the budget of the day and says which', async () => {
    world.rules.budgetUsd = 1;
    script(good('paid'));
    await ask(dialect, 'one');
    const error: unknown = await ask(dialect, 'two').catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ statusCode: 402 });
    expect(String(error)).toContain('gateway.budget_usd_per_day');
    expect(calls()).toHaveLength(1);
    // What is remembered costs nothing.
    expect((await ask(dialect, 'one')).text).toBe('paid');
  });
});

it('asks for counts where the client has not, and keeps them to itself', async () => {
  script(good('counted'));
  const answer = await post('/v1/chat/completions', { model: 'm', messages: [], stream: true });
  const text = await answer.text();
  expect(calls()[0]?.json).toMatchObject({ stream_options: { include_usage: true } });
  expect(text).not.toContain('prompt_tokens');
  expect(text).toContain('[DONE]');
  expect(world.uses).toMatchObject([{ provider: 'open', inputTokens: 10, outputTokens: 5 }]);
});

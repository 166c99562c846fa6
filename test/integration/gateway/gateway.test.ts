/** The gateway over real HTTP: real client libraries on one side, a scripted provider on the other. */
import fs from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { FakeReply } from '../../helpers/fake-provider-types';
import { rawRequest, requestText } from '../../helpers/raw-http';
import {
  clientsOf,
  DIALECTS,
  good,
  heardOf,
  pause,
  prompt,
  wholeAnswer,
  type Dialect,
} from './gateway-clients';
import { KEY, startGatewayWorld, type GatewayWorld } from './gateway-world';

let world: GatewayWorld;
beforeEach(async () => {
  world = await startGatewayWorld();
});
afterEach(() => world.stop());

const { modelOf, ask, script, calls, post } = clientsOf(() => world);

describe.each(DIALECTS)('the gateway, to a client of %s', (dialect) => {
  it('S0-18 passes a stream on, with the key of Holdfast and without the token of the client', async () => {
    script(good('three little words'));
    expect(await ask(dialect)).toEqual({ text: 'three little words', finish: 'stop', errors: [] });
    const [call] = calls();
    const sent = call?.headers ?? {};
    expect(dialect === 'anthropic' ? sent['x-api-key'] : sent['authorization']).toContain(KEY);
    expect(JSON.stringify(call)).not.toContain(world.token);
    expect(world.outcomes.map(({ kind, source }) => [kind, source])).toEqual([
      ['success', 'gateway'],
    ]);
  });

  it('passes an answer on that comes whole', async () => {
    script(wholeAnswer(dialect, 'whole'));
    const { content } = await modelOf(dialect).doGenerate({ prompt: prompt('hi') });
    expect(content).toMatchObject([{ type: 'text', text: 'whole' }]);
    expect(world.uses).toMatchObject([{ inputTokens: 7, outputTokens: 3, costUsd: 0.7 }]);
  });

  it.each<[string, FakeReply]>([
    ['500', { status: 500 }],
    ['503', { status: 503 }],
    ['429', { status: 429 }],
    ['429 with Retry-After', { status: 429, headers: { 'retry-after': '0' } }],
    ['a reset connection', { fault: 'reset' }],
    ['headers that never come', { fault: 'stall_first_byte' }],
    ['an error as the first event', { fault: 'error_event', text: [] }],
  ])('S2-25 S2-26 asks again after %s, and the client sees one whole answer', async (_, fault) => {
    script(fault, good('at last'));
    expect(await ask(dialect)).toMatchObject({ text: 'at last', finish: 'stop' });
    expect(calls()).toHaveLength(2);
    // An absorbed failure is no contact (R1).
    expect(world.outcomes.map(({ kind }) => kind)).toEqual(['success']);
  });

  it('S0-18 holds the request through an outage with comments, and answers when it is over', async () => {
    let isUp = false;
    world.provider.setScript(() => (isUp ? good('back') : { status: 503 }));
    const held = ask(dialect);
    await expect.poll(() => world.waiting()).toBe(1);
    // Two chains without an answer open it; held requests look again when told to.
    await expect
      .poll(() => {
        world.changed();
        return world.breakers.find(nameOf(dialect))?.view().state;
      })
      .not.toBe('closed');
    isUp = true;
    // What moves the breaker by itself in Holdfast: its next trial is due.
    await expect
      .poll(async () => {
        world.changed();
        return Promise.race([held.then(({ text }) => text), pause()]);
      })
      .toBe('back');
    expect(await held).toMatchObject({ text: 'back', finish: 'stop', errors: [] });
    expect(world.waiting()).toBe(0);
    expect(world.outcomes.at(-1)?.kind).toBe('success');
  });

  it('S0-18 sends nothing while an outage is declared', async () => {
    world.rules.isDown = true;
    script(good('back'));
    const held = ask(dialect);
    await expect.poll(() => world.waiting()).toBe(1);
    expect(calls()).toHaveLength(0);
    world.rules.isDown = false;
    await expect
      .poll(async () => {
        world.changed();
        return Promise.race([held.then(({ text }) => text), pause()]);
      })
      .toBe('back');
  });

  it('S0-+07 keeps the time that its provider names, for everybody, and asks at once when it is called off', async () => {
    world.rules.maxWaitMs = 7_200_000;
    script({ status: 429, headers: { 'retry-after': '3600' } }, good('back'));
    const held = ask(dialect, 'one');
    await expect.poll(() => world.waiting()).toBe(1);
    expect(world.rules.untilMs).toBeGreaterThan(Date.now() + 3_500_000);
    const next = ask(dialect, 'two');
    await expect.poll(() => world.waiting()).toBe(2);
    world.changed();
    await pause();
    expect(calls()).toHaveLength(1);
    world.rules.untilMs = undefined;
    world.changed();
    expect([(await held).text, (await next).text]).toEqual(['back', 'back']);
  });

  it.each(['isForTime', 'isForOutage'] as const)(
    'R9 holds nothing for a named time with %s off: the client reads what the provider said',
    async (name) => {
      world.rules[name] = false;
      script({ status: 429, headers: { 'retry-after': '3600' }, error: { message: 'too fast' } });
      const error: unknown = await ask(dialect).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({
        statusCode: 429,
        message: 'too fast',
        responseHeaders: { 'retry-after': '3600' },
      });
      expect(calls()).toHaveLength(1);
    },
  );

  it('R9 S0-+07 says when to ask again to who comes before a named time and is not held for it', async () => {
    world.rules.untilMs = Date.now() + 3_600_000;
    world.rules.isForTime = false;
    const error: unknown = await ask(dialect).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      statusCode: 503,
      responseHeaders: { 'retry-after': expect.stringMatching(/^3(600|599)$/) as string },
    });
    expect(calls()).toHaveLength(0);
  });

  it('R9 holds nothing while the provider is down with resilience.auto_wait off', async () => {
    world.rules.isDown = true;
    world.rules.isForOutage = false;
    const error: unknown = await ask(dialect).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ statusCode: 503 });
    expect(String(error)).toMatch(/is down\. Automatic waiting is off/);
    expect(calls()).toHaveLength(0);
  });

  it('R3 lets one request go while its provider recovers, and the next when that has ended', async () => {
    world.rules.slots = 1;
    const goOn: (() => void)[] = [];
    world.provider.setScript(async () => {
      await new Promise<void>((resolve) => goOn.push(resolve));
      return good('one by one');
    });
    const said = ['one', 'two', 'three'].map(async (text) => ask(dialect, text));
    await expect.poll(() => world.waiting()).toBe(2);
    for (const count of [1, 2, 3]) {
      await world.provider.waitForRequests(count);
      world.changed();
      await pause();
      expect(calls()).toHaveLength(count);
      goOn.shift()?.();
    }
    for (const one of await Promise.all(said)) expect(one.text).toBe('one by one');
  });

  it('gives up after resilience.max_wait and says so in the words of the dialect', async () => {
    world.rules.maxWaitMs = 150;
    world.rules.isDown = true;
    const outcome = await ask(dialect).catch((error: unknown) => error);
    expect(JSON.stringify(outcome)).toMatch(/did not come back|No answer within/);
    expect(calls()).toHaveLength(0);
  });

  it('ends with its client: nobody is asked for an answer that nobody reads', async () => {
    world.rules.isDown = true;
    const abort = new AbortController();
    const held = ask(dialect, 'hi', abort.signal).catch((error: unknown) => String(error));
    await expect.poll(() => world.waiting()).toBe(1);
    abort.abort();
    await held;
    await expect.poll(() => world.waiting()).toBe(0);
    world.rules.isDown = false;
    world.changed();
    expect(calls()).toHaveLength(0);
  });

  it.each([400, 404, 422])(
    'R4 passes %i on as it came: the client reads why, nothing is repeated',
    async (status) => {
      script({ status, error: { message: 'prompt is too long: 300000 tokens' } });
      const error: unknown = await ask(dialect).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({
        statusCode: status,
        message: 'prompt is too long: 300000 tokens',
      });
      expect(calls()).toHaveLength(1);
      expect(world.outcomes.map(({ kind }) => kind)).toEqual(['config']);
    },
  );

  it('R2 passes a refused key on without the key that the provider quotes', async () => {
    script({ status: 401, error: { message: `Incorrect API key provided: ${KEY}` } });
    const error: unknown = await ask(dialect).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ statusCode: 401 });
    expect(JSON.stringify(error)).not.toContain(KEY);
  });

  it('S0-15 a stream that breaks off is a failed contact, and the client sees it cut', async () => {
    script({ text: ['one ', 'two ', 'three '], fault: 'cut', chunkDelayMs: 5 });
    const said = await ask(dialect);
    expect(JSON.stringify(said.errors)).toContain('Holdfast: ');
    expect(said.finish).not.toBe('stop');
    await expect.poll(() => world.outcomes.map(({ kind }) => kind)).toEqual(['failure']);
    expect(calls()).toHaveLength(1);
  });

  it('S0-18 keeps a client that wants the whole answer with spaces while it is held', async () => {
    world.rules.isDown = true;
    script(wholeAnswer(dialect, 'back'));
    const held = modelOf(dialect).doGenerate({ prompt: prompt('hi') });
    await expect.poll(() => world.waiting()).toBe(1);
    await pause();
    world.rules.isDown = false;
    await expect
      .poll(async () => {
        world.changed();
        return Promise.race([held.then(({ content }) => content), pause()]);
      })
      .toMatchObject([{ type: 'text', text: 'back' }]);
  });

  it.each([
    ['the provider then refuses it', 400, 'prompt is too long'],
    ['nothing came within resilience.max_wait', 503, 'did not come back|No answer within'],
  ])(
    'S0-18 a held client that wants the whole answer throws where %s, with the words and unpaid',
    async (_, status, words) => {
      script({ status: 400, error: { message: 'prompt is too long' } });
      world.rules.isDown = true;
      if (status === 503) world.rules.maxWaitMs = 150;
      let isSaid = false;
      const held = Promise.resolve(modelOf(dialect).doGenerate({ prompt: prompt('hi') }))
        .catch((error: unknown) => error)
        .finally(() => {
          isSaid = true;
        });
      await expect.poll(() => world.waiting()).toBe(1);
      await pause();
      if (status === 400) world.rules.isDown = false;
      await expect
        .poll(() => {
          world.changed();
          return isSaid;
        })
        .toBe(true);
      const error = await held;
      // A library that repeats by itself must not: it has waited already.
      expect(error).toMatchObject({ isRetryable: false });
      const { responseBody } = error as { responseBody: string };
      expect(responseBody.trim()).toMatch(
        new RegExp(`^Holdfast: .*(${words}).* \\(status ${String(status)}\\)$`),
      );
      expect(world.uses).toEqual([]);
    },
  );
});

describe('the gateway', () => {
  it('R2 logs neither bodies nor keys nor its token', async () => {
    script({ status: 500 }, good('secret answer'), { status: 400, error: { message: KEY } });
    await ask('openai-compatible', 'secret question');
    await ask('anthropic', 'secret question').catch(() => undefined);
    const text = world.logged.join('\n');
    expect(text).toContain('gateway.answer');
    for (const secret of [KEY, world.token, 'secret question', 'secret answer'])
      expect(text).not.toContain(secret);
  });

  it('H4 answers nobody without its token, which stays and which only this user can read', async () => {
    expect(fs.statSync(world.tokenPath).mode & 0o777).toBe(0o600);
    const body = { model: 'm', messages: [], stream: false };
    for (const authorization of [
      '',
      'Bearer x',
      `Bearer ${world.token}x`,
      `Basic ${world.token}`,
    ]) {
      const answer = await post('/v1/chat/completions', body, { authorization });
      expect(answer.status).toBe(401);
      expect(answer.headers.get('cache-control')).toBe('no-store');
      expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    }
    expect(calls()).toHaveLength(0);
  });

  it.each([
    ['an answer', good('hello'), 'open'],
    ['a refusal', { status: 400, error: { message: 'no' } }, null],
  ])(
    'names who has answered by itself, whatever a provider claims: %s',
    async (_what, reply, by) => {
      script({
        ...reply,
        headers: { 'x-holdfast-model': 'better', 'x-holdfast-instead-of': 'another' },
      });
      const answer = await post('/p/open/v1/chat/completions', { model: 'm', messages: [] });
      const names = ['provider', 'model', 'instead-of'];
      expect(names.map((name) => answer.headers.get(`x-holdfast-${name}`))).toEqual([
        by,
        null,
        null,
      ]);
      await answer.text();
    },
  );

  it('takes token and provider from the path, for agents that are given nothing but an address', async () => {
    script(good('by path'));
    const answer = await fetch(
      `http://127.0.0.1:${String(world.port)}/t/${world.token}/p/claude/v1/messages?beta=true`,
      {
        method: 'POST',
        headers: { 'anthropic-beta': 'tools-2026' },
        body: JSON.stringify({ model: 'm', messages: [], stream: true }),
      },
    );
    expect(await answer.text()).toContain('by ');
    expect(calls()[0]).toMatchObject({
      path: expect.stringMatching(/\/messages\?beta=true$/) as string,
      headers: { 'anthropic-beta': 'tools-2026', 'anthropic-version': '2023-06-01' },
    });
  });

  it('chooses the first provider of the dialect where the path names none', async () => {
    script(good('x'));
    const body = { model: 'm', messages: [], stream: true };
    expect((await post('/v1/chat/completions', body)).status).toBe(200);
    expect((await post('/v1/messages', body)).status).toBe(200);
    expect(calls().map(({ dialect }) => dialect)).toEqual(['openai-compatible', 'anthropic']);
    expect((await post('/p/claude/v1/chat/completions', body)).status).toBe(404);
    expect((await post('/p/nobody/v1/messages', body)).status).toBe(404);
  });

  it('passes models and the count of tokens through, without counting or remembering them', async () => {
    const models = await fetch(`http://127.0.0.1:${String(world.port)}/v1/models`, {
      headers: { authorization: `Bearer ${world.token}` },
    });
    expect({ status: models.status, body: await models.json() }).toEqual({
      status: 200,
      body: { data: [] },
    });
    const body = { model: 'm', messages: [] };
    expect((await post('/v1/messages/count_tokens', body)).status).toBe(200);
    expect((await post('/v1/messages/count_tokens', body)).status).toBe(200);
    expect(world.provider.requests).toHaveLength(3);
    expect(world.uses).toEqual([]);
  });

  it('has nothing else: other paths are 404, a wrong method 405', async () => {
    const get = (path: string) =>
      fetch(`http://127.0.0.1:${String(world.port)}${path}`, {
        headers: { authorization: `Bearer ${world.token}` },
      });
    expect((await get('/v1/files')).status).toBe(404);
    expect((await get('/v1/models/../../x')).status).toBe(404);
    expect((await get('/v1/chat/completions')).status).toBe(405);
    expect((await post('/v1/models', {})).status).toBe(405);
    expect(world.provider.requests).toHaveLength(0);
  });

  it.each([
    ['no JSON', 'nonsense', 400],
    ['a list', '[]', 400],
  ])('refuses a body that is %s', async (_, body, status) => {
    expect((await post('/v1/messages', body)).status).toBe(status);
    expect(calls()).toHaveLength(0);
  });

  it('H6 T6 refuses a body of more than 100,000 values before it is read', async () => {
    const answer = await post('/v1/messages', `{"messages":[${'0,'.repeat(100_000)}0]}`);
    expect(answer.status).toBe(413);
    expect(calls()).toHaveLength(0);
  });

  it('H6 refuses a body above 20 MB before it has come', async () => {
    const answer = await rawRequest(
      world.port,
      requestText('POST', '/v1/messages', [
        ['Host', `127.0.0.1:${String(world.port)}`],
        ['x-api-key', world.token],
        ['Content-Length', String(21 * 1024 * 1024)],
      ]),
    );
    expect(answer.status).toBe(413);
  });

  it.each([
    ['a foreign host', [['Host', 'evil.example']] as const],
    ['a web page', [['Origin', 'https://evil.example']] as const],
    ['a page of the same origin', [['Sec-Fetch-Site', 'same-origin']] as const],
  ])('H1 H3 refuses %s also with the token', async (_, headers) => {
    const own = [['Host', `127.0.0.1:${String(world.port)}`]] as const;
    const answer = await rawRequest(
      world.port,
      requestText(
        'POST',
        '/v1/messages',
        [
          ...(headers[0][0] === 'Host' ? [] : own),
          ...headers,
          ['x-api-key', world.token],
          ['Content-Length', '2'],
        ],
        '{}',
      ),
    );
    expect(answer.status).toBe(403);
    expect(calls()).toHaveLength(0);
  });

  it.each([
    ['a stream', true, /^event: error\ndata: .*The gateway is stopping/m, true],
    ['a whole answer', false, /Holdfast: The gateway is stopping.* \(status 503\)$/, false],
  ])(
    'S0-18 a stop tells who waits for %s that there is none: what came looks like no answer',
    async (_, stream, words, isBroken) => {
      world.rules.isDown = true;
      const answer = await post('/v1/messages', { model: 'm', messages: [], stream });
      const heard = heardOf(answer);
      await world.stopGateway();
      expect(await heard).toEqual({ text: expect.stringMatching(words) as string, isBroken });
    },
  );

  it('S0-18 a waiting stream hears comments, so that nobody in between gives it up', async () => {
    world.rules.isDown = true;
    const answer = await post('/v1/messages', { model: 'm', messages: [], stream: true });
    const reader = answer.body?.getReader();
    const first = await reader?.read();
    expect(Buffer.from(first?.value ?? []).toString()).toContain(': waiting\n\n');
    expect(answer.headers.get('content-type')).toMatch(/^text\/event-stream/);
    await reader?.cancel();
  });
});

const nameOf = (dialect: Dialect): string =>
  dialect === 'anthropic' ? 'provider.claude' : 'provider.open';

/** Answers that are whole and not of the form that was asked for: each is paid for once. */
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { FakeReply } from '../../helpers/fake-provider-types';
import {
  clientsOf,
  DIALECTS,
  good,
  heardOf,
  prompt,
  wholeAnswer,
  type Dialect,
} from './gateway-clients';
import { startGatewayWorld, type GatewayWorld } from './gateway-world';

let world: GatewayWorld;
beforeEach(async () => {
  world = await startGatewayWorld();
});
afterEach(() => world.stop());
const { modelOf, ask, script, calls, post } = clientsOf(() => world);

const pathOf = (dialect: Dialect): string =>
  dialect === 'anthropic' ? '/v1/messages' : '/v1/chat/completions';
const asText = (reply: FakeReply, type: string): FakeReply => ({
  body: JSON.stringify(reply.body),
  headers: { 'content-type': type },
});
const stream = (events: readonly unknown[], type = 'text/event-stream'): FakeReply => ({
  body: events
    .map((event) => `data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`)
    .join(''),
  headers: { 'content-type': type },
});
const count = () => [
  calls().length + world.provider.requests.filter(({ path }) => path.includes('/responses')).length,
  world.outcomes.map(({ kind }) => kind),
];
const once = [1, ['success']];

describe.each(DIALECTS)('the gateway over %s pays once for', (dialect) => {
  const whole = wholeAnswer(dialect, 'whole');

  it('an answer that comes whole where a stream was asked for: the client reads its stream', async () => {
    script(whole, good('paid twice'));
    expect(await ask(dialect)).toEqual({ text: 'whole', finish: 'stop', errors: [] });
    expect(count()).toEqual(once);
    expect(world.uses).toMatchObject([{ inputTokens: 7, outputTokens: 3 }]);
  });

  it('an answer that comes as a stream where a whole one was asked for: the client reads it whole', async () => {
    world.provider.setScript(() => ({
      ...good('one two'),
      reasoning: 'thought',
      toolCalls: [{ name: 'look', args: { at: 'x' }, id: 'call_1' }],
    }));
    const { content, finishReason, usage } = await modelOf(dialect).doGenerate({
      prompt: prompt('hi'),
    });
    expect(content).toMatchObject([
      { type: 'reasoning', text: 'thought' },
      { type: 'text', text: 'one two' },
      { type: 'tool-call', toolName: 'look', input: JSON.stringify({ at: 'x' }) },
    ]);
    expect(finishReason.unified).toBe('tool-calls');
    expect(usage.outputTokens.total).toBe(5);
    expect(count()).toEqual(once);
  });

  it.each<[string, FakeReply]>([
    ['under another type', asText(whole, 'text/plain')],
    ['under the type of a stream', asText(whole, 'text/event-stream')],
    [
      'with something behind it',
      {
        ...asText(whole, 'application/json'),
        body: `${JSON.stringify(whole.body)}\n---\nrequest 42`,
      },
    ],
    [
      'behind a byte order mark',
      { ...asText(whole, 'application/json'), body: `\uFEFF${JSON.stringify(whole.body)}` },
    ],
    ['with status 202', { ...whole, status: 202 }],
  ])('a whole answer %s, to a stream and to a document', async (_how, reply) => {
    script(reply);
    expect((await ask(dialect, 'stream')).text).toBe('whole');
    const { content } = await modelOf(dialect).doGenerate({ prompt: prompt('document') });
    expect(content).toMatchObject([{ type: 'text', text: 'whole' }]);
    expect(calls()).toHaveLength(2);
  });

  it('a stream under another type', async () => {
    script({ ...good('one two'), headers: { 'content-type': 'text/plain' } });
    expect(await ask(dialect)).toMatchObject({ text: 'one two', finish: 'stop' });
    expect(count()).toEqual(once);
  });

  it.each<[string, object]>([
    [
      'an answer without a word',
      dialect === 'anthropic'
        ? { content: [] }
        : {
            choices: [
              { index: 0, message: { role: 'assistant', content: '' }, finish_reason: 'stop' },
            ],
          },
    ],
    [
      'an answer of null',
      dialect === 'anthropic'
        ? { content: [], stop_reason: 'refusal' }
        : {
            choices: [
              { index: 0, message: { role: 'assistant', content: null }, finish_reason: 'stop' },
            ],
          },
    ],
    [
      'a refusal',
      dialect === 'anthropic'
        ? { content: [{ type: 'text', text: '' }], stop_reason: 'refusal' }
        : {
            choices: [
              {
                index: 0,
                message: { role: 'assistant', content: null, refusal: 'no' },
                finish_reason: 'stop',
              },
            ],
          },
    ],
    ['counts alone', {}],
    [
      'an answer in the form of another service',
      { candidates: [{ content: { parts: [{ text: 'x' }] } }] },
    ],
  ])('%s, whole or as a stream', async (_what, part) => {
    const usage =
      dialect === 'anthropic'
        ? { input_tokens: 7, output_tokens: 1 }
        : { prompt_tokens: 7, completion_tokens: 1 };
    const body = {
      id: 'm',
      type: 'message',
      role: 'assistant',
      model: 'm-1',
      stop_reason: 'end_turn',
      ...part,
      usage,
    };
    script({ body });
    const request = { model: 'm', messages: [], max_tokens: 1 };
    const document = await post(pathOf(dialect), request);
    expect(await document.json()).toMatchObject(part);
    expect((await post(pathOf(dialect), { ...request, stream: true })).status).toBe(200);
    expect(calls()).toHaveLength(2);
    expect(world.outcomes.map(({ kind }) => kind)).toEqual(['success', 'success']);
  });
});

describe('the gateway over chat pays once for', () => {
  const body = { model: 'm', messages: [], stream: true };
  const chunk = (delta: object, finish: string | null = null) => ({
    id: 'c',
    choices: [{ index: 0, delta, finish_reason: finish }],
  });
  it.each<[string, readonly unknown[]]>([
    ['a stream of nothing but its finish', [chunk({}, 'stop'), '[DONE]']],
    ['a stream that never says its finish', [chunk({ role: 'assistant', content: 'x' }), '[DONE]']],
    ['a stream of a role alone', [chunk({ role: 'assistant', content: '' }), '[DONE]']],
    ['a stream that never says that it is done', [chunk({ content: 'x' }), chunk({}, 'stop')]],
    [
      'a stream of counts alone',
      [{ choices: [], usage: { prompt_tokens: 7, completion_tokens: 0 } }, '[DONE]'],
    ],
    ['a stream of a refusal', [chunk({ refusal: 'no' }), chunk({}, 'stop'), '[DONE]']],
    [
      'a stream of thoughts alone',
      [chunk({ reasoning_content: 'hm' }), chunk({}, 'stop'), '[DONE]'],
    ],
  ])('%s', async (_what, events) => {
    script(stream(events));
    const answer = await post('/v1/chat/completions', body);
    expect(answer.status).toBe(200);
    await answer.text();
    expect(count()).toEqual(once);
    expect(world.uses).toHaveLength(1);
  });

  it('a stream for a client that waits for the whole: calls of one index and two ids are two, and an index of any size costs nothing', async () => {
    const call = (index: number, id: string | undefined, args: string) =>
      chunk({
        tool_calls: [
          {
            index,
            ...(id === undefined ? {} : { id, type: 'function' }),
            function: { ...(id === undefined ? {} : { name: 'look' }), arguments: args },
          },
        ],
      });
    script(
      stream([
        call(0, 'a', '{"n"'),
        call(0, undefined, ':1}'),
        call(0, 'b', '{}'),
        call(4_294_967_290, 'c', '[]'),
        { id: 'c', choices: [{ index: 4_000_000_000, delta: { content: 'far' } }] },
        chunk({}, 'tool_calls'),
        '[DONE]',
      ]),
    );
    const answer = await post('/v1/chat/completions', { ...body, stream: false });
    const toolCall = (id: string, args: string) => ({
      id,
      type: 'function',
      function: { name: 'look', arguments: args },
    });
    expect(await answer.json()).toMatchObject({
      choices: [
        {
          index: 0,
          message: {
            tool_calls: [toolCall('a', '{"n":1}'), toolCall('b', '{}'), toolCall('c', '[]')],
          },
          finish_reason: 'tool_calls',
        },
        { index: 1, message: { content: 'far' } },
      ],
    });
  });

  it('a whole answer, and passes it on byte by byte', async () => {
    const exact =
      '{ "id":"m", "choices":[{"message":{"content":"x"}}], "n":12345678901234567890, "r":1.0 }';
    script({ body: `${exact}\n`, headers: { 'content-type': 'application/json' } });
    const answer = await post('/v1/chat/completions', { ...body, stream: false });
    expect(await answer.text()).toBe(exact);
  });

  it('a compressed answer that does not say so', async () => {
    const { createServer } = await import('node:http');
    let asked = 0;
    const server = createServer((_request, response) => {
      asked += 1;
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(gzipSync(JSON.stringify(wholeAnswer('openai-compatible', 'whole').body)));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    world.rules.openUrl = `http://127.0.0.1:${String((server.address() as { port: number }).port)}`;
    const answer = await post('/v1/chat/completions', { model: 'm', messages: [] });
    expect(await answer.json()).toMatchObject({ choices: [{ message: { content: 'whole' } }] });
    expect(asked).toBe(1);
    await new Promise((resolve) => server.close(resolve));
  });
});

describe('the gateway over Responses', () => {
  const response = (more: object) => ({
    id: 'resp_1',
    object: 'response',
    status: 'completed',
    output: [],
    error: null,
    ...more,
  });
  const message = {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    status: 'completed',
    content: [{ type: 'output_text', text: 'whole', annotations: [] }],
  };
  /** What the provider says to one path after the other; the last for all that follow. */
  const answer = (...bodies: readonly FakeReply[]): void => {
    let next = 0;
    world.provider.answerOthers(() => bodies[Math.min(next++, bodies.length - 1)] ?? {});
  };
  const asked = () =>
    world.provider.requests.map(({ method, path }) => `${method} ${path.replace(/^.*\/v1/, '')}`);
  const respond = (more: object = {}) =>
    post('/p/open/v1/responses', { model: 'm', input: 'hi', ...more });

  it('takes an empty output for an answer, whole and as a stream', async () => {
    answer({ body: response({}) });
    expect(await (await respond()).json()).toMatchObject({ status: 'completed', output: [] });
    answer(
      stream([
        { type: 'response.created', response: response({ status: 'in_progress' }) },
        { type: 'response.completed', response: response({}) },
      ]),
    );
    expect(await (await respond({ stream: true })).text()).toContain('response.completed');
    answer(stream([{ type: 'response.completed', response: response({}) }]));
    expect(await (await respond({ stream: true, input: 'again' })).text()).toContain(
      'response.completed',
    );
    expect(asked()).toEqual(['POST /responses', 'POST /responses', 'POST /responses']);
    expect(world.outcomes.map(({ kind }) => kind)).toEqual(['success', 'success', 'success']);
  });

  it('makes a stream of a whole answer, and a whole answer of a stream', async () => {
    answer({ body: response({ output: [message] }) });
    const text = await (await respond({ stream: true })).text();
    const types = [...text.matchAll(/^event: (.*)$/gm)].map(([, type]) => type);
    expect(types).toEqual([
      'response.created',
      'response.in_progress',
      'response.output_item.added',
      'response.content_part.added',
      'response.output_text.delta',
      'response.output_text.done',
      'response.content_part.done',
      'response.output_item.done',
      'response.completed',
    ]);
    answer({ body: text, headers: { 'content-type': 'text/event-stream' } });
    expect(await (await respond({ input: 'whole' })).json()).toEqual(
      response({ output: [message] }),
    );
    expect(asked()).toHaveLength(2);
  });

  it('passes a response in the background through at once, and polls by its id; it is counted when it is done', async () => {
    const queued = response({ id: 'resp_bg', status: 'queued', usage: null });
    const usage = { input_tokens: 7, output_tokens: 3 };
    answer(
      { body: queued },
      { body: { ...queued, status: 'in_progress' } },
      { body: response({ id: 'resp_bg', output: [message], usage }) },
    );
    const begun = await respond({ background: true });
    expect(await begun.json()).toEqual(queued);
    expect([world.begins.length, world.uses.length]).toEqual([1, 0]);
    const poll = async (path: string, method = 'GET') =>
      (
        await fetch(`${world.baseUrl('open')}/responses/${path}`, {
          method,
          headers: { authorization: `Bearer ${world.token}` },
        })
      ).json();
    expect(await poll('resp_bg')).toMatchObject({ status: 'in_progress' });
    expect(await poll('resp_bg')).toMatchObject({ status: 'completed' });
    expect(await poll('resp_bg?include=x')).toMatchObject({ status: 'completed' });
    expect(await poll('resp_bg/cancel', 'POST')).toMatchObject({ id: 'resp_bg' });
    expect(asked()).toEqual([
      'POST /responses',
      'GET /responses/resp_bg',
      'GET /responses/resp_bg',
      'GET /responses/resp_bg?include=x',
      'POST /responses/resp_bg/cancel',
    ]);
    expect(world.uses).toMatchObject([
      { inputTokens: 7, outputTokens: 3, begun: { use: world.begins[0] } },
    ]);
  });

  it('creates a streamed response in the background once, though its stream breaks off: its client has the id', async () => {
    const queued = response({ id: 'resp_bg', status: 'queued', background: true });
    const silent = stream([{ type: 'response.created', response: queued }]);
    answer(silent, stream([{ type: 'response.completed' }]));
    const { text } = await heardOf(await respond({ background: true, stream: true }));
    expect(text).toContain('"id":"resp_bg"');
    expect(asked()).toEqual(['POST /responses']);
  });

  it('counts a response in the background that its client follows as a stream', async () => {
    const usage = { input_tokens: 7, output_tokens: 3 };
    const done = response({ id: 'resp_bg', output: [message], usage });
    answer(
      { body: response({ id: 'resp_bg', status: 'queued' }) },
      stream([{ type: 'response.completed', response: done }]),
    );
    await (await respond({ background: true })).json();
    const followed = await fetch(`${world.baseUrl('open')}/responses/resp_bg?stream=true`, {
      headers: { authorization: `Bearer ${world.token}` },
    });
    expect(await followed.text()).toContain('response.completed');
    expect(world.uses).toMatchObject([{ inputTokens: 7, outputTokens: 3 }]);
  });

  it('asks again for what failed before it was made', async () => {
    answer(
      { body: response({ status: 'failed', error: { code: 'server_error', message: 'x' } }) },
      { body: response({ output: [message] }) },
    );
    expect(await (await respond()).json()).toMatchObject({ status: 'completed' });
    expect(asked()).toHaveLength(2);
  });
});

describe('the counts that the gateway asks for', () => {
  const body = { model: 'm', messages: [], stream: true };
  const refuses =
    (reply: FakeReply) =>
    (request: { json: unknown }): FakeReply =>
      (request.json as { stream_options?: unknown }).stream_options === undefined
        ? good('x')
        : reply;

  it.each<[string, FakeReply]>([
    ['by its name', { status: 400, error: { message: "Unknown parameter: 'stream_options'." } }],
    [
      'as an extra field',
      {
        status: 422,
        body: {
          detail: [{ loc: ['body', 'stream_options'], msg: 'Extra inputs are not permitted' }],
        },
      },
    ],
    [
      'with words of its own',
      { status: 400, error: { message: 'unrecognized request argument supplied' } },
    ],
    ['without a word', { status: 400, body: '' }],
    [
      'as trouble of its own',
      { status: 500, error: { message: 'include_usage is not supported' } },
    ],
  ])(
    'are left away for a server that refuses them %s: once more without, and from then on',
    async (_how, reply) => {
      world.provider.setScript(refuses(reply));
      expect((await post('/v1/chat/completions', body)).status).toBe(200);
      expect((await post('/v1/chat/completions', { ...body, model: 'n' })).status).toBe(200);
      const sent = calls().map(({ json }) => (json as { stream_options?: unknown }).stream_options);
      expect(sent).toEqual([{ include_usage: true }, undefined, undefined]);
      expect(world.outcomes.map(({ kind }) => kind)).toEqual(['success', 'success']);
    },
  );

  it('are no reason to ask again where the client asked for them, or something else is wrong', async () => {
    script({ status: 400, error: { message: "Unknown parameter: 'stream_options'." } });
    const own = { ...body, stream_options: { include_usage: true } };
    expect((await post('/v1/chat/completions', own)).status).toBe(400);
    script({ status: 400, error: { message: 'messages: at least one message is required' } });
    expect((await post('/v1/chat/completions', body)).status).toBe(400);
    expect(calls()).toHaveLength(2);
  });

  it('give the second refusal to the client where it is not about them', async () => {
    script({ status: 400, body: '' }, { status: 400, error: { message: 'no such tool' } });
    const answer = await post('/v1/chat/completions', body);
    expect([answer.status, await answer.text()]).toEqual([
      400,
      expect.stringContaining('no such tool'),
    ]);
    expect(calls()).toHaveLength(2);
  });
});

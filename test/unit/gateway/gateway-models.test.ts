import { describe, expect, it } from 'vitest';
import { createAnswerReader, isAnswer } from '../../../electron/adapters/gateway/answer-reader';
import { createEventReader } from '../../../electron/adapters/gateway/event-stream';
import { turnsOfClient } from '../../../electron/engine/gateway/turns-of-client';
import { cacheKey, planPrune, whoseAnswer } from '../../../electron/adapters/gateway/cache-rules';
import { readRoute } from '../../../electron/adapters/gateway/routes';
import { errorBody, errorEvent } from '../../../electron/adapters/gateway/wire-errors';
import { PAUSE_MS, planHold } from '../../../electron/engine/gateway/plan-hold';

describe('routes of the gateway', () => {
  it.each([
    ['POST', '/v1/chat/completions', 'openai-compatible', 'chat/completions', undefined, undefined],
    ['POST', '/p/a.b/v1/responses', 'openai-compatible', 'responses', 'a.b', undefined],
    ['POST', '/t/abc/p/x/v1/messages', 'anthropic', 'messages', 'x', 'abc'],
    [
      'POST',
      '/t/abc/v1/messages/count_tokens',
      'anthropic',
      'messages/count_tokens',
      undefined,
      'abc',
    ],
    ['POST', '/p/x/messages', 'anthropic', 'messages', 'x', undefined],
    ['GET', '/v1/models', 'openai-compatible', 'models', undefined, undefined],
    [
      'GET',
      '/v1/models/meta/llama:70b',
      'openai-compatible',
      'models/meta/llama:70b',
      undefined,
      undefined,
    ],
  ])('%s %s is %s %s', (method, path, dialect, upstreamPath, provider, token) => {
    expect(readRoute(method, path, false)).toMatchObject({
      kind: 'route',
      endpoint: { dialect, upstreamPath },
      provider,
      token,
    });
  });

  it('models are those of Anthropic where the client speaks so', () => {
    expect(readRoute('GET', '/v1/models', true)).toMatchObject({
      endpoint: { dialect: 'anthropic' },
    });
  });

  it.each([
    '/',
    '/v1',
    '/v1/',
    '/v1/files',
    '/v1/models/..',
    '/v1/__proto__',
    '/p//v1/messages',
    '/v1/constructor',
  ])('there is nothing at %s', (path) => {
    expect(readRoute('POST', path, false)).toMatchObject({ kind: 'none', status: 404 });
  });
});

describe('the response cache of the gateway', () => {
  const place = { provider: 'p', path: 'messages', beta: '', turns: [] };
  it('two sendings of one request are one, whatever clients change in between', () => {
    const body = { model: 'm', messages: [{ a: 1, b: 2 }] };
    const again = {
      messages: [{ b: 2, a: 1 }],
      model: 'm',
      metadata: { user_id: 'other' },
      prompt_cache_key: 'k',
      client_metadata: {},
    };
    expect(cacheKey(place, again)).toBe(cacheKey(place, body));
  });

  it.each([
    ['another model', place, { model: 'n' }],
    ['another provider', { ...place, provider: 'q' }, { model: 'm' }],
    ['another endpoint', { ...place, path: 'messages?beta=true' }, { model: 'm' }],
    ['another beta', { ...place, beta: 'x' }, { model: 'm' }],
    ['a turn where there was none', { ...place, turns: [12] }, { model: 'm' }],
    ['a stream instead of a whole answer', place, { model: 'm', stream: true }],
  ])('%s is another request', (_, where, body) => {
    expect(cacheKey(where, body)).not.toBe(cacheKey(place, { model: 'm' }));
  });

  const asked = { client: 'c', retryId: '', turns: [3] };
  it.each([
    ['temperature 0 is that of its turns', asked, { temperature: 0 }, { turns: [3] }],
    ['no temperature is its own', asked, {}, undefined],
    ['temperature 0.01 is its own', asked, { temperature: 0.01 }, undefined],
    ['a temperature in quotes is its own', asked, { temperature: '0' }, undefined],
    ['work in the background is its own', asked, { temperature: 0, background: true }, undefined],
    [
      'an id is that of its client, at any temperature, in any turn',
      { ...asked, retryId: 'r' },
      { temperature: 1, background: true },
      { client: 'c', retryId: 'r' },
    ],
  ])('a request with %s', (_, one, body, whose) => {
    expect(whoseAnswer(one, body)).toEqual(whose);
  });

  const running = [
    { id: 12, agent: 'claude' },
    { id: 7, agent: 'codex' },
    { id: 9, agent: 'claude' },
  ];
  it.each([
    ['claude', running, [9, 12]],
    ['gemini', running, []],
    ['default', running, [7, 9, 12]],
    ['default', [], []],
  ])('a request of %s may belong to %j: %j', (client, turns, expected) => {
    const agents = new Set(['claude', 'codex', 'gemini']);
    expect(turnsOfClient(client, turns, (name) => agents.has(name))).toEqual(expected);
  });

  const kept = (...answers: readonly (readonly [atMs: number, bytes: number])[]) =>
    new Map(answers.map(([atMs, bytes], index) => [String(index), { atMs, bytes }]));
  const MB = 1024 * 1024;

  it.each([
    ['an answer for its window', kept([0, 1]), 999, { gone: [], againInMs: 1 }],
    ['and not a moment longer', kept([0, 1], [500, 1]), 1_000, { gone: ['0'], againInMs: 500 }],
    [
      'none of a clock that was put back',
      kept([9_000, 1]),
      0,
      { gone: ['0'], againInMs: undefined },
    ],
    ['nothing, and looks at nothing then', kept(), 0, { gone: [], againInMs: undefined }],
  ])('keeps %s', (_, answers, nowMs, plan) => {
    expect(planPrune(answers, { nowMs, windowMs: 1_000 })).toEqual(plan);
  });

  it('keeps at most 500 answers and 64 MB; the oldest go first', () => {
    const now = { nowMs: 900, windowMs: 1_000 };
    const many = kept(...Array.from({ length: 502 }, (_, index) => [index, 1] as const));
    expect(planPrune(many, now)).toEqual({ gone: ['0', '1'], againInMs: 102 });
    const large = kept(...Array.from({ length: 17 }, (_, index) => [100 - index, 4 * MB] as const));
    expect(planPrune(large, now).gone).toEqual(['16']);
  });
});

describe('streams', () => {
  const read = (text: string, size: number) => {
    const reader = createEventReader();
    const bytes = Buffer.from(text);
    const events = [];
    for (let at = 0; at < bytes.length; at += size)
      events.push(...reader.add(bytes.subarray(at, at + size)));
    return { events, rest: reader.rest().toString() };
  };

  it.each([1, 2, 3, 7, 1_000])('are the same events in pieces of %i bytes', (size) => {
    const text =
      'data: {"a":"ä€"}\n\n: hello\n\nevent: x\r\ndata: {"b":1}\r\n\r\ndata: [DONE]\n\nrest';
    const { events, rest } = read(text, size);
    expect(events.map(({ json, isDone }) => [json, isDone])).toEqual([
      [{ a: 'ä€' }, false],
      [undefined, false],
      [{ b: 1 }, false],
      [undefined, true],
    ]);
    expect(`${events.map(({ raw }) => raw.toString()).join('')}${rest}`).toBe(text);
    expect(rest).toBe('rest');
  });

  const follow = (kind: 'chat' | 'messages' | 'responses', events: readonly unknown[]) => {
    const answer = createAnswerReader(kind, { hidesCounts: true });
    const meanings = events.map((json) =>
      answer.read({
        raw: Buffer.alloc(0),
        json: json === 'done' ? undefined : (json as Record<string, unknown>),
        isDone: json === 'done',
        isUnreadable: false,
      }),
    );
    return { meanings, hasEnded: answer.hasEnded(), tokens: answer.tokens() };
  };

  it('S0-15 an answer is whole with its last event and not before', () => {
    const delta = { choices: [{ delta: { content: 'x' }, finish_reason: null }] };
    expect(follow('chat', [delta]).hasEnded).toBe(false);
    expect(follow('chat', [delta, 'done']).hasEnded).toBe(true);
    expect(follow('messages', [{ type: 'content_block_delta' }]).hasEnded).toBe(false);
    expect(follow('messages', [{ type: 'message_stop' }]).hasEnded).toBe(true);
    expect(follow('responses', [{ type: 'response.output_text.delta' }]).hasEnded).toBe(false);
    expect(follow('responses', [{ type: 'response.completed', response: {} }]).hasEnded).toBe(true);
  });

  it('S0-38 counts what each dialect says, cached input included', () => {
    expect(
      follow('messages', [
        {
          type: 'message_start',
          message: {
            usage: { input_tokens: 5, cache_read_input_tokens: 90, cache_creation_input_tokens: 5 },
          },
        },
        { type: 'message_delta', usage: { output_tokens: 7 } },
        { type: 'message_stop' },
      ]).tokens,
    ).toEqual({ input: 100, output: 7, cacheRead: 90, cacheWrite: 5 });
    expect(
      follow('responses', [
        { type: 'response.completed', response: { usage: { input_tokens: 3, output_tokens: 4 } } },
      ]).tokens,
    ).toEqual({ input: 3, output: 4 });
    const counts = {
      choices: [],
      usage: {
        prompt_tokens: 8,
        completion_tokens: 9,
        prompt_tokens_details: { cached_tokens: 6 },
      },
    };
    expect(follow('chat', [counts])).toMatchObject({
      meanings: ['counts_only'],
      tokens: { input: 8, output: 9, cacheRead: 6 },
    });
    expect(
      follow('responses', [
        {
          type: 'response.completed',
          response: {
            usage: {
              input_tokens: 3,
              output_tokens: 4,
              input_tokens_details: { cached_tokens: 2 },
            },
          },
        },
      ]).tokens,
    ).toEqual({ input: 3, output: 4, cacheRead: 2 });
  });

  it('what comes before the first word is no part of the answer yet', () => {
    expect(
      follow('chat', [
        { choices: [{ delta: { role: 'assistant', content: '' }, finish_reason: null }] },
        { choices: [{ delta: { tool_calls: [{ index: 0 }] }, finish_reason: null }] },
        { error: { message: 'overloaded' } },
      ]).meanings,
    ).toEqual(['opening', 'part', 'error']);
    expect(
      follow('messages', [
        { type: 'message_start', message: {} },
        { type: 'ping' },
        { type: 'content_block_start' },
        { type: 'content_block_delta' },
        { type: 'error', error: {} },
      ]).meanings,
    ).toEqual(['opening', 'opening', 'opening', 'part', 'error']);
  });

  it('S0-15 an end with nothing before it is no answer, whatever was said of it before', () => {
    expect(follow('chat', [{}, { id: 'x', choices: [] }, 'done']).meanings).toEqual([
      'opening',
      'opening',
      'empty',
    ]);
    const start = { type: 'message_start', message: {} };
    expect(follow('messages', [start, {}, { type: 'message_stop' }]).meanings).toEqual([
      'opening',
      'opening',
      'empty',
    ]);
    // A model that has nothing to say says that.
    const delta = { type: 'message_delta', delta: { stop_reason: 'end_turn' } };
    expect(follow('messages', [start, delta, { type: 'message_stop' }]).meanings.at(-1)).toBe(
      'end',
    );
    // What has counted tokens was made and paid for.
    const counted = { type: 'message_start', message: { usage: { input_tokens: 7 } } };
    expect(follow('messages', [counted, { type: 'message_stop' }]).meanings.at(-1)).toBe('end');
    const role = { choices: [{ delta: { role: 'assistant' } }] };
    expect(follow('chat', [role, 'done']).meanings.at(-1)).toBe('end');
    const completed = (output: unknown) => [{ type: 'response.completed', response: { output } }];
    expect(follow('responses', completed([])).meanings).toEqual(['end']);
    expect(follow('responses', completed([{ type: 'message' }])).meanings).toEqual(['end']);
  });

  it.each([
    ['chat', {}, false],
    ['chat', { choices: [] }, false],
    ['chat', { choices: [{}] }, false],
    ['chat', { choices: [null] }, false],
    ['chat', { choices: [{ message: { content: null } }] }, true],
    ['messages', {}, false],
    ['messages', { content: 'text' }, false],
    ['messages', { content: [] }, true],
    ['responses', {}, false],
    ['responses', { output: [] }, true],
    ['responses', { output: [{ type: 'message' }] }, true],
    ['responses', { object: 'response', status: 'queued' }, true],
    ['chat', { message: { content: 'as Ollama says it' }, done: true }, true],
    ['chat', { candidates: [{ content: {} }] }, true],
    ['plain', {}, true],
  ] as const)('S0-15 a whole answer of %s: %j is one: %s', (kind, document, isOne) => {
    expect(isAnswer(kind, document)).toBe(isOne);
  });

  it('an error has the form of its dialect, in a stream as well', () => {
    const error = { status: 503, code: 'provider_down', message: 'It is down.' };
    expect(JSON.parse(errorBody('anthropic', error))).toEqual({
      type: 'error',
      error: { type: 'overloaded_error', message: 'Holdfast: It is down.' },
    });
    expect(JSON.parse(errorBody('openai-compatible', error))).toMatchObject({
      error: { type: 'overloaded_error', code: 'provider_down' },
    });
    expect(errorEvent('anthropic', error)).toMatch(/^event: error\ndata: \{.*\}\n\n$/);
    expect(errorEvent('openai-compatible', error)).toMatch(/^data: \{.*\}\n\n$/);
  });
});

describe('a held request', () => {
  const hour = 3_600_000;
  const facts = {
    nowMs: 0,
    beganMs: 0,
    maxWaitMs: hour,
    notBeforeMs: undefined,
    isBlocked: false,
    fallbackAtMs: undefined,
    random: 0,
  };
  it.each([
    ['waits for a change as long as it may', { isBlocked: true }, hour],
    [
      'also for a time that was named: it may be called off',
      { isBlocked: true, notBeforeMs: 5_000 },
      hour,
    ],
    ['pauses from half of 15 s', {}, PAUSE_MS / 2],
    ['to 15 s after a try of its own that failed', { random: 0.999_999 }, PAUSE_MS],
    ['never longer than to the cap', { nowMs: hour - 1_000 }, 1_000],
    [
      'until another provider may answer (FB-05)',
      { isBlocked: true, notBeforeMs: hour + 1, fallbackAtMs: 7_000 },
      7_000,
    ],
  ] as const)('S0-18 S2-24 %s', (_, more, forMs) => {
    expect(planHold({ ...facts, ...more })).toEqual({
      kind: 'wait',
      forMs,
      isForChange: 'isBlocked' in more,
    });
  });

  it('S0-18 gives up at the cap, and at once where the provider names a time beyond it', () => {
    expect(planHold({ ...facts, nowMs: hour })).toEqual({
      kind: 'give_up',
      reason: 'No answer within 60 min.',
    });
    const late = { ...facts, notBeforeMs: hour + 1 };
    expect(planHold(late).kind).toBe('give_up');
    expect(planHold({ ...late, fallbackAtMs: hour + 1 }).kind).toBe('give_up');
  });
});

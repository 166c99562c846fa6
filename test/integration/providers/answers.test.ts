import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Message } from '../../../electron/ports/provider';
import { startFakeProvider } from '../../helpers/fake-provider';
import type { FakeProvider } from '../../helpers/fake-provider';
import { answerOf, ask, CANARY, DIALECTS, failureOf, READ_FILE, rigFor } from './provider-harness';

let fake: FakeProvider;
beforeAll(async () => {
  fake = await startFakeProvider();
});
afterEach(() => {
  fake.setScript([]);
});
afterAll(() => fake.stop());

describe.each(DIALECTS)('answers over %s', (dialect) => {
  it('S0-33 streams the text in pieces and returns it whole with its usage', async () => {
    fake.setScript([
      { text: ['Hello ', 'brave ', 'world'], usage: { inputTokens: 12, outputTokens: 3 } },
    ]);
    const seen: string[] = [];
    const answer = answerOf(
      await rigFor(fake, dialect).call(ask('hi'), { onText: (delta) => seen.push(delta) }),
    );
    expect(seen).toEqual(['Hello ', 'brave ', 'world']);
    expect(answer).toEqual({
      parts: [{ kind: 'text', text: 'Hello brave world' }],
      finish: 'stop',
      usage: { inputTokens: 12, outputTokens: 3 },
    });
  });

  it('S4-10 counts cost from the prices per million tokens', async () => {
    fake.setScript([{ usage: { inputTokens: 1_000_000, outputTokens: 500_000 } }]);
    const settings = { price_input_per_million_usd: 3, price_output_per_million_usd: 15 };
    const answer = answerOf(await rigFor(fake, dialect, { settings }).call(ask('hi')));
    expect(answer.usage.costUsd).toBeCloseTo(10.5, 10);
  });

  it('S4-10 names no cost where one of the two prices is missing', async () => {
    fake.setScript([{}]);
    const settings = { price_input_per_million_usd: 3 };
    const answer = answerOf(await rigFor(fake, dialect, { settings }).call(ask('hi')));
    expect(answer.usage).not.toHaveProperty('costUsd');
  });

  it('S4-09 reads two tool calls whose arguments come in pieces', async () => {
    fake.setScript([
      {
        text: 'I look.',
        toolCalls: [
          { name: 'read_file', args: { path: 'a "quoted" ü.txt' }, id: 'one' },
          { name: 'read_file', args: { path: 'b', deep: { list: [1, 2.5, null] } }, id: 'two' },
        ],
      },
    ]);
    const answer = answerOf(await rigFor(fake, dialect).call(ask('hi', { tools: [READ_FILE] })));
    expect(answer.finish).toBe('tool_calls');
    expect(answer.parts).toEqual([
      { kind: 'text', text: 'I look.' },
      { kind: 'tool_call', callId: 'one', tool: 'read_file', args: { path: 'a "quoted" ü.txt' } },
      {
        kind: 'tool_call',
        callId: 'two',
        tool: 'read_file',
        args: { path: 'b', deep: { list: [1, 2.5, null] } },
      },
    ]);
  });

  it('S4-09 gives a call without an id the same id in every run, unlike earlier ones', async () => {
    const request = ask('hi', {
      tools: [READ_FILE],
      messages: [
        { role: 'user', text: 'hi' },
        {
          role: 'assistant',
          parts: [{ kind: 'tool_call', callId: 'call_1_0', tool: 'read_file', args: {} }],
        },
        { role: 'tool', callId: 'call_1_0', tool: 'read_file', content: 'x', isError: false },
      ],
    });
    const reply = {
      toolCalls: [
        { name: 'read_file', id: null },
        { name: 'read_file', id: null },
      ],
    };
    fake.setScript([reply, reply]);
    const rig = rigFor(fake, dialect);
    const first = answerOf(await rig.call(request));
    expect(answerOf(await rig.call(request))).toEqual(first);
    const ids = first.parts.map((part) => (part.kind === 'tool_call' ? part.callId : ''));
    expect(ids).toEqual(['call_3_0', 'call_3_1']);
  });

  it('S4-09 keeps ids apart where the provider uses the same one in every answer', async () => {
    const request = ask('hi', {
      tools: [READ_FILE],
      messages: [
        { role: 'user', text: 'hi' },
        {
          role: 'assistant',
          parts: [{ kind: 'tool_call', callId: 'call_0', tool: 'read_file', args: {} }],
        },
        { role: 'tool', callId: 'call_0', tool: 'read_file', content: 'x', isError: false },
      ],
    });
    fake.setScript([{ toolCalls: [{ name: 'read_file', id: 'call_0' }] }]);
    const { parts } = answerOf(await rigFor(fake, dialect).call(request));
    expect(parts).toEqual([
      { kind: 'tool_call', callId: 'call_0_3_0', tool: 'read_file', args: {} },
    ]);
  });

  it('S4-09 runs complete calls although the provider said stop', async () => {
    fake.setScript([{ toolCalls: [{ name: 'read_file' }], finish: 'stop' }]);
    expect(answerOf(await rigFor(fake, dialect).call(ask('hi'))).finish).toBe('tool_calls');
  });

  it.each(['length', 'content_filter'] as const)('S0-15 passes finish %s on', async (finish) => {
    fake.setScript([{ text: 'some', finish }]);
    const answer = answerOf(await rigFor(fake, dialect).call(ask('hi')));
    expect(answer.finish).toBe(finish);
    expect(answer.parts).toEqual([{ kind: 'text', text: 'some' }]);
  });

  it('S4-20 offers no call of an answer that was blocked', async () => {
    fake.setScript([
      { text: 'some', toolCalls: [{ name: 'read_file' }], finish: 'content_filter' },
    ]);
    const answer = answerOf(await rigFor(fake, dialect).call(ask('hi')));
    expect(answer).toMatchObject({ finish: 'content_filter', parts: [{ kind: 'text' }] });
    expect(answer.parts).toHaveLength(1);
  });

  it('S0-33 sends prompt, system, tools and results as they are, with emoji, NUL and 1 MB', async () => {
    const text = `start 👩‍🚀 \u0000 ${'x'.repeat(1_000_000)} end`;
    const messages: Message[] = [
      { role: 'user', text },
      {
        role: 'assistant',
        parts: [
          { kind: 'text', text: 'one moment' },
          { kind: 'tool_call', callId: 'c1', tool: 'read_file', args: { path: 'ä' } },
          { kind: 'tool_call', callId: 'c2', tool: 'read_file', args: { path: 'b' } },
        ],
      },
      { role: 'tool', callId: 'c1', tool: 'read_file', content: 'inhalt', isError: false },
      { role: 'tool', callId: 'c2', tool: 'read_file', content: 'no such file', isError: true },
      { role: 'user', text: 'and now?' },
    ];
    fake.setScript([{}]);
    answerOf(await rigFor(fake, dialect).call(ask('', { messages, tools: [READ_FILE] })));
    const sent = fake.calls().at(-1);
    const strings: string[] = [];
    JSON.stringify(sent?.json, (_key, value: unknown) => {
      if (typeof value === 'string') strings.push(value);
      return value;
    });
    for (const expected of [
      text,
      'You help.',
      'one moment',
      'inhalt',
      'no such file',
      'and now?',
    ]) {
      expect(strings.includes(expected), expected.slice(0, 40)).toBe(true);
    }
    expect(sent?.body.includes('"required":["path"]')).toBe(true);
    expect(sent?.headers['user-agent']).toBe('holdfast/0.1.0-test');
  });

  it('S0-15 answers a tool call without arguments with an empty object', async () => {
    fake.setScript([{ toolCalls: [{ name: 'read_file', rawArgs: '' }] }]);
    const { parts } = answerOf(await rigFor(fake, dialect).call(ask('hi')));
    expect(parts).toMatchObject([{ kind: 'tool_call', args: {} }]);
  });

  it.each([
    ['unreadable arguments', '{"path": "a'],
    ['arguments of 5,000 levels', `${'{"path":'.repeat(5_000)}1${'}'.repeat(5_000)}`],
  ])('S0-15 calls %s malformed and says which tool', async (_what, rawArgs) => {
    fake.setScript([{ toolCalls: [{ name: 'read_file', rawArgs }] }]);
    const failure = failureOf(await rigFor(fake, dialect).call(ask('hi')));
    expect(failure).toMatchObject({ kind: 'malformed', isRetryable: true });
    expect(failure.message).toContain('read_file');
  });

  it('S0-15 does not try again what the length limit cut inside a call', async () => {
    fake.setScript([
      { toolCalls: [{ name: 'read_file', rawArgs: '{"path": "a' }], finish: 'length' },
    ]);
    const failure = failureOf(await rigFor(fake, dialect).call(ask('hi')));
    expect(failure).toMatchObject({ kind: 'malformed', isRetryable: false });
  });
});

describe('what only one dialect has', () => {
  it('S0-33 asks Anthropic for 8192 tokens at most, or for what the request says', async () => {
    fake.setScript([{}, {}]);
    const rig = rigFor(fake, 'anthropic');
    await rig.call(ask('hi'));
    expect(fake.calls().at(-1)?.json).toMatchObject({ max_tokens: 8192 });
    await rig.call(ask('hi', { maxOutputTokens: 77 }));
    expect(fake.calls().at(-1)?.json).toMatchObject({ max_tokens: 77 });
  });

  it.each([
    ['openai-compatible', 'authorization', `Bearer ${CANARY}`],
    ['anthropic', 'x-api-key', CANARY],
    ['google', 'x-goog-api-key', CANARY],
  ] as const)(
    'K1 %s sends the key in %s and not in the address',
    async (dialect, header, value) => {
      fake.setScript([{}]);
      answerOf(await rigFor(fake, dialect).call(ask('hi')));
      expect(fake.calls().at(-1)?.headers[header]).toBe(value);
      expect(fake.calls().at(-1)?.path).not.toContain(CANARY);
    },
  );

  it.each(DIALECTS)(
    'K1 %s on this computer does without a key, and takes none from the environment',
    async (dialect) => {
      const names = ['ANTHROPIC_API_KEY', 'GOOGLE_GENERATIVE_AI_API_KEY', 'OPENAI_API_KEY'];
      const before = names.map((name) => process.env[name]);
      for (const name of names) process.env[name] = CANARY;
      try {
        fake.setScript([{}]);
        answerOf(await rigFor(fake, dialect, { key: undefined }).call(ask('hi')));
        expect(JSON.stringify(fake.calls().at(-1)?.headers)).not.toContain(CANARY);
      } finally {
        names.forEach((name, index) => {
          const old = before[index];
          if (old === undefined) delete process.env[name];
          else process.env[name] = old;
        });
      }
    },
  );
});

describe('S4-10 reasoning goes back unchanged where the dialect wants it', () => {
  const loop = async (dialect: (typeof DIALECTS)[number], signature?: string): Promise<unknown> => {
    const signed = signature === undefined ? {} : { signature };
    fake.setScript([
      {
        text: 'I look.',
        reasoning: 'The person wants a file.',
        ...signed,
        toolCalls: [
          { name: 'read_file', args: { path: 'a' }, id: 'one', signature: 'call-signature' },
        ],
      },
      {},
    ]);
    const rig = rigFor(fake, dialect);
    const first = answerOf(await rig.call(ask('hi', { tools: [READ_FILE] })));
    const messages: Message[] = [
      { role: 'user', text: 'hi' },
      // Through JSON, as the journal keeps it.
      { role: 'assistant', parts: JSON.parse(JSON.stringify(first.parts)) as typeof first.parts },
      { role: 'tool', callId: 'one', tool: 'read_file', content: 'x', isError: false },
    ];
    answerOf(await rig.call(ask('', { messages, tools: [READ_FILE] })));
    return fake.calls().at(-1)?.json;
  };

  it('Anthropic: the thinking block with its signature', async () => {
    expect(await loop('anthropic', 'thinking-signature')).toMatchObject({
      messages: [
        {},
        {
          content: [
            {
              type: 'thinking',
              thinking: 'The person wants a file.',
              signature: 'thinking-signature',
            },
            { type: 'text', text: 'I look.' },
            { type: 'tool_use', id: 'one' },
          ],
        },
        {},
      ],
    });
  });

  it('Google: the signatures of the text and of the call', async () => {
    expect(await loop('google', 'text-signature')).toMatchObject({
      contents: [
        {},
        {
          parts: [
            { text: 'The person wants a file.', thought: true },
            { text: 'I look.', thoughtSignature: 'text-signature' },
            { functionCall: { name: 'read_file' }, thoughtSignature: 'call-signature' },
          ],
        },
        {},
      ],
    });
  });

  it('compatible: inside the running loop', async () => {
    expect(await loop('openai-compatible')).toMatchObject({
      messages: [
        {},
        {},
        {
          role: 'assistant',
          content: 'I look.',
          reasoning_content: 'The person wants a file.',
          tool_calls: [{ extra_content: { google: { thought_signature: 'call-signature' } } }],
        },
        {},
      ],
    });
  });
});

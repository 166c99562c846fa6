import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  inKeyOrder,
  toCallOptions,
  toPrompt,
} from '../../../electron/adapters/providers/call-options';
import type { JsonValue, ModelRequest } from '../../../electron/ports/provider';

const base: ModelRequest = { provider: 'p', model: 'm', system: '', messages: [], tools: [] };

describe('S4-10 requests as values', () => {
  it('key order says nothing, array order does', () => {
    expect(JSON.stringify(inKeyOrder({ b: 1, a: { d: [2, 1], c: 0 } }))).toBe(
      '{"a":{"c":0,"d":[2,1]},"b":1}',
    );
  });

  it('gives the same text before and after JSON, for any JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const once = JSON.stringify(inKeyOrder(value as JsonValue));
        expect(JSON.stringify(inKeyOrder(JSON.parse(JSON.stringify(value)) as JsonValue))).toBe(
          once,
        );
      }),
    );
  });

  it('does not change the request it is given', () => {
    const request: ModelRequest = {
      ...base,
      messages: [
        {
          role: 'assistant',
          parts: [{ kind: 'tool_call', callId: 'c', tool: 't', args: { b: 1, a: 2 } }],
        },
      ],
    };
    const before = JSON.stringify(request);
    toCallOptions(request, 'google');
    expect(JSON.stringify(request)).toBe(before);
  });

  it('leaves out what providers refuse: empty system, empty texts, answers without parts', () => {
    const messages: ModelRequest['messages'] = [
      { role: 'user', text: 'hi' },
      { role: 'assistant', parts: [{ kind: 'text', text: '' }] },
      { role: 'user', text: 'again' },
    ];
    expect(toPrompt({ ...base, messages }, 'anthropic').map((message) => message.role)).toEqual([
      'user',
      'user',
    ]);
  });

  it('puts the results of one answer into one message', () => {
    const result = { role: 'tool', tool: 't', content: 'x', isError: false } as const;
    const messages: ModelRequest['messages'] = [
      { role: 'user', text: 'hi' },
      { role: 'assistant', parts: [] },
      { ...result, callId: 'a' },
      { ...result, callId: 'b' },
      { role: 'user', text: 'hi' },
      { ...result, callId: 'c' },
    ];
    const prompt = toPrompt({ ...base, messages }, 'google');
    expect(prompt.map((message) => [message.role, message.content.length])).toEqual([
      ['user', 1],
      ['tool', 2],
      ['user', 1],
      ['tool', 1],
    ]);
  });
});

describe('S4-10 reasoning is sent to whom it came from', () => {
  const parts = [
    {
      kind: 'reasoning',
      text: 'hm',
      opaque: { dialect: 'anthropic', on: 'self', data: { signature: 's' } },
    },
    { kind: 'text', text: 'a' },
  ] as const;
  const messages: ModelRequest['messages'] = [
    { role: 'user', text: 'q' },
    { role: 'assistant', parts },
  ];
  it('goes back to its own dialect and to no other', () => {
    const kinds = (dialect: 'anthropic' | 'google' | 'openai-compatible'): unknown[] => {
      const content = toPrompt({ ...base, messages }, dialect)[1]?.content;
      return Array.isArray(content) ? content.map((part: { type: string }) => part.type) : [];
    };
    expect(kinds('anthropic')).toEqual(['reasoning', 'text']);
    expect(kinds('google')).toEqual(['text']);
    expect(kinds('openai-compatible')).toEqual(['text']);
  });

  it('compatible services get it back until the person speaks again', () => {
    const own = { ...parts[0], opaque: { dialect: 'openai-compatible', on: 'self', data: {} } };
    const running: ModelRequest['messages'] = [
      { role: 'user', text: 'q' },
      { role: 'assistant', parts: [own, parts[1]] },
    ];
    const sent = (list: ModelRequest['messages']): number =>
      toPrompt({ ...base, messages: list }, 'openai-compatible')[1]?.content.length ?? 0;
    expect(sent(running)).toBe(2);
    expect(sent([...running, { role: 'user', text: 'next' }])).toBe(1);
  });
});

import { describe, expect, it } from 'vitest';
import {
  chatToMessages,
  messageToChat,
} from '../../../electron/adapters/gateway/translate/chat-to-messages';
import {
  chatToMessage,
  messagesToChat,
} from '../../../electron/adapters/gateway/translate/messages-to-chat';
import type { Json } from '../../../electron/engine/kernel/json-object';
import type { Translated } from '../../../electron/adapters/gateway/translate/exact';

const jsonOf = (found: Translated): Json => {
  if (found.kind === 'inexact') throw new Error(found.why);
  return found.json;
};
const whyOf = (found: Translated): string | undefined =>
  found.kind === 'inexact' ? found.why : undefined;

const SCHEMA = { type: 'object', properties: { at: { type: 'string' } }, required: ['at'] };

/** One conversation in both dialects: text, an image, a tool, its call and its result. */
const CHAT = {
  model: 'm-2',
  max_tokens: 100,
  temperature: 0.5,
  top_p: 0.9,
  messages: [
    { role: 'system', content: [{ type: 'text', text: 'be brief' }] },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'what is this?' },
        { type: 'image_url', image_url: { url: 'data:image/png;base64,aGVsbG8=' } },
        { type: 'image_url', image_url: { url: 'https://example.com/a.png' } },
      ],
    },
    {
      role: 'assistant',
      content: 'I look.',
      tool_calls: [
        { id: 'call_1', type: 'function', function: { name: 'look', arguments: '{"at":"x"}' } },
      ],
    },
    { role: 'tool', tool_call_id: 'call_1', content: [{ type: 'text', text: 'a cat' }] },
    { role: 'user', content: [{ type: 'text', text: 'thanks' }] },
  ],
  tools: [
    { type: 'function', function: { name: 'look', description: 'looks', parameters: SCHEMA } },
  ],
  tool_choice: 'auto',
};
const MESSAGES = {
  model: 'm-2',
  max_tokens: 100,
  temperature: 0.5,
  top_p: 0.9,
  system: [{ type: 'text', text: 'be brief' }],
  messages: [
    {
      role: 'user',
      content: [
        { type: 'text', text: 'what is this?' },
        { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'aGVsbG8=' } },
        { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } },
      ],
    },
    {
      role: 'assistant',
      content: [
        { type: 'text', text: 'I look.' },
        { type: 'tool_use', id: 'call_1', name: 'look', input: { at: 'x' } },
      ],
    },
    {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'call_1', content: [{ type: 'text', text: 'a cat' }] },
        { type: 'text', text: 'thanks' },
      ],
    },
  ],
  tools: [{ name: 'look', description: 'looks', input_schema: SCHEMA }],
  tool_choice: { type: 'auto' },
};

describe('FB-05 a request in the other dialect', () => {
  it('has the same texts, images, tools, calls and results, there and back', () => {
    expect(jsonOf(chatToMessages(CHAT, 'm-2'))).toEqual(MESSAGES);
    expect(jsonOf(messagesToChat(MESSAGES, 'm-2'))).toEqual(CHAT);
  });

  it.each<[string, Json, Json]>([
    ['names the model of the fallback', {}, { model: 'm-2' }],
    ['has its own limit of the answer', { max_completion_tokens: 7 }, { max_tokens: 7 }],
    ['stops at one text', { stop: 'END' }, { stop_sequences: ['END'] }],
    [
      'calls one tool at a time',
      { parallel_tool_calls: false },
      { tool_choice: { type: 'auto', disable_parallel_tool_use: true } },
    ],
    ['must call a tool', { tool_choice: 'required' }, { tool_choice: { type: 'any' } }],
    ['may call none', { tool_choice: 'none' }, { tool_choice: { type: 'none' } }],
    [
      'must call one tool',
      { tool_choice: { type: 'function', function: { name: 'look' } } },
      { tool_choice: { type: 'tool', name: 'look' } },
    ],
    [
      'writes defaults out',
      { n: 1, presence_penalty: 0, response_format: { type: 'text' }, logit_bias: null },
      {},
    ],
  ])('of OpenAI that %s', (_what, more, expected) => {
    expect(jsonOf(chatToMessages({ ...CHAT, model: 'm-1', ...more }, 'm-2'))).toEqual({
      ...MESSAGES,
      ...expected,
    });
  });

  it.each<[string, Json, string]>([
    ['no limit of the answer', { max_tokens: undefined }, 'max_tokens'],
    ['several answers', { n: 2 }, '"n"'],
    ['a fixed form', { response_format: { type: 'json_object' } }, 'response_format'],
    ['probabilities', { logprobs: true }, '"logprobs"'],
    ['a seed', { seed: 4 }, '"seed"'],
    ['a field of tomorrow', { new_field: {} }, '"new_field"'],
    ['a high temperature', { temperature: 1.5 }, 'temperature'],
    [
      'strict tools',
      { tools: [{ type: 'function', function: { name: 'a', strict: true } }] },
      'strict',
    ],
    ['a tool of the provider', { tools: [{ type: 'web_search' }] }, 'not a function'],
    [
      'a sound',
      { messages: [{ role: 'user', content: [{ type: 'input_audio', input_audio: {} }] }] },
      'neither text nor image',
    ],
    [
      'a detail of an image',
      {
        messages: [
          {
            role: 'user',
            content: [{ type: 'image_url', image_url: { url: 'https://x', detail: 'high' } }],
          },
        ],
      },
      'detail',
    ],
    [
      'an image of another type',
      {
        messages: [
          {
            role: 'user',
            content: [{ type: 'image_url', image_url: { url: 'data:image/tiff;base64,aa' } }],
          },
        ],
      },
      'image',
    ],
    [
      'an image over plain http',
      {
        messages: [
          { role: 'user', content: [{ type: 'image_url', image_url: { url: 'http://x/a.png' } }] },
        ],
      },
      'image',
    ],
    [
      'arguments that are not JSON',
      {
        messages: [
          ...CHAT.messages.slice(0, 2),
          {
            role: 'assistant',
            tool_calls: [{ id: 'a', type: 'function', function: { name: 'look', arguments: '{' } }],
          },
        ],
      },
      'not JSON',
    ],
    [
      'a late system message',
      { messages: [...CHAT.messages, { role: 'system', content: 'x' }] },
      'in the middle',
    ],
    ['its own answer at the end', { messages: CHAT.messages.slice(0, 3) }, 'end with'],
    ['a name of a speaker', { messages: [{ role: 'user', name: 'Ann', content: 'hi' }] }, '"name"'],
    ['an empty text', { messages: [{ role: 'user', content: '' }] }, 'empty'],
    [
      'an id with other signs',
      {
        messages: [
          ...CHAT.messages.slice(0, 3),
          { role: 'tool', tool_call_id: 'a b', content: 'x' },
        ],
      },
      'id of a tool call',
    ],
  ])('of OpenAI with %s is refused', (_what, more, why) => {
    expect(whyOf(chatToMessages({ ...CHAT, ...more }, 'm-2'))).toContain(why);
  });

  const user = (...content: Json[]) => ({ messages: [{ role: 'user', content }] });
  it.each<[string, Json, string]>([
    ['thinking', { thinking: { type: 'adaptive' } }, 'thinking'],
    [
      'thoughts of before',
      {
        messages: [
          { role: 'assistant', content: [{ type: 'thinking', thinking: 'x', signature: 'y' }] },
          ...MESSAGES.messages.slice(2),
        ],
      },
      'neither text nor tool call',
    ],
    ['stop texts', { stop_sequences: ['END'] }, 'stop_sequences'],
    ['top_k', { top_k: 5 }, '"top_k"'],
    [
      'a tool of the provider',
      { tools: [{ type: 'bash_20250124', name: 'bash' }] },
      'a tool of the provider',
    ],
    ['a document', user({ type: 'document', source: {} }), 'neither text nor image'],
    [
      'a failed tool',
      user({ type: 'tool_result', tool_use_id: 'a', content: 'x', is_error: true }),
      'error',
    ],
    [
      'an image as a result',
      user({ type: 'tool_result', tool_use_id: 'a', content: [{ type: 'image', source: {} }] }),
      'images',
    ],
    [
      'a result behind a text',
      user({ type: 'text', text: 'x' }, { type: 'tool_result', tool_use_id: 'a', content: 'x' }),
      'neither text nor image',
    ],
    [
      'a begun answer',
      { messages: [...MESSAGES.messages, { role: 'assistant', content: '{' }] },
      'end with',
    ],
    ['a beta of tomorrow', { context_management: {} }, '"context_management"'],
    ['citations', user({ type: 'text', text: 'x', citations: [{}] }), 'citations'],
  ])('of Anthropic with %s is refused', (_what, more, why) => {
    expect(whyOf(messagesToChat({ ...MESSAGES, ...more }, 'm-2'))).toContain(why);
  });

  it('of Anthropic loses marks for the cache and the name of its caller, and nothing else', () => {
    const marked = {
      ...MESSAGES,
      metadata: { user_id: 'u' },
      stop_sequences: [],
      thinking: { type: 'disabled' },
      system: [{ type: 'text', text: 'be brief', cache_control: { type: 'ephemeral' } }],
    };
    expect(jsonOf(messagesToChat(marked, 'm-2'))).toEqual(CHAT);
  });
});

const CHAT_ANSWER = {
  id: 'a',
  object: 'chat.completion',
  created: 7,
  model: 'm-2',
  choices: [
    {
      index: 0,
      message: {
        role: 'assistant',
        content: 'I look.',
        tool_calls: CHAT.messages[2]?.tool_calls,
        refusal: null,
      },
      logprobs: null,
      finish_reason: 'tool_calls',
    },
  ],
  usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
};
const MESSAGE_ANSWER = {
  id: 'a',
  type: 'message',
  role: 'assistant',
  model: 'm-2',
  content: MESSAGES.messages[1]?.content,
  stop_reason: 'tool_use',
  stop_sequence: null,
  usage: { input_tokens: 10, output_tokens: 5 },
};

describe('FB-05 an answer in the other dialect', () => {
  it('has the same text, calls, end and use, there and back', () => {
    expect(jsonOf(messageToChat(MESSAGE_ANSWER, 7))).toEqual(CHAT_ANSWER);
    expect(jsonOf(chatToMessage(CHAT_ANSWER))).toEqual(MESSAGE_ANSWER);
  });

  it.each([
    ['end_turn', 'stop'],
    ['max_tokens', 'length'],
    ['tool_use', 'tool_calls'],
    ['refusal', 'content_filter'],
  ])('that ends with %s ends with %s', (stop_reason, finish_reason) => {
    const [choice] = CHAT_ANSWER.choices;
    expect(jsonOf(messageToChat({ ...MESSAGE_ANSWER, stop_reason }, 7))).toMatchObject({
      choices: [{ finish_reason }],
    });
    expect(
      jsonOf(chatToMessage({ ...CHAT_ANSWER, choices: [{ ...choice, finish_reason }] })),
    ).toMatchObject({ stop_reason });
  });

  it('counts what was read from a cache as input', () => {
    const usage = {
      input_tokens: 1,
      cache_read_input_tokens: 2,
      cache_creation_input_tokens: 3,
      output_tokens: 4,
    };
    expect(jsonOf(messageToChat({ ...MESSAGE_ANSWER, usage }, 7))['usage']).toEqual({
      prompt_tokens: 6,
      completion_tokens: 4,
      total_tokens: 10,
    });
  });

  it.each<[string, Translated]>([
    ['an end of tomorrow', messageToChat({ ...MESSAGE_ANSWER, stop_reason: 'pause_turn' }, 7)],
    [
      'thinking',
      messageToChat({ ...MESSAGE_ANSWER, content: [{ type: 'thinking', thinking: 'x' }] }, 7),
    ],
    [
      'a text behind a call',
      messageToChat(
        { ...MESSAGE_ANSWER, content: [...(MESSAGE_ANSWER.content ?? [])].toReversed() },
        7,
      ),
    ],
    ['two choices', chatToMessage({ ...CHAT_ANSWER, choices: [{}, {}] })],
    [
      'a refusal',
      chatToMessage({
        ...CHAT_ANSWER,
        choices: [{ finish_reason: 'stop', message: { refusal: 'no' } }],
      }),
    ],
    ['no choices', chatToMessage({})],
  ])('with %s is not given', (_what, found) => {
    expect(found.kind).toBe('inexact');
  });
});

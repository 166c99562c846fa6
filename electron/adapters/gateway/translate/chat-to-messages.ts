/** A request of the OpenAI chat dialect for Anthropic's messages, and the answer back. Pure. FB-05 */
import {
  argumentsOf,
  exactly,
  inexact,
  isImageType,
  isSet,
  listOf,
  objectOf,
  only,
  plainName,
  requireKnown,
  requireOnly,
  textOf,
  type Translated,
} from './exact';
import { table } from '../../../../shared/table';
import { type Json } from '../../../engine/kernel/json-object';

/** Translated fields, and defaults that may be written explicitly. */
const FIELDS = {
  model: 'any',
  messages: 'any',
  stream: 'any',
  stream_options: 'any',
  temperature: 'any',
  top_p: 'any',
  max_tokens: 'any',
  max_completion_tokens: 'any',
  stop: 'any',
  tools: 'any',
  tool_choice: 'any',
  parallel_tool_calls: 'any',
  // They identify the caller, and no model reads them.
  user: 'any',
  metadata: 'any',
  prompt_cache_key: 'any',
  safety_identifier: 'any',
  n: only(1),
  frequency_penalty: only(0),
  presence_penalty: only(0),
  logprobs: only(false),
  store: only(false),
  service_tier: only('auto', 'default'),
} as const;

/** The request for another model; exact, or the reason why it cannot be sent. */
export const chatToMessages = (request: Json, model: string): Translated =>
  exactly(() => {
    const { response_format: format, ...rest } = request;
    if (isSet(format) && objectOf(format, 'response_format')['type'] !== 'text')
      inexact('a fixed response format (response_format) has no equivalent there');
    requireKnown(rest, FIELDS);
    const { system, messages } = messagesOf(listOf(request['messages'], 'messages'));
    return {
      model,
      max_tokens:
        request['max_completion_tokens'] ??
        request['max_tokens'] ??
        inexact('the request has no max_tokens, which is required there'),
      messages,
      ...(system.length === 0 ? {} : { system }),
      ...sampling(request),
      ...toolsOf(request),
    };
  });

function sampling(request: Json): Json {
  const { temperature, top_p, stop } = request;
  if (typeof temperature === 'number' && temperature > 1)
    inexact('a temperature above 1 is not allowed there');
  const stops = typeof stop === 'string' ? [stop] : stop;
  return {
    ...(isSet(temperature) ? { temperature } : {}),
    ...(isSet(top_p) ? { top_p } : {}),
    ...(isSet(stops) ? { stop_sequences: stops } : {}),
  };
}

function toolsOf(request: Json): Json {
  if (!isSet(request['tools'])) {
    return isSet(request['tool_choice']) && request['tool_choice'] !== 'none'
      ? inexact('it has a tool_choice and no tools')
      : {};
  }
  const tools = listOf(request['tools'], 'tools').map(toolOf);
  if (tools.length === 0) return {};
  const choice = choiceOf(request['tool_choice']);
  const isSerial = request['parallel_tool_calls'] === false;
  return {
    tools,
    tool_choice: {
      ...choice,
      ...(isSerial && choice['type'] !== 'none' ? { disable_parallel_tool_use: true } : {}),
    },
  };
}

function toolOf(value: unknown): Json {
  const tool = objectOf(value, 'a tool');
  if (tool['type'] !== 'function') inexact('a tool that is not a function has no equivalent there');
  requireOnly(tool, 'a tool', ['type', 'function']);
  const known = objectOf(tool['function'], 'the function of a tool');
  if (known['strict'] === true) inexact('a tool with strict arguments has no equivalent there');
  requireOnly(known, 'a tool', ['name', 'description', 'parameters', 'strict']);
  const schema = known['parameters'] ?? { type: 'object', properties: {} };
  if (objectOf(schema, 'the parameters of a tool')['type'] !== 'object')
    inexact('the parameters of a tool are not an object');
  return {
    name: plainName(known['name'], 'the name of a tool'),
    ...(isSet(known['description']) ? { description: known['description'] } : {}),
    input_schema: schema,
  };
}

function choiceOf(choice: unknown): Json {
  switch (choice) {
    case undefined:
    case null:
    case 'auto':
      return { type: 'auto' };
    case 'none':
      return { type: 'none' };
    case 'required':
      return { type: 'any' };
  }
  const named = objectOf(choice, 'tool_choice');
  if (named['type'] !== 'function') inexact('this tool_choice has no equivalent there');
  const { name } = objectOf(named['function'], 'tool_choice');
  return { type: 'tool', name: plainName(name, 'the name of a tool') };
}

interface Message {
  readonly role: 'user' | 'assistant';
  readonly content: Json[];
}

function messagesOf(all: readonly unknown[]): { system: readonly Json[]; messages: Message[] } {
  const system: Json[] = [];
  const messages: Message[] = [];
  /** Consecutive messages of one role are one turn there. */
  const add = (role: Message['role'], content: readonly Json[]): void => {
    const last = messages.at(-1);
    if (last?.role === role) last.content.push(...content);
    else messages.push({ role, content: [...content] });
  };
  for (const value of all) {
    const message = objectOf(value, 'a message');
    const role = message['role'];
    if (role === 'system' || role === 'developer') {
      if (messages.length > 0) inexact('a system message in the middle has no equivalent there');
      requireOnly(message, 'a message', ['role', 'content']);
      system.push(...textParts(message['content']));
    } else if (role === 'user') {
      requireOnly(message, 'a message', ['role', 'content']);
      add('user', partsOf(message['content']));
    } else if (role === 'assistant') add('assistant', saidOf(message));
    else if (role === 'tool') {
      requireOnly(message, 'a tool result', ['role', 'content', 'tool_call_id']);
      const last = messages.at(-1);
      if (last?.role === 'user' && last.content.some(({ type }) => type !== 'tool_result'))
        inexact('a tool result after a user message has no equivalent there');
      add('user', [
        {
          type: 'tool_result',
          tool_use_id: plainName(message['tool_call_id'], 'the id of a tool call'),
          content: message['content'] === '' ? [] : textParts(message['content']),
        },
      ]);
    } else inexact('a message of this role has no equivalent there');
  }
  if (messages.at(-1)?.role !== 'user') inexact('it does not end with a user message');
  return { system, messages };
}

/** The assistant's earlier text and calls. */
function saidOf(message: Json): readonly Json[] {
  requireOnly(message, 'a message', ['role', 'content', 'tool_calls']);
  const { content, tool_calls: calls } = message;
  return [
    ...(isSet(content) && content !== '' ? textParts(content) : []),
    ...(isSet(calls) ? listOf(calls, 'tool_calls') : []).map((value) => {
      const call = objectOf(value, 'a tool call');
      if (call['type'] !== 'function') inexact('a tool call that is not a function');
      const called = objectOf(call['function'], 'a tool call');
      return {
        type: 'tool_use',
        id: plainName(call['id'], 'the id of a tool call'),
        name: plainName(called['name'], 'the name of a tool'),
        input: argumentsOf(called['arguments']),
      };
    }),
  ];
}

function textParts(content: unknown): readonly Json[] {
  const parts = partsOf(content);
  if (parts.some(({ type }) => type !== 'text')) inexact('only the user can send images there');
  return parts;
}

function partsOf(content: unknown): readonly Json[] {
  const parts = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
  return listOf(parts, 'the content of a message').map((value) => {
    const part = objectOf(value, 'a part of a message');
    switch (part['type']) {
      case 'text':
        requireOnly(part, 'a text', ['type', 'text']);
        return { type: 'text', text: notEmpty(textOf(part['text'], 'a text')) };
      case 'image_url':
        return imageOf(part);
      default:
        return inexact('a part that is neither text nor image has no equivalent there');
    }
  });
}

const notEmpty = (text: string): string =>
  text.trim() === '' ? inexact('an empty text is not allowed there') : text;

function imageOf(part: Json): Json {
  const image = objectOf(part['image_url'], 'an image');
  requireOnly(image, 'an image', ['url', 'detail']);
  if (isSet(image['detail']) && image['detail'] !== 'auto')
    inexact('the detail of an image has no equivalent there');
  const url = textOf(image['url'], 'the address of an image');
  if (url.startsWith('https://')) return { type: 'image', source: { type: 'url', url } };
  const [, media_type, data] = /^data:([a-z/]+);base64,([A-Za-z0-9+/=]+)$/.exec(url) ?? [];
  return isImageType(media_type)
    ? { type: 'image', source: { type: 'base64', media_type, data } }
    : inexact('an image of this type is not allowed there');
}

const FINISHES = table<string>({
  end_turn: 'stop',
  stop_sequence: 'stop',
  max_tokens: 'length',
  tool_use: 'tool_calls',
  refusal: 'content_filter',
});

/** Anthropic's answer as a chat completion. `created`: seconds since 1970. */
export const messageToChat = (answer: Json, created: number): Translated =>
  exactly(() => {
    const finish_reason = FINISHES[String(answer['stop_reason'])];
    if (finish_reason === undefined) inexact('its end has no equivalent here');
    const blocks = listOf(answer['content'], 'the content of the answer').map((block) =>
      objectOf(block, 'a part of the answer'),
    );
    const firstCall = blocks.findIndex(({ type }) => type === 'tool_use');
    const lastText = blocks.findLastIndex(({ type }) => type === 'text');
    if (firstCall !== -1 && lastText > firstCall) inexact('it has text after a tool call');
    const texts = blocks.flatMap((block) => (block['type'] === 'text' ? [block['text']] : []));
    const calls = blocks.flatMap((block) => (block['type'] === 'tool_use' ? [callOf(block)] : []));
    if (texts.length + calls.length < blocks.length)
      inexact('it has a part that is neither text nor tool call');
    const {
      input_tokens = 0,
      cache_creation_input_tokens,
      cache_read_input_tokens,
      output_tokens,
    } = objectOf(answer['usage'] ?? {}, 'usage');
    const sum = (...counts: readonly unknown[]): number =>
      counts.reduce<number>((all, one) => all + (Number.isFinite(one) ? (one as number) : 0), 0);
    const prompt_tokens = sum(input_tokens, cache_creation_input_tokens, cache_read_input_tokens);
    const completion_tokens = sum(output_tokens);
    return {
      id: answer['id'] ?? '',
      object: 'chat.completion',
      created,
      model: answer['model'] ?? '',
      choices: [
        {
          index: 0,
          message: {
            role: 'assistant',
            content: texts.length === 0 ? null : texts.join(''),
            ...(calls.length === 0 ? {} : { tool_calls: calls }),
            refusal: null,
          },
          logprobs: null,
          finish_reason,
        },
      ],
      usage: {
        prompt_tokens,
        completion_tokens,
        total_tokens: prompt_tokens + completion_tokens,
      },
    };
  });

const callOf = ({ id, name, input }: Json): Json => ({
  id,
  type: 'function',
  function: { name, arguments: JSON.stringify(input ?? {}) },
});

/** A request for Anthropic's messages in the OpenAI chat dialect, and the answer back. Pure. FB-05 */
import {
  argumentsOf,
  exactly,
  inexact,
  isImageType,
  isSet,
  listOf,
  objectOf,
  plainName,
  requireKnown,
  requireOnly,
  textOf,
  type Translated,
} from './exact';
import { table } from '../../../../shared/table';
import { type Json } from '../../../engine/kernel/json-object';

const FIELDS = {
  model: 'any',
  messages: 'any',
  system: 'any',
  max_tokens: 'any',
  stream: 'any',
  temperature: 'any',
  top_p: 'any',
  tools: 'any',
  tool_choice: 'any',
  // It identifies the caller, and no model reads it.
  metadata: 'any',
} as const;

/** The request for another model; exact, or the reason why it cannot be sent. */
export const messagesToChat = (request: Json, model: string): Translated =>
  exactly(() => {
    const { thinking, stop_sequences: stops, ...rest } = request;
    if (isSet(thinking) && objectOf(thinking, 'thinking')['type'] !== 'disabled')
      inexact('thinking has no equivalent there');
    // The answer would have to tell which stop sequence ended it.
    if (isSet(stops) && listOf(stops, 'stop_sequences').length > 0)
      inexact('stop_sequences have no equivalent there');
    requireKnown(rest, FIELDS);
    const messages = listOf(request['messages'], 'messages').flatMap((message) =>
      messagesOf(objectOf(message, 'a message')),
    );
    const last = messages.at(-1)?.['role'];
    if (last !== 'user' && last !== 'tool') inexact('it does not end with a user message');
    const { max_tokens, temperature, top_p } = request;
    return {
      model,
      messages: [...systemOf(request['system']), ...messages],
      ...(isSet(max_tokens) ? { max_tokens } : {}),
      ...(isSet(temperature) ? { temperature } : {}),
      ...(isSet(top_p) ? { top_p } : {}),
      ...toolsOf(request),
    };
  });

function systemOf(system: unknown): readonly Json[] {
  if (!isSet(system) || system === '') return [];
  return [{ role: 'system', content: textOnly(system) }];
}

/** A plain string if possible, otherwise parts. Cache markers do not change an answer. */
function textOnly(content: unknown): string | readonly Json[] {
  if (typeof content === 'string') return content;
  return listOf(content, 'a text').map((value) => {
    const part = objectOf(value, 'a text');
    if (part['type'] !== 'text') inexact('only the user can send images there');
    return textPart(part);
  });
}

function textPart(part: Json): Json {
  const { citations } = part;
  if (Array.isArray(citations) && citations.length > 0)
    inexact('citations have no equivalent there');
  requireOnly(part, 'a text', ['type', 'text', 'cache_control', 'citations']);
  return { type: 'text', text: textOf(part['text'], 'a text') };
}

function toolsOf(request: Json): Json {
  if (!isSet(request['tools'])) return {};
  const tools = listOf(request['tools'], 'tools').map(toolOf);
  if (tools.length === 0) return {};
  const choice = isSet(request['tool_choice'])
    ? objectOf(request['tool_choice'], 'tool_choice')
    : { type: 'auto' };
  return {
    tools,
    tool_choice: choiceOf(choice),
    ...(choice['disable_parallel_tool_use'] === true ? { parallel_tool_calls: false } : {}),
  };
}

function toolOf(value: unknown): Json {
  const tool = objectOf(value, 'a tool');
  if (isSet(tool['type']) && tool['type'] !== 'custom')
    inexact('a tool of the provider has no equivalent there');
  requireOnly(tool, 'a tool', ['type', 'name', 'description', 'input_schema', 'cache_control']);
  return {
    type: 'function',
    function: {
      name: plainName(tool['name'], 'the name of a tool'),
      ...(isSet(tool['description']) ? { description: tool['description'] } : {}),
      parameters: objectOf(tool['input_schema'], 'the input of a tool'),
    },
  };
}

function choiceOf({ type, name }: Json): unknown {
  switch (type) {
    case 'auto':
    case 'none':
      return type;
    case 'any':
      return 'required';
    case 'tool':
      return { type: 'function', function: { name: plainName(name, 'the name of a tool') } };
    default:
      return inexact('this tool_choice has no equivalent there');
  }
}

function messagesOf(message: Json): readonly Json[] {
  requireOnly(message, 'a message', ['role', 'content']);
  const { role, content } = message;
  if (role !== 'user' && role !== 'assistant')
    return inexact('a message of this role has no equivalent there');
  if (typeof content === 'string') return [{ role, content }];
  const blocks = listOf(content, 'the content of a message').map((block) =>
    objectOf(block, 'a part of a message'),
  );
  return role === 'assistant' ? [saidOf(blocks)] : userOf(blocks);
}

/** Texts first, then calls: the other dialect knows no other order. */
function saidOf(blocks: readonly Json[]): Json {
  const firstCall = blocks.findIndex(({ type }) => type === 'tool_use');
  const texts = (firstCall === -1 ? blocks : blocks.slice(0, firstCall)).map((block) =>
    block['type'] === 'text'
      ? textOf(textPart(block)['text'], 'a text')
      : inexact('a part that is neither text nor tool call has no equivalent there'),
  );
  const calls = (firstCall === -1 ? [] : blocks.slice(firstCall)).map((block) => {
    if (block['type'] !== 'tool_use') inexact('a part after a tool call has no equivalent there');
    requireOnly(block, 'a tool call', ['type', 'id', 'name', 'input', 'cache_control']);
    return {
      id: plainName(block['id'], 'the id of a tool call'),
      type: 'function',
      function: {
        name: plainName(block['name'], 'the name of a tool'),
        arguments: JSON.stringify(block['input'] ?? {}),
      },
    };
  });
  return {
    role: 'assistant',
    content: texts.length === 0 ? null : texts.join(''),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
}

function userOf(blocks: readonly Json[]): readonly Json[] {
  const firstOther = blocks.findIndex(({ type }) => type !== 'tool_result');
  const results = firstOther === -1 ? blocks : blocks.slice(0, firstOther);
  const rest = firstOther === -1 ? [] : blocks.slice(firstOther);
  return [
    ...results.map(resultOf),
    ...(rest.length === 0 ? [] : [{ role: 'user', content: rest.map(userPart) }]),
  ];
}

function resultOf(block: Json): Json {
  requireOnly(block, 'a tool result', [
    'type',
    'tool_use_id',
    'content',
    'is_error',
    'cache_control',
  ]);
  if (block['is_error'] === true)
    inexact('a tool result marked as an error has no equivalent there');
  return {
    role: 'tool',
    tool_call_id: plainName(block['tool_use_id'], 'the id of a tool call'),
    content: isSet(block['content']) ? textOnly(block['content']) : '',
  };
}

function userPart(part: Json): Json {
  if (part['type'] === 'text') return textPart(part);
  if (part['type'] !== 'image')
    return inexact('a part that is neither text nor image has no equivalent there');
  requireOnly(part, 'an image', ['type', 'source', 'cache_control']);
  const { type, url, media_type, data } = objectOf(part['source'], 'an image');
  if (type === 'url') return { type: 'image_url', image_url: { url } };
  return type === 'base64' && isImageType(media_type)
    ? {
        type: 'image_url',
        image_url: { url: `data:${media_type};base64,${textOf(data, 'an image')}` },
      }
    : inexact('an image of this kind has no equivalent there');
}

const STOPS = table<string>({
  stop: 'end_turn',
  length: 'max_tokens',
  tool_calls: 'tool_use',
  content_filter: 'refusal',
});

/** A chat completion as Anthropic's answer. */
export const chatToMessage = (answer: Json): Translated =>
  exactly(() => {
    const choices = listOf(answer['choices'], 'the choices of the answer');
    if (choices.length !== 1) inexact('it has more than one choice');
    const choice = objectOf(choices[0], 'the choice of the answer');
    const stop_reason = STOPS[String(choice['finish_reason'])];
    if (stop_reason === undefined) inexact('its end has no equivalent here');
    const { content, tool_calls, refusal, audio, function_call } = objectOf(
      choice['message'],
      'the message of the answer',
    );
    if ([refusal, audio, function_call].some(isSet))
      inexact('it has a part that is neither text nor tool call');
    const calls = isSet(tool_calls) ? listOf(tool_calls, 'tool_calls') : [];
    const { prompt_tokens, completion_tokens } = objectOf(answer['usage'] ?? {}, 'usage');
    return {
      id: answer['id'] ?? '',
      type: 'message',
      role: 'assistant',
      model: answer['model'] ?? '',
      content: [
        ...(isSet(content) && content !== ''
          ? [{ type: 'text', text: textOf(content, 'the text of the answer') }]
          : []),
        ...calls.map(useOf),
      ],
      stop_reason,
      stop_sequence: null,
      usage: { input_tokens: prompt_tokens ?? 0, output_tokens: completion_tokens ?? 0 },
    };
  });

function useOf(value: unknown): Json {
  const call = objectOf(value, 'a tool call');
  const called = objectOf(call['function'], 'a tool call');
  return {
    type: 'tool_use',
    id: textOf(call['id'], 'the id of a tool call'),
    name: textOf(called['name'], 'the name of a tool'),
    input: argumentsOf(called['arguments']),
  };
}

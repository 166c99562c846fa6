/**
 * Turns a whole answer into the stream that its client requested. The answer is already billed: a
 * new request for a stream would be billed again, and a client that waits for events cannot read a
 * document.
 */
import type { Endpoint } from './routes';
import { isJson, type Json } from '../../engine/kernel/json-object';

const listOf = (value: unknown): readonly Json[] =>
  Array.isArray(value) ? value.filter(isJson) : [];

const data = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`;
const named = (value: { readonly type: string } & Json): string =>
  `event: ${value.type}\n${data(value)}`;

/** Undefined if the document is not an answer of this kind. Pure. */
export function streamOf(
  kind: Endpoint['kind'],
  document: Json,
  options: { readonly hidesCounts: boolean },
): string | undefined {
  switch (kind) {
    case 'chat':
      return Array.isArray(document['choices']) ? chatStream(document, options) : undefined;
    case 'messages':
      return Array.isArray(document['content']) ? messageStream(document) : undefined;
    case 'responses':
      return Array.isArray(document['output']) ? responseStream(document) : undefined;
    case 'plain':
      return undefined;
  }
}

function chatStream(document: Json, { hidesCounts }: { readonly hidesCounts: boolean }): string {
  const { choices, usage, ...rest } = document;
  const head = { ...rest, object: 'chat.completion.chunk' };
  const chunks = listOf(choices).flatMap(({ message, ...choice }, place) => {
    const index = typeof choice['index'] === 'number' ? choice['index'] : place;
    const { tool_calls, ...delta } = isJson(message) ? message : {};
    const calls = listOf(tool_calls).map((call, at) => ({ index: at, ...call }));
    const said = { ...delta, ...(calls.length === 0 ? {} : { tool_calls: calls }) };
    const finish = {
      ...choice,
      index,
      delta: {},
      finish_reason: choice['finish_reason'] ?? 'stop',
    };
    return [
      { ...head, choices: [{ index, delta: { role: 'assistant', ...said }, finish_reason: null }] },
      { ...head, choices: [finish] },
    ];
  });
  const counts = hidesCounts || !isJson(usage) ? [] : [{ ...head, choices: [], usage }];
  return [...chunks, ...counts].map(data).join('') + 'data: [DONE]\n\n';
}

function messageStream(document: Json): string {
  const { content, stop_reason, stop_sequence, usage, ...rest } = document;
  const counts = isJson(usage) ? usage : { input_tokens: 0, output_tokens: 0 };
  const events: string[] = [
    named({
      type: 'message_start',
      message: {
        ...rest,
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: { ...counts, output_tokens: 0 },
      },
    }),
  ];
  for (const [index, block] of listOf(content).entries()) {
    const { start, deltas } = blockParts(block);
    events.push(named({ type: 'content_block_start', index, content_block: start }));
    for (const delta of deltas) events.push(named({ type: 'content_block_delta', index, delta }));
    events.push(named({ type: 'content_block_stop', index }));
  }
  events.push(
    named({
      type: 'message_delta',
      delta: { stop_reason: stop_reason ?? 'end_turn', stop_sequence: stop_sequence ?? null },
      usage: { output_tokens: counts['output_tokens'] ?? 0 },
    }),
    named({ type: 'message_stop' }),
  );
  return events.join('');
}

/** The start of a block and its content; an unknown one is sent whole at its start. */
function blockParts(block: Json): { readonly start: Json; readonly deltas: readonly Json[] } {
  switch (block['type']) {
    case 'text':
      return {
        start: { ...block, text: '' },
        deltas: [{ type: 'text_delta', text: block['text'] ?? '' }],
      };
    case 'thinking':
      return {
        start: { ...block, thinking: '', signature: '' },
        deltas: [
          { type: 'thinking_delta', thinking: block['thinking'] ?? '' },
          { type: 'signature_delta', signature: block['signature'] ?? '' },
        ],
      };
    case 'tool_use':
    case 'server_tool_use':
      return {
        start: { ...block, input: {} },
        deltas: [{ type: 'input_json_delta', partial_json: JSON.stringify(block['input'] ?? {}) }],
      };
    default:
      return { start: block, deltas: [] };
  }
}

function responseStream(document: Json): string {
  let number = 0;
  const event = (type: string, more: Json): string =>
    named({ type, sequence_number: number++, ...more });
  const status = document['status'];
  const isOver = status !== 'queued' && status !== 'in_progress';
  const opened = { ...document, status: 'in_progress', output: [], usage: null };
  const events = [
    event('response.created', { response: opened }),
    event('response.in_progress', { response: opened }),
    ...listOf(document['output']).flatMap((item, output_index) =>
      itemEvents(item, output_index, event),
    ),
  ];
  if (isOver)
    events.push(
      event(status === 'incomplete' ? 'response.incomplete' : 'response.completed', {
        response: document,
      }),
    );
  else events.push(event(`response.${status}`, { response: document }));
  return events.join('');
}

function itemEvents(
  item: Json,
  output_index: number,
  event: (type: string, more: Json) => string,
): readonly string[] {
  const item_id = item['id'] ?? `item_${String(output_index)}`;
  const place = { item_id, output_index };
  const isMessage = item['type'] === 'message';
  const isCall = item['type'] === 'function_call';
  const opened = {
    ...item,
    status: 'in_progress',
    ...(isMessage ? { content: [] } : {}),
    ...(isCall ? { arguments: '' } : {}),
  };
  const parts = (isMessage ? listOf(item['content']) : []).flatMap((part, content_index) => {
    const name = part['type'] === 'refusal' ? 'refusal' : 'output_text';
    const field = name === 'refusal' ? 'refusal' : 'text';
    const text = part[field] ?? '';
    const at = { ...place, content_index };
    return [
      event('response.content_part.added', { ...at, part: { ...part, [field]: '' } }),
      event(`response.${name}.delta`, { ...at, delta: text }),
      event(`response.${name}.done`, { ...at, [field]: text }),
      event('response.content_part.done', { ...at, part }),
    ];
  });
  const args = isCall
    ? [
        event('response.function_call_arguments.delta', {
          ...place,
          delta: item['arguments'] ?? '',
        }),
        event('response.function_call_arguments.done', {
          ...place,
          arguments: item['arguments'] ?? '',
        }),
      ]
    : [];
  return [
    event('response.output_item.added', { output_index, item: opened }),
    ...parts,
    ...args,
    event('response.output_item.done', { output_index, item }),
  ];
}

/**
 * Assembles a stream of events into the whole answer that its client requested. The answer is
 * already billed: a new request for a document would be billed again.
 */
import { parseObject } from './event-stream';
import type { Endpoint } from './routes';
import { isJson, textIn, type Json } from '../../engine/kernel/json-object';

type Draft = Record<string, unknown>;

/** Takes the events of one answer in order. */
interface Assembler {
  add(event: Json): void;
  /** Undefined if there was no such event. */
  whole(): Json | undefined;
}

const listOf = (value: unknown): readonly Json[] =>
  Array.isArray(value) ? value.filter(isJson) : [];
const indexOf = (value: Json): number => (typeof value['index'] === 'number' ? value['index'] : 0);

export function createAssembler(kind: Endpoint['kind']): Assembler {
  switch (kind) {
    case 'chat':
      return chatAssembler();
    case 'messages':
      return messageAssembler();
    case 'responses':
    case 'plain':
      return responseAssembler();
  }
}

/** The last event of a response contains all of it. */
function responseAssembler(): Assembler {
  let last: Json | undefined;
  return {
    add({ response }) {
      if (isJson(response)) last = response;
    },
    whole: () => last,
  };
}

/** Texts are appended, all other fields take their last value; tool calls are merged by index. */
function addDelta(to: Draft, delta: Json): void {
  for (const [name, value] of Object.entries(delta)) {
    if (value === null || value === undefined) to[name] ??= value;
    else if (name === 'tool_calls') to[name] = addCalls(listOf(to[name]), listOf(value));
    else if (typeof value === 'string' && name !== 'role') to[name] = textIn(to[name]) + value;
    else if (Array.isArray(value))
      to[name] = [
        ...(Array.isArray(to[name]) ? (to[name] as unknown[]) : []),
        ...(value as unknown[]),
      ];
    else to[name] = value;
  }
}

function addCalls(known: readonly Json[], pieces: readonly Json[]): readonly Json[] {
  const calls: Draft[] = known.map((call) => ({ ...call }));
  for (const { function: piece, ...rest } of pieces) {
    // Some servers give every call the index 0, and a distinct id.
    const same = calls.findLast(
      (one) =>
        'index' in rest &&
        one['index'] === rest['index'] &&
        [undefined, null, '', one['id']].includes(rest['id']),
    );
    const call: Draft = same ?? {};
    if (same === undefined) calls.push(call);
    const before = isJson(call['function']) ? call['function'] : {};
    const more = isJson(piece) ? piece : {};
    for (const [name, value] of Object.entries(rest))
      if (value !== null && value !== '') call[name] = value;
    call['function'] = {
      ...before,
      ...more,
      name: textIn(before['name']) + textIn(more['name']),
      arguments: textIn(before['arguments']) + textIn(more['arguments']),
    };
  }
  return calls;
}

/** Items by index, in the order of the indexes, which the server chooses and may be any number. */
function byIndex<T>(make: () => T): {
  at(index: number): T;
  set(index: number, one: T): void;
  all(): readonly T[];
} {
  const found = new Map<number, T>();
  return {
    at(index) {
      const one = found.get(index) ?? make();
      found.set(index, one);
      return one;
    },
    set: (index, one) => found.set(index, one),
    all: () => [...found].toSorted(([a], [b]) => a - b).map(([, one]) => one),
  };
}

function chatAssembler(): Assembler {
  let head: Json | undefined;
  let usage: unknown;
  const choices = byIndex((): { readonly message: Draft; rest: Json } => ({
    message: { role: 'assistant' },
    rest: {},
  }));
  return {
    add({ choices: pieces, usage: counts, ...rest }) {
      if (!Array.isArray(pieces)) return;
      head ??= rest;
      if (isJson(counts)) usage = counts;
      for (const { delta, ...piece } of listOf(pieces)) {
        const choice = choices.at(indexOf(piece));
        if (isJson(delta)) addDelta(choice.message, delta);
        const said = Object.entries(piece).filter(([, value]) => value !== null);
        choice.rest = { ...choice.rest, ...Object.fromEntries(said) };
      }
    },
    whole: () =>
      head === undefined
        ? undefined
        : {
            ...head,
            object: 'chat.completion',
            choices: choices.all().map(({ message, rest }, index) => ({
              ...rest,
              index,
              message: { content: null, ...withoutIndexes(message) },
              finish_reason: rest['finish_reason'] ?? 'stop',
            })),
            ...(usage === undefined ? {} : { usage }),
          },
  };
}

/** Calls have an index only in a stream. */
function withoutIndexes(message: Draft): Json {
  if (message['tool_calls'] === undefined) return message;
  const calls = listOf(message['tool_calls']).map(({ index: _index, ...call }) => call);
  return { ...message, tool_calls: calls };
}

function messageAssembler(): Assembler {
  let message: Json | undefined;
  const blocks = byIndex((): Draft => ({}));
  const addToBlock = (block: Draft, delta: Json): void => {
    const { type: _type, partial_json, citation, ...texts } = delta;
    if (partial_json !== undefined)
      block['partial_json'] = textIn(block['partial_json']) + textIn(partial_json);
    if (citation !== undefined) block['citations'] = [...listOf(block['citations']), citation];
    addDelta(block, texts);
  };
  return {
    add(event) {
      const { delta, usage } = event;
      switch (event['type']) {
        case 'message_start':
          if (isJson(event['message'])) message = event['message'];
          break;
        case 'content_block_start':
          if (isJson(event['content_block']))
            blocks.set(indexOf(event), { ...event['content_block'] });
          break;
        case 'content_block_delta':
          if (isJson(delta)) addToBlock(blocks.at(indexOf(event)), delta);
          break;
        case 'message_delta':
          message = {
            ...message,
            ...(isJson(delta) ? delta : {}),
            usage: {
              ...(isJson(message?.['usage']) ? message['usage'] : {}),
              ...(isJson(usage) ? usage : {}),
            },
          };
          break;
      }
    },
    whole: () =>
      message === undefined ? undefined : { ...message, content: blocks.all().map(ended) },
  };
}

/** A block with its assembled JSON. */
function ended({ partial_json, ...block }: Draft): Json {
  if (partial_json === undefined) return block;
  return { ...block, input: parseObject(textIn(partial_json)) ?? {} };
}

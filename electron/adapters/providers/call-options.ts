import type {
  JSONSchema7,
  LanguageModelV3CallOptions,
  LanguageModelV3Message,
  LanguageModelV3Prompt,
  SharedV3ProviderOptions,
} from '@ai-sdk/provider';
import type { AnswerPart, JsonValue, Message, ModelRequest } from '../../ports/provider';
import type { Dialect } from './base-url';

/** Answer limit used if the request sets none and the dialect requires a number. */
const DEFAULT_MAX_OUTPUT_TOKENS = 8192;

/**
 * Data that a provider needs back unchanged, as stored in a reasoning part's `opaque`. `on:
 * 'next'`: belongs to the following part, because Google signs calls and texts, and those have no
 * field for it.
 */
export interface Opaque {
  readonly dialect: Dialect;
  readonly on: 'self' | 'next';
  readonly data: Readonly<Record<string, string>>;
}

/** Reads an opaque value of this dialect; another dialect's signatures mean nothing here. */
function opaqueOf(part: AnswerPart, dialect: Dialect): Opaque | undefined {
  if (part.kind !== 'reasoning') return undefined;
  const value = part.opaque as Partial<Opaque> | undefined | null;
  if (value?.dialect !== dialect || typeof value.data !== 'object') return undefined;
  return { dialect, on: value.on === 'next' ? 'next' : 'self', data: value.data };
}

/**
 * The same value with sorted keys: equal requests give equal bytes, even after they went through a
 * store that orders keys differently (S4-10).
 */
export function inKeyOrder(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return (value as readonly JsonValue[]).map(inKeyOrder);
  if (value === null || typeof value !== 'object') return value;
  const entries = Object.entries(value as Readonly<Record<string, JsonValue>>);
  return Object.fromEntries(
    entries.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)).map(([k, v]) => [k, inKeyOrder(v)]),
  );
}

/** Google's signatures are under `google` in its own dialect and in the compatible one. */
function providerOptions(dialect: Dialect, opaque: Opaque | undefined): SharedV3ProviderOptions {
  if (opaque === undefined || Object.keys(opaque.data).length === 0) return {};
  return { [dialect === 'anthropic' ? 'anthropic' : 'google']: { ...opaque.data } };
}

type AssistantPart = Extract<LanguageModelV3Message, { role: 'assistant' }>['content'][number];
type ResultPart = Extract<LanguageModelV3Message, { role: 'tool' }>['content'][number];

function assistantParts(
  parts: readonly AnswerPart[],
  dialect: Dialect,
  sendsReasoning: boolean,
): AssistantPart[] {
  const sent: AssistantPart[] = [];
  let waiting: Opaque | undefined;
  for (const part of parts) {
    const opaque = opaqueOf(part, dialect);
    if (opaque?.on === 'next') {
      waiting = opaque;
      continue;
    }
    const signed = providerOptions(dialect, part.kind === 'reasoning' ? opaque : waiting);
    const extra = Object.keys(signed).length === 0 ? {} : { providerOptions: signed };
    switch (part.kind) {
      case 'text':
        // Providers reject empty texts.
        if (part.text !== '') sent.push({ type: 'text', text: part.text, ...extra });
        waiting = undefined;
        break;
      case 'tool_call':
        sent.push({
          type: 'tool-call',
          toolCallId: part.callId,
          toolName: part.tool,
          input: inKeyOrder(part.args),
          ...extra,
        });
        waiting = undefined;
        break;
      case 'reasoning':
        if (opaque !== undefined && sendsReasoning) {
          sent.push({ type: 'reasoning', text: part.text, ...extra });
        }
        break;
    }
  }
  return sent;
}

/**
 * The conversation in the client library's form. The results of one answer's calls are one message.
 */
export function toPrompt(request: ModelRequest, dialect: Dialect): LanguageModelV3Prompt {
  const prompt: LanguageModelV3Message[] = [];
  if (request.system !== '') prompt.push({ role: 'system', content: request.system });
  const lastUser = request.messages.findLastIndex((message) => message.role === 'user');
  let results: ResultPart[] | undefined;
  request.messages.forEach((message: Message, index) => {
    if (message.role !== 'tool') results = undefined;
    switch (message.role) {
      case 'user':
        prompt.push({ role: 'user', content: [{ type: 'text', text: message.text }] });
        break;
      case 'assistant': {
        // Compatible services accept reasoning only within the current tool loop.
        const sends = dialect !== 'openai-compatible' || index > lastUser;
        const content = assistantParts(message.parts, dialect, sends);
        if (content.length > 0) prompt.push({ role: 'assistant', content });
        break;
      }
      case 'tool':
        if (results === undefined) {
          results = [];
          prompt.push({ role: 'tool', content: results });
        }
        results.push({
          type: 'tool-result',
          toolCallId: message.callId,
          toolName: message.tool,
          output: { type: message.isError ? 'error-text' : 'text', value: message.content },
        });
        break;
    }
  });
  return prompt;
}

/**
 * A request in the form of the client library. Pure and independent of key order: equal requests
 * give byte-identical bodies (S0-33, S4-10).
 */
export function toCallOptions(request: ModelRequest, dialect: Dialect): LanguageModelV3CallOptions {
  const maxOutputTokens =
    request.maxOutputTokens ?? (dialect === 'anthropic' ? DEFAULT_MAX_OUTPUT_TOKENS : undefined);
  return {
    prompt: toPrompt(request, dialect),
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
    ...(request.tools.length === 0
      ? {}
      : {
          tools: request.tools.map((tool) => ({
            type: 'function' as const,
            name: tool.name,
            description: tool.description,
            inputSchema: inKeyOrder(tool.inputSchema) as JSONSchema7,
          })),
        }),
    // Only raw chunks contain the usage of an interrupted answer, and the provider's own call IDs.
    includeRawChunks: true,
  };
}

import type { LanguageModelV3StreamPart, SharedV3ProviderMetadata } from '@ai-sdk/provider';
import type { AnswerPart, JsonValue, ModelAnswer, ModelRequest } from '../../ports/provider';
import type { Dialect } from './base-url';
import type { Opaque } from './call-options';
import { isShape } from './error-shape';
import type { FailureReason } from './failure-words';
import { SecondRequestRefused } from './guarded-fetch';
import { costOf } from './price';
import { leastOf, NO_TOKENS, type Tokens, withReported } from './reported-tokens';
import type { Usage } from '../../../shared/types';
import type { Prices } from '../../../shared/prices/prices';
import { isTooDeep } from '../../engine/kernel/json-depth';

/** The result of a stream. */
type Collected =
  | { readonly kind: 'answer'; readonly answer: ModelAnswer }
  | { readonly kind: 'error'; readonly error: unknown }
  | { readonly kind: 'unusable'; readonly reason: FailureReason; readonly said?: string };

interface Block {
  readonly kind: 'text' | 'reasoning';
  text: string;
  opaque: Record<string, string>;
}
interface Call {
  readonly kind: 'call';
  readonly id: string;
  readonly tool: string;
  readonly input: string;
  readonly opaque: Record<string, string>;
}

/** Data that must be sent back, under every name that the library uses. */
const KEPT_KEYS = ['signature', 'redactedData', 'thoughtSignature'];

function keptOf(metadata: SharedV3ProviderMetadata | undefined): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const group of Object.values(metadata ?? {})) {
    for (const name of KEPT_KEYS) {
      const value = group[name];
      if (typeof value === 'string' && value !== '') kept[name] = value;
    }
  }
  return kept;
}

/** Call IDs assigned by the provider, from a raw event of the compatible dialect. */
function idsInRaw(raw: unknown): readonly string[] {
  const choices = isShape(raw) ? raw['choices'] : undefined;
  const first: unknown = Array.isArray(choices) ? (choices as unknown[])[0] : undefined;
  const delta = isShape(first) ? first['delta'] : undefined;
  const calls = isShape(delta) ? delta['tool_calls'] : undefined;
  if (!Array.isArray(calls)) return [];
  return (calls as unknown[]).flatMap((call) => {
    const id = isShape(call) ? call['id'] : undefined;
    return typeof id === 'string' ? [id] : [];
  });
}

/** Token counts are added up, so an invalid one, such as 1e400, would stay in the sum. */
const countOf = (value: number | undefined): number | undefined =>
  value !== undefined && Number.isFinite(value) && value >= 0 ? value : undefined;

/** Arguments as a JSON object; empty for a call without any. Undefined if unreadable. */
function readArguments(input: string): JsonValue | undefined {
  if (input.trim() === '') return {};
  try {
    const value = JSON.parse(input) as JsonValue;
    if (value === null) return {};
    const isRead = typeof value === 'object' && !Array.isArray(value) && !isTooDeep(value);
    return isRead ? value : undefined;
  } catch {
    return undefined; // The caller names the tool; the text itself is the model's and is left out.
  }
}

function usageOf(reported: Tokens, prices: Prices | undefined): Usage {
  const tokens = {
    input: countOf(reported.input),
    output: countOf(reported.output),
    cacheRead: countOf(reported.cacheRead),
    cacheWrite: countOf(reported.cacheWrite),
  };
  return {
    inputTokens: tokens.input ?? 0,
    outputTokens: tokens.output ?? 0,
    ...costOf(tokens, prices),
  };
}

export interface AnswerCollector {
  /** Takes a part; returns text to show, or `stop` if nothing after it can count. */
  add(part: LanguageModelV3StreamPart): { readonly text?: string; readonly isVoid?: boolean };
  result(): Collected;
  /** The usage reported so far: an unusable answer is billed too. BU-03 */
  used(): Usage | undefined;
}

/**
 * Assembles the parts of one stream. Handles anything the library sends.
 *
 * Only a finish of `stop`, `tool_calls`, `length` or `content_filter` makes an answer: half a stream
 * is `cut`, and a broken connection, too (classify-provider-error.ts). Any error part voids the
 * answer, whatever follows. Calls without a usable ID get one derived from the
 * length of the conversation and their position: the same answer always gives the same IDs.
 */
export function createAnswerCollector(deps: {
  readonly request: ModelRequest;
  readonly dialect: Dialect;
  readonly prices: Prices | undefined;
}): AnswerCollector {
  const { request, dialect } = deps;
  const pieces: (Block | Call)[] = [];
  const open = new Map<string, Block>();
  const givenIds = new Set<string>();
  let failure: { readonly error: unknown } | undefined;
  let reported = NO_TOKENS;
  let finish: Extract<LanguageModelV3StreamPart, { type: 'finish' }> | undefined;

  const start = (kind: Block['kind'], id: string): Block => {
    const block: Block = { kind, text: '', opaque: {} };
    open.set(`${kind}:${id}`, block);
    pieces.push(block);
    return block;
  };
  const blockOf = (kind: Block['kind'], id: string): Block =>
    open.get(`${kind}:${id}`) ?? start(kind, id);

  const usedIds = (): Set<string> => {
    const used = new Set<string>();
    for (const message of request.messages) {
      if (message.role !== 'assistant') continue;
      for (const part of message.parts) if (part.kind === 'tool_call') used.add(part.callId);
    }
    return used;
  };

  const uniqueId = (call: Call, index: number, used: Set<string>): string => {
    const isGiven = dialect !== 'openai-compatible' || givenIds.has(call.id);
    const place = `${String(request.messages.length)}_${String(index)}`;
    let id = isGiven && call.id !== '' ? call.id : `call_${place}`;
    // Small servers count from call_0 in every answer.
    if (used.has(id)) id = `${id}_${place}`;
    used.add(id);
    return id;
  };

  const opaquePart = (
    on: Opaque['on'],
    data: Record<string, string>,
    text: string,
  ): AnswerPart => ({
    kind: 'reasoning',
    text,
    opaque: { dialect, on, data },
  });

  const toParts = (): readonly AnswerPart[] | { readonly badTool: string } => {
    const parts: AnswerPart[] = [];
    const used = usedIds();
    let callIndex = 0;
    for (const piece of pieces) {
      const hasOpaque = Object.keys(piece.opaque).length > 0;
      if (piece.kind === 'call') {
        const args = readArguments(piece.input);
        if (args === undefined) return { badTool: piece.tool };
        if (hasOpaque) parts.push(opaquePart('next', piece.opaque, ''));
        const callId = uniqueId(piece, callIndex, used);
        callIndex += 1;
        parts.push({ kind: 'tool_call', callId, tool: piece.tool, args });
      } else if (piece.kind === 'reasoning') {
        if (piece.text !== '' || hasOpaque)
          parts.push(opaquePart('self', piece.opaque, piece.text));
      } else if (piece.text !== '') {
        if (hasOpaque) parts.push(opaquePart('next', piece.opaque, ''));
        parts.push({ kind: 'text', text: piece.text });
      }
    }
    return parts;
  };

  return {
    add(part) {
      switch (part.type) {
        case 'text-start':
        case 'reasoning-start': {
          const block = start(part.type === 'text-start' ? 'text' : 'reasoning', part.id);
          Object.assign(block.opaque, keptOf(part.providerMetadata));
          return {};
        }
        case 'text-delta':
        case 'reasoning-delta': {
          const block = blockOf(part.type === 'text-delta' ? 'text' : 'reasoning', part.id);
          block.text += part.delta;
          Object.assign(block.opaque, keptOf(part.providerMetadata));
          return block.kind === 'text' && part.delta !== '' ? { text: part.delta } : {};
        }
        case 'text-end':
        case 'reasoning-end': {
          const block = blockOf(part.type === 'text-end' ? 'text' : 'reasoning', part.id);
          Object.assign(block.opaque, keptOf(part.providerMetadata));
          return {};
        }
        case 'tool-call':
          // Tools that the provider runs itself are not ours to run; we offer no such tools.
          if (part.providerExecuted === true) return {};
          pieces.push({
            kind: 'call',
            id: part.toolCallId,
            tool: part.toolName,
            input: part.input,
            opaque: keptOf(part.providerMetadata),
          });
          return {};
        case 'raw':
          reported = withReported(reported, part.rawValue);
          for (const id of idsInRaw(part.rawValue)) givenIds.add(id);
          return {};
        case 'error':
          // The library tried to request the rest of an over-long answer: what arrived is an answer
          // that reached its length limit, which the finish then reports.
          if (part.error instanceof SecondRequestRefused) return {};
          failure ??= { error: part.error };
          return { isVoid: true };
        case 'finish':
          finish = part;
          return {};
        default:
          return {}; // Tool input deltas arrive again in full; sources, files and the rest are not requested.
      }
    },

    result() {
      if (failure !== undefined) return { kind: 'error', error: failure.error };
      const raw = finish?.finishReason.raw;
      const said = raw === undefined ? {} : { said: raw };
      if (finish === undefined || finish.finishReason.unified === 'other') {
        return { kind: 'unusable', reason: 'cut', ...said };
      }
      if (finish.finishReason.unified === 'error') {
        return { kind: 'unusable', reason: 'malformed', ...said };
      }
      const ended = finish.finishReason.unified;
      const read = toParts();
      if ('badTool' in read) {
        const reason = ended === 'length' ? 'tool_arguments_cut' : 'tool_arguments';
        return { kind: 'unusable', reason, said: read.badTool };
      }
      // A blocked answer has no valid calls: none of it is run.
      const isBlocked = ended === 'content-filter';
      const parts = isBlocked ? read.filter((part) => part.kind !== 'tool_call') : read;
      const hasCalls = parts.some((part) => part.kind === 'tool_call');
      const hasText = parts.some((part) => part.kind === 'text' && part.text.trim() !== '');
      if (ended === 'tool-calls' && !hasCalls)
        return { kind: 'unusable', reason: 'malformed', ...said };
      if (ended === 'stop' && !hasCalls && !hasText) return { kind: 'unusable', reason: 'empty' };
      const { inputTokens, outputTokens } = finish.usage;
      return {
        kind: 'answer',
        answer: {
          parts,
          // Some services report stop, or length, but still expect their complete calls to run.
          finish: hasCalls
            ? 'tool_calls'
            : isBlocked
              ? 'content_filter'
              : ended === 'length'
                ? 'length'
                : 'stop',
          usage: usageOf(
            {
              input: inputTokens.total,
              output: outputTokens.total,
              cacheRead: inputTokens.cacheRead,
              cacheWrite: inputTokens.cacheWrite,
            },
            deps.prices,
          ),
        },
      };
    },

    used() {
      const usage = usageOf(leastOf(reported), deps.prices);
      return usage.inputTokens + usage.outputTokens > 0 ? usage : undefined;
    },
  };
}

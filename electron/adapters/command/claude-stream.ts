import { describeLimit, readLimit, type UsageLimit } from '../../../shared/limits/read-limit';
import { readRateLimit } from '../acp/read-rate-limit';
import { createJsonMeter, MAX_VALUES } from '../../engine/kernel/json-meter';
import type { CommandEvent } from '../../ports/command-agent';
import type { JsonValue } from '../../ports/provider';
import { parsedOutside } from '../../engine/kernel/json-depth';
import { isJson, textIn, type Json } from '../../engine/kernel/json-object';

/** Longer lines are dropped, because they are no usable event; so are lines with more values. */
const MAX_LINE_BYTES = 8 * 1024 * 1024;
const MAX_RESULT_CHARS = 4 * 1024 * 1024;
const NEWLINE = 0x0a;

/** Splits a stream of bytes into lines; a last line without an end is returned by `end`. */
export function createLineReader(onLine: (line: string) => void): {
  /** Yields after each line. */
  push(chunk: Buffer): Iterable<void>;
  end(): void;
} {
  const meter = createJsonMeter(MAX_VALUES);
  let open: Buffer[] = [];
  let openBytes = 0;
  let isDropping = false;
  const keep = (piece: Buffer): void => {
    openBytes += piece.length;
    isDropping ||= openBytes > MAX_LINE_BYTES || meter.isAbove(piece);
    if (isDropping) open = [];
    // Copied, because streams reuse their buffers.
    else open.push(Buffer.from(piece));
  };
  const endLine = (): void => {
    const line = isDropping ? undefined : Buffer.concat(open).toString('utf8');
    open = [];
    openBytes = 0;
    isDropping = false;
    meter.reset();
    if (line !== undefined) onLine(line);
  };
  return {
    *push(chunk) {
      let from = 0;
      for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, from)) {
        keep(chunk.subarray(from, at));
        from = at + 1;
        endLine();
        yield;
      }
      keep(chunk.subarray(from));
    },
    end() {
      if (openBytes > 0) endLine();
    },
  };
}

/**
 * Reads one line of `claude -p --output-format stream-json`. Anything that is not a relevant event
 * gives nothing. A result counts by its own `is_error`: a rejected request ends with the subtype
 * "success". Pure.
 */
export function readClaudeLine(line: string): readonly CommandEvent[] {
  const value = parsedOutside(line);
  if (!isJson(value)) return [];
  switch (value['type']) {
    case 'system':
      return readSystem(value);
    case 'assistant':
      return contentOf(value).flatMap(readAssistant);
    case 'user':
      return contentOf(value).flatMap(readUser);
    case 'result':
      return [...sessionOf(value), readResult(value)];
    case 'rate_limit_event': {
      const notice = readRateLimit(value['rate_limit_info']);
      return notice === undefined ? [] : [{ kind: 'limit', notice }];
    }
    case 'stream_event':
    case 'tool_progress':
      return [{ kind: 'sign' }];
    default:
      return [];
  }
}

const number = (value: unknown): number =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : 0;

function sessionOf(value: Json): readonly CommandEvent[] {
  const ref = textIn(value['session_id']);
  return /^[A-Za-z0-9._-]{1,200}$/.test(ref) ? [{ kind: 'session', ref }] : [];
}

function readSystem(value: Json): readonly CommandEvent[] {
  if (value['subtype'] === 'init') return sessionOf(value);
  if (value['subtype'] !== 'api_retry') return [{ kind: 'sign' }];
  const status = value['error_status'];
  return [
    {
      kind: 'retry',
      attempt: number(value['attempt']),
      ...(typeof status === 'number' ? { status } : {}),
      error: textIn(value['error']).slice(0, 200),
    },
  ];
}

function contentOf(value: Json): readonly Json[] {
  const content = (value['message'] as Json | undefined)?.['content'];
  return Array.isArray(content)
    ? content.filter((part): part is Json => typeof part === 'object' && part !== null)
    : [];
}

function readAssistant(part: Json): readonly CommandEvent[] {
  if (part['type'] === 'text') return [{ kind: 'text', text: textIn(part['text']) }];
  if (part['type'] === 'thinking' || part['type'] === 'redacted_thinking')
    return [{ kind: 'sign' }];
  if (part['type'] !== 'tool_use' || textIn(part['id']) === '' || textIn(part['name']) === '')
    return [];
  return [
    {
      kind: 'call',
      callId: textIn(part['id']).slice(0, 200),
      tool: textIn(part['name']).slice(0, 100),
      input: (part['input'] ?? {}) as JsonValue,
    },
  ];
}

function readUser(part: Json): readonly CommandEvent[] {
  const callId = textIn(part['tool_use_id']);
  if (part['type'] !== 'tool_result' || callId === '') return [];
  return [
    {
      kind: 'result',
      callId: callId.slice(0, 200),
      content: resultText(part['content']).slice(0, MAX_RESULT_CHARS),
      isError: part['is_error'] === true,
    },
  ];
}

/** Text of a tool's result, which may be a string or a list of parts. */
function resultText(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return content === undefined ? '' : JSON.stringify(content);
  return content
    .map((part: Json | null) =>
      part !== null && typeof part['text'] === 'string' ? part['text'] : JSON.stringify(part),
    )
    .join('\n');
}

function readResult(value: Json): CommandEvent {
  const usage = (value['usage'] ?? {}) as Json;
  const status = value['api_error_status'];
  const cost = value['total_cost_usd'];
  const isError = value['is_error'] === true || textIn(value['subtype']).startsWith('error');
  const limit = isError ? limitOf(value) : undefined;
  return {
    kind: 'answer',
    answer: {
      ...(limit === undefined ? {} : { limit }),
      text: textIn(value['result']) || (isError ? `It failed: ${textIn(value['subtype'])}.` : ''),
      isError,
      ...(typeof status === 'number' ? { status } : {}),
      usage: {
        inputTokens:
          number(usage['input_tokens']) +
          number(usage['cache_creation_input_tokens']) +
          number(usage['cache_read_input_tokens']),
        outputTokens: number(usage['output_tokens']),
        ...(typeof cost === 'number' && Number.isFinite(cost) && cost >= 0
          ? { costUsd: cost }
          : {}),
      },
    },
  };
}

/**
 * The limit's sentence, in the result or among the errors; some releases name only the kind. LM-01
 */
function limitOf(value: Json): UsageLimit | undefined {
  const errors = Array.isArray(value['errors']) ? value['errors'].map(textIn).join(' ') : '';
  const said = `${textIn(value['result'])} ${errors}`;
  const isKind = /^(rate_limit|billing_error)$/.test(textIn(value['error']));
  return readLimit(said) ?? (isKind ? describeLimit(said) : undefined);
}

import { parseOutside } from '../../engine/kernel/json-depth';

/** One event of a stream, as it came. */
export interface StreamEvent {
  /** With its blank line. */
  readonly raw: Buffer;
  /** Parsed data; undefined for `[DONE]`, comments and what is not JSON. */
  readonly json: Readonly<Record<string, unknown>> | undefined;
  readonly isDone: boolean;
  /** It has data that cannot be parsed: the answer it belongs to is incomplete. */
  readonly isUnreadable: boolean;
}

/** Larger events are rejected. */
const LARGEST_EVENT_BYTES = 16 * 1024 * 1024;

/** Cuts a stream of bytes into events; what has no end yet waits for the next piece. */
export function createEventReader(): {
  add(chunk: Uint8Array): StreamEvent[];
  /** What is left without an end. */
  rest(): Buffer;
} {
  let kept = Buffer.alloc(0);
  return {
    add(chunk) {
      kept = kept.length === 0 ? Buffer.from(chunk) : Buffer.concat([kept, chunk]);
      if (kept.length > LARGEST_EVENT_BYTES) throw new Error('an event of the stream is too large');
      const events: StreamEvent[] = [];
      for (;;) {
        const end = endOfEvent(kept);
        if (end === -1) return events;
        events.push(readEvent(kept.subarray(0, end)));
        kept = kept.subarray(end);
      }
    },
    rest: () => kept,
  };
}

/** Where the first event ends: behind a blank line, with either kind of line end. */
function endOfEvent(bytes: Buffer): number {
  const plain = bytes.indexOf('\n\n');
  const carriage = bytes.indexOf('\r\n\r\n');
  const ends = [plain === -1 ? -1 : plain + 2, carriage === -1 ? -1 : carriage + 4].filter(
    (end) => end !== -1,
  );
  return ends.length === 0 ? -1 : Math.min(...ends);
}

function readEvent(raw: Buffer): StreamEvent {
  const data = raw
    .toString('utf8')
    .split(/\r?\n/)
    .filter((line) => line.startsWith('data:'))
    .map((line) => line.slice(5).trimStart())
    .join('\n');
  if (data === '[DONE]') return { raw, json: undefined, isDone: true, isUnreadable: false };
  const json = data === '' ? undefined : parseObject(data);
  return { raw, json, isDone: false, isUnreadable: data !== '' && json === undefined };
}

/** An object, or undefined: other content is not ours to read. */
export function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value = parseOutside(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined; // not JSON: nothing is read from it
  }
}

/**
 * The object that a text contains or starts with: a byte order mark before it and anything after it
 * are ignored.
 */
export function firstObject(
  text: string,
): { readonly text: string; readonly json: Readonly<Record<string, unknown>> } | undefined {
  const plain = text.replace(/^\uFEFF/, '').trim();
  const whole = parseObject(plain);
  if (whole !== undefined) return { text: plain, json: whole };
  if (!plain.startsWith('{')) return undefined;
  let depth = 0;
  let isInText = false;
  for (let at = 0; at < plain.length; at += 1) {
    const sign = plain[at];
    if (isInText) {
      if (sign === '\\') at += 1;
      else if (sign === '"') isInText = false;
    } else if (sign === '"') isInText = true;
    else if (sign === '{' || sign === '[') depth += 1;
    else if (sign === '}' || sign === ']') {
      depth -= 1;
      if (depth > 0) continue;
      const first = plain.slice(0, at + 1);
      const json = parseObject(first);
      return json === undefined ? undefined : { text: first, json };
    }
  }
  return undefined;
}

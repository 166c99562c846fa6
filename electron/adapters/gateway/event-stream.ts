import { parsedOutside } from '../../engine/kernel/json-depth';
import { createJsonMeter, MAX_VALUES } from '../../engine/kernel/json-meter';
import { isJson, type Json } from '../../engine/kernel/json-object';

/** One event of a stream, unchanged. */
export interface StreamEvent {
  /** Includes its blank line. */
  readonly raw: Buffer;
  /** Parsed data; undefined for `[DONE]`, comments and what is not JSON. */
  readonly json: Readonly<Record<string, unknown>> | undefined;
  readonly isDone: boolean;
  /** It has data that cannot be parsed: its answer is incomplete. */
  readonly isUnreadable: boolean;
}

/** Maximum size of an event, and of everything before the first content of an answer. */
export const LARGEST_EVENT_BYTES = 16 * 1024 * 1024;
const NEWLINE = 0x0a;
const CARRIAGE = 0x0d;

export interface EventReader {
  /** The events that end in this chunk, each parsed when it is taken; take all of them. */
  add(chunk: Uint8Array): Iterable<StreamEvent>;
  /** The remaining incomplete text. */
  rest(): Buffer;
}

/**
 * Splits a byte stream into events, each ended by a blank line, with either kind of line end. An
 * incomplete event waits for the next chunk. Each byte is checked once, however small the chunks or
 * events are.
 */
export function createEventReader(): EventReader {
  /** Chunks of the incomplete event. */
  let open: Buffer[] = [];
  let openBytes = 0;
  const meter = createJsonMeter(MAX_VALUES);
  /** The current line, as far as needed to know whether it is blank. */
  let line: Line = 'empty';
  const take = (piece: Buffer): void => {
    openBytes += piece.length;
    if (openBytes > LARGEST_EVENT_BYTES) throw new Error('an event of the stream is too large');
    if (meter.isAbove(piece)) throw new Error('an event of the stream has too many values');
    open.push(piece);
    // One-byte chunks must not each become a buffer, nor be copied again with each following one.
    while (sizeAt(-2) <= sizeAt(-1)) open.push(Buffer.concat(open.splice(-2)));
  };
  const sizeAt = (at: number): number => open.at(at)?.length ?? Infinity;
  const whole = (): Buffer => (open.length === 1 ? open[0] : undefined) ?? Buffer.concat(open);
  return {
    *add(chunk) {
      const bytes = Buffer.from(chunk);
      let from = 0;
      let lineFrom = 0;
      for (let at = bytes.indexOf(NEWLINE); at !== -1; at = bytes.indexOf(NEWLINE, lineFrom)) {
        const isBlank = isBlankLine(line, bytes.subarray(lineFrom, at));
        line = 'empty';
        lineFrom = at + 1;
        if (!isBlank) continue;
        take(bytes.subarray(from, lineFrom));
        from = lineFrom;
        const raw = whole();
        open = [];
        openBytes = 0;
        meter.reset();
        yield readEvent(raw);
      }
      if (lineFrom < bytes.length) line = lineAfter(line, bytes.subarray(lineFrom));
      if (from < bytes.length) take(bytes.subarray(from));
    },
    rest: whole,
  };
}

type Line = 'empty' | 'carriage' | 'full';

function lineAfter(before: Line, piece: Buffer): Line {
  if (piece.length === 0) return before;
  return before === 'empty' && piece.length === 1 && piece[0] === CARRIAGE ? 'carriage' : 'full';
}

const isBlankLine = (before: Line, piece: Buffer): boolean => lineAfter(before, piece) !== 'full';

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

/** The parsed object; undefined for other content, which is not for us to read. */
export function parseObject(text: string): Json | undefined {
  const value = parsedOutside(text);
  return isJson(value) ? value : undefined;
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

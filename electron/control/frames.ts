/**
 * Framing of the control socket: one JSON object per line, no line above 64 KB.
 * A message that does not fit into a line travels as `part` frames with consecutive pieces of its
 * JSON text; the piece marked `isLast` completes it. Each direction sends one message in parts at a
 * time, without other frames in between, so no message ID is needed. `maxMessageBytes` bounds what
 * a receiver buffers.
 */

import { parsedJson } from '../../shared/parsed-json';
import { createJsonMeter } from '../engine/kernel/json-meter';

/** Maximum line length in bytes, including its newline. */
export const MAX_FRAME_BYTES = 65_536;
/** At most 3 bytes for each UTF-16 unit after escaping, so a piece always fits into a line. */
const PART_UNITS = 20_000;
/** Maximum parts of one message; the largest accepted message has 1,300. */
const MAX_PARTS = 5_000;

/** Why a reader stopped; the connection is unusable afterward. */
export type FrameFault = 'frame_too_large' | 'message_too_large' | 'malformed' | 'too_many_values';

/** Lines for one message, each with its newline. */
export function encodeMessage(message: unknown): string[] {
  const text = JSON.stringify(message);
  const whole = `${text}\n`;
  if (whole.length <= MAX_FRAME_BYTES && Buffer.byteLength(whole) <= MAX_FRAME_BYTES)
    return [whole];
  const lines: string[] = [];
  for (let from = 0; from < text.length; from += PART_UNITS) {
    const isLast = from + PART_UNITS >= text.length;
    lines.push(
      `${JSON.stringify({ kind: 'part', text: text.slice(from, from + PART_UNITS), isLast })}\n`,
    );
  }
  return lines;
}

interface PartFrame {
  readonly kind: 'part';
  readonly text: string;
  readonly isLast: boolean;
}

function asPart(value: unknown): PartFrame | 'malformed' | undefined {
  if (typeof value !== 'object' || value === null || !('kind' in value)) return undefined;
  if (value.kind !== 'part') return undefined;
  const part = value as Partial<PartFrame>;
  return typeof part.text === 'string' && typeof part.isLast === 'boolean'
    ? { kind: 'part', text: part.text, isLast: part.isLast }
    : 'malformed';
}

/** Turns received bytes into messages. After a fault it ignores everything. */
interface FrameReader {
  push(chunk: Buffer): void;
  /** The same in steps: yields after each frame, and between the steps of a large message. */
  steps(chunk: Buffer): Iterable<void>;
  /** Bytes held for a message that is not complete. */
  heldBytes(): number;
}

interface FrameReaderDeps {
  readonly maxFrameBytes: number;
  readonly maxMessageBytes: number;
  /** Values of one message; without it they are not counted. */
  readonly maxValues?: number;
  readonly onMessage: (message: unknown) => void;
  readonly onFault: (fault: FrameFault) => void;
}

/** Creates a reader for one direction of one connection. */
export function createFrameReader(deps: FrameReaderDeps): FrameReader {
  let line: Buffer[] = [];
  let lineBytes = 0;
  let parts: string[] = [];
  let partBytes = 0;
  const { maxValues } = deps;
  const meterOf = () => (maxValues === undefined ? undefined : createJsonMeter(maxValues));
  const lineMeter = meterOf();
  /** Counts across the parts of a message, so that one of 26 MB is not processed at once. */
  const partMeter = meterOf();
  let isBroken = false;

  const fail = (fault: FrameFault): void => {
    isBroken = true;
    line = [];
    parts = [];
    lineBytes = 0;
    partBytes = 0;
    deps.onFault(fault);
  };

  const takeLine = function* (text: string): Iterable<void> {
    const isAbove = lineMeter?.isAbove(text) ?? false;
    lineMeter?.reset();
    if (isAbove) return fail('too_many_values');
    const parsed = parsedJson(text);
    if (parsed === undefined) return fail('malformed');
    const part = asPart(parsed);
    if (part === 'malformed') return fail('malformed');
    if (!part) {
      // A whole message between the parts of another one violates the protocol.
      if (parts.length > 0) return fail('malformed');
      return deps.onMessage(parsed);
    }
    partBytes += Buffer.byteLength(part.text);
    if (partBytes > deps.maxMessageBytes) return fail('message_too_large');
    parts.push(part.text);
    // Empty frames must not grow a message either.
    if (parts.length > MAX_PARTS) return fail('message_too_large');
    if (partMeter?.isAbove(part.text) === true) return fail('too_many_values');
    if (!part.isLast) return;
    const joined = parts.join('');
    parts = [];
    partBytes = 0;
    partMeter?.reset();
    yield;
    const whole = parsedJson(joined);
    if (whole === undefined || asPart(whole)) return fail('malformed');
    yield;
    deps.onMessage(whole);
  };

  return {
    push(chunk) {
      for (const _frame of this.steps(chunk));
    },
    *steps(chunk) {
      let rest = chunk;
      while (!isBroken && rest.length > 0) {
        const end = rest.indexOf(0x0a);
        const piece = end === -1 ? rest : rest.subarray(0, end);
        lineBytes += piece.length;
        if (lineBytes + 1 > deps.maxFrameBytes) return fail('frame_too_large');
        line.push(piece);
        if (end === -1) return;
        const text = Buffer.concat(line).toString('utf8');
        line = [];
        lineBytes = 0;
        rest = rest.subarray(end + 1);
        if (text !== '') yield* takeLine(text);
        yield;
      }
    },
    heldBytes: () => lineBytes + partBytes,
  };
}

/**
 * Framing of the control socket: one JSON object per line, no line above 64 KB.
 *
 * A message that does not fit into a line travels as `part` frames that carry consecutive pieces
 * of its JSON text; the piece marked `isLast` completes it. One message is in parts at a time in
 * each direction, so no message id is needed: `part` frames of a message follow each other without
 * anything between them. What a receiver holds is bounded by `maxMessageBytes`.
 */

/** Longest line in bytes, with its newline. */
export const MAX_FRAME_BYTES = 65_536;
/** At most 3 bytes for each UTF-16 unit after escaping, so a piece always fits into a line. */
const PART_UNITS = 20_000;

/** Why a reader gave up; the connection cannot be used after it. */
export type FrameFault = 'frame_too_large' | 'message_too_large' | 'malformed';

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
  /** Bytes held for a message that is not complete. */
  heldBytes(): number;
}

interface FrameReaderDeps {
  readonly maxFrameBytes: number;
  readonly maxMessageBytes: number;
  readonly onMessage: (message: unknown) => void;
  readonly onFault: (fault: FrameFault) => void;
}

/** Creates a reader for one direction of one connection. */
export function createFrameReader(deps: FrameReaderDeps): FrameReader {
  let line: Buffer[] = [];
  let lineBytes = 0;
  let parts: string[] = [];
  let partBytes = 0;
  let isBroken = false;

  const fail = (fault: FrameFault): void => {
    isBroken = true;
    line = [];
    parts = [];
    lineBytes = 0;
    partBytes = 0;
    deps.onFault(fault);
  };

  const parse = (text: string): { readonly value: unknown } | undefined => {
    try {
      return { value: JSON.parse(text) };
    } catch {
      return undefined; // the caller reports it as malformed
    }
  };

  const takeLine = (text: string): void => {
    const parsed = parse(text);
    if (!parsed) return fail('malformed');
    const part = asPart(parsed.value);
    if (part === 'malformed') return fail('malformed');
    if (!part) {
      // A whole message between the parts of another one is not in the protocol.
      if (parts.length > 0) return fail('malformed');
      return deps.onMessage(parsed.value);
    }
    partBytes += Buffer.byteLength(part.text);
    if (partBytes > deps.maxMessageBytes) return fail('message_too_large');
    parts.push(part.text);
    if (!part.isLast) return;
    const whole = parse(parts.join(''));
    parts = [];
    partBytes = 0;
    if (!whole || asPart(whole.value)) return fail('malformed');
    deps.onMessage(whole.value);
  };

  return {
    push: (chunk) => {
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
        if (text !== '') takeLine(text);
      }
    },
    heldBytes: () => lineBytes + partBytes,
  };
}

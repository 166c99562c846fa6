/** Output of a command: the first and last bytes are stored, the rest is counted. */
interface OutputBuffer {
  append(chunk: Uint8Array): void;
  /** The retained text, with a note if something is missing. */
  text(): string;
  readonly totalBytes: number;
}

/** Maximum bytes of a truncated line that are dropped with the omitted part. */
const LOST_WITH_CUT = 1_000;

/** Keeps at most `capBytes`, half of them from the start and half from the end. */
export function createOutputBuffer(capBytes: number): OutputBuffer {
  const headCap = Math.ceil(capBytes / 2);
  const tailCap = capBytes - headCap;
  const head: Uint8Array[] = [];
  let tail: Uint8Array[] = [];
  let headBytes = 0;
  let tailBytes = 0;
  let totalBytes = 0;

  const trimTail = (): void => {
    // Only from time to time, so that a flood of small chunks stays cheap.
    if (tailBytes <= tailCap * 2 + 65_536) return;
    const all = Buffer.concat(tail);
    tail = [Buffer.from(all.subarray(all.length - tailCap))];
    tailBytes = tailCap;
  };

  return {
    append(chunk) {
      totalBytes += chunk.length;
      const toHead = chunk.subarray(0, headCap - headBytes);
      // Copied, because streams reuse their buffers.
      if (toHead.length > 0) head.push(Uint8Array.from(toHead));
      headBytes += toHead.length;
      const toTail = chunk.subarray(toHead.length);
      if (toTail.length === 0) return;
      tail.push(Uint8Array.from(toTail));
      tailBytes += toTail.length;
      trimTail();
    },
    text() {
      const kept = Buffer.concat(tail);
      const last = kept.subarray(Math.max(0, kept.length - tailCap));
      if (headBytes + last.length === totalBytes) return decode(Buffer.concat([...head, last]));
      const start = toLineEnd(Buffer.concat(head));
      const end = fromLineStart(last);
      const cutBytes = totalBytes - start.length - end.length;
      return `${decode(start, 'start')}\n[… ${cutBytes} of ${totalBytes} bytes are left out here …]\n${decode(end, 'end')}`;
    },
    get totalBytes() {
      return totalBytes;
    },
  };
}

const LINE_END = 10;

/** Whole lines if one ends close to the cut: half a path would name another folder. DW-18 */
function toLineEnd(bytes: Buffer): Buffer {
  const at = bytes.lastIndexOf(LINE_END);
  return at === -1 || bytes.length - at > LOST_WITH_CUT ? bytes : bytes.subarray(0, at);
}

function fromLineStart(bytes: Buffer): Buffer {
  const at = bytes.indexOf(LINE_END);
  return at === -1 || at > LOST_WITH_CUT ? bytes : bytes.subarray(at + 1);
}

/** A truncated character is dropped; a NUL becomes visible. */
function decode(bytes: Buffer, side?: 'start' | 'end'): string {
  let from = 0;
  while (side === 'end' && from < 3 && ((bytes[from] ?? 0) & 0xc0) === 0x80) from += 1;
  return new TextDecoder('utf-8', { ignoreBOM: true })
    .decode(bytes.subarray(from), { stream: side === 'start' })
    .replaceAll('\0', '\ufffd');
}

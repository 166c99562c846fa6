/** The last output of a program, passed on a few times a second while it runs. */

/** Bytes considered at the end of the output. */
const TAIL_BYTES = 8_192;
const TAIL_LINES = 20;
const EVERY_MS = 200;

interface LiveTail {
  append(chunk: Uint8Array): void;
  /** The program has ended: nothing is passed on from then on. */
  end(): void;
}

/** `onTail` gets at most 20 lines: at once for the first output, then at most every 200 ms. */
export function createLiveTail(onTail: (tail: string) => void): LiveTail {
  let kept: Uint8Array = new Uint8Array();
  let timer: NodeJS.Timeout | undefined;
  let isNew = false;
  let isOver = false;
  const tell = (): void => {
    isNew = false;
    onTail(tailOf(kept));
    timer = setTimeout(() => {
      timer = undefined;
      if (isNew) tell();
    }, EVERY_MS);
    timer.unref();
  };
  return {
    append(chunk) {
      if (isOver) return;
      // Copied, because streams reuse their buffers.
      kept = Buffer.concat([kept, chunk.subarray(-TAIL_BYTES)]).subarray(-TAIL_BYTES);
      isNew = true;
      if (timer === undefined) tell();
    },
    end() {
      isOver = true;
      clearTimeout(timer);
    },
  };
}

function tailOf(bytes: Uint8Array): string {
  // A truncated character is dropped.
  let from = 0;
  while (bytes.length === TAIL_BYTES && from < 3 && ((bytes[from] ?? 0) & 0xc0) === 0x80) from += 1;
  const text = new TextDecoder('utf-8', { ignoreBOM: true })
    .decode(bytes.subarray(from), { stream: true })
    .replaceAll('\r\n', '\n')
    .replaceAll('\0', '\ufffd');
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return (
    lines
      .slice(-TAIL_LINES)
      // A progress line overwrites itself: only its newest state counts.
      .map((line) => line.slice(line.replace(/\r+$/, '').lastIndexOf('\r') + 1).replace(/\r+$/, ''))
      .join('\n')
  );
}

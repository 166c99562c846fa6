import type { FileHandle } from 'node:fs/promises';

/** Maximum bytes of a file that one call returns. */
export const READ_CAP_BYTES = 256 * 1024;

/** Bytes at the start of a file in which a NUL makes it binary. */
const SNIFF_BYTES = 8 * 1024;
const CHUNK_BYTES = 64 * 1024;

/** Exact text, or why there is none. */
type FileText =
  | { readonly kind: 'binary'; readonly sizeBytes: number }
  | {
      readonly kind: 'text';
      readonly text: string;
      /** 1-based number of the first line returned. */
      readonly firstLine: number;
      /** Number of the last line with returned text; firstLine - 1 if there is none. */
      readonly lastLine: number;
      /** True if the cap ended the reading within the requested range. */
      readonly isCut: boolean;
      /** True if the file continues after the text. */
      readonly hasMore: boolean;
      readonly sizeBytes: number;
    };

/** True if a NUL in its first 8 KB shows that `bytes` are not text. */
export const isBinary = (bytes: Uint8Array): boolean => bytes.subarray(0, SNIFF_BYTES).includes(0);

/**
 * Reads lines `startLine` to `endLine` (1-based, inclusive) as a stream: memory stays below the cap
 * however large the file is.
 */
export async function readLines(
  handle: FileHandle,
  options: {
    readonly startLine: number;
    readonly endLine: number | undefined;
    readonly capBytes: number;
    readonly signal: AbortSignal;
  },
): Promise<FileText> {
  const sizeBytes = (await handle.stat()).size;
  const endLine = options.endLine ?? Number.POSITIVE_INFINITY;
  const buffer = Buffer.alloc(CHUNK_BYTES);
  const kept: Buffer[] = [];
  let keptBytes = 0;
  let line = 1;
  let lastLine = options.startLine - 1;
  let isFirst = true;
  let isCut = false;
  let hasMore = false;

  reading: for (;;) {
    options.signal.throwIfAborted();
    const { bytesRead } = await handle.read(buffer, 0, CHUNK_BYTES, null);
    if (bytesRead === 0) break;
    const chunk = buffer.subarray(0, bytesRead);
    if (isFirst && isBinary(chunk)) return { kind: 'binary', sizeBytes };
    isFirst = false;
    let at = 0;
    while (at < chunk.length) {
      if (line > endLine) {
        hasMore = true;
        break reading;
      }
      const newline = chunk.indexOf(10, at);
      const next = newline === -1 ? chunk.length : newline + 1;
      if (line >= options.startLine) {
        const room = options.capBytes - keptBytes;
        const part = chunk.subarray(at, Math.min(next, at + room));
        kept.push(Buffer.from(part));
        keptBytes += part.length;
        if (part.length > 0) lastLine = line;
        if (part.length < next - at) {
          isCut = true;
          hasMore = true;
          break reading;
        }
      }
      if (newline !== -1) line += 1;
      at = next;
    }
  }
  const bytes = Buffer.concat(kept);
  // A character split by the cap is dropped rather than shown as garbage.
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes, { stream: isCut });
  return { kind: 'text', text, firstLine: options.startLine, lastLine, isCut, hasMore, sizeBytes };
}

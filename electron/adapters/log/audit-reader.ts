import { open, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { AuditLine, AuditPlace, AuditReader } from '../../ports/history';
import { parsedOutside } from '../../engine/kernel/json-depth';
import { isJson, type Json } from '../../engine/kernel/json-object';

/** One block has some hundred lines: reading it blocks for no noticeable time. */
const BLOCK_BYTES = 65_536;
/** Longer lines are skipped. */
const MAX_LINE_BYTES = 4_194_304;

/** Reads `D/audit/<month>.jsonl` from the end, in blocks, while it is being written. S4-33. */
export function createAuditReader(dir: string): AuditReader {
  const months = async (): Promise<string[]> =>
    (await readdir(dir).catch(() => [] as string[]))
      .map((name) => /^(\d{4}-\d{2})\.jsonl$/.exec(name)?.[1])
      .filter((month) => month !== undefined)
      .sort();
  const pathOf = (month: string): string => join(dir, `${month}.jsonl`);
  const endOf = async (month: string | undefined): Promise<AuditPlace | undefined> =>
    month === undefined ? undefined : { month, byte: (await stat(pathOf(month))).size };
  const monthBefore = async (month: string): Promise<AuditPlace | undefined> =>
    endOf((await months()).filter((one) => one < month).at(-1));

  return {
    end: async () => endOf((await months()).at(-1)),
    async endAt(atMs) {
      const wanted = new Date(atMs).toISOString().slice(0, 7);
      const place = await endOf((await months()).filter((one) => one <= wanted).at(-1));
      if (place === undefined || place.month < wanted) return place;
      const handle = await open(pathOf(place.month), 'r');
      try {
        let low = 0;
        let high = place.byte;
        while (high - low > BLOCK_BYTES) {
          const middle = Math.floor((low + high) / 2);
          const { buffer, bytesRead } = await handle.read(
            Buffer.alloc(BLOCK_BYTES),
            0,
            BLOCK_BYTES,
            middle,
          );
          const [line] = linesIn(buffer.subarray(0, bytesRead), {
            month: place.month,
            byte: middle,
          });
          if (line !== undefined && line.atMs <= atMs) low = middle;
          else high = middle;
        }
        return { month: place.month, byte: Math.min(place.byte, high + BLOCK_BYTES) };
      } finally {
        await handle.close();
      }
    },
    async back({ month, byte }) {
      if (byte <= 0) return { lines: [], next: await monthBefore(month) };
      const handle = await open(pathOf(month), 'r');
      try {
        for (let length = BLOCK_BYTES; ; length *= 4) {
          const start = Math.max(0, byte - length);
          const { buffer, bytesRead } = await handle.read(
            Buffer.alloc(byte - start),
            0,
            byte - start,
            start,
          );
          const bytes = buffer.subarray(0, bytesRead);
          // The first line is incomplete, unless the block starts with the file.
          const cut = start === 0 ? 0 : bytes.indexOf(0x0a) + 1;
          const isWhole = start === 0 || (cut > 0 && cut < bytes.length);
          if (!isWhole && length < MAX_LINE_BYTES) continue;
          const next =
            start === 0 ? await monthBefore(month) : { month, byte: isWhole ? start + cut : start };
          const lines = linesIn(bytes.subarray(cut), { month, byte: start + cut }, true);
          return { lines: lines.reverse(), next };
        }
      } finally {
        await handle.close();
      }
    },
  };
}

/**
 * Complete lines of a block; without `isFromStart` the part before the first line end is skipped.
 */
function linesIn(bytes: Buffer, place: AuditPlace, isFromStart = false): AuditLine[] {
  const lines: AuditLine[] = [];
  let start = isFromStart || place.byte === 0 ? 0 : bytes.indexOf(0x0a) + 1;
  for (let end = bytes.indexOf(0x0a, start); end >= 0; end = bytes.indexOf(0x0a, start)) {
    const line = lineOf(bytes.toString('utf8', start, end), {
      month: place.month,
      byte: place.byte + start,
    });
    if (line !== undefined) lines.push(line);
    start = end + 1;
  }
  return lines;
}

/** Undefined for a torn or foreign line. */
function lineOf(text: string, place: AuditPlace): AuditLine | undefined {
  const { at, event, facts } = (parsedOutside(text) ?? {}) as Json;
  const atMs = Date.parse(String(at));
  if (!Number.isFinite(atMs) || atMs < 0 || typeof event !== 'string') return undefined;
  return { place, atMs, event, facts: isJson(facts) ? facts : {} };
}

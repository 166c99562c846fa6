import type { FileHandle } from 'node:fs/promises';
import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Environment } from '../shell/child-environment';

const CHUNK_BYTES = 1024 * 1024;
/** The cost is written when the program ends; only a killed run writes more after it. */
const MAX_TAIL_BYTES = 64 * 1024 * 1024;
const MARK = '"cost-state"';

/**
 * The cost with which Claude Code starts counting when it resumes a conversation. From 2.1.277 on
 * it is the one in its record when the program last ended; before, and if the record has none, each
 * process counts from 0. Never throws.
 */
export async function claudeCostBefore(env: Environment, ref: string): Promise<number> {
  const config = env['CLAUDE_CONFIG_DIR'] ?? join(env['HOME'] ?? '', '.claude');
  const projects = join(config, 'projects');
  const folders = await readdir(projects).catch(() => []);
  for (const folder of folders) {
    const handle = await open(join(projects, folder, `${ref}.jsonl`), 'r').catch(() => undefined);
    if (handle === undefined) continue;
    try {
      return (await lastCost(handle)) ?? 0;
    } catch {
      return 0; // Just deleted or unreadable.
    } finally {
      await handle.close();
    }
  }
  return 0;
}

/** Cost of one run; a lower count than before means that counting restarted. Pure. */
export const costOfRun = (toldUsd: number, beforeUsd: number): number =>
  toldUsd < beforeUsd ? toldUsd : toldUsd - beforeUsd;

/** From end to start: the last count is near the end. */
async function lastCost(handle: FileHandle): Promise<number | undefined> {
  const { size } = await handle.stat();
  const least = Math.max(0, size - MAX_TAIL_BYTES);
  // The start of the next chunk: it may be the end of a line that starts in this one.
  let rest = Buffer.alloc(0);
  for (let to = size; to > least;) {
    const from = Math.max(least, to - CHUNK_BYTES);
    const buffer = Buffer.alloc(to - from);
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, from);
    const piece = Buffer.concat([buffer.subarray(0, bytesRead), rest]);
    to = from;
    const cut = from === 0 ? 0 : piece.indexOf(0x0a) + 1;
    if (cut === 0 && from !== 0) {
      // A line longer than a chunk contains no count, so it is not joined again for each chunk.
      rest = piece.length > CHUNK_BYTES ? Buffer.alloc(0) : piece;
      continue;
    }
    const found = costIn(piece.toString('utf8', cut));
    if (found !== undefined) return found;
    rest = piece.subarray(0, cut);
  }
  return undefined;
}

function costIn(text: string): number | undefined {
  for (const line of text.split('\n').toReversed()) {
    if (!line.includes(MARK)) continue;
    try {
      const { type, totalCostUSD: costUsd } = JSON.parse(line) as Readonly<Record<string, unknown>>;
      if (type !== 'cost-state' || typeof costUsd !== 'number') continue;
      // "1e400" is valid JSON and parses as Infinity.
      if (Number.isFinite(costUsd) && costUsd >= 0) return costUsd;
    } catch {
      // Interrupted by a kill: the previous one counts.
    }
  }
  return undefined;
}

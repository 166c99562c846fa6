import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { HookRecord } from '../../ports/command-agent';
import { oneTurn } from '../../read-in-slices';

/** Lines that are read in one turn of the event loop: each may hold 32 KB of what a tool said. */
const LINES_OF_A_TURN = 64;

/** Folder of the hooks' records and settings. */
export const hooksDir = (dataDir: string): string => join(dataDir, 'run', 'hooks');
/** What the hooks of a turn write: one JSON object a line. */
export const recordsPath = (dataDir: string, turnId: number): string =>
  join(hooksDir(dataDir), `turn-${String(turnId)}.jsonl`);

/** The turns whose hooks have left records. */
export async function hookedTurns(dataDir: string): Promise<readonly number[]> {
  const names = await readdir(hooksDir(dataDir)).catch(() => []);
  return names.flatMap((name) => {
    const turnId = /^turn-(\d+)\.jsonl$/.exec(name)?.[1];
    return turnId === undefined ? [] : [Number(turnId)];
  });
}

/** The records that the hooks of a turn have written; undefined if there is no file. */
export async function readRecords(path: string): Promise<readonly HookRecord[] | undefined> {
  let content: string;
  try {
    content = await readFile(path, 'utf8');
  } catch {
    return undefined;
  }
  const records: HookRecord[] = [];
  for (const [at, line] of content.split('\n').entries()) {
    records.push(...readRecord(line));
    if (at % LINES_OF_A_TURN === LINES_OF_A_TURN - 1) await oneTurn();
  }
  return records;
}

function readRecord(line: string): readonly HookRecord[] {
  try {
    const value = JSON.parse(line) as Partial<Record<string, unknown>>;
    const { kind, attempt } = value;
    if (typeof attempt !== 'number') return [];
    if (kind === 'session' && typeof value['ref'] === 'string')
      return [{ kind, attempt, ref: value['ref'] }];
    if (kind !== 'after' || typeof value['callId'] !== 'string') return [];
    return [
      {
        kind,
        attempt,
        callId: value['callId'],
        isError: value['isError'] === true,
        output: typeof value['output'] === 'string' ? value['output'] : '',
      },
    ];
  } catch {
    return []; // an empty last line, or an incomplete one
  }
}

import { statSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { appendLineDurablySync } from '../../disk/durable-file';
import type { CrashPoints } from '../../engine/kernel/crash-points';
import type { HookRecord } from '../../ports/command-agent';
import { oneTurn } from '../../read-in-slices';

const SEAL = `\n${JSON.stringify({ kind: 'seal' })}\n`;
/** Where a seal belongs that could not be written: the size of the file at that time. */
const unwritten = new Map<string, number>();

/** Lines read per turn of the event loop: each may contain 32 KB of tool output. */
const LINES_OF_A_TURN = 64;

/** Folder of the hooks' records and settings. */
export const hooksDir = (dataDir: string): string => join(dataDir, 'run', 'hooks');
/** Path of the records of a turn's hooks: one JSON object per line. */
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

/**
 * Marks that the following records are from the hooks of this run. Creates the file; on disk when
 * it returns.
 */
export const beginRecords = (path: string, attempt: number): void =>
  appendLineDurablySync(path, JSON.stringify({ kind: 'run', attempt }));

/**
 * Called before Holdfast signals a process of the turn; on disk when it returns. A program that is
 * asked to end kills its own commands and reports them as finished, so records that its hooks write
 * later are not results: the command was interrupted and its outcome is unknown. S4-20
 */
export function sealRecords(dataDir: string, turnId: number, crashPoints: CrashPoints): void {
  const path = recordsPath(dataDir, turnId);
  const facts = statSync(path, { throwIfNoEntry: false });
  if (facts === undefined) return;
  crashPoints.hit('command.seal.before');
  try {
    appendLineDurablySync(path, SEAL.trim());
  } catch {
    // The hooks may still write: with too many open files only this process is refused. It also
    // reads what the run leaves, unless it dies before.
    unwritten.set(path, facts.size);
    return;
  }
  crashPoints.hit('command.seal.after');
}

/** The records of a turn's hooks; undefined if there is no file. */
export async function readRecords(path: string): Promise<readonly HookRecord[] | undefined> {
  let content: string;
  try {
    const bytes = await readFile(path);
    // After the end, a seal changes nothing.
    const sealedAt = unwritten.get(path) ?? bytes.length;
    content = [bytes.subarray(0, sealedAt), bytes.subarray(sealedAt)].join(SEAL);
  } catch {
    return undefined;
  }
  const records: HookRecord[] = [];
  let isSealed = false;
  /** The run that started last since the seal. */
  let unsealed: number | undefined;
  for (const [at, line] of content.split('\n').entries()) {
    for (const record of readRecord(line)) {
      if (record.kind === 'seal') [isSealed, unsealed] = [true, undefined];
      else if (record.kind === 'run') unsealed = record.attempt;
      else if (!isSealed || record.attempt === unsealed) records.push(record);
    }
    if (at % LINES_OF_A_TURN === LINES_OF_A_TURN - 1) await oneTurn();
  }
  return records;
}

type Line =
  HookRecord | { readonly kind: 'run'; readonly attempt: number } | { readonly kind: 'seal' };

function readRecord(line: string): readonly Line[] {
  try {
    const value = JSON.parse(line) as Partial<Record<string, unknown>>;
    const { kind, attempt } = value;
    if (kind === 'seal') return [{ kind }];
    if (typeof attempt !== 'number') return [];
    if (kind === 'run') return [{ kind, attempt }];
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
    return []; // An empty or incomplete last line.
  }
}

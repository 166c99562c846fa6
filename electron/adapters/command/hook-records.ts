import { existsSync, statSync } from 'node:fs';
import { unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { appendLineDurablySync } from '../../disk/durable-file';
import { moveAsideSync } from '../../disk/durable-folder';
import type { CrashPoints } from '../../engine/kernel/crash-points';
import type { HookRecord } from '../../ports/command-agent';
import { namesIfThere, readIfThere } from '../files/read-state';
import { oneTurn } from '../../read-in-slices';

const SEAL = `\n${JSON.stringify({ kind: 'seal' })}\n`;
/** Where a seal belongs that left no trace on the disk: the size of the file at that time. */
const unwritten = new Map<string, number>();

/** Lines read per turn of the event loop: each may contain 32 KB of tool output. */
const LINES_OF_A_TURN = 64;

/** Folder of the hooks' records and settings. */
export const hooksDir = (dataDir: string): string => join(dataDir, 'run', 'hooks');
/** Path of the records of a turn's hooks: one JSON object per line. */
export const recordsPath = (dataDir: string, turnId: number): string =>
  join(hooksDir(dataDir), `turn-${String(turnId)}.jsonl`);

/** Records that were sealed by moving them out of the way of the hooks; counted from 1. */
const sealedPath = (path: string, part: number): string =>
  path.replace(/\.jsonl$/, `.${String(part)}.jsonl`);

function turnOf(name: string): number | undefined {
  const turnId = /^turn-(\d+)(?:\.\d+)?\.jsonl$/.exec(name)?.[1];
  return turnId === undefined ? undefined : Number(turnId);
}

/** The turns whose hooks have left records. @throws RESULT_UNREADABLE */
export async function hookedTurns(dataDir: string): Promise<readonly number[]> {
  const names = await namesIfThere(hooksDir(dataDir));
  return [...new Set(names.map(turnOf))].filter((turnId) => turnId !== undefined);
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
  const sizeBytes = sizeOf(path);
  if (sizeBytes === undefined) return;
  crashPoints.hit('command.seal.before');
  try {
    appendLineDurablySync(path, SEAL.trim());
  } catch {
    // The hooks may still write: with too many open files only this process is refused. Even then,
    // and on a full disk, a file can be renamed: the next process finds the seal too.
    try {
      moveAsideSync(path, freeSealedPath(path));
    } catch {
      unwritten.set(path, sizeBytes);
      return;
    }
  }
  crashPoints.hit('command.seal.after');
}

/** Undefined if no hook of this turn was ever prepared. */
function sizeOf(path: string): number | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })?.size;
  } catch {
    return 0; // It may be there.
  }
}

function freeSealedPath(path: string): string {
  let part = 1;
  while (existsSync(sealedPath(path, part))) part += 1;
  return sealedPath(path, part);
}

/** Deletes the records of a turn's hooks. Never throws. */
export async function removeRecords(dataDir: string, turnId: number): Promise<void> {
  const names = await namesIfThere(hooksDir(dataDir)).catch(() => []);
  for (const name of names.filter((one) => turnOf(one) === turnId))
    await unlink(join(hooksDir(dataDir), name)).catch(() => undefined); // Already gone.
}

/** The records of a turn's hooks; undefined if there is no file. @throws RESULT_UNREADABLE */
export async function readRecords(path: string): Promise<readonly HookRecord[] | undefined> {
  const bytes = await readIfThere(path);
  const parts = await readSealed(path);
  if (bytes === undefined && parts.length === 0) return undefined;
  // After the end, a seal changes nothing.
  const sealedAt = unwritten.get(path) ?? bytes?.length;
  if (bytes !== undefined) parts.push(bytes.subarray(0, sealedAt), bytes.subarray(sealedAt));
  const content = parts.join(SEAL);
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

async function readSealed(path: string): Promise<Buffer[]> {
  const parts: Buffer[] = [];
  for (;;) {
    const part = await readIfThere(sealedPath(path, parts.length + 1));
    if (part === undefined) return parts;
    parts.push(part);
  }
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

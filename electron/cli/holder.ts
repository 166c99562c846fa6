/** What `agent.lock` records about the holder of a data directory. */
import { join } from 'node:path';
import { parsedJson } from '../../shared/parsed-json';
import { readSmallFile } from '../disk/small-file';

/**
 * The part of the record that commands need. Fields may be missing in a record of another program.
 */
export interface HolderRecord {
  readonly pid: number;
  readonly startedAtMs: number;
  readonly instanceId: string;
  readonly socketPath: string;
  /** The program file of its process. */
  readonly exe: string;
}

/**
 * Why nothing is known about a holder: its file exists and cannot be read. Undefined if it can be,
 * or if there is none.
 */
export function holderUnread(dataDir: string): string | undefined {
  const path = join(dataDir, 'agent.lock');
  const file = readSmallFile(path);
  return file.kind === 'unreadable' ? `${path} cannot be read (${file.reason})` : undefined;
}

/**
 * Undefined if there is no record: it was released, never written, belongs to another program, or
 * cannot be read.
 */
export function holderRecord(dataDir: string): Partial<HolderRecord> | undefined {
  const file = readSmallFile(join(dataDir, 'agent.lock'));
  const record = file.kind === 'text' ? parsedJson(file.text) : undefined;
  if (typeof record !== 'object' || record === null) return undefined;
  const { pid, startedAtMs, instanceId, socketPath, exe } = record as Record<string, unknown>;
  return {
    ...(typeof pid === 'number' && Number.isSafeInteger(pid) && pid > 0 ? { pid } : {}),
    ...(typeof startedAtMs === 'number' && startedAtMs > 0 ? { startedAtMs } : {}),
    ...(typeof instanceId === 'string' ? { instanceId } : {}),
    ...(typeof socketPath === 'string' ? { socketPath } : {}),
    ...(typeof exe === 'string' ? { exe } : {}),
  };
}

/** If the disk turned read-only, the file of an ended instance remains. */
export function isGone(pid: number | undefined): boolean {
  if (pid === undefined) return false;
  try {
    process.kill(pid, 0); // signal 0: only checks that the process exists
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}

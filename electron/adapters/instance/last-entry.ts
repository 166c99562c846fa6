/**
 * When a run last wrote, stored by the first command that writes after it: a command is not a run,
 * and downtime counts from the end of the run. The next start reads and removes it.
 */
import fs from 'node:fs';
import path from 'node:path';
import { writeDurablySync } from '../../disk/durable-file';

const pathOf = (dataDir: string): string => path.join(dataDir, 'run', 'last-entry');

/** Call before the first write of a command; a later command changes nothing. */
export function keepLastEntry(dataDir: string, atMs: number | undefined): void {
  try {
    if (!fs.existsSync(pathOf(dataDir))) writeDurablySync(pathOf(dataDir), String(atMs ?? 0));
  } catch {
    // The disk is full: the downtime then only looks shorter.
  }
}

/** Undefined if no command has written since. */
export function takeLastEntry(dataDir: string): number | undefined {
  const file = pathOf(dataDir);
  try {
    const atMs = Number(fs.readFileSync(file, 'utf8'));
    fs.rmSync(file, { force: true });
    return Number.isFinite(atMs) ? atMs : undefined;
  } catch {
    return undefined; // The usual case.
  }
}

import type { LockRules, TakeoverNote } from '../../ports/instance-lock';
import { lockPaths } from './data-dir';
import { readSmallFile } from './lock-file';

/**
 * The note in D, whoever it is addressed to; a stopping holder asks `HeldLock.takeoverNote()`
 * instead, which answers only for its own instance. Row S2-42.
 */
export function readTakeoverNote(dataDir: string, rules: LockRules): TakeoverNote | null {
  const file = readSmallFile(lockPaths(dataDir).takeoverNote);
  return file.kind === 'text' ? rules.parseTakeoverNote(file.text) : null;
}

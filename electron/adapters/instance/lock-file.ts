import fs from 'node:fs';
import path from 'node:path';
import { writeDurablySync } from '../../disk/durable-file';
import { readSmallFile } from '../../disk/small-file';
import type { CrashPoints } from '../../engine/kernel/crash-points';
import type { CrashNote, LeftBehind, LockContent, LockRules } from '../../ports/instance-lock';
import type { LockPaths } from './data-dir';
import { parsedOutside } from '../../engine/kernel/json-depth';
import { textIn, type Json } from '../../engine/kernel/json-object';

/** Current content of `agent.lock`. Never throws. */
export function readLockContent(target: string, rules: LockRules): LockContent {
  const file = readSmallFile(target);
  return file.kind === 'text' ? rules.parse(file.text) : file;
}

/** Writes `agent.lock`. Durable when it returns. */
export function writeLockText(target: string, text: string, crashPoints: CrashPoints): void {
  writeDurablySync(target, text, {
    beforeRename: () => {
      crashPoints.hit('lock.file.beforeRename');
    },
  });
}

function modifiedAtMs(target: string): number | null {
  const stat = fs.lstatSync(target, { throwIfNoEntry: false });
  return stat === undefined ? null : Math.round(stat.mtimeMs);
}

/** Wall-clock ms of the newest heartbeat of any owner; null if the data directory has none. */
export function lastSignOfLifeMs(paths: LockPaths): number | null {
  const signs = [modifiedAtMs(paths.alive), modifiedAtMs(paths.agentLock)];
  const known = signs.filter((atMs) => atMs !== null);
  return known.length === 0 ? null : Math.max(...known);
}

function crashNoteFrom(text: string): CrashNote | null {
  // A torn note of a dying process does not count.
  const { instanceId, atMs, summary } = (parsedOutside(text) ?? {}) as Json;
  if (typeof instanceId !== 'string' || typeof atMs !== 'number') return null;
  return { instanceId, atMs, summary: textIn(summary) };
}

/**
 * Last message of a dying process, best effort: never throws, because the caller is dying already.
 */
export function writeCrashNote(dataDir: string, note: CrashNote): void {
  try {
    const summary = note.summary.slice(0, 2_000);
    writeDurablySync(
      path.join(dataDir, 'run', 'crash.json'),
      `${JSON.stringify({ ...note, summary })}\n`,
    );
  } catch {
    // The disk may be the cause of death. Without a note the next start reports a kill, not a
    // crash.
  }
}

/** Everything that the previous owner left, read before it is overwritten. Never throws. */
export function readLeftBehind(paths: LockPaths, rules: LockRules): LeftBehind {
  const note = readSmallFile(paths.takeoverNote);
  const crash = readSmallFile(paths.crashNote);
  return {
    content: readLockContent(paths.agentLock, rules),
    lastAliveAtMs: modifiedAtMs(paths.alive),
    takeoverNote: note.kind === 'text' ? rules.parseTakeoverNote(note.text) : null,
    crashNote: crash.kind === 'text' ? crashNoteFrom(crash.text) : null,
  };
}

/** What a start finds of an update, before it opens the data. Loaded where there is a note. */
import fs from 'node:fs';
import { lookAtData, restoreData } from '../adapters/updates/saved-data';
import { createUpdateNotes, sweepUpdates } from '../adapters/updates/update-notes';
import { HoldfastError } from '../engine/kernel/errors';
import { isHarmlessEntry, judgeStart, planDataRestore } from '../engine/updates/plan-update';
import type { UpdateNote } from '../ports/updates';
import type { Start } from './run';
import { startDetached } from '../adapters/updates/start-detached';

/** The lock is held. @throws UPDATE_ROLLING_BACK where the old program takes over */
export async function beginAfterUpdate(
  start: Pick<Start, 'options' | 'clock' | 'crashPoints' | 'run'>,
): Promise<void> {
  const { options, clock, crashPoints, run } = start;
  const note = createUpdateNotes(options.dataDir).read();
  const verdict = judgeStart(note, options.version);
  if (note === undefined || verdict === 'continue') return;
  switch (verdict) {
    case 'first_start':
      tryNote(start, { ...note, attempts: note.attempts + 1 });
      crashPoints.hit('update.begin.after');
      return;
    case 'interrupted':
      tryNote(start, { ...note, phase: 'interrupted', atMs: clock.nowMs() });
      run.audit?.record('update_ended', { version: note.to, outcome: 'interrupted' });
      return;
    case 'go_back':
      goBack(start, note);
      return;
    case 'restore_data':
      await restoreAfter(start, note);
      tryNote(start, { ...note, phase: 'rolled_back', atMs: clock.nowMs() });
      run.audit?.record('update_ended', { version: note.to, outcome: 'rolled back' });
      return;
    default:
      verdict satisfies never;
  }
}

/**
 * The old program does it: this one may be what is broken. Where it cannot be started, or noted, this one tries
 * once more: nothing else would run.
 */
function goBack(start: Pick<Start, 'options'>, note: UpdateNote): void {
  const { previous } = note;
  if (previous === undefined || !fs.existsSync(previous)) return;
  const { dataDir, env } = start.options;
  const reason = note.reason ?? 'The new version ended while it started.';
  if (!tryNote(start, { ...note, phase: 'rolling_back', reason })) return;
  const args = [...leading(note), 'update', 'apply', '--data-dir', dataDir];
  if (startDetached(previous, args, env, () => undefined).pid === undefined) {
    tryNote(start, note);
    return;
  }
  throw new HoldfastError('UPDATE_ROLLING_BACK', `Holdfast ${note.to} did not start before.`, {
    hint: `It goes back to ${note.from} now. Your work is saved.`,
  });
}

/** A start does not fail because the disk refuses its note: the next one finds the same and does it again. */
function tryNote({ options }: Pick<Start, 'options'>, note: UpdateNote): boolean {
  try {
    createUpdateNotes(options.dataDir).write(note);
    return true;
  } catch {
    return false;
  }
}

/** What stands before our own arguments, such as `--no-sandbox` as root. */
export const leading = (note: Pick<UpdateNote, 'args'>): readonly string[] => {
  const at = note.args.indexOf('start');
  return at === -1 ? [] : note.args.slice(0, at);
};

async function restoreAfter(
  { options, clock, crashPoints }: Pick<Start, 'options' | 'clock' | 'crashPoints'>,
  { data }: UpdateNote,
): Promise<void> {
  if (data === undefined) return;
  const now = lookAtData(options.dataDir, data.seq, isHarmlessEntry);
  if (planDataRestore(data, now) !== 'restore') return;
  crashPoints.hit('update.restore.before');
  await restoreData(options.dataDir, data.backup, clock.nowMs());
  crashPoints.hit('update.restore.after');
}

/** The program is up. What was kept for the way back goes, and what an older download or a kill has left. */
export function endUpdate(start: Pick<Start, 'options' | 'clock' | 'crashPoints' | 'run'>): void {
  const { options, clock, crashPoints, run } = start;
  const notes = createUpdateNotes(options.dataDir);
  const note = notes.read();
  if (note?.phase === 'starting' && note.to === options.version) {
    crashPoints.hit('update.done.before');
    const { previous: _previous, data: _data, ...rest } = note;
    notes.write({ ...rest, phase: 'done', atMs: clock.nowMs() });
    run.audit?.record('update_ended', { version: note.to, outcome: 'installed' });
  }
  const now = notes.read();
  if (now === undefined || IN_WORK.has(now.phase)) return;
  const isWanted =
    now.phase === 'interrupted' || (now.phase === 'ready' && now.from === options.version);
  sweepUpdates(options.dataDir, isWanted ? now.artifact : undefined);
}

/** The helper is at work, or was killed: it may need every file. */
const IN_WORK: ReadonlySet<string> = new Set<UpdateNote['phase']>([
  'stopping',
  'starting',
  'rolling_back',
]);

/** What a start finds of an update, before it opens the data. Loaded where there is a note. */
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { lookAtData, restoreData } from '../adapters/updates/saved-data';
import { createUpdateNotes, updatesDir } from '../adapters/updates/update-notes';
import { HoldfastError } from '../engine/kernel/errors';
import { isHarmlessEntry, judgeStart, planDataRestore } from '../engine/updates/plan-update';
import type { UpdateNote } from '../ports/updates';
import type { Start } from './run';

/** The lock is held. @throws UPDATE_ROLLING_BACK where the old program takes over */
export async function beginAfterUpdate(
  start: Pick<Start, 'options' | 'clock' | 'crashPoints' | 'run'>,
): Promise<void> {
  const { options, clock, crashPoints, run } = start;
  const notes = createUpdateNotes(options.dataDir);
  const note = notes.read();
  const verdict = judgeStart(note, options.version);
  if (note === undefined || verdict === 'continue') return;
  switch (verdict) {
    case 'first_start':
      notes.write({ ...note, attempts: note.attempts + 1 });
      crashPoints.hit('update.begin.after');
      return;
    case 'interrupted':
      notes.write({ ...note, phase: 'interrupted', atMs: clock.nowMs() });
      run.audit?.record('update_ended', { version: note.to, outcome: 'interrupted' });
      return;
    case 'go_back':
      goBack(start, note);
      return;
    case 'restore_data':
      await restoreAfter(start, note);
      notes.write({ ...note, phase: 'rolled_back', atMs: clock.nowMs() });
      run.audit?.record('update_ended', { version: note.to, outcome: 'rolled back' });
      return;
    default:
      verdict satisfies never;
  }
}

/** The old program does it: this one may be what is broken. */
function goBack({ options }: Pick<Start, 'options'>, note: UpdateNote): void {
  const { previous } = note;
  if (previous === undefined || !fs.existsSync(previous)) return;
  createUpdateNotes(options.dataDir).write({
    ...note,
    phase: 'rolling_back',
    reason: note.reason ?? 'The new version ended while it started.',
  });
  spawn(previous, [...leading(note), 'update', 'apply', '--data-dir', options.dataDir], {
    detached: true,
    stdio: 'ignore',
    env: { ...options.env },
  }).unref();
  throw new HoldfastError('UPDATE_ROLLING_BACK', `Holdfast ${note.to} did not start before.`, {
    hint: `It goes back to ${note.from} now. Your work is saved.`,
  });
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

/** The new version is up. What was kept for the way back goes. */
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
  const phase = notes.read()?.phase;
  if (phase !== 'done' && phase !== 'rolled_back') return;
  for (const name of fs.readdirSync(updatesDir(options.dataDir)))
    if (name !== 'update.json')
      fs.rmSync(path.join(updatesDir(options.dataDir), name), { force: true });
}

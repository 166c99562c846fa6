/** What a start finds of an update, before it opens the data, and what it ends once it is up. UP-02 */
import type { Clock } from '../../ports/clock';
import type { Audit } from '../../ports/log';
import type { UpdateNote, UpdateNotes } from '../../ports/updates';
import type { CrashPoints } from '../kernel/crash-points';
import { HoldfastError } from '../kernel/errors';
import { isHarmlessEntry, judgeStart, planDataRestore } from './plan-update';

export interface AfterUpdateDeps {
  readonly version: string;
  readonly dataDir: string;
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly crashPoints: CrashPoints;
  /** Undefined where the log cannot be opened. */
  readonly audit: Pick<Audit, 'record'> | undefined;
  readonly notes: UpdateNotes;
  /** Starts it for itself; false where it is not there, or cannot be started. */
  readonly startProgram: (program: string, args: readonly string[]) => boolean;
  /** What the new version has made of the data, since an entry of the journal. */
  readonly lookAtData: (
    sinceSeq: number,
    isHarmless: (kind: string) => boolean,
  ) => { readonly version: number; readonly hasWorked: boolean };
  /** Puts the copy in place of the data. Killed in between, it does the rest when it is called again. */
  readonly restoreData: (backup: string) => Promise<void>;
  /** Deletes what updates have left, but for the download to keep. */
  readonly sweep: (keep: string | undefined) => void;
}

/** The lock is held. @throws UPDATE_ROLLING_BACK where the old program takes over */
export async function beginAfterUpdate(deps: AfterUpdateDeps): Promise<void> {
  const { clock, crashPoints, audit } = deps;
  const note = deps.notes.read();
  const verdict = judgeStart(note, deps.version);
  if (note === undefined || verdict === 'continue') return;
  switch (verdict) {
    case 'first_start':
      tryNote(deps, { ...note, attempts: note.attempts + 1 });
      crashPoints.hit('update.begin.after');
      return;
    case 'interrupted':
      tryNote(deps, { ...note, phase: 'interrupted', atMs: clock.nowMs() });
      audit?.record('update_ended', { version: note.to, outcome: 'interrupted' });
      return;
    case 'go_back':
      goBack(deps, note);
      return;
    case 'restore_data':
      await restoreAfter(deps, note);
      tryNote(deps, { ...note, phase: 'rolled_back', atMs: clock.nowMs() });
      audit?.record('update_ended', { version: note.to, outcome: 'rolled back' });
      return;
    default:
      verdict satisfies never;
  }
}

/**
 * The old program does it: this one may be what is broken. Where it cannot be started, or noted, this one tries
 * once more: nothing else would run.
 */
function goBack(deps: AfterUpdateDeps, note: UpdateNote): void {
  const { previous } = note;
  if (previous === undefined) return;
  const reason = note.reason ?? 'The new version ended while it started.';
  if (!tryNote(deps, { ...note, phase: 'rolling_back', reason })) return;
  const args = [...leading(note), 'update', 'apply', '--data-dir', deps.dataDir];
  if (!deps.startProgram(previous, args)) {
    tryNote(deps, note);
    return;
  }
  throw new HoldfastError('UPDATE_ROLLING_BACK', `Holdfast ${note.to} did not start before.`, {
    hint: `It goes back to ${note.from} now. Your work is saved.`,
  });
}

/** A start does not fail because the disk refuses its note: the next one finds the same and does it again. */
function tryNote({ notes }: AfterUpdateDeps, note: UpdateNote): boolean {
  try {
    notes.write(note);
    return true;
  } catch {
    return false;
  }
}

/** What stands before our own arguments, such as `--no-sandbox` as root. */
const leading = (note: Pick<UpdateNote, 'args'>): readonly string[] => {
  const at = note.args.indexOf('start');
  return at === -1 ? [] : note.args.slice(0, at);
};

async function restoreAfter(deps: AfterUpdateDeps, { data }: UpdateNote): Promise<void> {
  if (data === undefined) return;
  const now = deps.lookAtData(data.seq, isHarmlessEntry);
  if (planDataRestore(data, now) !== 'restore') return;
  deps.crashPoints.hit('update.restore.before');
  await deps.restoreData(data.backup);
  deps.crashPoints.hit('update.restore.after');
}

/** The program is up. What was kept for the way back goes, and what an older download or a kill has left. */
export function endUpdate(deps: AfterUpdateDeps): void {
  const { clock, crashPoints, notes } = deps;
  const note = notes.read();
  if (note?.phase === 'starting' && note.to === deps.version) {
    crashPoints.hit('update.done.before');
    const { previous: _previous, data: _data, ...rest } = note;
    notes.write({ ...rest, phase: 'done', atMs: clock.nowMs() });
    deps.audit?.record('update_ended', { version: note.to, outcome: 'installed' });
  }
  const now = notes.read();
  if (now === undefined || IN_WORK.has(now.phase)) return;
  const isWanted =
    now.phase === 'interrupted' || (now.phase === 'ready' && now.from === deps.version);
  deps.sweep(isWanted ? now.artifact : undefined);
}

/** The helper is at work, or was killed: it may need every file. */
const IN_WORK: ReadonlySet<string> = new Set<UpdateNote['phase']>([
  'stopping',
  'starting',
  'rolling_back',
]);

/**
 * Handles an unfinished update at startup, before the data is opened, and finishes it once the
 * program is up. UP-02
 */
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
  /** Undefined if the log cannot be opened. */
  readonly audit: Pick<Audit, 'record'> | undefined;
  readonly notes: UpdateNotes;
  /** Starts the program detached; false if it is missing or cannot be started. */
  readonly startProgram: (program: string, args: readonly string[]) => boolean;
  /** What the new version has changed in the data, since a journal entry. */
  readonly lookAtData: (
    sinceSeq: number,
    isHarmless: (kind: string) => boolean,
  ) => { readonly version: number; readonly hasWorked: boolean };
  /** Replaces the data with the copy. If killed in between, the next call does the rest. */
  readonly restoreData: (backup: string) => Promise<void>;
  /**
   * Deletes leftovers of updates, except the download to keep, and what a killed replacement of the
   * program `target` left next to it.
   */
  readonly sweep: (keep: string | undefined, target: string | undefined) => void;
}

/**
 * Call with the lock held. @throws UPDATE_ROLLING_BACK if the old program takes over, and
 * RESULT_UNREADABLE: an earlier version's data may have to be restored first
 */
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
 * The old program rolls back, because this one may be broken. If it cannot be started, or that
 * cannot be recorded, this one tries once more: otherwise nothing would run.
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

/**
 * A start must not fail because its note cannot be written: the next one finds the same state and
 * repeats it.
 */
function tryNote({ notes }: AfterUpdateDeps, note: UpdateNote): boolean {
  try {
    notes.write(note);
    return true;
  } catch {
    return false;
  }
}

/** Arguments before our own, such as `--no-sandbox` as root. */
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

/**
 * The program is up: deletes what was kept for a rollback, and leftovers of older downloads or a
 * kill.
 */
export function endUpdate(deps: AfterUpdateDeps): void {
  const { clock, crashPoints, notes } = deps;
  let note: UpdateNote | undefined;
  try {
    note = notes.read();
  } catch {
    return; // The next start finds the same state.
  }
  if (note?.phase === 'starting' && note.to === deps.version) {
    crashPoints.hit('update.done.before');
    const { previous: _previous, data: _data, ...rest } = note;
    note = { ...rest, phase: 'done', atMs: clock.nowMs() };
    notes.write(note);
    deps.audit?.record('update_ended', { version: note.to, outcome: 'installed' });
  }
  if (note === undefined || IN_WORK.has(note.phase)) return;
  const isWanted =
    note.phase === 'interrupted' || (note.phase === 'ready' && note.from === deps.version);
  // Before an update begins, the program's folder has nothing of ours.
  const hasBegun = note.phase !== 'none' && note.phase !== 'ready';
  deps.sweep(isWanted ? note.artifact : undefined, hasBegun ? note.target : undefined);
}

/** The helper is working, or was killed: it may need every file. */
const IN_WORK: ReadonlySet<string> = new Set<UpdateNote['phase']>([
  'stopping',
  'starting',
  'rolling_back',
]);

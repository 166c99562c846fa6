/**
 * The helper of an update: the old version in a separate process that outlives the app. It saves
 * the data and the old program, replaces the program, starts the new version, and restores the old
 * one once if the new one does not come up. UP-02
 */
import type { ChildProcess } from 'node:child_process';
import path from 'node:path';
import { createSystemClock } from '../adapters/clock/system-clock';
import { argvMarker, createSystemInstanceLock } from '../adapters/instance/instance-lock';
import { createLog } from '../adapters/log/log';
import { startDetached } from '../adapters/updates/start-detached';
import { lookAtData, saveData } from '../adapters/updates/saved-data';
import { hasHash } from '../adapters/updates/signed-feed';
import { updatesDir } from '../adapters/updates/note-there';
import { createUpdateNotes } from '../adapters/updates/update-notes';
import { copyProgram, replaceProgram } from '../disk/program-file';
import { readSmallFile } from '../disk/small-file';
import { lockRules } from '../engine/instance/decide-lock';
import { noCrashPoints, type CrashPoints } from '../engine/kernel/crash-points';
import { HoldfastError, toHoldfastError } from '../engine/kernel/errors';
import { isHarmlessEntry, planDataRestore } from '../engine/updates/plan-update';
import type { Clock } from '../ports/clock';
import type { HeldLock } from '../ports/instance-lock';
import type { Basics } from '../engine/kernel/basics';
import type { UpdateNote, UpdateNotes } from '../ports/updates';
import { createRedactor } from '../../shared/redact';

/**
 * The app may take time to stop gracefully; after this, the update is abandoned and nothing was
 * changed.
 */
const LEAVE_MS = 90_000;
/** An update is in progress, and nothing else runs. */
const OPEN: readonly UpdateNote['phase'][] = ['stopping', 'starting', 'rolling_back'];
/** From the start of the new version to its last start stage, not counting a migration. */
const COME_UP_MS = 120_000;
const POLL_MS = 100;
/** A note that cannot be read is tried again for this long. */
const READ_MS = 30_000;
/** After its process has ended, another start of it may still come up. */
const AFTER_END_MS = 2_000;

interface ApplyOptions {
  readonly dataDir: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly crashPoints?: CrashPoints;
  readonly comeUpMs?: number;
  readonly afterEndMs?: number;
}

interface Helper extends Pick<Basics, 'crashPoints' | 'clock' | 'log'> {
  readonly dataDir: string;
  readonly env: ApplyOptions['env'];
  readonly comeUpMs: number;
  readonly afterEndMs: number;
  readonly notes: UpdateNotes;
}

/** What the helper has done, as the note records it. */
type ApplyOutcome = 'installed' | 'rolled_back' | 'nothing';

export async function applyUpdate(options: ApplyOptions): Promise<ApplyOutcome> {
  const clock = createSystemClock();
  const { dataDir } = options;
  const log = createLog({
    dir: path.join(dataDir, 'logs'),
    level: 'info',
    clock,
    redactor: createRedactor(),
  });
  const helper: Helper = {
    dataDir,
    env: options.env,
    comeUpMs: options.comeUpMs ?? COME_UP_MS,
    afterEndMs: options.afterEndMs ?? AFTER_END_MS,
    crashPoints: options.crashPoints ?? noCrashPoints,
    notes: createUpdateNotes(dataDir),
    clock,
    log,
  };
  try {
    return await carryOn(helper);
  } catch (error) {
    log.error('update.failed', { error });
    return await endFailed(helper, toHoldfastError(error).message);
  } finally {
    log.close();
  }
}

/**
 * Holdfast has ended for this update: a disk that is away for a moment must not leave nothing
 * running. @throws RESULT_UNREADABLE
 */
async function readNote({ notes, clock }: Helper): Promise<UpdateNote | undefined> {
  const endMs = clock.monotonicMs() + READ_MS;
  for (;;) {
    try {
      return notes.read();
    } catch (error) {
      if (clock.monotonicMs() > endMs) throw error;
      await clock.sleep(POLL_MS);
    }
  }
}

async function carryOn(helper: Helper): Promise<ApplyOutcome> {
  const note = await readNote(helper);
  if (note?.phase === 'rolling_back') return goBack(helper, note.reason ?? '');
  if (note?.phase !== 'stopping') return 'nothing';
  const ready = await replace(helper);
  if (ready === undefined) return 'nothing';
  const child = startProgram(helper, ready);
  return watch(helper, child);
}

/**
 * Holdfast has ended for this update, so the installed program is started whatever failed; the note
 * has the reason if the disk accepts it. A new version that cannot be rolled back stays: its start
 * would call this helper again and again.
 */
async function endFailed(helper: Helper, reason: string): Promise<ApplyOutcome> {
  const { notes, clock, log } = helper;
  const note = await readNote(helper);
  if (note === undefined || !OPEN.includes(note.phase)) return 'nothing';
  const isNew = note.phase !== 'stopping' && (await hasHash(note.target, note.sha512));
  const isBack = note.phase === 'rolling_back' && !isNew;
  const why = (isNew ? `${reason} ${note.to} stays.` : reason).slice(0, 500);
  try {
    // The start of the old program restores the data and reports it.
    if (!isBack)
      notes.write({
        ...note,
        phase: isNew ? 'done' : 'interrupted',
        reason: why,
        atMs: clock.nowMs(),
      });
  } catch (error) {
    log.error('update.not_noted', { error });
  } finally {
    startProgram(helper, note);
  }
  if (isBack) return 'rolled_back';
  return isNew ? 'installed' : 'nothing';
}

/** Undefined: Holdfast was started meanwhile, and that start ended this update. */
async function replace(helper: Helper): Promise<UpdateNote | undefined> {
  const { dataDir, notes, crashPoints, clock } = helper;
  const lock = await lockWhenFree(helper, ['stopping']);
  try {
    const note = await readNote(helper);
    if (note?.phase !== 'stopping') return undefined;
    // The file was verified after its download, but has been on disk since.
    if (!(await hasHash(note.artifact, note.sha512)))
      throw new HoldfastError('UPDATE_REFUSED', 'The downloaded file has changed on disk.');
    crashPoints.hit('update.save.before');
    const folder = updatesDir(dataDir);
    const previous = path.join(folder, 'previous');
    await copyProgram(note.target, previous);
    const data = await saveData(dataDir, path.join(folder, 'before-update.db'));
    crashPoints.hit('update.save.after');
    const begun: UpdateNote = {
      ...note,
      phase: 'starting',
      attempts: 0,
      atMs: clock.nowMs(),
      previous,
      ...(data === undefined ? {} : { data }),
    };
    notes.write(begun);
    crashPoints.hit('update.swap.before');
    await replaceProgram(note.artifact, note.target).catch(async (error: unknown) => {
      // The new file is complete in its place, but the disk did not confirm its name.
      if (!(await hasHash(note.target, note.sha512))) throw error;
    });
    crashPoints.hit('update.swap.after');
    return begun;
  } finally {
    lock.release();
  }
}

/** @throws LOCK_HELD if it stays held, or the note has left these phases */
async function lockWhenFree(
  helper: Helper,
  phases: readonly UpdateNote['phase'][],
): Promise<HeldLock> {
  const { dataDir, clock, crashPoints } = helper;
  const endMs = clock.monotonicMs() + LEAVE_MS;
  let refusal: HoldfastError | undefined;
  for (;;) {
    const lock = createSystemInstanceLock({ rules: lockRules, clock, crashPoints });
    const held = await lock
      .acquire({
        dataDir,
        mode: 'command',
        takeover: false,
        onConflict: 'refuse',
        version: '',
        socketPath: null,
        tokenPath: null,
        argvMarker: argvMarker(),
        beganAtMs: clock.nowMs(),
        askHolder: () => Promise.resolve('silent'),
      })
      .catch((error: unknown) => {
        refusal = toHoldfastError(error);
      });
    if (held?.kind === 'acquired') return held.lock;
    const isWanted = phases.includes((await readNote(helper))?.phase ?? 'none');
    if (!isWanted || clock.monotonicMs() > endMs)
      throw refusal ?? new HoldfastError('LOCK_HELD', 'Holdfast did not end for the update.');
    await clock.sleep(POLL_MS);
  }
}

/** Starts the installed program as it ran before. */
function startProgram({ dataDir, env, log }: Helper, note: UpdateNote): ChildProcess {
  return startDetached(note.target, [...note.args, '--data-dir', dataDir], env, (error) => {
    log.error('update.start_failed', { error });
  });
}

/** Waits for the new version to report that it is up. @returns how it ended */
async function watch(helper: Helper, child: ChildProcess): Promise<ApplyOutcome> {
  const { clock } = helper;
  let deadlineMs = clock.monotonicMs() + helper.comeUpMs;
  let endedMs: number | undefined;
  const hasEnded = (): boolean =>
    child.exitCode !== null || child.signalCode !== null || child.pid === undefined;
  for (;;) {
    const note = await readNote(helper);
    if (note?.phase === 'done') return 'installed';
    // Its start has found this update finished, or rolls back itself.
    if (note?.phase !== 'starting') return 'nothing';
    const nowMs = clock.monotonicMs();
    if (isMigrating(helper.dataDir)) deadlineMs = Math.max(deadlineMs, nowMs + helper.comeUpMs);
    if (hasEnded()) endedMs ??= nowMs;
    const isOver = endedMs !== undefined && nowMs - endedMs > helper.afterEndMs;
    if (isOver || nowMs > deadlineMs) {
      if (!hasEnded()) await endChild(child, clock);
      return goBack(
        helper,
        isOver ? 'The new version ended while it started.' : 'The new version did not start.',
      );
    }
    await clock.sleep(POLL_MS);
  }
}

/** A large database takes time; its copy is created before. */
function isMigrating(dataDir: string): boolean {
  try {
    const file = readSmallFile(path.join(dataDir, 'agent.lock'));
    const record = JSON.parse(file.kind === 'text' ? file.text : '') as { phase?: unknown };
    return record.phase === 'migrating';
  } catch {
    return false;
  }
}

/** Our own child that was not reaped yet, so its PID is not reused. */
async function endChild(child: ChildProcess, clock: Clock): Promise<void> {
  child.kill('SIGKILL');
  const endMs = clock.monotonicMs() + 5_000;
  while (child.exitCode === null && child.signalCode === null && clock.monotonicMs() < endMs)
    await clock.sleep(20);
}

/**
 * Restores and starts the old program, once; its start restores the data. Under the lock, because a
 * start of the new version may call its own helper: the later of the two finds it done.
 */
async function goBack(helper: Helper, reason: string): Promise<ApplyOutcome> {
  const { notes, crashPoints, clock } = helper;
  const lock = await lockWhenFree(helper, ['starting', 'rolling_back']);
  let note: UpdateNote | undefined;
  let outcome: ApplyOutcome = 'rolled_back';
  try {
    note = await readNote(helper);
    if (note?.phase !== 'starting' && note?.phase !== 'rolling_back') return 'nothing';
    const { previous } = note;
    if (previous === undefined || hasWorked(helper, note)) {
      const stays =
        previous === undefined
          ? `No copy of ${note.from} was found`
          : 'It had already worked on the data';
      const why = `${reason} ${stays}, so ${note.to} stays.`;
      notes.write({ ...note, phase: 'done', reason: why.slice(0, 500), atMs: clock.nowMs() });
      outcome = 'installed';
    } else {
      notes.write({ ...note, phase: 'rolling_back', reason: reason.slice(0, 500) });
      crashPoints.hit('update.back.before');
      await replaceProgram(previous, note.target);
      crashPoints.hit('update.back.after');
    }
  } finally {
    lock.release();
  }
  startProgram(helper, note);
  return outcome;
}

/** The new version has changed data so that the old one cannot read it. */
function hasWorked({ dataDir }: Helper, { data }: UpdateNote): boolean {
  if (data === undefined) return false;
  return planDataRestore(data, lookAtData(dataDir, data.seq, isHarmlessEntry)) === 'refuse';
}

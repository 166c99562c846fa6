import { durationMs } from '../../../shared/settings';
import { table } from '../../../shared/table';
import { type QueuedTurn, planStarts } from './plan-starts';
import type { Basics } from '../kernel/basics';
import type { Ids } from '../../ports/ids';
import type { Journal } from '../../ports/journal/journal';
import type { JournalReads, TurnReads } from '../../ports/journal/reads';
import type { TurnRow } from '../../ports/journal/rows';
import type { JournalEntry } from '../../ports/journal/entries';
import type { Pause, PauseStore } from '../../ports/pause';
import type { SettingsPort } from '../../ports/settings';
import { toHoldfastError } from '../kernel/errors';
import { createCoalesced } from '../kernel/coalesce';
import { waitUntil } from '../kernel/wait-until';
import { createWallAlarm } from '../kernel/wall-alarm';
import type { Outages } from '../outage/outages';
import type { LostCause } from '../recovery/take-over';
import type { ShareGate } from '../sharing/share-gate';
import { createLeaseTable, type HeldLease, type Lease, type LeaseTable } from './lease-table';
import type { LeasePolicy } from './lease-rules';
import { createLeaseWatch } from './lease-watch';
import type { QuitWhenDone } from './quit-when-done';
import { createPause } from './start-pause';
import { RunStopped, type RunEnd } from './run-ends';
import type { RunStop } from './run-record';
import type { WorkReads } from '../../ports/journal/work';

/**
 * Errors that no turn is to blame for: a run stopped by the disk resumes automatically once it
 * accepts writes (R17), one whose code is gone after a restart.
 */
const NOT_OF_THE_TURN = table<'disk' | 'program'>({
  DISK_FULL: 'disk',
  DISK_READ_ONLY: 'disk',
  DISK_FAILED: 'disk',
  PROGRAM_CHANGED: 'program',
});
const DISK_RETRY_MS = 2_000;
/** Of this run nothing is open: all that has happened is on disk with how it ended. */
const isAllSettled = (
  reads: Pick<JournalReads, 'steps'>,
  { turnId, attempt }: { readonly turnId: number; readonly attempt: number },
): boolean =>
  reads
    .steps(turnId)
    .every(
      (step) =>
        step.attempt !== attempt || (step.state !== 'started' && step.state !== 'ambiguous'),
    );

const asksIn = (entries: readonly JournalEntry[], turnId: number): boolean =>
  entries.some(
    (entry) =>
      entry.kind === 'outside.asking' && entry.turnId === turnId && entry.state === 'asked',
  );

/** What may start now, and what prevents it. */
interface StartRules {
  readonly cap: () => number;
  readonly pauseStore: PauseStore;
  /** Keeps back turns that have to wait for their provider. */
  readonly gate: Pick<Outages, 'look' | 'started' | 'ended'>;
  /** True while a quit is pending or a restart is needed: nothing may start. */
  readonly isHeldBack?: () => boolean;
}

/** Runs one turn, and handles a turn whose run did not end it. */
interface RunTurn {
  /** Implemented by engine/executors/run-turn.ts. */
  readonly turn: (turn: TurnRow, signal: AbortSignal, lease: Lease) => Promise<RunEnd>;
  /**
   * Takes a turn from a run that went silent or hit a disk error. Resolves once that is written;
   * the turn it returns may be queued again. Implemented by engine/recovery/take-over.ts.
   */
  readonly takeOver: (lost: {
    readonly turnId: number;
    readonly attempt: number;
    readonly cause: LostCause;
  }) => Promise<{ readonly turn: TurnRow; readonly delayMs: number } | undefined>;
  /**
   * A run ended with an unexpected error and the turn is still open on disk. False if the turn
   * stays open because the disk accepts no writes.
   */
  readonly onCrash: (turn: TurnRow, error: unknown) => Promise<boolean>;
}

interface TurnSchedulerDeps extends Pick<Basics, 'clock' | 'log'> {
  readonly reads: TurnReads;
  readonly workReads: Pick<WorkReads, 'wakeOfTurn'>;
  readonly journal: Pick<Journal, 'onCommitted'>;
  readonly starts: StartRules;
  readonly leases: { readonly table: LeaseTable; readonly policy: () => LeasePolicy };
  readonly run: RunTurn;
  readonly onChange: () => void;
  /** Defers work so that other tasks run first. Default: right after the current task. */
  readonly soon?: (work: () => void) => void;
}

type QueuedRow = Pick<TurnRow, 'id' | 'sessionId' | 'attempt'>;

/** How a turn waits before it may start. Without either field it starts at once. */
interface QueueWait {
  readonly delayMs?: number;
  /** Wall-clock time; takes precedence over the delay. */
  readonly untilMs?: number;
  /** This turn may have crashed Holdfast: it runs alone until it completes a new step (S0-+04). */
  readonly isAlone?: boolean;
}

/** Runs queued turns. All of its state can be rebuilt from the journal (S3-01). */
export interface TurnScheduler {
  /** Queues a turn that is queued on disk, to start now or after its wait. */
  enqueue(turn: QueuedRow, wait?: QueueWait): void;
  /** Aborts a running turn or forgets a queued one. Resolves when it no longer runs. */
  cancel(turnId: number): Promise<void>;
  /** The pause and its end are on disk when this returns, so that they survive a restart. */
  pause(untilMs: number | undefined): void;
  resume(): void;
  /**
   * Another owner has the turn: ends its run, which writes nothing more. Resolves when the run is
   * over.
   */
  fence(turnId: number): Promise<void>;
  paused(): Pause | undefined;
  running(): readonly number[];
  /** Turns whose lease expired and that no attempt has taken over yet. S3-18 */
  lostRuns(): number;
  /**
   * Why a turn that is open as running has no run. Undefined if this scheduler does not know. A
   * turn counts as lost here only if the disk did not accept its move back to the queue.
   */
  lostBy(turnId: number): LostCause['kind'] | undefined;
  isQueued(turnId: number): boolean;
  /** Ends the wait of a turn; one that does not wait here is queued. */
  runNow(turn: QueuedRow): void;
  /** The current lease of a session. */
  leaseOf(sessionId: number): HeldLease | undefined;
  /** Checks the leases now, because their settings have changed (S3-+02). */
  lookAtLeases(): void;
  /** Rechecks the queue, for example after a provider came back. */
  lookAgain(): void;
  start(): void;
  /**
   * Starts nothing new. Running turns may finish their step within `graceMs`, then they are
   * aborted.
   */
  stop(graceMs: number): Promise<void>;
}

interface ActiveRun {
  readonly lease: Lease;
  readonly worker: number;
  readonly abort: AbortController;
  readonly done: Promise<void>;
}

/** A turn that is being taken over from a run that is over. */
interface Taken {
  readonly sessionId: number;
  readonly cause: LostCause;
}

const countSilent = (taken: ReadonlyMap<number, Taken>): number =>
  [...taken.values()].filter(({ cause }) => cause.kind === 'silent').length;

const countOpen = (reads: Pick<JournalReads, 'turn'>, turnIds: ReadonlySet<number>): number =>
  [...turnIds].filter((turnId) => reads.turn(turnId)?.endedAtMs === undefined).length;

/** The lowest free number. */
function freeWorker(active: ReadonlyMap<number, ActiveRun>): number {
  const used = new Set<number>();
  for (const { worker } of active.values()) used.add(worker);
  let number = 1;
  while (used.has(number)) number += 1;
  return number;
}

/** A queued turn, and when it may start by the current clock. */
interface Waiting extends QueuedTurn {
  readonly dueMs: () => number;
}

interface SchedulerBySettingsDeps extends Omit<TurnSchedulerDeps, 'starts' | 'leases'> {
  readonly settings: SettingsPort;
  readonly isReadOnly: boolean;
  readonly starts: {
    readonly pauseStore: PauseStore;
    readonly outage: StartRules['gate'];
    readonly quitWhenDone: Pick<QuitWhenDone, 'isWanted'>;
    /** What a turn needs may be gone: none starts. */
    readonly isProgramChanged: () => boolean;
  };
  readonly leases: {
    readonly ids: Pick<Ids, 'newId'>;
    readonly runId: string;
    readonly gate: Pick<ShareGate, 'isFenced'>;
  };
}

/** The scheduler by the settings, read at each decision, so that changes apply at once. S3-+02 */
export function createSchedulerBySettings(deps: SchedulerBySettingsDeps): TurnScheduler {
  const { settings, clock, starts, leases } = deps;
  const policy = (): LeasePolicy => ({
    renewMs: durationMs(settings.get('work.lease_renew')),
    staleMs: durationMs(settings.get('work.lease_stale')),
  });
  const scheduler = createTurnScheduler({
    ...deps,
    starts: {
      cap: () => settings.get('limits.max_running_turns'),
      pauseStore: starts.pauseStore,
      gate: starts.outage,
      isHeldBack: () => starts.quitWhenDone.isWanted() || starts.isProgramChanged(),
    },
    leases: {
      table: createLeaseTable({
        monotonicMs: () => clock.monotonicMs(),
        newId: () => leases.ids.newId(),
        instance: leases.runId,
        policy,
        isFenced: (turnId) => leases.gate.isFenced(turnId),
      }),
      policy,
    },
  });
  if (!deps.isReadOnly)
    settings.onChange((changed) => {
      if (changed.some((key) => key.startsWith('work.lease'))) scheduler.lookAtLeases();
      // More may run from now on, not only when the next one ends.
      if (changed.includes('limits.max_running_turns')) scheduler.lookAgain();
    });
  return scheduler;
}

export function createTurnScheduler(deps: TurnSchedulerDeps): TurnScheduler {
  const { clock } = deps;
  let queued: Waiting[] = [];
  const active = new Map<number, ActiveRun>();
  /** Turns that were queued again before their run had fully ended. */
  const afterRun = new Map<number, QueuedTurn>();
  /** Turns that are being taken over from a lost run. */
  const beingTaken = new Map<number, Taken>();
  /** Turns that a lost or failed run left open because the disk did not accept their end. */
  const leftOpen = new Set<number>();
  /** The turn that must run alone. */
  let alone: number | undefined;
  const pause = createPause(clock, deps.starts.pauseStore);
  let isStarted = false;
  let isStopping = false;

  const push = (turn: QueuedTurn): void => {
    queued.push({ ...turn, dueMs: waitUntil(clock, turn.notBeforeMs) });
  };

  const pump = (): void => {
    if (!isStarted || isStopping || deps.starts.isHeldBack?.() === true) return;
    const nowMs = clock.nowMs();
    const isPaused = pause.at(nowMs) !== undefined;
    if (alone !== undefined && (!active.has(alone) || hasGotFurther(alone))) alone = undefined;
    // Turns that wait for a budget or their next retry are not due yet.
    const due = queued.filter((turn) => turn.dueMs() <= nowMs);
    const round = deps.starts.gate.look(due.map((turn) => turn.turnId));
    if (round.dropped.size > 0) queued = queued.filter((turn) => !round.dropped.has(turn.turnId));
    const starts = planStarts({
      queued: queued.map((turn) => ({ ...turn, dueMs: turn.dueMs() })),
      admits: round.admits,
      rankOf: round.rankOf,
      busySessions: new Set([
        ...[...active.values()].map((one) => one.lease.sessionId),
        ...[...beingTaken.values()].map(({ sessionId }) => sessionId),
      ]),
      running: active.size,
      isOneAlone: alone !== undefined,
      cap: deps.starts.cap(),
      isPaused,
      nowMs,
    });
    if (starts.length > 0) {
      const going = new Set(starts.map((turn) => turn.turnId));
      queued = queued.filter((turn) => !going.has(turn.turnId));
      for (const turn of starts) launch(turn);
    }
    setAlarm(nowMs);
    deps.onChange();
  };

  const pumpSoon = createCoalesced(pump, deps.soon);

  const alarm = createWallAlarm(clock, pump);
  const setAlarm = (nowMs: number): void => {
    const waits = queued.map((turn) => turn.dueMs).filter((dueMs) => dueMs() > nowMs);
    if (pause.endMs() !== undefined) waits.push(() => pause.endMs() ?? Infinity);
    alarm.set(waits);
  };

  const launch = (turn: QueuedTurn): void => {
    const row = deps.reads.turn(turn.turnId);
    if (row === undefined || row.endedAtMs !== undefined) {
      // Other turns may have been waiting for this one.
      pumpSoon();
      return;
    }
    const worker = freeWorker(active);
    const taken = deps.leases.table.take({
      sessionId: row.sessionId,
      turnId: row.id,
      attempt: row.attempt + 1,
      worker: `w${String(worker)}`,
    });
    if (taken.kind === 'contended') {
      // Another owner works in this session: the next session gets its chance.
      deps.log.info('turn.blocked', { turnId: row.id, owner: taken.owner });
      push(turn);
      return;
    }
    const { lease } = taken;
    deps.starts.gate.started(row);
    const abort = new AbortController();
    let again: QueuedTurn | undefined;
    const done = deps.run
      .turn(row, abort.signal, lease)
      .then(
        (end) => {
          deps.log.info('turn.run.ended', { turnId: row.id, end: end.kind });
          if (end.kind === 'requeued')
            again = { ...turn, hasBegun: true, isAlone: false, notBeforeMs: end.dueAtMs };
          else if (end.kind === 'waits')
            again = { ...turn, hasBegun: true, isAlone: false, notBeforeMs: 0 };
        },
        async (error: unknown) => {
          deps.log.error('turn.run.failed', {
            turnId: row.id,
            code: toHoldfastError(error).code,
            error,
          });
          // Errors of a run that was already taken over no longer matter.
          if (!lease.isHeld()) return;
          const kind = NOT_OF_THE_TURN[toHoldfastError(error).code];
          if (kind === 'disk' && isAllSettled(deps.reads, lease))
            again = { ...turn, notBeforeMs: clock.nowMs() + DISK_RETRY_MS };
          else if (kind !== undefined || !(await deps.run.onCrash(row, error)))
            take(lease, { kind: kind ?? 'disk' });
        },
      )
      .finally(() => {
        deps.leases.table.release(lease);
        deps.starts.gate.ended(row.id);
        if (active.get(row.id)?.lease === lease) active.delete(row.id);
        const wanted = afterRun.get(row.id) ?? again;
        afterRun.delete(row.id);
        if (wanted !== undefined && !active.has(row.id)) push(wanted);
        // A finished turn frees a slot. The next one starts in a new task.
        pumpSoon();
      });
    active.set(row.id, { lease, worker, abort, done });
    if (turn.isAlone === true) alone = row.id;
    watch.start();
  };

  /** A new result reset its crash count, so it did not crash Holdfast there. */
  const hasGotFurther = (turnId: number): boolean => deps.reads.turn(turnId)?.crashes === 0;
  deps.journal.onCommitted((entries) => {
    if (alone === undefined) return;
    // Its question may stay open for days; it must not block other turns.
    const isAsking = asksIn(entries, alone);
    if (isAsking) alone = undefined;
    if (isAsking || entries.some((entry) => entry.kind === 'step.ended')) pumpSoon();
  });

  /** The old run can no longer write or act; another attempt takes over. */
  const overtake = (lease: Lease, silentMs: number): void => {
    const { turnId, attempt, owner } = lease;
    deps.leases.table.revoke(lease);
    const run = active.get(turnId);
    if (run?.lease !== lease) return;
    active.delete(turnId);
    run.abort.abort(new RunStopped('lease_lost'));
    deps.log.warn('turn.lease.lost', { turnId, attempt, owner, silentMs });
    take(lease, { kind: 'silent', silentMs });
  };

  const watch = createLeaseWatch(clock, deps.leases, overtake);

  /** Retries until the disk accepts writes; then the turn resumes or asks. */
  const take = ({ sessionId, turnId, attempt }: Lease, cause: LostCause): void => {
    beingTaken.set(turnId, { sessionId, cause });
    deps.onChange();
    deps.run
      .takeOver({ turnId, attempt, cause })
      .then(
        (taken) => {
          if (taken === undefined || queued.some((one) => one.turnId === turnId)) return;
          const { turn, delayMs } = taken;
          push({
            turnId,
            sessionId,
            notBeforeMs: delayMs === 0 ? 0 : clock.nowMs() + delayMs,
            hasBegun: turn.attempt > 0,
          });
        },
        (error: unknown) => {
          // Holdfast is stopping or lost the instance: the turn stays open, and the next start
          // takes it over.
          leftOpen.add(turnId);
          deps.log.error('turn.takeover.failed', { turnId, error });
        },
      )
      .finally(() => {
        beingTaken.delete(turnId);
        pump();
      });
  };

  const end = async (turnId: number, why: RunStop): Promise<void> => {
    queued = queued.filter((turn) => turn.turnId !== turnId);
    afterRun.delete(turnId);
    const run = active.get(turnId);
    if (run === undefined) return;
    if (why === 'lease_lost') deps.leases.table.revoke(run.lease);
    run.abort.abort(new RunStopped(why));
    await run.done;
  };

  const enqueue: TurnScheduler['enqueue'] = (
    { id: turnId, sessionId, attempt },
    { delayMs = 0, untilMs, isAlone = false } = {},
  ) => {
    if (queued.some((one) => one.turnId === turnId)) return;
    const wake = deps.workReads.wakeOfTurn(turnId);
    const turn: QueuedTurn = {
      turnId,
      sessionId,
      notBeforeMs: untilMs ?? (delayMs === 0 ? 0 : clock.nowMs() + delayMs),
      hasBegun: attempt > 0,
      isAlone,
      ...(wake === undefined ? {} : { priority: wake.priority, source: 'queued_wake' }),
    };
    if (active.has(turnId)) {
      // Its end is on disk and was answered already; it is queued again once the run is really
      // over.
      afterRun.set(turnId, turn);
      return;
    }
    push(turn);
    pumpSoon();
  };

  return {
    enqueue,
    cancel: (turnId) => end(turnId, 'cancelled'),
    fence: (turnId) => end(turnId, 'lease_lost'),
    pause(untilMs) {
      pause.set(untilMs);
      setAlarm(clock.nowMs());
      deps.onChange();
    },
    resume() {
      pause.lift();
      pump();
    },
    paused: () => pause.known(),
    running: () => [...active.keys()],
    // A turn that a user canceled meanwhile no longer counts.
    lostRuns: () => countSilent(beingTaken) + countOpen(deps.reads, leftOpen),
    lostBy(turnId) {
      if (queued.some((one) => one.turnId === turnId)) return 'disk';
      return beingTaken.get(turnId)?.cause.kind ?? (leftOpen.has(turnId) ? 'silent' : undefined);
    },
    isQueued: (turnId) => queued.some((turn) => turn.turnId === turnId),
    runNow(row) {
      const { id: turnId } = row;
      const run = active.get(turnId);
      if (run !== undefined) {
        const { sessionId } = run.lease;
        afterRun.set(turnId, { turnId, sessionId, notBeforeMs: 0, hasBegun: true });
      } else if (queued.some((turn) => turn.turnId === turnId)) {
        queued = queued.map((turn) =>
          turn.turnId === turnId ? { ...turn, dueMs: () => 0 } : turn,
        );
        pump();
      } else enqueue(row);
    },
    leaseOf: (sessionId) => deps.leases.table.ofSession(sessionId),
    lookAtLeases: watch.look,
    lookAgain: pump,
    start() {
      isStarted = true;
      pump();
    },
    async stop(graceMs) {
      isStopping = true;
      alarm.clear();
      watch.stop();
      const runs = [...active.values()];
      if (runs.length === 0) return;
      const all = Promise.all(runs.map((run) => run.done)).then(() => undefined);
      const grace = new AbortController();
      await Promise.race([all, clock.sleep(graceMs, grace.signal).catch(() => undefined)]);
      grace.abort();
      for (const run of runs) run.abort.abort(new RunStopped('shutdown'));
      await all;
    },
  };
}

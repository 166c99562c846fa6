import type { Clock } from '../../ports/clock';
import type { JournalReads, TurnRow } from '../../ports/journal';
import type { Log } from '../../ports/log';
import type { Pause, PauseStore } from '../../ports/pause';
import { toHoldfastError } from '../kernel/errors';
import { RunStopped, type RunEnd } from './turn-runner';

/** A turn that wants to run. */
export interface QueuedTurn {
  readonly turnId: number;
  readonly sessionId: number;
  /** Not before this instant (growing delay of a resume, S0-+04). */
  readonly notBeforeMs: number;
  /** It ran before: a pause of new turns does not keep it from going on. */
  readonly hasBegun: boolean;
}

/**
 * Which queued turns start now: in order of arrival, one per session, not above the cap, no new one
 * while new turns are paused. Pure.
 */
export function planStarts(facts: {
  readonly queued: readonly QueuedTurn[];
  readonly busySessions: ReadonlySet<number>;
  readonly running: number;
  readonly cap: number;
  readonly isPaused: boolean;
  readonly nowMs: number;
}): readonly QueuedTurn[] {
  const busy = new Set(facts.busySessions);
  const starts: QueuedTurn[] = [];
  for (const turn of facts.queued) {
    if (facts.running + starts.length >= facts.cap) break;
    if (busy.has(turn.sessionId)) continue;
    // A turn that still waits keeps its session: later messages do not overtake it.
    busy.add(turn.sessionId);
    if (facts.isPaused && !turn.hasBegun) continue;
    if (turn.notBeforeMs <= facts.nowMs) starts.push(turn);
  }
  return starts;
}

export interface TurnSchedulerDeps {
  readonly clock: Clock;
  readonly reads: JournalReads;
  readonly log: Log;
  readonly pauseStore: PauseStore;
  readonly cap: () => number;
  readonly run: (turn: TurnRow, signal: AbortSignal) => Promise<RunEnd>;
  /** A run that ended with an error nobody expected: the turn is still open on disk. */
  readonly onCrash: (turn: TurnRow, error: unknown) => Promise<void>;
  readonly onChange: () => void;
}

/** Runs queued turns; everything it knows can be read again from the journal (S3-01). */
export interface TurnScheduler {
  enqueue(turn: QueuedTurn): void;
  /** Aborts a running turn or forgets a queued one. Resolves when it no longer runs. */
  cancel(turnId: number): Promise<void>;
  /** On disk when it returns, like the end of it: a restart does not undo what a person asked for. */
  pause(untilMs: number | undefined): void;
  resume(): void;
  paused(): Pause | undefined;
  running(): readonly number[];
  isQueued(turnId: number): boolean;
  start(): void;
  /** No new starts; running turns finish their step within `graceMs`, then are aborted. */
  stop(graceMs: number): Promise<void>;
}

export function createTurnScheduler(deps: TurnSchedulerDeps): TurnScheduler {
  const { clock } = deps;
  let queued: QueuedTurn[] = [];
  const active = new Map<
    number,
    { readonly sessionId: number; readonly abort: AbortController; readonly done: Promise<void> }
  >();
  let pause = deps.pauseStore.read();
  let isStarted = false;
  let isStopping = false;
  let alarm: AbortController | undefined;

  const pump = (): void => {
    if (!isStarted || isStopping) return;
    const nowMs = clock.nowMs();
    if (pause?.untilMs !== undefined && pause.untilMs <= nowMs) pause = undefined;
    const starts = planStarts({
      queued,
      busySessions: new Set([...active.values()].map((one) => one.sessionId)),
      running: active.size,
      cap: deps.cap(),
      isPaused: pause !== undefined,
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

  /** One timer for the next instant that matters; nothing ticks while nothing waits for time. */
  const setAlarm = (nowMs: number): void => {
    alarm?.abort();
    alarm = undefined;
    const waits = queued.filter((turn) => turn.notBeforeMs > nowMs).map((turn) => turn.notBeforeMs);
    if (pause?.untilMs !== undefined) waits.push(pause.untilMs);
    if (waits.length === 0) return;
    const mine = new AbortController();
    alarm = mine;
    clock.sleep(Math.max(0, Math.min(...waits) - nowMs), mine.signal).then(pump, () => undefined);
  };

  const launch = (turn: QueuedTurn): void => {
    const row = deps.reads.turn(turn.turnId);
    if (row === undefined || row.endedAtMs !== undefined) return;
    const abort = new AbortController();
    const done = deps
      .run(row, abort.signal)
      .then(
        (end) => {
          deps.log.info('turn.run.ended', { turnId: row.id, end: end.kind });
        },
        async (error: unknown) => {
          deps.log.error('turn.run.failed', {
            turnId: row.id,
            code: toHoldfastError(error).code,
            error,
          });
          await deps.onCrash(row, error);
        },
      )
      .finally(() => {
        active.delete(row.id);
        // A turn that ends makes room: the next one starts in a fresh task.
        queueMicrotask(pump);
      });
    active.set(row.id, { sessionId: row.sessionId, abort, done });
  };

  return {
    enqueue(turn) {
      if (queued.some((one) => one.turnId === turn.turnId) || active.has(turn.turnId)) return;
      queued.push(turn);
      pump();
    },
    async cancel(turnId) {
      queued = queued.filter((turn) => turn.turnId !== turnId);
      const run = active.get(turnId);
      if (run === undefined) return;
      run.abort.abort(new RunStopped('cancelled'));
      await run.done;
    },
    pause(untilMs) {
      const wanted = untilMs === undefined ? {} : { untilMs };
      deps.pauseStore.write(wanted);
      pause = wanted;
      setAlarm(clock.nowMs());
      deps.onChange();
    },
    resume() {
      deps.pauseStore.write(undefined);
      pause = undefined;
      pump();
    },
    paused: () => pause,
    running: () => [...active.keys()],
    isQueued: (turnId) => queued.some((turn) => turn.turnId === turnId),
    start() {
      isStarted = true;
      pump();
    },
    async stop(graceMs) {
      isStopping = true;
      alarm?.abort();
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

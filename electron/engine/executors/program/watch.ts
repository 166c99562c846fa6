import type { Clock } from '../../../ports/clock';
import { limitReached, timeLimitMs, type Over } from '../../turns/run-limits';
import type { TurnRun, TurnRunDeps } from '../../turns/run-record';

/** Even a limit that is due at once is checked in a separate event loop turn. */
const SHORTEST_MS = 20;

/** A run's work time: waiting for the user does not count. */
export interface WorkClock {
  activeMs(): number;
  isWaiting(): boolean;
  /** Times that overlap count once. */
  waiting<T>(work: () => Promise<T>): Promise<T>;
  /** Called when the run starts to wait and when it works again. */
  onTurn(listener: () => void): void;
}

export function createWorkClock(clock: Pick<Clock, 'monotonicMs'>): WorkClock {
  const startedMs = clock.monotonicMs();
  let open = 0;
  let sinceMs = 0;
  let waitedMs = 0;
  let turned: () => void = () => undefined;
  return {
    activeMs() {
      const nowMs = clock.monotonicMs();
      return nowMs - startedMs - waitedMs - (open > 0 ? nowMs - sinceMs : 0);
    },
    isWaiting: () => open > 0,
    async waiting(work) {
      if (open === 0) sinceMs = clock.monotonicMs();
      open += 1;
      turned();
      try {
        return await work();
      } finally {
        open -= 1;
        if (open === 0) waitedMs += clock.monotonicMs() - sinceMs;
        turned();
      }
    },
    onTurn: (listener) => void (turned = listener),
  };
}

/** Whether this check ends a run although its program continues. Pure. S3-25. */
export function planLook(facts: {
  readonly activeMs: number;
  /** The agent's deadline; undefined if only the turn's limit applies. */
  readonly deadlineMs: number | undefined;
  readonly overLimit: Over | undefined;
  readonly isDraining: boolean;
  /** A call may be doing something at this moment. */
  readonly isBusy: boolean;
}): Ending | undefined {
  const { activeMs, deadlineMs, overLimit } = facts;
  if (overLimit !== undefined) return { kind: 'limit', ...overLimit };
  if (deadlineMs !== undefined && activeMs >= deadlineMs)
    return { kind: 'deadline', afterMs: deadlineMs };
  return facts.isDraining && !facts.isBusy ? { kind: 'draining' } : undefined;
}

/**
 * Checks time and cost; the step count is checked when a step starts, so that the last one may
 * finish.
 */
function timeOrCostReached(
  deps: TurnRunDeps,
  run: TurnRun,
  activeMs: number,
  moreUsd: number,
): Over | undefined {
  return limitReached(deps, { ...run, step: () => 0 }, activeMs, moreUsd);
}

/** Ends a run at its limits, and shows life for it. */
export interface RunWatch {
  /** Checks now: something changed that ends the run or counts as a heartbeat. */
  readonly look: () => void;
  readonly stop: () => void;
}

interface WatchedRun {
  readonly run: TurnRun;
  readonly ending: RunEnding;
  readonly clock: WorkClock;
  /** Earlier work time that counts toward the limit. */
  readonly ranBeforeMs: number;
  readonly deadlineMs: number | undefined;
  /** The program's reported cost so far; 0 if it reports nothing before its end. */
  readonly costUsd: () => number;
  readonly isAtWork: () => boolean;
  readonly isBusy: () => boolean;
  /** True if a shutdown would interrupt a tool call. Default: `isBusy`. */
  readonly isCallAtWork?: () => boolean;
}

/**
 * Checks a run when its state changes and when its time is up: a run that waits for an approval
 * costs nothing, for days (S3-05). While the program is silent for a good reason (`isAtWork`: a
 * call is open, the user is asked) the watch sends the heartbeat, until a limit ends the run.
 * Otherwise only the program's output counts as a heartbeat, so a hung program loses its lease.
 * S3-18, S3-25.
 */
export function watchRun(deps: TurnRunDeps, facts: WatchedRun): RunWatch {
  const { run, ending, clock } = facts;
  const timer = createLookTimer(deps.store.clock, look);
  let letGo: (() => void) | undefined;
  let isOver = false;

  const showLife = (isAlive: boolean): void => {
    if (isAlive) letGo ??= run.atWork();
    else {
      letGo?.();
      letGo = undefined;
    }
  };

  const stop = (why?: Ending): void => {
    isOver = true;
    timer.clear();
    showLife(false);
    offLimits();
    deps.limits.draining.removeEventListener('abort', look);
    if (why !== undefined) ending.stop(why);
  };

  function look(): void {
    if (isOver) return;
    try {
      showLife(facts.isAtWork() || clock.isWaiting());
      deps.limits.stepGate.look();
      const seen = lookAt(deps, facts);
      if (seen.over !== undefined) stop(seen.over);
      else if (clock.isWaiting()) timer.clear();
      else timer.within(seen.leftMs);
    } catch (error) {
      stop({ kind: 'broken', error });
    }
  }

  const offLimits = deps.limits.onChange(look);
  deps.limits.draining.addEventListener('abort', look);
  clock.onTurn(look);
  deps.limits.stepGate.follow(run.turn.id, facts.isCallAtWork ?? facts.isBusy);
  look();
  return { look, stop: () => stop() };
}

/** The action for a run now, and its work time until the next check. */
function lookAt(
  deps: TurnRunDeps,
  { run, clock, ranBeforeMs, deadlineMs, costUsd, isBusy }: WatchedRun,
): { readonly over: Ending | undefined; readonly leftMs: number } {
  const activeMs = clock.activeMs();
  const over = planLook({
    activeMs,
    deadlineMs,
    overLimit: timeOrCostReached(deps, run, ranBeforeMs + activeMs, costUsd()),
    isDraining: deps.limits.draining.aborted,
    isBusy: isBusy(),
  });
  const limitMs = timeLimitMs(deps, run) - ranBeforeMs;
  return { over, leftMs: Math.min(limitMs, deadlineMs ?? limitMs) - activeMs };
}

/** One timer, left alone if it fires early enough: the check then sets it again. */
function createLookTimer(
  clock: Clock,
  onTime: () => void,
): { within(ms: number): void; clear(): void } {
  let armed: { readonly abort: AbortController; readonly atMs: number } | undefined;
  const clear = (): void => {
    armed?.abort.abort();
    armed = undefined;
  };
  return {
    clear,
    within(ms) {
      const delayMs = Math.max(SHORTEST_MS, ms);
      const atMs = clock.monotonicMs() + delayMs;
      if (armed !== undefined && armed.atMs <= atMs) return;
      clear();
      const mine = { abort: new AbortController(), atMs };
      armed = mine;
      clock.sleep(delayMs, mine.abort.signal).then(
        () => {
          armed = undefined;
          onTime();
        },
        () => undefined, // set again, or over
      );
    },
  };
}

/** Sends heartbeats during time-limited work. */
export async function aliveWhile<T>(
  life: { atWork(): () => void },
  work: () => Promise<T>,
): Promise<T> {
  const letGo = life.atWork();
  try {
    return await work();
  } finally {
    letGo();
  }
}

/** Why Holdfast itself ended a run of an external program. */
export type Ending =
  | { readonly kind: 'deadline'; readonly afterMs: number }
  | ({ readonly kind: 'limit' } & Over)
  /** Its provider rejects it repeatedly. */
  | { readonly kind: 'refused'; readonly status: number; readonly error: string }
  /** Holdfast is shutting down and no call is running. */
  | { readonly kind: 'draining' }
  /** A bug or error in Holdfast. */
  | { readonly kind: 'broken'; readonly error: unknown };

/** The end of a run, internal or external: the first one sets the reason. */
interface RunEnding {
  /** Aborted by either. */
  readonly signal: AbortSignal;
  /** Undefined while the run continues, and if it was stopped externally. */
  why(): Ending | undefined;
  stop(why: Ending): void;
  dispose(): void;
}

export function createEnding(outer: AbortSignal): RunEnding {
  const inner = new AbortController();
  let ending: Ending | undefined;
  const onOuter = (): void => inner.abort(outer.reason);
  outer.addEventListener('abort', onOuter, { once: true });
  if (outer.aborted) onOuter();
  return {
    signal: inner.signal,
    why: () => ending,
    stop(why) {
      ending ??= why;
      inner.abort(new Error(why.kind));
    },
    dispose() {
      outer.removeEventListener('abort', onOuter);
      inner.abort(new Error('over'));
    },
  };
}

import type { Clock } from '../../../ports/clock';
import type { Ending, RunEnding } from './outside-ending';
import { limitReached } from '../turn-runner';
import type { TurnRun, TurnRunDeps } from '../turn-run';

/** How often limits are looked at, and signs of life are given, while the program says nothing. */
const LOOK_MS = 1_000;
const SHORTEST_MS = 20;
/** A sign of life is good until the one after the next look. */
const ALIVE_MS = 2 * LOOK_MS;

/** How long a run has worked: waiting for a person is no work. */
export interface WorkClock {
  activeMs(): number;
  isWaiting(): boolean;
  /** Times that overlap count once. */
  waiting<T>(work: () => Promise<T>): Promise<T>;
}

export function createWorkClock(clock: Pick<Clock, 'monotonicMs'>): WorkClock {
  const startedMs = clock.monotonicMs();
  let open = 0;
  let sinceMs = 0;
  let waitedMs = 0;
  return {
    activeMs() {
      const nowMs = clock.monotonicMs();
      return nowMs - startedMs - waitedMs - (open > 0 ? nowMs - sinceMs : 0);
    },
    isWaiting: () => open > 0,
    async waiting(work) {
      if (open === 0) sinceMs = clock.monotonicMs();
      open += 1;
      try {
        return await work();
      } finally {
        open -= 1;
        if (open === 0) waitedMs += clock.monotonicMs() - sinceMs;
      }
    },
  };
}

/** Whether a run ends at this look although its program goes on. Pure. S3-25. */
export function planLook(facts: {
  readonly activeMs: number;
  /** Of the agent itself; undefined where the limit of the turn counts alone. */
  readonly deadlineMs: number | undefined;
  readonly overLimit: string | undefined;
  readonly isDraining: boolean;
  /** A call may be doing something at this moment. */
  readonly isBusy: boolean;
}): Ending | undefined {
  const { activeMs, deadlineMs, overLimit } = facts;
  if (overLimit !== undefined) return { kind: 'limit', reason: overLimit };
  if (deadlineMs !== undefined && activeMs >= deadlineMs)
    return { kind: 'deadline', afterMs: deadlineMs };
  return facts.isDraining && !facts.isBusy ? { kind: 'draining' } : undefined;
}

/** Time and cost: the number of steps is looked at when a step begins, so that the last one may end. */
function timeOrCostReached(deps: TurnRunDeps, run: TurnRun, activeMs: number): string | undefined {
  return limitReached(deps, { ...run, step: () => 0 }, activeMs);
}

/**
 * Looks at a run until `done`: ends it at its limits, and shows life where its program is silent
 * for a good reason (`isAtWork`: a call is open, a person is asked), which is within its own time as
 * long as no limit has ended it. Otherwise only the words of the program are signs of life, so that
 * one that hangs loses its lease. S3-18, S3-25.
 */
export async function watchRun(
  deps: TurnRunDeps,
  facts: {
    readonly run: TurnRun;
    readonly ending: RunEnding;
    readonly clock: WorkClock;
    /** Counted to the limit of time besides what this run has worked. */
    readonly ranBeforeMs: number;
    readonly deadlineMs: number | undefined;
    readonly isAtWork: () => boolean;
    readonly isBusy: () => boolean;
  },
  done: AbortSignal,
): Promise<void> {
  const { run, ending, clock, deadlineMs } = facts;
  try {
    for (;;) {
      if (facts.isAtWork() || clock.isWaiting()) run.alive(ALIVE_MS);
      const activeMs = clock.activeMs();
      const over = planLook({
        activeMs,
        deadlineMs,
        overLimit: timeOrCostReached(deps, run, facts.ranBeforeMs + activeMs),
        isDraining: deps.isDraining(),
        isBusy: facts.isBusy(),
      });
      if (over !== undefined) return ending.stop(over);
      const leftMs = deadlineMs === undefined ? LOOK_MS : deadlineMs - activeMs;
      await deps.clock.sleep(Math.max(SHORTEST_MS, Math.min(leftMs, LOOK_MS)), done);
    }
  } catch (error) {
    if (!done.aborted) ending.stop({ kind: 'broken', error });
  }
}

/** Signs of life while something is done that is bounded in time by whoever does it. */
export async function aliveWhile<T>(
  clock: Clock,
  life: { alive(forMs: number): void },
  work: () => Promise<T>,
): Promise<T> {
  const done = new AbortController();
  const beat = async (): Promise<void> => {
    for (;;) {
      life.alive(ALIVE_MS);
      await clock.sleep(LOOK_MS, done.signal);
    }
  };
  // It ends only by our own abort.
  const beating = beat().catch(() => undefined);
  try {
    return await work();
  } finally {
    done.abort();
    await beating;
  }
}

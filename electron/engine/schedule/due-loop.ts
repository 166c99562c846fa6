import type { Ticker } from '../../ports/clock';
import type { Basics } from '../kernel/basics';
import type { DueTasks } from './due-tasks';
import type { DueWakes } from './due-wakes';
import type { Moment } from './plan-catchup';

/** Wall and monotonic time, read together. */
interface Look {
  readonly wallMs: number;
  readonly monotonicMs: number;
}

/** What happened between two checks of the clock. */
type Gap =
  | { readonly kind: 'none' }
  /** The computer slept, or this process was stopped: nothing could run in between. */
  | { readonly kind: 'asleep'; readonly forMs: number }
  /** The wall clock was set forward; the same rule as for sleep. */
  | { readonly kind: 'set_forward'; readonly byMs: number }
  /** The wall clock was set back: finished runs do not run again. */
  | { readonly kind: 'set_back'; readonly byMs: number };

/** Maximum time between two checks while anything is scheduled. */
const LOOK_EVERY_MS = 10_000;
/** A busy event loop must not count as sleep. */
const LATE_LOOK_MS = 5_000;
/** The system clock is always being corrected in small steps. */
const SMALL_STEP_MS = 2_000;

/**
 * Tells sleep and a changed clock from ordinary waiting. A monotonic clock that stops during sleep
 * cannot tell sleep from a clock set forward: both are handled alike, so `wasResumed` (reported by
 * the system) only selects the wording. Two reports of one wake count once: the second check
 * follows the first directly. Pure. Source: S0-22.
 */
export function gapBetween(before: Look, now: Look, wasResumed: boolean): Gap {
  const wall = now.wallMs - before.wallMs;
  const monotonic = now.monotonicMs - before.monotonicMs;
  const drift = wall - monotonic;
  if (drift < -SMALL_STEP_MS) return { kind: 'set_back', byMs: -drift };
  if (wall <= LOOK_EVERY_MS + LATE_LOOK_MS && drift <= SMALL_STEP_MS) return { kind: 'none' };
  if (drift > SMALL_STEP_MS && !wasResumed) return { kind: 'set_forward', byMs: drift };
  return { kind: 'asleep', forMs: wall };
}

interface DueLoopDeps extends Pick<Basics, 'clock' | 'audit' | 'log'> {
  readonly nextDueMs: () => number | undefined;
  readonly dueWakes: DueWakes;
  readonly dueTasks: DueTasks;
  /** The clock was set back: adjusts the next runs. @throws DISK_* */
  readonly mendSetBack: () => Promise<void>;
  readonly ticks: Ticker;
}

/** Turns due schedules into work: at startup, on time, after sleep, after a clock change. */
export interface DueLoop {
  /** Decides what was missed while nothing ran. Before the loop starts. */
  catchUp(): Promise<void>;
  start(): void;
  /** Call when due times have changed. */
  changed(): void;
  /** The system reports that it woke up. */
  resumed(): void;
  stop(): void;
}

/**
 * A tick that is later than this will not come: it waits for a wall-clock time, and the clock was
 * set back. Shorter than what counts as sleep.
 */
const SILENT_MS = LOOK_EVERY_MS + 2_000;
/** Delay before a write that the disk rejected is retried. */
const REFUSED_RETRY_MS = 2_000;

/**
 * Idle while nothing waits for time. Otherwise the scheduler checks the clock every ten seconds,
 * which also detects sleep and clock changes, and one timer covers an instant before the next
 * check, or a check that does not come.
 */
export function createDueLoop(deps: DueLoopDeps): DueLoop {
  const { clock } = deps;
  let isStarted = false;
  let firing: Promise<void> | undefined;
  let last: Look | undefined;
  let alarm: AbortController | undefined;
  let ticking: { stop(): void } | undefined;
  /** A missed and rejected run still counts as missed when retried. */
  let isMissedStillDue = false;
  /** The clock was set back, and upcoming times are not adjusted yet. */
  let isSetBack = false;

  /** True if nothing is due now; false if something was rejected and is still due. */
  const fireDue = async (moment: Moment): Promise<boolean> => {
    const areWakesDone = await deps.dueWakes.fireDue(moment);
    return (await deps.dueTasks.fireDue(moment)) && areWakesDone;
  };

  const lookNow = (): Look => ({ wallMs: clock.nowMs(), monotonicMs: clock.monotonicMs() });

  const arm = (delayMs: number): void => {
    alarm?.abort();
    const mine = new AbortController();
    alarm = mine;
    clock.sleep(delayMs, mine.signal).then(() => {
      look(false);
    }, ignore);
  };

  /** Sleeps or ticks until the next time; does nothing if there is none. */
  const wait = (): void => {
    alarm?.abort();
    const dueMs = deps.nextDueMs();
    if (dueMs === undefined) {
      ticking?.stop();
      ticking = undefined;
      last = undefined;
      return;
    }
    last ??= lookNow();
    ticking ??= deps.ticks(() => {
      look(false);
    });
    const delayMs = dueMs - clock.nowMs();
    arm(delayMs <= LOOK_EVERY_MS ? Math.max(0, delayMs) : SILENT_MS);
  };

  const look = (wasResumed: boolean): void => {
    if (!isStarted) return;
    // Changes during a firing are checked when it ends, with the time since the last check.
    if (firing !== undefined) return;
    const now = lookNow();
    const gap =
      last === undefined ? ({ kind: 'none' } as const) : gapBetween(last, now, wasResumed);
    last = now;
    if (gap.kind !== 'none') {
      deps.audit.record('clock_gap', { ...gap });
      // Its next tick follows the old clock; restarting it uses the new one.
      ticking?.stop();
      ticking = undefined;
    }
    isSetBack ||= gap.kind === 'set_back';
    if (isSetBack) {
      firing = follow(
        deps.mendSetBack().then(() => {
          isSetBack = false;
          return true;
        }),
      );
      return;
    }
    const dueMs = deps.nextDueMs();
    if (dueMs === undefined || dueMs > now.wallMs) {
      wait();
      return;
    }
    const isLive = gap.kind === 'none' && !isMissedStillDue;
    isMissedStillDue = !isLive;
    firing = follow(
      fireDue({ nowMs: now.wallMs, isLive }).then((isDone) => {
        if (isDone) isMissedStillDue = false;
        return isDone;
      }),
    );
  };

  const follow = (work: Promise<boolean>): Promise<void> =>
    work.then(after, (error: unknown) => {
      deps.log.warn('schedule.refused', { error });
      after(false);
    });

  const after = (isDone: boolean): void => {
    firing = undefined;
    if (!isStarted) return;
    if (!isDone) {
      // Still due: retried with the same reason.
      last = lookNow();
      arm(REFUSED_RETRY_MS);
      return;
    }
    wait();
  };

  return {
    async catchUp() {
      const dueMs = deps.nextDueMs();
      if (dueMs === undefined || dueMs > clock.nowMs()) return;
      isMissedStillDue = true;
      isMissedStillDue = !(await fireDue({ nowMs: clock.nowMs(), isLive: false }));
    },
    start() {
      isStarted = true;
      last = lookNow();
      wait();
    },
    changed() {
      if (isStarted && firing === undefined) wait();
    },
    resumed() {
      look(true);
    },
    stop() {
      isStarted = false;
      alarm?.abort();
      ticking?.stop();
      ticking = undefined;
    },
  };
}

const ignore = (): undefined => undefined;

import type { QuitStep } from '../../../shared/types/status';
import type { JournalReads } from '../../ports/journal/reads';
import type { StepRow } from '../../ports/journal/rows';
import { isEffect } from '../recovery/ledger';
import type { Clock } from '../../ports/clock';

/**
 * A run's state during a quit that lets steps finish. Absent: it has not reached its first step.
 */
type RunPhase =
  /** It is between two steps: the next one is running or about to start. */
  | 'goes'
  /** It waits between two steps until the quit is canceled. */
  | 'rests'
  /** An external program with a tool call in progress, which ending the program would interrupt. */
  | 'busy'
  /** An external program that can be ended now and resumes later. */
  | 'idle';

/** What the quit knows about a run. */
export interface RunAtWork {
  readonly turnId: number;
  readonly phase: RunPhase;
  readonly steps: readonly Pick<
    StepRow,
    'step' | 'tool' | 'hint' | 'purity' | 'state' | 'startedAtMs'
  >[];
  /** When the newest step retries its provider; 0 if it is not waiting to retry. */
  readonly triesAgainAtMs: number;
}

/**
 * The steps that a quit waits for: the running step of each run. Waiting for the user or a provider
 * does not count. Pure.
 */
export function stepsAtWork(runs: readonly RunAtWork[], nowMs: number): readonly QuitStep[] {
  return runs.flatMap(({ turnId, phase, steps, triesAgainAtMs }) => {
    if (phase === 'rests' || phase === 'idle' || triesAgainAtMs > nowMs) return [];
    const newest = steps.findLast(({ state }) => state === 'started');
    if (newest === undefined)
      return [{ turnId, tool: '', hint: '', isEffect: false, startedAtMs: nowMs }];
    const { tool, hint, startedAtMs } = newest;
    return [{ turnId, tool, hint: hint.slice(0, 200), isEffect: isEffect(newest), startedAtMs }];
  });
}

interface QuitWhenDoneDeps {
  readonly reads: Pick<JournalReads, 'steps' | 'callTries'>;
  readonly clock: Pick<Clock, 'nowMs'>;
  /** Aborted when a shutdown starts, for any reason. */
  readonly draining: AbortSignal;
  /** Defers work until pending writes are on disk and visible to reads. */
  readonly soon: (work: () => void) => void;
  /** Starts the ordinary shutdown. */
  readonly quit: (reason: 'stop' | 'update') => void;
  /** The quit was canceled: turns may start again. */
  readonly onTakenBack: () => void;
  readonly onChange: () => void;
}

/** The point between two steps that every run passes. */
export interface StepGate {
  isWanted(): boolean;
  /** Undefined if the run may continue at once; otherwise waits for that or for a signal's end. */
  pass(turnId: number, ...until: readonly AbortSignal[]): Promise<void> | undefined;
  /** Waits while an external program's call must not start. */
  opened(...until: readonly AbortSignal[]): Promise<void> | undefined;
  /** Registers a run of an external program, which starts its tool calls itself. */
  follow(turnId: number, isBusy: () => boolean): void;
  /** Checks whether Holdfast can quit now. */
  look(): void;
}

/** Why Holdfast quits when the running steps are done. */
interface QuitPurpose {
  readonly reason: 'stop' | 'update';
  /** Called right before the shutdown starts. False keeps Holdfast running. */
  leave?(): boolean;
  /** The quit was canceled. */
  undone?(): void;
}

export interface QuitWhenDone extends StepGate {
  /** The run is over. */
  left(turnId: number): void;
  want(purpose?: QuitPurpose): void;
  takeBack(): void;
  steps(): readonly QuitStep[];
}

/**
 * Quits when the running steps are done: no turn or step starts, running steps finish and are
 * recorded, then the ordinary shutdown runs. None of this is on disk: a kill meanwhile is an
 * ordinary crash.
 */
export function createQuitWhenDone(deps: QuitWhenDoneDeps): QuitWhenDone {
  const { reads, clock, draining } = deps;
  const runs = new Map<number, () => RunPhase>();
  let waiters: (() => void)[] = [];
  let isWanted = false;
  let isQuitting = false;
  let purpose: QuitPurpose = { reason: 'stop' };
  // A shutdown may close the journal before a deferred check: nothing is read from then on.
  const isOver = (): boolean => isQuitting || draining.aborted;
  let isLooking = false;

  const triesAgainAtMs = (turnId: number, steps: readonly StepRow[]): number => {
    const newest = steps.findLast(({ state }) => state === 'started');
    if (newest === undefined) return 0;
    return reads.callTries(turnId, newest.step).at(-1)?.dueAtMs ?? 0;
  };
  const steps = (): readonly QuitStep[] =>
    stepsAtWork(
      [...runs].map(([turnId, phase]) => {
        const rows = reads.steps(turnId);
        return {
          turnId,
          phase: phase(),
          steps: rows,
          triesAgainAtMs: triesAgainAtMs(turnId, rows),
        };
      }),
      clock.nowMs(),
    );

  const look = (): void => {
    if (!isWanted || isOver() || isLooking) return;
    isLooking = true;
    deps.soon(() => {
      isLooking = false;
      if (!isWanted || isOver()) return;
      if (steps().length > 0) {
        deps.onChange();
        return;
      }
      if (purpose.leave?.() === false) {
        takeBack();
        return;
      }
      isQuitting = true;
      deps.quit(purpose.reason);
      deps.onChange();
    });
  };

  const takeBack = (): void => {
    if (!isWanted || isOver()) return;
    isWanted = false;
    const takenBack = purpose;
    purpose = { reason: 'stop' };
    const going = waiters;
    waiters = [];
    for (const go of going) go();
    deps.onTakenBack();
    takenBack.undone?.();
    deps.onChange();
  };

  const opened: StepGate['opened'] = (...until) => {
    if (!isWanted || until.some(({ aborted }) => aborted)) return undefined;
    return new Promise<void>((resolve) => {
      waiters.push(resolve);
      for (const signal of until) signal.addEventListener('abort', () => resolve(), { once: true });
    });
  };

  return {
    pass(turnId, ...until) {
      runs.set(turnId, () => 'goes');
      const waiting = opened(...until);
      if (waiting === undefined) return undefined;
      runs.set(turnId, () => 'rests');
      look();
      return waiting.then(() => void runs.set(turnId, () => 'goes'));
    },
    opened,
    follow(turnId, isBusy) {
      runs.set(turnId, () => (isBusy() ? 'busy' : 'idle'));
    },
    look,
    left(turnId) {
      runs.delete(turnId);
      look();
    },
    want(given = { reason: 'stop' }) {
      purpose = given;
      isWanted = true;
      look();
      deps.onChange();
    },
    takeBack,
    isWanted: () => isWanted,
    steps,
  };
}

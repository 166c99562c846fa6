import type { QuitStep } from '../../../shared/quit-words';
import type { JournalReads } from '../../ports/journal/reads';
import type { StepRow } from '../../ports/journal/rows';
import { isEffect } from '../recovery/ledger';
import type { Clock } from '../../ports/clock';

/** How a run stands to a quit that lets steps end. Absent: it has not come to its first step. */
type RunStanding =
  /** It has passed between two steps: the next one is at work, or about to begin. */
  | 'goes'
  /** It waits between two steps until nobody wants to quit any more. */
  | 'rests'
  /** Another program, with a call at work that the end of it would cut off. */
  | 'busy'
  /** Another program that can be ended here and resumes. */
  | 'idle';

/** What is known of a run for this. */
export interface RunAtWork {
  readonly turnId: number;
  readonly standing: RunStanding;
  readonly steps: readonly Pick<
    StepRow,
    'step' | 'tool' | 'hint' | 'purity' | 'state' | 'startedAtMs'
  >[];
  /** When the newest step asks its provider again; 0 where it does not wait for that. */
  readonly triesAgainAtMs: number;
}

/**
 * What a quit waits for: the step at work of each run. What waits for a person or for a provider is
 * not at work. Pure.
 */
export function stepsAtWork(runs: readonly RunAtWork[], nowMs: number): readonly QuitStep[] {
  return runs.flatMap(({ turnId, standing, steps, triesAgainAtMs }) => {
    if (standing === 'rests' || standing === 'idle' || triesAgainAtMs > nowMs) return [];
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
  /** Aborted when a stop begins, also one that somebody else has asked for. */
  readonly draining: AbortSignal;
  /** Runs it when what is under way is on disk and seen by reads. */
  readonly soon: (work: () => void) => void;
  /** Begins the ordinary stop. */
  readonly quit: () => void;
  /** Nobody wants to quit any more: turns may start again. */
  readonly onTakenBack: () => void;
  readonly onChange: () => void;
}

/** Where runs of turns pass between two steps. */
export interface StepGate {
  isWanted(): boolean;
  /** Undefined where the run may go on at once; else it waits for that or for the end of a signal. */
  pass(turnId: number, ...until: readonly AbortSignal[]): Promise<void> | undefined;
  /** Waits where a call of another program may not begin now. */
  opened(...until: readonly AbortSignal[]): Promise<void> | undefined;
  /** A run of another program, which begins its calls by itself. */
  follow(turnId: number, isBusy: () => boolean): void;
  /** Something has changed that may let it quit. */
  look(): void;
}

export interface QuitWhenDone extends StepGate {
  /** The run is over. */
  left(turnId: number): void;
  want(): void;
  takeBack(): void;
  steps(): readonly QuitStep[];
}

/**
 * Quit when this step is done: no turn and no step begins, what is at work ends and is recorded, then
 * the ordinary stop runs. Nothing of it is on disk: whoever is killed meanwhile has just crashed.
 */
export function createQuitWhenDone(deps: QuitWhenDoneDeps): QuitWhenDone {
  const { reads, clock, draining } = deps;
  const runs = new Map<number, () => RunStanding>();
  let waiters: (() => void)[] = [];
  let isWanted = false;
  let isQuitting = false;
  // A stop may close the journal before the look that was put off: nothing is read from then on.
  const isOver = (): boolean => isQuitting || draining.aborted;
  let isLooking = false;

  const triesAgainAtMs = (turnId: number, steps: readonly StepRow[]): number => {
    const newest = steps.findLast(({ state }) => state === 'started');
    if (newest === undefined) return 0;
    return reads.callTries(turnId, newest.step).at(-1)?.dueAtMs ?? 0;
  };
  const steps = (): readonly QuitStep[] =>
    stepsAtWork(
      [...runs].map(([turnId, standing]) => {
        const rows = reads.steps(turnId);
        return {
          turnId,
          standing: standing(),
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
      isQuitting = steps().length === 0;
      if (isQuitting) deps.quit();
      deps.onChange();
    });
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
    want() {
      isWanted = true;
      look();
      deps.onChange();
    },
    takeBack() {
      if (!isWanted || isOver()) return;
      isWanted = false;
      const going = waiters;
      waiters = [];
      for (const go of going) go();
      deps.onTakenBack();
      deps.onChange();
    },
    isWanted: () => isWanted,
    steps,
  };
}

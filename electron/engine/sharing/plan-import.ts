import type { JournalEntry, StepEnd, StepStart } from '../../ports/journal/entries';
import type { StepRow } from '../../ports/journal/rows';
import { startOut, type WireEntry } from './wire';

/** What the journal of this computer knows of a turn. */
export interface LocalTurn {
  readonly turnId: number;
  readonly attempt: number;
  readonly steps: readonly StepRow[];
}

/** What of the store is missing here, in its order; texts and frames are still those of the store. */
export interface ToImport {
  readonly attempts: readonly Extract<WireEntry, { k: 'attempt' }>[];
  readonly starts: readonly StepStart[];
  readonly ends: readonly Extract<WireEntry, { k: 'end' }>[];
  readonly close: Extract<WireEntry, { k: 'close' }> | undefined;
  /** The number of the last step that anybody has begun. */
  readonly lastStep: number;
  readonly isOfSkill: boolean;
}

/** The same step may end twice: what a later owner has decided of it is the end that counts. */
const lastEnds = (
  stored: readonly WireEntry[],
): ReadonlyMap<number, Extract<WireEntry, { k: 'end' }>> =>
  new Map(stored.flatMap((entry) => (entry.k === 'end' ? [[entry.step, entry] as const] : [])));

/** An ambiguous end without content is an open question: a later one settles it. */
const isSettledAs = (step: StepRow | undefined, end: Extract<WireEntry, { k: 'end' }>): boolean =>
  step !== undefined &&
  step.state === end.end.state &&
  (end.end.state !== 'ambiguous' ||
    (step.end?.state === 'ambiguous' &&
      (step.end.content === undefined) === (end.end.content === undefined)));

/** What other owners have written that this journal lacks. Doing it twice imports nothing more. */
export function planImport(local: LocalTurn, stored: readonly WireEntry[]): ToImport {
  const known = new Map(local.steps.map((step) => [step.step, step]));
  let { attempt } = local;
  const attempts: Extract<WireEntry, { k: 'attempt' }>[] = [];
  const starts: StepStart[] = [];
  let lastStep = 0;
  for (const entry of stored) {
    if (entry.k === 'attempt' && entry.attempt > attempt) {
      attempts.push(entry);
      ({ attempt } = entry);
    }
    if (entry.k !== 'start') continue;
    lastStep = Math.max(lastStep, entry.step);
    if (known.has(entry.step)) continue;
    const { k: _kind, isOfSkill: _skill, ...step } = entry;
    starts.push({ turnId: local.turnId, ...step } as StepStart);
  }
  return {
    attempts,
    starts,
    ends: [...lastEnds(stored).values()].filter((end) => !isSettledAs(known.get(end.step), end)),
    close: stored.find((entry) => entry.k === 'close'),
    lastStep,
    isOfSkill: stored.some((entry) => entry.k === 'start' && entry.isOfSkill === true),
  };
}

/** What this journal knows and the store lacks. */
export interface Tail {
  /** Goes to the store, in order. */
  readonly entries: readonly Tailing[];
  /** Steps whose intent never reached the store: nothing of them has begun. */
  readonly notBegun: readonly number[];
}

type Tailing =
  | { readonly kind: 'start'; readonly wire: WireEntry }
  | { readonly kind: 'end'; readonly step: number; readonly end: StepEnd };

export const NOT_BEGUN: StepEnd = {
  state: 'failed',
  error: 'Not started: its intent had not reached the shared store.',
  isCutOff: true,
};

/**
 * The last steps of an earlier life of this computer. An effect starts only after the store has its
 * intent; so one that the store does not know, has not begun.
 */
export function planTail(local: LocalTurn, stored: readonly WireEntry[]): Tail {
  const begun = new Set(stored.flatMap((entry) => (entry.k === 'start' ? [entry.step] : [])));
  const ended = lastEnds(stored);
  const entries: Tailing[] = [];
  const notBegun: number[] = [];
  for (const row of local.steps) {
    const {
      state,
      startedAtMs: _s,
      endedAtMs: _e,
      endedSeq: _q,
      reusedCount: _r,
      end,
      ...start
    } = row;
    if (!begun.has(row.step)) {
      entries.push({ kind: 'start', wire: startOut(start) });
      if (state === 'started') notBegun.push(row.step);
      entries.push({
        kind: 'end',
        step: row.step,
        end: state === 'started' ? NOT_BEGUN : (end ?? NOT_BEGUN),
      });
    } else if (!ended.has(row.step) && state !== 'started' && end !== undefined)
      entries.push({ kind: 'end', step: row.step, end });
  }
  return { entries, notBegun };
}

/** Our journal's entries of those that failed before they began. */
export const notBegunEntries = (
  turnId: number,
  steps: readonly number[],
): readonly JournalEntry[] =>
  steps.map((step) => ({ kind: 'step.ended', turnId, step, end: NOT_BEGUN }));

import type { JournalEntry, StepEnd, StepStart } from '../../ports/journal/entries';
import type { ExternalAsking, ExternalCallRow } from '../../ports/journal/external';
import type { StepRow } from '../../ports/journal/rows';
import { startOut, type WireEntry } from './wire';

/** What the journal of this computer knows of a turn. */
export interface LocalTurn {
  readonly turnId: number;
  readonly attempt: number;
  /** When its first run began, which every later one keeps; undefined before that. */
  readonly framedAtMs?: number | undefined;
  readonly steps: readonly StepRow[];
  /** Of agents of other programs. */
  readonly calls: readonly ExternalCallRow[];
}

type WireCall = Extract<WireEntry, { k: 'call' }>;
type WireAsking = Extract<WireEntry, { k: 'asking' }>;

/** What of the store is missing here, in its order; texts and frames are still those of the store. */
export interface ToImport {
  readonly attempts: readonly Extract<WireEntry, { k: 'attempt' }>[];
  readonly starts: readonly StepStart[];
  /** In the order of the store: a question is about the call before it. */
  readonly calls: readonly (WireCall | WireAsking)[];
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

/** What was said last of the call of each step. */
function lastCalls(
  stored: readonly WireEntry[],
): ReadonlyMap<
  number,
  { readonly call: WireCall | undefined; readonly asking: WireAsking | undefined }
> {
  const last = new Map<number, { call: WireCall | undefined; asking: WireAsking | undefined }>();
  for (const entry of stored) {
    if (entry.k !== 'call' && entry.k !== 'asking') continue;
    const known = last.get(entry.step) ?? { call: undefined, asking: undefined };
    last.set(entry.step, { ...known, [entry.k]: entry });
  }
  return last;
}

/** Only the run that began a step says more of it: what is known of it here is not older. */
function missingCalls(local: LocalTurn, stored: readonly WireEntry[]): ToImport['calls'] {
  const known = new Set(local.calls.map(({ step }) => step));
  return [...lastCalls(stored)].flatMap(([step, { call, asking }]) =>
    known.has(step) || call === undefined ? [] : asking === undefined ? [call] : [call, asking],
  );
}

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
  const last = stored.findLast((entry) => entry.k === 'attempt');
  // A run here that never got out, and one of a later owner under its number: what goes on is that of the store.
  if (last !== undefined && attempts.length === 0 && last.framedAtMs !== local.framedAtMs)
    attempts.push({ ...last, attempt });
  return {
    attempts,
    starts,
    calls: missingCalls(local, stored),
    ends: [...lastEnds(stored).values()].filter((end) => !isSettledAs(known.get(end.step), end)),
    close: stored.find((entry) => entry.k === 'close'),
    lastStep,
    isOfSkill: stored.some((entry) => entry.k === 'start' && entry.isOfSkill === true),
  };
}

/**
 * How often a computer has ended while it worked on this turn, since the last result that it brought: of the leases that
 * ran out, only those under which a run had begun. One that ended while the turn waited there says nothing of it. DW-11
 *
 * @param lives leases that ran out since that result, by the store
 */
export function crashesOf(stored: readonly WireEntry[], lives: number): number {
  const result = stored.findLastIndex(
    (entry) => entry.k === 'end' && entry.end.state === 'completed',
  );
  const later = stored.slice(result + 1).filter(({ k }) => k === 'attempt').length;
  // The run that brought the result went on after it.
  return Math.min(lives, later + (result === -1 ? 0 : 1));
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
  | { readonly kind: 'call'; readonly call: ExternalCallRow }
  | { readonly kind: 'end'; readonly step: number; readonly end: StepEnd };

export const NOT_BEGUN: StepEnd = {
  state: 'failed',
  error: 'Not started: its intent had not reached the shared store.',
  isCutOff: true,
};

/**
 * Whether an open step may be at work. What we start ourselves waits for its intent to be in the store, and
 * an agent that asks waits for an answer that is. One that has told of a call without asking is ahead of us.
 */
export function mayHaveBegun(
  isInStore: boolean,
  call: ExternalCallRow | undefined,
  asking: ExternalAsking | undefined,
): boolean {
  if (call === undefined) return isInStore;
  return call.asking === undefined || (call.asking === 'allowed' && asking === 'allowed');
}

/** What was written when the step began. */
export function startOf(row: StepRow): StepStart {
  const {
    state: _state,
    startedAtMs: _s,
    endedAtMs: _e,
    endedSeq: _q,
    reusedCount: _r,
    end: _end,
    ...start
  } = row;
  return start;
}

/**
 * The last steps of an earlier life of this computer. An effect starts only after the store has its
 * intent; so one that the store does not know, has not begun.
 */
export function planTail(local: LocalTurn, stored: readonly WireEntry[]): Tail {
  const begun = new Set(stored.flatMap((entry) => (entry.k === 'start' ? [entry.step] : [])));
  const ended = lastEnds(stored);
  const calls = new Map(local.calls.map((call) => [call.step, call]));
  const told = lastCalls(stored);
  const entries: Tailing[] = [];
  const notBegun: number[] = [];
  for (const row of local.steps) {
    const { state, end } = row;
    const [call, known] = [calls.get(row.step), told.get(row.step)];
    const isInStore = begun.has(row.step);
    if (!isInStore) entries.push({ kind: 'start', wire: startOut(startOf(row)) });
    if (call !== undefined && known?.call?.identity !== call.identity)
      entries.push({ kind: 'call', call });
    if (ended.has(row.step)) continue;
    if (state !== 'started' && end !== undefined)
      entries.push({ kind: 'end', step: row.step, end });
    else if (!mayHaveBegun(isInStore, call, known?.asking?.state)) {
      notBegun.push(row.step);
      entries.push({ kind: 'end', step: row.step, end: NOT_BEGUN });
    }
  }
  return { entries, notBegun };
}

/** Our journal's entries of those that failed before they began. */
export const notBegunEntries = (
  turnId: number,
  steps: readonly number[],
): readonly JournalEntry[] =>
  steps.map((step) => ({ kind: 'step.ended', turnId, step, end: NOT_BEGUN }));

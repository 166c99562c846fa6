import type { JournalEntry, StepEnd, StepStart } from '../../ports/journal/entries';
import type { ExternalAsking, ExternalCallRow } from '../../ports/journal/external';
import type { StepRow } from '../../ports/journal/rows';
import { startOut, type WireEntry } from './wire';

/** What this computer's journal knows of a turn. */
export interface LocalTurn {
  readonly turnId: number;
  readonly attempt: number;
  /** When its first run started; later runs keep this time. Undefined before the first run. */
  readonly framedAtMs?: number | undefined;
  readonly steps: readonly StepRow[];
  /** Tool calls of external agents. */
  readonly calls: readonly ExternalCallRow[];
}

type WireCall = Extract<WireEntry, { k: 'call' }>;
type WireAsking = Extract<WireEntry, { k: 'asking' }>;

/**
 * Entries of the store that are missing here, in its order. Texts and frames are still those of the
 * store.
 */
export interface ToImport {
  readonly attempts: readonly Extract<WireEntry, { k: 'attempt' }>[];
  readonly starts: readonly StepStart[];
  /** In the store's order, because a question is about the call before it. */
  readonly calls: readonly (WireCall | WireAsking)[];
  readonly ends: readonly Extract<WireEntry, { k: 'end' }>[];
  readonly close: Extract<WireEntry, { k: 'close' }> | undefined;
  /** The highest step number that any computer has started. */
  readonly lastStep: number;
  readonly isOfSkill: boolean;
}

/** A step may end twice: the end that a later owner decided counts. */
const lastEnds = (
  stored: readonly WireEntry[],
): ReadonlyMap<number, Extract<WireEntry, { k: 'end' }>> =>
  new Map(stored.flatMap((entry) => (entry.k === 'end' ? [[entry.step, entry] as const] : [])));

/** An end with unknown outcome and no content is an open question, which a later end settles. */
const isSettledAs = (step: StepRow | undefined, end: Extract<WireEntry, { k: 'end' }>): boolean =>
  step !== undefined &&
  step.state === end.end.state &&
  (end.end.state !== 'ambiguous' ||
    (step.end?.state === 'ambiguous' &&
      (step.end.content === undefined) === (end.end.content === undefined)));

/** The last report on the tool call of each step. */
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

/** Only the run that started a step reports on it, so what is known here is not older. */
function missingCalls(local: LocalTurn, stored: readonly WireEntry[]): ToImport['calls'] {
  const known = new Set(local.calls.map(({ step }) => step));
  return [...lastCalls(stored)].flatMap(([step, { call, asking }]) =>
    known.has(step) || call === undefined ? [] : asking === undefined ? [call] : [call, asking],
  );
}

/** Entries from other owners that this journal lacks. Repeating the import adds nothing more. */
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
  // A local run that was never sent, and a later owner's run with the same number: the turn
  // continues with that of the store.
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
 * How many computers stopped working on this turn since its last result: of the leases that
 * expired, only those under which a run had started. If a lease expired while the turn was waiting,
 * that says nothing about the turn. DW-11
 *
 * @param lives leases that expired since that result, according to the store
 */
export function crashesOf(stored: readonly WireEntry[], lives: number): number {
  const result = stored.findLastIndex(
    (entry) => entry.k === 'end' && entry.end.state === 'completed',
  );
  const later = stored.slice(result + 1).filter(({ k }) => k === 'attempt').length;
  // The run that produced the result continued after it.
  return Math.min(lives, later + (result === -1 ? 0 : 1));
}

/** Entries that this journal has and the store lacks. */
export interface Tail {
  /** Sent to the store, in order. */
  readonly entries: readonly Tailing[];
  /** Steps whose intent never reached the store, so they never started. */
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
 * Whether an open step may have started. Our own steps wait until their intent is in the store, and
 * an agent that asks waits until the answer is. An agent that reported a call without asking is
 * ahead of us.
 */
export function mayHaveBegun(
  isInStore: boolean,
  call: ExternalCallRow | undefined,
  asking: ExternalAsking | undefined,
): boolean {
  if (call === undefined) return isInStore;
  return call.asking === undefined || (call.asking === 'allowed' && asking === 'allowed');
}

/** The intent written when the step started. */
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
 * The last steps of an earlier run on this computer. An effect starts only after the store has its
 * intent, so a step that the store does not know has not started.
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

/** Journal entries for steps that failed before they started. */
export const notBegunEntries = (
  turnId: number,
  steps: readonly number[],
): readonly JournalEntry[] =>
  steps.map((step) => ({ kind: 'step.ended', turnId, step, end: NOT_BEGUN }));

import type { JournalEntry } from '../../ports/journal/entries';
import type { StepRow } from '../../ports/journal/rows';
import { mayHaveBegun, NOT_BEGUN, startOf, type LocalTurn } from './plan-import';
import type { WireEntry } from './wire';

/** Changes to this journal's own steps before it imports those of the store. */
export interface Settled {
  /** The remaining local steps, under free numbers. */
  readonly local: LocalTurn;
  /** Entries before the import, which make room for it. */
  readonly before: readonly JournalEntry[];
  /** Entries after the import: the renumbered steps. */
  readonly after: readonly JournalEntry[];
}

type WireStart = Extract<WireEntry, { k: 'start' }>;

const sameOf = ({
  tool,
  key,
  againOf,
  call,
}: Pick<WireStart, 'tool' | 'key' | 'againOf' | 'call'>): string =>
  JSON.stringify([tool, key, againOf ?? 0, call?.step ?? 0, call?.part ?? 0]);

/**
 * Resolves a step whose intent never reached the store and whose number a later owner used for
 * another step: the store keeps the number. A step that has not started is replaced; one that an
 * external agent may have executed anyway gets a new number. Repeating this changes nothing more.
 * DW-06, DW-08
 */
export function settleConflicts(local: LocalTurn, stored: readonly WireEntry[]): Settled {
  const starts = stored.flatMap((entry) => (entry.k === 'start' ? [entry] : []));
  const inStore = new Map(starts.map((start) => [start.step, start]));
  const isOther = (row: StepRow): boolean => {
    const there = inStore.get(row.step);
    return there !== undefined && sameOf(there) !== sameOf(row);
  };
  const others = new Set(local.steps.filter(isOther).map(({ step }) => step));
  if (others.size === 0) return { local, before: [], after: [] };
  const calls = new Map(local.calls.map((call) => [call.step, call]));
  const mayBeDone = ({ step, state }: StepRow): boolean => {
    const call = calls.get(step);
    if (call === undefined) return false;
    return state === 'started' ? mayHaveBegun(false, call, undefined) : state !== 'failed';
  };
  let last = Math.max(...starts.map(({ step }) => step), ...local.steps.map(({ step }) => step));
  const numbers = new Map<number, number>();
  for (const row of local.steps)
    if (others.has(row.step) && mayBeDone(row)) numbers.set(row.step, (last += 1));
  const stays = <Row extends { readonly step: number }>(row: Row): readonly Row[] => {
    if (!others.has(row.step)) return [row];
    const step = numbers.get(row.step);
    return step === undefined ? [] : [{ ...row, step }];
  };
  const steps = local.steps.flatMap(stays).toSorted((a, b) => a.step - b.step);
  const settled = { ...local, steps, calls: local.calls.flatMap(stays) };
  const moved = new Set(numbers.values());
  return {
    local: settled,
    before: local.steps.flatMap(({ step, state, turnId }) =>
      others.has(step) && state !== 'failed'
        ? [{ kind: 'step.ended' as const, turnId, step, end: NOT_BEGUN }]
        : [],
    ),
    after: steps.filter(({ step }) => moved.has(step)).flatMap((row) => again(row, settled)),
  };
}

/** A step with its tool call, as this journal accepts it. */
function again(row: StepRow, { calls }: LocalTurn): readonly JournalEntry[] {
  const { turnId, step, state, end } = row;
  const call = calls.find((one) => one.step === step);
  const entries: JournalEntry[] = [{ kind: 'step.started', ...startOf(row) }];
  if (call !== undefined) {
    const { asking, requestId: _id, ...told } = call;
    entries.push({ kind: 'outside.call', ...told });
    if (asking !== undefined)
      entries.push({ kind: 'outside.asking', turnId, step, state: asking, by: 'policy' });
  }
  if (state !== 'started' && end !== undefined)
    entries.push({ kind: 'step.ended', turnId, step, end });
  return entries;
}

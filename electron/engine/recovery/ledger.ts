import type { StepRow } from '../../ports/journal/rows';

/** The journal's record of one logical step: its first entry and all later tries. */
export interface LedgerLine {
  /** Step number of the first record; the idempotency key derives from it. */
  readonly root: number;
  readonly key: string;
  readonly first: StepRow;
  /** The newest record that has an end worth keeping, or the newest at all. */
  readonly last: StepRow;
  readonly outcome: LedgerOutcome;
  /** The newest record, whatever its outcome. */
  readonly newest: StepRow;
}

/** What a resumed run may do with a line. */
type LedgerOutcome =
  /** A finished result: completed, confirmed, skipped, or reported to the agent as unknown. */
  | 'finished'
  /** Started, outcome unknown, not settled yet. */
  | 'open'
  /** Interrupted or failed without effect: simply runs again. */
  | 'again';

/**
 * Groups a turn's recorded steps into lines: a step that was asked or run again belongs to the step
 * it repeats. The newest finished record decides, and a finished effect stays finished; without
 * one, an effect is open if its newest try may have happened. Lines follow the order of their first
 * record.
 */
export function buildLedger(steps: readonly StepRow[]): readonly LedgerLine[] {
  const roots = new Map<number, number>();
  const groups = new Map<number, StepRow[]>();
  for (const step of steps) {
    const root = step.againOf === undefined ? step.step : (roots.get(step.againOf) ?? step.againOf);
    roots.set(step.step, root);
    const group = groups.get(root);
    if (group === undefined) groups.set(root, [step]);
    else group.push(step);
  }
  const lines: LedgerLine[] = [];
  for (const [root, group] of groups) {
    const first = group[0];
    if (first === undefined) continue;
    const finished = group.findLast(isFinished);
    // A try that certainly did nothing says nothing about the previous one.
    const newest = group.findLast((step) => step.state !== 'failed') ?? group.at(-1) ?? first;
    const isOpen = finished === undefined && isOpenEffect(newest);
    const last = isOpen ? newest : (finished ?? newest);
    lines.push({
      root,
      key: first.key,
      first,
      last,
      newest: group.at(-1) ?? first,
      outcome: isOpen ? 'open' : finished === undefined ? 'again' : 'finished',
    });
  }
  return lines;
}

/** The recorded steps' total time: the turn's work time without restarts. */
export function workedMs(steps: readonly StepRow[]): number {
  let sumMs = 0;
  for (const { startedAtMs, endedAtMs, end } of steps) {
    // An end written by a later start or by the user sets the entry's time, but does not measure
    // the step.
    const isOwn = end?.state === 'completed' || (end?.state === 'failed' && !end.isCutOff);
    if (!isOwn) continue;
    // If the clock was set back in between, the difference is meaningless.
    if (endedAtMs !== undefined) sumMs += Math.max(0, endedAtMs - startedAtMs);
  }
  return sumMs;
}

/**
 * The same for an external agent: the work time that its runs reported. A run that died reported
 * nothing and does not count; after three of them in a row the turn asks (S0-+04).
 */
export function toldWorkMs(steps: readonly StepRow[]): number {
  return steps.reduce((sum, { end }) => sum + (end?.workedMs ?? 0), 0);
}

/** Effects must not happen twice: everything that is not a model request, a read or pure. */
export function isEffect(step: Pick<StepRow, 'purity'>): boolean {
  return step.purity === 'side_effect' || step.purity === 'external';
}

/**
 * May have happened, and not settled: started without an end, or ended as unknown without a text
 * that told the agent so. The one rule of what is never simply run again.
 */
export function isOutcomeUnknown({ state, end }: Pick<StepRow, 'state' | 'end'>): boolean {
  if (state === 'started') return true;
  return state === 'ambiguous' && !(end?.state === 'ambiguous' && end.content !== undefined);
}

/** An effect that may have happened and is not settled yet. */
export function isOpenEffect(step: Pick<StepRow, 'purity' | 'state' | 'end'>): boolean {
  return isEffect(step) && isOutcomeUnknown(step);
}

function isFinished(step: StepRow): boolean {
  return step.state !== 'failed' && !isOutcomeUnknown(step);
}

/** What a resumed run does at a recorded call. */
type LineAction = 'reuse' | 'reissue' | 'run_again' | 'ask';

/**
 * Decides one line. Model answers and effects are reused; a read is repeated, except one inside the
 * agent's workspace that is followed by a finished effect of the same run, because the turn's own
 * changes are not drift. `pinWorld` keeps every recorded read.
 */
export function decideLine(
  line: LedgerLine,
  lines: readonly LedgerLine[],
  options: { readonly pinWorld: boolean },
): LineAction {
  if (line.outcome === 'open') return 'ask';
  if (line.outcome === 'again') return 'run_again';
  if (line.first.purity !== 'world') return 'reuse';
  if (options.pinWorld) return 'reuse';
  const isOverwritten =
    line.first.isWorkspaceRead &&
    lines.some(
      (other) => isEffect(other.first) && other.outcome === 'finished' && other.root > line.root,
    );
  return isOverwritten ? 'reuse' : 'reissue';
}

/**
 * The lines still unused by a resumed run. Each recorded call satisfies one later call with the
 * same key, in the order of recording (S4-+01).
 */
export interface LedgerCursor {
  take(key: string): LedgerLine | undefined;
  readonly lines: readonly LedgerLine[];
}

export function createLedgerCursor(lines: readonly LedgerLine[]): LedgerCursor {
  const byKey = new Map<string, LedgerLine[]>();
  for (const line of lines) {
    const same = byKey.get(line.key);
    if (same === undefined) byKey.set(line.key, [line]);
    else same.push(line);
  }
  return { lines, take: (key) => byKey.get(key)?.shift() };
}

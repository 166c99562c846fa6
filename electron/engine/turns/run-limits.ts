import type { TurnRun, TurnRunDeps } from './run-record';

/** `moreUsd`: what a call that goes on has cost so far. */
export function limitReached(
  deps: TurnRunDeps,
  run: TurnRun,
  runMs: number,
  moreUsd = 0,
): string | undefined {
  const limits = deps.limits();
  const { limitRaises: raises, stepCount, usage } = run.turn;
  const cost = (run.spent().costUsd ?? 0) + moreUsd;
  if (run.step() >= ceiling(limits.steps, raises, stepCount))
    return `This turn reached ${String(run.step())} steps.`;
  if (cost > 0 && cost >= ceiling(limits.costUsd, raises, usage.costUsd ?? 0))
    return `This turn reached $${cost.toFixed(2)}.`;
  if (runMs >= timeLimitMs(deps, run))
    return runMs < 60_000
      ? `This turn has run for ${String(Math.round(runMs / 1_000))} s.`
      : `This turn has run for ${String(Math.round(runMs / 60_000))} min.`;
  return undefined;
}

/** So long a turn may work, the runs before this one included. */
export function timeLimitMs(deps: TurnRunDeps, run: TurnRun): number {
  return ceiling(deps.limits().timeMs, run.turn.limitRaises, run.ranBeforeMs);
}

/**
 * Each raise adds the limit once more. Where the limit was lowered below what the turn has used, or
 * is 0, a raise still lets it go on: a person is never asked twice without anything done between.
 */
function ceiling(limit: number, raises: number, usedBefore: number): number {
  if (raises === 0) return limit;
  if (limit === 0) return usedBefore + 1e-9;
  return limit * (1 + Math.max(raises, Math.floor(usedBefore / limit)));
}

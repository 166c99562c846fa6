import { because, type Reason } from '../../../shared/reason';
import { durationMs } from '../../../shared/settings';
import type { SettingsPort } from '../../ports/settings';
import type { BudgetStop } from '../budgets/budgets';
import type { TurnRun, TurnRunDeps } from './run-record';

/** The exceeded limit: a limit of the turn, which the user may raise, or a budget. */
export interface Over {
  readonly reason: Reason;
  readonly budget?: BudgetStop;
}

/** The limits of a turn, read at each decision, so that changes apply at once. S3-+02 */
export const turnLimitsBySettings = (
  settings: Pick<SettingsPort, 'get' | 'onChange'>,
): Pick<TurnRunDeps['limits'], 'ofTurn' | 'onChange'> => ({
  ofTurn: () => ({
    steps: settings.get('limits.turn_steps'),
    timeMs: durationMs(settings.get('limits.turn_time')),
    costUsd: settings.get('limits.turn_cost_usd'),
  }),
  onChange: (listener) =>
    settings.onChange((keys) => {
      if (keys.some((key) => key.startsWith('limits.'))) listener();
    }),
});

/** `moreUsd`: the cost so far of a call that is still running. */
export function limitReached(
  deps: TurnRunDeps,
  run: TurnRun,
  runMs: number,
  moreUsd = 0,
): Over | undefined {
  const limits = deps.limits.ofTurn();
  const { limitRaises: raises, stepCount, usage } = run.turn;
  const cost = (run.spent().costUsd ?? 0) + moreUsd;
  if (run.step() >= ceiling(limits.steps, raises, stepCount))
    return { reason: because('reason.steps', { count: run.step() }) };
  if (cost > 0 && cost >= ceiling(limits.costUsd, raises, usage.costUsd ?? 0))
    return { reason: because('reason.cost', { cost: `$${cost.toFixed(2)}` }) };
  if (runMs >= timeLimitMs(deps, run))
    return {
      reason:
        runMs < 60_000
          ? because('reason.seconds', { seconds: Math.round(runMs / 1_000) })
          : because('reason.minutes', { minutes: Math.round(runMs / 60_000) }),
    };
  const { budgets } = deps.limits;
  if (!budgets.hasAny()) return undefined;
  const budget = budgets.over(run.turn, run.frame.provider, moreUsd);
  return budget === undefined ? undefined : { reason: budget.reason, budget };
}

/** The turn's time limit, including earlier runs. */
export function timeLimitMs(deps: TurnRunDeps, run: TurnRun): number {
  return ceiling(deps.limits.ofTurn().timeMs, run.turn.limitRaises, run.ranBeforeMs);
}

/**
 * Each raise adds the limit once more. If the limit is 0 or now below the turn's usage, a raise
 * still lets the turn continue: the user is never asked twice without progress between.
 */
function ceiling(limit: number, raises: number, usedBefore: number): number {
  if (raises === 0) return limit;
  if (limit === 0) return usedBefore + 1e-9;
  return limit * (1 + Math.max(raises, Math.floor(usedBefore / limit)));
}

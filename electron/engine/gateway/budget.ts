import type { Journal } from '../../ports/journal/journal';
export interface DayBudgetDeps {
  /** Why a configured budget (`budgets.caps`) blocks further calls. */
  readonly capsSpent: (provider: string) => string | undefined;
  /** 0: no limit. */
  readonly budgetUsd: () => number;
  readonly spentTodayUsd: (provider: string) => number;
}

/** Today's spending at each provider, and the reserved cost of running calls. */
interface DayBudget {
  /** Why today's budget blocks calls; undefined if it does not. */
  overBudget(provider: string): string | undefined;
  /** Why a call with this maximum cost must wait for running calls; undefined if it fits. */
  blocks(provider: string, mostUsd: number): string | undefined;
  /** Reserves an amount for a starting call; the result releases it once the call is counted. */
  setAside(provider: string, mostUsd: number): () => void;
}

/**
 * Calls run in parallel as long as the daily budget covers their combined maximum cost. A call that
 * does not fit waits for earlier ones and is never rejected because of unspent money; the rest of
 * the budget goes to one call at a time. So a day exceeds its budget by at most one call's cost.
 */
export function createDayBudget(deps: DayBudgetDeps): DayBudget {
  const aside = new Map<string, number[]>();
  const asideOf = (provider: string): number =>
    (aside.get(provider) ?? []).reduce((sum, usd) => sum + usd, 0);
  return {
    overBudget(provider) {
      const capped = deps.capsSpent(provider);
      if (capped !== undefined) return capped;
      const budget = deps.budgetUsd();
      if (budget === 0) return undefined;
      const spent = deps.spentTodayUsd(provider);
      return spent < budget
        ? undefined
        : `The gateway budget for ${provider} is spent for today: ${spent.toFixed(2)} of ${budget.toFixed(2)} US dollars (gateway.budget_usd_per_day).`;
    },
    blocks(provider, mostUsd) {
      const budget = deps.budgetUsd();
      const taken = asideOf(provider);
      if (budget === 0 || mostUsd === 0 || taken === 0) return undefined;
      const spent = deps.spentTodayUsd(provider);
      // Calls above it are rejected at once instead of waiting.
      if (spent >= budget || spent + taken + mostUsd <= budget) return undefined;
      return `Requests to ${provider} that are in progress may use up today's budget (gateway.budget_usd_per_day); this one waits for them.`;
    },
    setAside(provider, mostUsd) {
      const calls = aside.get(provider) ?? [];
      aside.set(provider, [...calls, mostUsd]);
      return () => {
        const left = [...(aside.get(provider) ?? [])];
        left.splice(left.indexOf(mostUsd), 1);
        if (left.length === 0) aside.delete(provider);
        else aside.set(provider, left);
      };
    },
  };
}

/** Resolves when the write is done, or when the disk rejects it. */
export async function unlessRefused(
  journal: Pick<Journal, 'refusal' | 'onCommitted'>,
  written: Promise<unknown>,
): Promise<void> {
  if (journal.refusal() !== undefined) return;
  let unfollow = (): void => undefined;
  const refused = new Promise<void>((resolve) => {
    unfollow = journal.onCommitted(() => {
      if (journal.refusal() !== undefined) resolve();
    });
  });
  await Promise.race([written, refused]);
  unfollow();
}

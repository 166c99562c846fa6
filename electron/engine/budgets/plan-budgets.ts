/** What the budgets allow. Pure. BU-01, BU-02, BU-04 */
import type { BudgetScope, BudgetSettings } from '../../../shared/settings/budgets';

/** Whom a step is charged to. */
export interface Payer {
  /** Undefined for a request through the gateway, as its agent and session are. */
  readonly turnId: number | undefined;
  readonly agent: string | undefined;
  readonly provider: string;
  /** The login or key that pays; several providers and agents may share one. */
  readonly account: string;
  readonly session: string | undefined;
  /** Number of the task that made the turn; undefined for any other turn. */
  readonly task: string | undefined;
}

export interface Budget extends BudgetSettings {
  readonly name: string;
}

/** One budget of one payer in its present period. */
export interface Account {
  readonly budget: Budget;
  /** `main` of `agent main`; empty for `all`. */
  readonly key: string;
  readonly spentUsd: number;
  /** What the running steps may still cost. */
  readonly asideUsd: number;
  /** Allowed on top of it in this period by a person. */
  readonly allowedUsd: number;
}

type BudgetVerdict =
  | { readonly kind: 'go' }
  /** The budget covers what is spent, but maybe not what running steps will cost: they go first. */
  | { readonly kind: 'wait'; readonly account: Account }
  | { readonly kind: 'spent'; readonly account: Account };

const DEFAULT_WARN_AT = 0.8;
/** Ten times one cent is not quite ten cents in binary fractions. */
const ROUNDING_USD = 1e-9;

/** Whom the budget counts this payer as; undefined if it does not count it. */
export function keyOf(budget: Pick<Budget, 'scope' | 'of'>, payer: Payer): string | undefined {
  const key = keysByScope(payer)[budget.scope];
  return budget.of === undefined || budget.of === key ? key : undefined;
}

/** A request through the gateway: no agent, session, task or turn of Holdfast pays for it. */
export const gatewayPayer = (provider: string, account: string): Payer => ({
  turnId: undefined,
  agent: undefined,
  provider,
  account,
  session: undefined,
  task: undefined,
});

const keysByScope = (payer: Payer): Readonly<Record<BudgetScope, string | undefined>> => ({
  all: '',
  account: payer.account,
  provider: payer.provider,
  agent: payer.agent,
  task: payer.task,
  session: payer.session,
  turn: payer.turnId === undefined ? undefined : String(payer.turnId),
});

export const capOf = ({ budget, allowedUsd }: Account): number => budget.usd + allowedUsd;

/**
 * Whether a step that may cost `mostUsd` may start. The rest of a budget goes to one step at a time,
 * so a budget is exceeded by less than the cost of one step, however many run at once (BU-04).
 */
export function planStep(accounts: readonly Account[], mostUsd: number | undefined): BudgetVerdict {
  const spent = accounts.find((one) => one.spentUsd >= capOf(one) - ROUNDING_USD);
  if (spent !== undefined) return { kind: 'spent', account: spent };
  const full = accounts.find(
    (one) =>
      one.asideUsd > 0 &&
      (mostUsd === undefined || one.spentUsd + one.asideUsd + mostUsd > capOf(one)),
  );
  return full === undefined ? { kind: 'go' } : { kind: 'wait', account: full };
}

/** What to tell of an account: nothing, that it is nearly spent, or that it is. BU-02 */
export function noticeOf(account: Account): 'none' | 'nearly' | 'spent' {
  const cap = capOf(account);
  if (account.spentUsd >= cap - ROUNDING_USD) return 'spent';
  const share = account.budget.warn_at ?? DEFAULT_WARN_AT;
  return share > 0 && account.spentUsd >= cap * share - ROUNDING_USD ? 'nearly' : 'none';
}

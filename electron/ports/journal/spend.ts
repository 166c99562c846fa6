/** The period of a budget of one payer. */
export interface BudgetPeriodRef {
  readonly budget: string;
  /** Whose budget: empty for all. */
  readonly key: string;
  /** When the period starts. */
  readonly fromMs: number;
}

/** What is told of a budget in one period, each once. */
type BudgetTold = 'nearly' | 'spent';

/** What budgets write. */
export type BudgetEntry =
  /** A person let a spent budget go on for the rest of its period. */
  | ({
      readonly kind: 'budget.allowed';
      readonly usd: number;
      readonly by: string;
    } & BudgetPeriodRef)
  /** Rides in the commit of the inbox item that tells it. */
  | ({
      readonly kind: 'budget.told';
      readonly told: BudgetTold;
      readonly inboxId: number;
    } & BudgetPeriodRef);

/** What one turn has cost since an instant. */
interface TurnSpend {
  readonly turnId: number;
  readonly usd: number;
}

interface BudgetPeriodRow {
  readonly allowedUsd: number;
  readonly told: 'none' | BudgetTold;
  /** The open or settled item that told it. */
  readonly inboxId: number | undefined;
}

export interface SpendReads {
  /** Each turn that has cost money since then, to the quarter of an hour. */
  spendSince(fromMs: number): readonly TurnSpend[];
  /** Turns since then that used tokens of an unknown price. */
  unpricedSince(fromMs: number): readonly number[];
  budgetPeriod(ref: BudgetPeriodRef): BudgetPeriodRow;
  /** Turns that wait because a budget is spent, oldest first. */
  waitingForBudget(): readonly {
    readonly turnId: number;
    readonly budget: string;
    readonly key: string;
  }[];
}

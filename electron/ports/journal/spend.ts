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
  /** A user allowed a spent budget to be exceeded for the rest of its period. */
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

/** Who has spent something. */
export interface Spender {
  readonly turnId: number;
  /** Place in the fallbacks of the turn, from 1; 0 for its own model or agent. */
  readonly fallback: number;
}

/** What one that answered a turn took of it. */
export interface SpendShare {
  /** The quarter of an hour; absent in what was written before it was kept: that of the turn's end. */
  readonly slotMs?: number;
  readonly fallback: number;
  readonly tokens: number;
  /** Of the tokens; absent in what was written before they were kept apart. */
  readonly inputTokens?: number;
  readonly usd?: number;
}

/** What one turn has cost since an instant, by who answered. */
interface TurnSpend extends Spender {
  readonly usd: number;
}

interface BudgetPeriodRow {
  readonly allowedUsd: number;
  readonly told: 'none' | BudgetTold;
  /** The open or settled item that told it. */
  readonly inboxId: number | undefined;
}

export interface SpendReads {
  /** Who has cost money since then, to the quarter of an hour. */
  spendSince(fromMs: number): readonly TurnSpend[];
  /** Who used tokens of an unknown price since then. */
  unpricedSince(fromMs: number): readonly Spender[];
  budgetPeriod(ref: BudgetPeriodRef): BudgetPeriodRow;
  /** Turns that wait because a budget is spent, oldest first. */
  waitingForBudget(): readonly {
    readonly turnId: number;
    readonly budget: string;
    readonly key: string;
  }[];
}

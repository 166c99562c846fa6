/** The period of a budget for one payer. */
export interface BudgetPeriodRef {
  readonly budget: string;
  /** The payer; empty for all. */
  readonly key: string;
  /** When the period starts. */
  readonly fromMs: number;
}

/** Notices about a budget in one period, each once. */
type BudgetTold = 'nearly' | 'spent';

/** Entries of budgets. */
export type BudgetEntry =
  /** A user allowed a spent budget to be exceeded for the rest of its period. */
  | ({
      readonly kind: 'budget.allowed';
      readonly usd: number;
      readonly by: string;
    } & BudgetPeriodRef)
  /** Shares the commit of the inbox item that reports it. */
  | ({
      readonly kind: 'budget.told';
      readonly told: BudgetTold;
      readonly inboxId: number;
    } & BudgetPeriodRef);

/** A payer. */
export interface Spender {
  readonly turnId: number;
  /** Index in the turn's fallbacks, from 1; 0 for its own model or agent. */
  readonly fallback: number;
}

/** One answerer's share of a turn's usage. */
export interface SpendShare {
  /** The quarter of an hour; absent in older entries, which count at the turn's end. */
  readonly slotMs?: number;
  readonly fallback: number;
  readonly tokens: number;
  /** Tokens; absent in older entries, which did not store them separately. */
  readonly inputTokens?: number;
  readonly usd?: number;
}

/** Cost of one turn since an instant, by answerer. */
interface TurnSpend extends Spender {
  readonly usd: number;
}

interface BudgetPeriodRow {
  readonly allowedUsd: number;
  readonly told: 'none' | BudgetTold;
  /** The open or resolved item that reported it. */
  readonly inboxId: number | undefined;
}

/** Implemented by adapters/sqlite/tables/spend.ts. */
export interface SpendReads {
  /** Payers that have cost money since then, to the quarter of an hour. */
  spendSince(fromMs: number): readonly TurnSpend[];
  /** Payers that used tokens of an unknown price since then. */
  unpricedSince(fromMs: number): readonly Spender[];
  budgetPeriod(ref: BudgetPeriodRef): BudgetPeriodRow;
  /** Turns that wait because a budget is spent, oldest first. */
  waitingForBudget(): readonly {
    readonly turnId: number;
    readonly budget: string;
    readonly key: string;
  }[];
}

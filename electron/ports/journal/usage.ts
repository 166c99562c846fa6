import type { UsageLine } from '../../../shared/types/gateway';

/** Usage of one provider on one day, by turns or by one gateway client. */
export type UsageRow = Omit<UsageLine, 'account'>;

/** Implemented by adapters/sqlite/tables/usage.ts. */
export interface UsageReads {
  /**
   * From a day on, along an index of the requested days. Tokens and cost count on the day on which
   * they were used and for their answerer, like in budgets; a turn counts once, on the day on which
   * it ended, for its last answerer. Usage by another computer for a shared turn is that computer's
   * own. Several rows may differ only in their numbers.
   */
  usageSince(
    day: { readonly text: string; readonly atMs: number },
    options: { readonly isByTask: boolean },
  ): readonly UsageRow[];
}

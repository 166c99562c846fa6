import { z } from 'zod';
import { BUDGET_PERIODS, BUDGET_SCOPES } from '../settings/budgets';
import { atMs, text } from './base';

/** A budget with what is spent of it in its present period. */
export const budgetView = z.strictObject({
  name: text(64),
  scope: z.enum(BUDGET_SCOPES),
  /** Which provider, account, agent, task or session; empty for all, and where nothing is spent yet. */
  key: text(200),
  per: z.enum(BUDGET_PERIODS),
  usd: z.number().positive(),
  /** Allowed on top of it in this period. */
  allowedUsd: z.number().nonnegative(),
  spentUsd: z.number().nonnegative(),
  state: z.enum(['open', 'nearly', 'spent']),
  /** When the next period starts; absent for a budget of each turn. */
  endsAtMs: atMs.optional(),
  /** Agents whose cost is not known, so that this budget does not stop them. BU-03 */
  notEnforcedFor: z.array(text(64)).optional(),
});
export type BudgetView = z.infer<typeof budgetView>;

import { z } from 'zod';
import { BUDGET_PERIODS, BUDGET_SCOPES } from '../settings/budgets';
import { atMs, text } from './base';
import { limitUse } from './outage';

/** A budget with what is spent of it in its present period. */
export const budgetView = z.strictObject({
  name: text(64),
  scope: z.enum(BUDGET_SCOPES),
  /**
   * Which provider, account, agent, task or session; empty for all, and if nothing is spent yet.
   */
  key: text(200),
  per: z.enum(BUDGET_PERIODS),
  usd: z.number().positive(),
  /** Allowed on top of it in this period. */
  allowedUsd: z.number().nonnegative(),
  spentUsd: z.number().nonnegative(),
  state: z.enum(['open', 'nearly', 'spent']),
  /** When the next period starts; absent for a budget of each turn. */
  endsAtMs: atMs.optional(),
  /** Day of the month on which its months start; absent: on the first. BU-05 */
  resetsOn: z.number().int().min(1).max(31).optional(),
  /** It is a monthly credit of an account. BU-05 */
  isCredit: z.boolean().optional(),
  /** Agents whose cost is not known, so that this budget does not stop them. BU-03 */
  notEnforcedFor: z.array(text(64)).optional(),
});
export type BudgetView = z.infer<typeof budgetView>;

/** An account: the key or login that providers and agents pay through. BU-05 */
export const accountView = z.strictObject({
  account: text(300),
  /**
   * `key`: each use is paid. `plan`: a subscription with windows. `credit`: a monthly amount, set as a budget.
   * `unknown`: no key and no login is known, such as for a model on this computer.
   */
  kind: z.enum(['key', 'plan', 'credit', 'unknown']),
  /** Providers by name, and external agents as `agent.NAME`. */
  members: z.array(text(70)).max(1_000),
  /** Since `fromMs`, at the prices of a key: what a plan's use would have cost. */
  spentUsd: z.number().nonnegative(),
  /** Some of it has no known price. */
  isAtLeast: z.boolean(),
  /** The first of this month in the time zone of budgets. */
  fromMs: atMs,
  /** The budget that states the credit. */
  credit: budgetView.optional(),
  /** Usage windows that agents have reported and that have not ended. */
  windows: z.array(limitUse).max(50),
  /** A usage limit holds it back until then. */
  heldUntilMs: atMs.optional(),
});
export type AccountView = z.infer<typeof accountView>;

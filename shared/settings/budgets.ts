/** Budgets: how much may be spent, on what, in which time. BU-01 */
import { z } from 'zod';
import { isZone } from '../limits/zone-time';
import { once } from '../once';
import { name, row } from './base';

/** What a budget counts. */
export const BUDGET_SCOPES = [
  'all',
  'account',
  'provider',
  'agent',
  'task',
  'session',
  'turn',
] as const;
export type BudgetScope = (typeof BUDGET_SCOPES)[number];
export const BUDGET_PERIODS = ['turn', 'day', 'week', 'month'] as const;
export type BudgetPeriod = (typeof BUDGET_PERIODS)[number];

/** One budget. */
const budgetSettings = once(() =>
  z
    .strictObject({
      /** `all`: everything together. Others: each one of its kind separately, or only the one in `of`. */
      scope: z.enum(BUDGET_SCOPES),
      /** Name of the account, provider or agent, ID of the task, or name of the session. */
      of: z.string().min(1).max(200).optional(),
      per: z.enum(BUDGET_PERIODS),
      usd: z.number().positive().max(1_000_000),
      /** Fraction of the budget at which one notice is shown. Default: 0.8. */
      warn_at: z.number().min(0).max(1).optional(),
      /** Day on which each of its months starts; the last day in shorter months. Default: 1. BU-05 */
      resets_on: z.number().int().min(1).max(31).optional(),
      /** True: a monthly credit of the account, bought or included, instead of your own limit. BU-05 */
      is_credit: z.boolean().optional(),
    })
    .superRefine((budget, context) => {
      const { scope, per, of } = budget;
      if ((scope === 'turn') !== (per === 'turn'))
        context.addIssue({
          code: 'custom',
          message: 'set both "scope" and "per" to "turn" for a budget of each turn, or neither',
        });
      if (budget.resets_on !== undefined && per !== 'month')
        context.addIssue({ code: 'custom', message: '"resets_on" needs "per" to be "month"' });
      if (budget.is_credit === true && (scope !== 'account' || of === undefined || per !== 'month'))
        context.addIssue({
          code: 'custom',
          message:
            '"is_credit" needs "scope" to be "account", "of" to name it, and "per" to be "month"',
        });
      if (of !== undefined && (scope === 'all' || scope === 'turn'))
        context.addIssue({ code: 'custom', message: `"of" has no meaning for "${scope}"` });
    }),
);
export type BudgetSettings = z.infer<ReturnType<typeof budgetSettings>>;

/** How much may be spent. */
export const BUDGET_SETTINGS = {
  'budgets.caps': row(
    () => z.record(name(), budgetSettings()),
    {},
    'hot',
    'Your budgets in US dollars: new turns wait when one is spent, and running turns pause at the end of a step',
  ),
  'budgets.timezone': row(
    () =>
      z
        .string()
        .max(64)
        .superRefine((value, context) => {
          if (value !== '' && !isZone(value))
            context.addIssue({
              code: 'custom',
              message: `"${value}" is not a time zone; use a name such as "Europe/Berlin"`,
            });
        }),
    '',
    'hot',
    'Time zone in which the days, weeks and months of budgets start; empty is the time zone of this computer',
  ),
  'budgets.week_starts': row(
    () => z.enum(['monday', 'sunday', 'saturday']),
    'monday',
    'hot',
    'First day of the week for budgets per week',
  ),
} as const;

/** Budgets: what a row shows, and the value that it writes. Pure. */
import type { BudgetPeriod, BudgetScope, BudgetSettings } from '../../shared/settings/budgets';

/** A field may hold what was typed: the engine says what is wrong with it. */
export type Budget = Readonly<Omit<BudgetSettings, 'usd' | 'warn_at' | 'resets_on'>> & {
  readonly usd: number | string;
  readonly warn_at?: number | string | undefined;
  readonly resets_on?: number | string | undefined;
};

/** What a budget counts, the widest first. */
export const SCOPES: readonly BudgetScope[] = [
  'all',
  'account',
  'provider',
  'agent',
  'task',
  'session',
  'turn',
];
export const PERIODS = ['day', 'week', 'month'] as const satisfies readonly BudgetPeriod[];

/** Digits are a number; anything else stays as typed, empty is absent. */
export function numberOf(text: string): number | string | undefined {
  if (text === '') return undefined;
  const number = Number(text);
  return Number.isFinite(number) ? number : text;
}

export const percentText = (share: number | string | undefined): string =>
  typeof share === 'number' ? String(Math.round(share * 10_000) / 100) : (share ?? '');

export function shareOf(text: string): number | string | undefined {
  const number = numberOf(text);
  return typeof number === 'number' ? number / 100 : number;
}

/** One of all that a budget counts may be named. */
export const mayName = (scope: BudgetScope): boolean => scope !== 'all' && scope !== 'turn';
/** A monthly amount of one account that is bought or included. BU-05 */
export const mayBeCredit = ({ scope, of, per }: Budget): boolean =>
  scope === 'account' && of !== undefined && per === 'month';

/** With what the change leaves no sense for left out: a day of the month without months, and so on. */
export function withChange(budget: Budget, change: Partial<Budget>): Budget {
  const next = { ...budget, ...change };
  if (change.scope !== undefined && change.scope !== budget.scope) {
    delete next.of;
    if (change.scope === 'turn') next.per = 'turn';
    else if (next.per === 'turn') next.per = 'day';
  }
  if (next.per !== 'month') delete next.resets_on;
  if (!mayBeCredit(next) || next.is_credit === false) delete next.is_credit;
  if (next.of === undefined) delete next.of;
  if (next.warn_at === undefined) delete next.warn_at;
  if (next.resets_on === undefined) delete next.resets_on;
  return next;
}

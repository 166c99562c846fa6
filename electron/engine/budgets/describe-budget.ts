/** Texts about budgets. Pure; times arrive formatted. */
import { because, type Reason } from '../../../shared/reason';
import { type Account, capOf } from './plan-budgets';

const dollars = (usd: number): string => `$${usd.toFixed(2)}`;
const PERIOD = { turn: 'this turn', day: 'today', week: 'this week', month: 'this month' } as const;

/** `"daily"`, or `"daily" of agent claude` where it counts each by itself. */
const nameOf = ({ budget, key }: Account): string =>
  budget.of !== undefined || budget.scope === 'all' || budget.scope === 'turn'
    ? `"${budget.name}"`
    : `"${budget.name}" of ${budget.scope} ${key}`;

const sums = (account: Account): string =>
  `${dollars(account.spentUsd)} of ${dollars(capOf(account))} ${PERIOD[account.budget.per]}`;

/** Why a turn waits. `until`: start of the next period. */
export const spentText = (account: Account, until: string | undefined): Reason => {
  const spent = { name: nameOf(account), text: sums(account) };
  return until === undefined
    ? because('reason.budget', spent)
    : because('reason.budgetUntil', { ...spent, time: until });
};

/** The notice of a budget. */
export function noticeText(
  account: Account,
  level: 'nearly' | 'spent',
  until: string | undefined,
): { readonly title: string; readonly detail: string } {
  const ends = until === undefined ? '' : ` It starts again at ${until}.`;
  return level === 'nearly'
    ? {
        title: `The budget ${nameOf(account)} is nearly spent`,
        detail: `${sums(account)}. Work continues until it is spent.${ends}`,
      }
    : {
        title: `The budget ${nameOf(account)} is spent`,
        detail: `${sums(account)}. New turns wait, and running turns pause when a step is done; nothing is lost.${ends} To continue now: holdfast budgets allow ${account.budget.name}`,
      };
}

export const allowedText = (usd: number): string => `${dollars(usd)} more allowed`;

/** Texts about budgets. Pure; times arrive formatted. */
import { because, type Reason } from '../../../shared/reason';
import { quoted } from '../../../shared/shell-quoted';
import { type Account, capOf } from './plan-budgets';

const dollars = (usd: number): string => `$${usd.toFixed(2)}`;
/** For a budget whose months start on the first. */
const PERIOD = { turn: 'this turn', day: 'today', week: 'this week', month: 'this month' } as const;

/**
 * The budget counts each agent, account, session or such separately, so its name alone does not
 * identify what is spent.
 */
const countsEach = ({ of, scope }: Account['budget']): boolean =>
  of === undefined && scope !== 'all' && scope !== 'turn';

/** `"daily"`, or `"daily" of agent claude`. */
const nameOf = ({ budget, key }: Account): string =>
  countsEach(budget) ? `"${budget.name}" of ${budget.scope} ${key}` : `"${budget.name}"`;

const periodOf = ({ per, resets_on: day = 1, is_credit: isCredit }: Account['budget']): string =>
  isCredit === true || day !== 1 ? 'since it last started again' : PERIOD[per];

/** The command-line option that identifies what the budget counts separately. */
const keyOption = ({ budget, key }: Account): string =>
  countsEach(budget) ? ` --key ${quoted(key)}` : '';

const sums = (account: Account): string =>
  `${dollars(account.spentUsd)} of ${dollars(capOf(account))} ${periodOf(account.budget)}`;

/** Why a turn waits. `until`: start of the next period. */
export const spentText = (account: Account, until: string | undefined): Reason => {
  const spent = { name: nameOf(account), text: sums(account) };
  if (until === undefined) return because('reason.budget', spent);
  return because(account.budget.is_credit === true ? 'reason.creditUntil' : 'reason.budgetUntil', {
    ...spent,
    time: until,
  });
};

/** The notice of a budget. */
export function noticeText(
  account: Account,
  level: 'nearly' | 'spent',
  until: string | undefined,
): { readonly title: string; readonly detail: string } {
  const what = account.budget.is_credit === true ? 'credit' : 'budget';
  const ends = until === undefined ? '' : ` It starts again at ${until}.`;
  return level === 'nearly'
    ? {
        title: `The ${what} ${nameOf(account)} is nearly spent`,
        detail: `${sums(account)}. Work continues until it is spent.${ends}`,
      }
    : {
        title: `The ${what} ${nameOf(account)} is spent`,
        detail: `${sums(account)}. New turns wait, and running turns pause when a step is done; nothing is lost.${ends} To continue now: holdfast budgets allow ${account.budget.name}${keyOption(account)}`,
      };
}

export const allowedText = (usd: number): string => `${dollars(usd)} more allowed`;

/** The accounts that pay for work, each with its kind of money. Pure. BU-05 */
import type { AccountView, BudgetView } from '../../../shared/types';
import type { LimitUse } from '../../../shared/types/outage';
import type { AccountMember } from '../../ports/accounts';
import type { AccountSpend } from './ledgers';

/** A window that an agent has reported, with its provider. */
export type ReportedWindow = LimitUse & { readonly provider: string };

export interface AccountsFacts {
  readonly members: readonly AccountMember[];
  /** Providers with a stored key, in any form. */
  readonly withKey: ReadonlySet<string>;
  readonly spend: AccountSpend;
  readonly budgets: readonly BudgetView[];
  readonly windows: readonly ReportedWindow[];
  /** Until when a usage limit holds the provider or agent back. */
  readonly heldUntilMs: (name: string) => number | undefined;
}

/** Windows that only a plan has. A key can also have a limit for a day or a model. */
const PLAN_WINDOWS: ReadonlySet<LimitUse['window']> = new Set(['session', 'weekly']);

/**
 * Every account that pays for something here, by name. An account is a credit if a budget defines
 * it as one. A key in the settings is paid per use, whatever else is reported. A login, or an
 * account that reports windows of a plan, is a plan.
 */
export function accountViews(facts: AccountsFacts): AccountView[] {
  const byAccount = new Map<string, AccountMember[]>();
  for (const member of facts.members)
    byAccount.set(member.account, [...(byAccount.get(member.account) ?? []), member]);
  return [...byAccount]
    .map(([account, members]) => viewOf(facts, account, members))
    .toSorted((a, b) => (a.account < b.account ? -1 : 1));
}

function viewOf(
  facts: AccountsFacts,
  account: string,
  members: readonly AccountMember[],
): AccountView {
  const { spend } = facts;
  const names = new Set(members.map(({ name }) => name));
  const reported = facts.windows.filter(({ provider }) => names.has(provider));
  const credit = facts.budgets.find(({ isCredit, key }) => isCredit === true && key === account);
  const heldUntilMs = Math.max(0, ...members.map(({ name }) => facts.heldUntilMs(name) ?? 0));
  return {
    account: account.slice(0, 300),
    kind: credit === undefined ? kindOf(facts, members, reported) : 'credit',
    members: [...names].toSorted(),
    spentUsd: spend.usdOf.get(account) ?? 0,
    isAtLeast: spend.atLeast.has(account),
    fromMs: spend.span.startMs,
    ...(credit === undefined ? {} : { credit }),
    windows: reported.map(({ provider: _, ...window }) => window),
    ...(heldUntilMs === 0 ? {} : { heldUntilMs }),
  };
}

function kindOf(
  { withKey }: AccountsFacts,
  members: readonly AccountMember[],
  reported: readonly ReportedWindow[],
): AccountView['kind'] {
  if (members.some(({ name, by }) => by === 'key' || withKey.has(name))) return 'key';
  const isPlan =
    members.some(({ by }) => by === 'login') ||
    reported.some(({ window }) => PLAN_WINDOWS.has(window));
  return isPlan ? 'plan' : 'unknown';
}

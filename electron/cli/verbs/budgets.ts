/** `holdfast budgets list|accounts|allow` */
import type { Command } from 'commander';
import { InvalidArgumentError } from 'commander';
import type { AccountView, BudgetView } from '../../../shared/types';
import type { Program, Run } from '../command';
import { asks, calls, optional, shows, where } from '../command';
import { ifKnown, inertLine, joinParts } from '../render';

const dollars = (usd: number): string => `$${usd.toFixed(2)}`;

const row = (budget: BudgetView, run: Run): string[] => [
  inertLine(budget.name),
  budget.scope === 'all' || budget.key === ''
    ? budget.scope
    : `${budget.scope} ${inertLine(budget.key)}`,
  budget.per === 'turn' ? '-' : dollars(budget.spentUsd),
  `${dollars(budget.usd)} ${budget.isCredit === true ? 'credit ' : ''}per ${budget.per}${budget.allowedUsd === 0 ? '' : ` + ${dollars(budget.allowedUsd)}`}`,
  budget.state === 'open' ? 'within' : budget.state === 'nearly' ? 'nearly spent' : 'spent',
  budget.endsAtMs === undefined ? '-' : run.when(budget.endsAtMs),
];

function listText(budgets: readonly BudgetView[], run: Run): string {
  if (budgets.length === 0)
    return 'No budgets. Add one: holdfast config set budgets.caps \'{"daily":{"scope":"all","per":"day","usd":10}}\'';
  const blind = [...new Set(budgets.flatMap(({ notEnforcedFor }) => notEnforcedFor ?? []))];
  const table = run.table(
    ['BUDGET', 'FOR', 'SPENT', 'LIMIT', 'STATE', 'RESETS'],
    budgets.map((budget) => row(budget, run)),
  );
  return blind.length === 0
    ? table
    : `${table}\nThe cost of ${blind.map(inertLine).join(', ')} is unknown: the amounts are at least the values shown, and budgets do not stop it. Set the prices of its provider.`;
}

/** What is left of it and until when, as far as that is known. */
function leftOf({ credit, windows, heldUntilMs }: AccountView, run: Run): string {
  const resets = (atMs: number | undefined): string =>
    atMs === undefined ? '' : `, resets ${run.when(atMs)}`;
  const left = ifKnown(credit, ({ usd, allowedUsd, spentUsd, endsAtMs }) => {
    const whole = usd + allowedUsd;
    return `${dollars(Math.max(0, whole - spentUsd))} of ${dollars(whole)}${resets(endsAtMs)}`;
  });
  const held = ifKnown(heldUntilMs, (atMs) => `limit reached${resets(atMs)}`);
  const used = windows.map(
    ({ window, usedPercent, resetsAtMs }) =>
      `${window}${usedPercent === undefined ? ' nearly used up' : ` ${String(usedPercent)}% used`}${resets(resetsAtMs)}`,
  );
  return joinParts([left, held, ...used], '; ') || '-';
}

const KIND = {
  key: 'key',
  plan: 'plan',
  credit: 'monthly credit',
  unknown: 'not known',
} as const;

function accountsText(accounts: readonly AccountView[], run: Run): string {
  if (accounts.length === 0) return 'No accounts. Add a provider: holdfast providers add';
  const table = run.table(
    ['ACCOUNT', 'PAID BY', 'THIS MONTH', 'LEFT', 'USED BY'],
    accounts.map((one) => [
      inertLine(one.account),
      KIND[one.kind],
      `${one.isAtLeast ? 'at least ' : ''}${dollars(one.spentUsd)}`,
      leftOf(one, run),
      one.members.map((name) => inertLine(name.replace(/^agent\./, ''))).join(', '),
    ]),
  );
  return accounts.some(({ kind, spentUsd }) => kind === 'plan' && spentUsd > 0)
    ? `${table}\nA plan has a fixed price: its amount is what the same usage would have cost with an API key. Budgets count it.`
    : table;
}

function amount(text: string): number {
  const value = Number(text.replace(/^\$/, ''));
  if (!Number.isFinite(value) || value <= 0)
    throw new InvalidArgumentError('It must be an amount above 0, such as 5.');
  return value;
}

export function addBudgets(root: Command, program: Program): void {
  const budgets = root.command('budgets').description('Show budgets and allow more');
  asks(
    program,
    budgets.command('list').description('List budgets with the amount spent'),
    'read',
    shows('budgets.list', (value, run) => listText(value.budgets, run)),
  );
  asks(
    program,
    budgets
      .command('accounts')
      .description(
        'List accounts: how each is paid, what it has spent this month, and what is left',
      ),
    'read',
    shows('budgets.accounts', (value, run) => accountsText(value.accounts, run)),
  );
  asks(
    program,
    budgets
      .command('allow')
      .description('Allow more until the current period ends; waiting turns continue')
      .argument('<name>', 'Budget name')
      .option('--usd <amount>', 'How much more, in US dollars (default: the budget itself)', amount)
      .option(
        '--key <name>',
        'Agent, provider, account, task or session, if each has its own budget',
      ),
    'running',
    calls(
      'budgets.allow',
      (run, name) => ({
        name,
        ...where('usd', optional<number>(run, 'usd')),
        ...where('key', optional<string>(run, 'key')),
      }),
      (value, run) => listText([value], run),
    ),
  );
}

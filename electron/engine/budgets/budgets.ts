import { reasonText, type Reason } from '../../../shared/reason';
import type { BudgetView } from '../../../shared/types';
import type { Clock } from '../../ports/clock';
import type { JournalEntry } from '../../ports/journal/entries';
import type { Basics } from '../kernel/basics';
import type { JournalReads } from '../../ports/journal/reads';
import type { TurnRow } from '../../ports/journal/rows';
import type { BudgetPeriodRef } from '../../ports/journal/spend';
import { openItem, settle } from '../inbox/entries';
import { HoldfastError } from '../kernel/errors';
import { allowedText, noticeText, spentText } from './describe-budget';
import { capsIn, refuseBlindCaps } from './blind-caps';
import { createPastItems } from './past-items';
import type { CommonSpend } from './elsewhere';
import type { AccountMember } from '../../ports/accounts';
import { type AccountSpend, createLedgers, type Ledgers, type PayerFacts } from './ledgers';
import {
  type Account,
  type Budget,
  gatewayPayer,
  keyOf,
  noticeOf,
  type Payer,
  planStep,
} from './plan-budgets';

interface BudgetsDeps extends Pick<
  Basics,
  'journal' | 'settings' | 'crashPoints' | 'audit' | 'log'
> {
  readonly reads: JournalReads;
  readonly clock: Pick<Clock, 'nowMs'>;
  /** Time zone of this computer. */
  readonly zone: () => string;
  /** An instant formatted for users of this computer. */
  readonly time: (atMs: number) => string;
  readonly payers: PayerFacts;
  /** Ends the wait of a turn. */
  readonly runNow: (turn: TurnRow) => void;
  readonly onChange: () => void;
}

/** A budget that is spent. */
export interface BudgetStop {
  readonly reason: Reason;
  readonly ref: BudgetPeriodRef;
  /** The next period; undefined for the budget of one turn, which has none. */
  readonly untilMs: number | undefined;
}

/** Whether a step may start. */
export type StepEntry =
  /** Call `leave` once, whatever the outcome of the step, with its cost if known. */
  | { readonly kind: 'go'; leave(costUsd: number | undefined): void }
  /** Running steps may use up the rest: check again after this. */
  | { readonly kind: 'wait'; readonly until: Promise<void> }
  | { readonly kind: 'stop'; readonly stop: BudgetStop };

export interface Budgets {
  /** Reports what a kill left unreported, and retries turns that may continue. */
  start(): void;
  /**
   * Whether a step of the turn that may cost `mostUsd` may start; undefined: the cost is unknown.
   * BU-04
   */
  enter(turn: TurnRow, provider: string, mostUsd: number | undefined): StepEntry;
  /** The budget that the turn has used up; `moreUsd` is not on disk yet. */
  over(turn: TurnRow, provider: string, moreUsd: number): BudgetStop | undefined;
  /** Why a request through the gateway may not start: a budget that counts it is spent. BU-01 */
  gatewayStop(provider: string): string | undefined;
  /** The login or key behind a provider or external agent. */
  readonly accountOf: (provider: string) => string;
  readonly payingName: Ledgers['payingName'];
  /** Every provider and external agent with its account. BU-05 */
  members(): readonly AccountMember[];
  /** What each account has spent in this month, budgets or not. BU-05 */
  spendByAccount(): AccountSpend;
  /** False if `enter` and `over` have nothing to check. */
  hasAny(): boolean;
  /**
   * Call before a setting is written: rejects a budget that can stop nothing. @throws
   * CONFIG_INVALID
   */
  check(key: string, value: unknown): void;
  /** What this computer has spent from budgets that other computers may also have. DW-25 */
  commonSpend(): readonly CommonSpend[];
  /** Counts what another computer has spent from such a budget. */
  heardSpend(machine: string, spend: CommonSpend): void;
  /** Every configured budget with its current spending. */
  list(): readonly BudgetView[];
  /**
   * Lets a budget be exceeded for the rest of its period; turns that wait for it resume. On disk
   * when it resolves. @throws BUDGET_UNKNOWN
   */
  allow(name: string, key: string, usd: number | undefined, by: string): Promise<BudgetView>;
}

/** Spending limits, counted once per answer, across restarts. BU-01..BU-04 */
export function createBudgets(deps: BudgetsDeps): Budgets {
  const { settings, journal, reads } = deps;
  const budgets = (): readonly Budget[] =>
    Object.entries(settings.get('budgets.caps')).map(([name, budget]) => ({ ...budget, name }));
  const ledgers: Ledgers = createLedgers({ ...deps, budgets });
  const telling = new Set<string>();
  const pastItems = createPastItems(reads);

  const accountsOf = (payer: Payer, exceptTurn: number): readonly Account[] =>
    budgets().flatMap((budget) => {
      const key = keyOf(budget, payer);
      return key === undefined ? [] : [ledgers.account(budget, key, exceptTurn)];
    });

  const gatewayPayerOf = (provider: string): Payer =>
    gatewayPayer(provider, deps.payers.accountOf(provider));

  const stopOf = (account: Account): BudgetStop => {
    const span = ledgers.spanOf(account.budget);
    return {
      reason: spentText(account, span === undefined ? undefined : deps.time(span.endMs)),
      ref: ledgers.refOf(account),
      untilMs: span?.endMs,
    };
  };

  /** One inbox item for all turns, and one message per level and period. BU-02 */
  const tell = async (account: Account): Promise<void> => {
    const level = noticeOf(account);
    const ref = ledgers.refOf(account);
    const known = reads.budgetPeriod(ref);
    if (level === 'none' || known.told === level || known.told === 'spent') return;
    const inboxId = journal.allocate('inbox');
    const span = ledgers.spanOf(account.budget);
    const open = openItem(inboxId, 'problem', {
      ...noticeText(account, level, span === undefined ? undefined : deps.time(span.endMs)),
      facts: { budget: ref.budget, key: ref.key, fromMs: ref.fromMs, level },
    });
    deps.crashPoints.hit('budget.told.before');
    await journal.commit([
      ...settledOf(known.inboxId, 'replaced'),
      open,
      { kind: 'budget.told', ...ref, told: level, inboxId },
    ]);
    deps.crashPoints.hit('budget.told.after');
    pastItems.told();
    deps.audit.record(`budget_${level}`, { name: ref.budget, key: ref.key });
    deps.onChange();
  };
  const settledOf = (inboxId: number | undefined, outcome: string): readonly JournalEntry[] => {
    const item = inboxId === undefined ? undefined : reads.inboxItem(inboxId);
    return item === undefined || item.settledAtMs !== undefined ? [] : [settle(item.id, outcome)];
  };
  /** Closes items of past periods; if a kill prevents that, the next step closes them. */
  const withdrawPast = (): void => {
    const entries = pastItems.entries(deps.clock.nowMs(), (name) => {
      const budget = budgets().find((one) => one.name === name);
      return budget === undefined ? undefined : ledgers.spanOf(budget);
    });
    if (entries.length === 0) return;
    journal.commit(entries).then(deps.onChange, (error: unknown) => {
      pastItems.told();
      deps.log.warn('budget.not_told', { error });
    });
  };
  const tellSoon = (account: Account): void => {
    if (account.budget.per === 'turn') return;
    const id = `${account.budget.name} ${account.key}`;
    if (telling.has(id)) return;
    telling.add(id);
    tell(account)
      .catch((error: unknown) => deps.log.warn('budget.not_told', { error }))
      .finally(() => telling.delete(id));
  };

  const isStillSpent = (wait: { readonly budget: string; readonly key: string }): boolean => {
    const budget = budgets().find(({ name }) => name === wait.budget);
    if (budget === undefined || budget.per === 'turn') return false;
    return planStep([ledgers.account(budget, wait.key, 0)], 0).kind === 'spent';
  };

  journal.onCommitted((entries, _atMs, firstSeq) => {
    entries.forEach((entry, at) => {
      if (entry.kind === 'turn.closed') ledgers.forget(entry.turnId);
      if (entry.kind === 'gateway.used' && (entry.costUsd ?? 0) > 0)
        for (const one of accountsOf(gatewayPayerOf(entry.provider), 0)) tellSoon(one);
      if (entry.kind !== 'step.ended' && entry.kind !== 'call.retried') return;
      const payer = ledgers.add(entry, firstSeq + at);
      if (payer !== undefined) for (const one of accountsOf(payer, 0)) tellSoon(one);
    });
  });
  const goOn = (turnId: number): void => {
    const turn = reads.turn(turnId);
    if (turn?.state === 'waiting') deps.runNow(turn);
  };
  settings.onChange((keys) => {
    if (!keys.some((key) => key.startsWith('budgets.'))) return;
    ledgers.clear();
    for (const { turnId } of reads.waitingForBudget()) goOn(turnId);
  });

  return {
    start() {
      withdrawPast();
      for (const budget of budgets())
        for (const key of ledgers.keysOf(budget)) tellSoon(ledgers.account(budget, key, 0));
      // More may have been allowed just before a kill, or while nothing ran. Turns that still wait
      // stay where they are: in the queue, a provider outage would treat them as turns that wait
      // for it.
      for (const wait of reads.waitingForBudget()) if (!isStillSpent(wait)) goOn(wait.turnId);
    },
    check(key, value) {
      const caps = capsIn(key, value);
      if (caps !== undefined)
        refuseBlindCaps(caps, settings.get('budgets.caps'), deps.payers.unpricedAgents());
    },
    hasAny: () => Object.keys(settings.get('budgets.caps')).length > 0,
    enter(turn, provider, mostUsd) {
      withdrawPast();
      const payer = ledgers.payerOf(turn, provider);
      const accounts = accountsOf(payer, turn.id);
      const verdict = planStep(accounts, mostUsd);
      if (verdict.kind === 'spent') return { kind: 'stop', stop: stopOf(verdict.account) };
      if (verdict.kind === 'wait') return { kind: 'wait', until: ledgers.changed() };
      // The cost is unknown, so it may take the whole rest, and others wait for it.
      ledgers.setAside(turn.id, mostUsd ?? Infinity);
      return { kind: 'go', leave: (costUsd) => ledgers.answered(turn.id, costUsd ?? 0) };
    },
    over(turn, provider, moreUsd) {
      const accounts = accountsOf(ledgers.payerOf(turn, provider), turn.id);
      const more = accounts.map((one) => ({ ...one, spentUsd: one.spentUsd + moreUsd }));
      const verdict = planStep(more, 0);
      return verdict.kind === 'spent' ? stopOf(verdict.account) : undefined;
    },
    accountOf: deps.payers.accountOf,
    payingName: ledgers.payingName,
    members: deps.payers.members,
    spendByAccount: () => ledgers.byAccount(),
    commonSpend: () => ledgers.common(),
    heardSpend(machine, spend) {
      for (const { budget, key } of ledgers.heard(machine, spend))
        tellSoon(ledgers.account(budget, key, 0));
      deps.onChange();
    },
    gatewayStop(provider) {
      const accounts = accountsOf(gatewayPayerOf(provider), 0);
      const verdict = planStep(
        accounts.map((one) => ({ ...one, asideUsd: 0 })),
        0,
      );
      return verdict.kind === 'spent' ? reasonText(stopOf(verdict.account).reason) : undefined;
    },
    list: () => budgets().flatMap((budget) => ledgers.views(budget)),
    async allow(name, whose, asked, by) {
      const budget = budgets().find((one) => one.name === name);
      if (budget === undefined || budget.per === 'turn')
        throw new HoldfastError(
          'BUDGET_UNKNOWN',
          `There is no budget "${name.slice(0, 60)}" with a period.`,
          {
            hint: 'Nothing was changed. List your budgets: holdfast budgets list',
          },
        );
      const usd = asked ?? budget.usd;
      // A budget of one agent, account or session needs no further name.
      const key = whose === '' ? (budget.of ?? '') : whose;
      const ref = ledgers.refOf({ budget, key });
      const known = reads.budgetPeriod(ref);
      deps.crashPoints.hit('budget.allowed.before');
      await journal.commit([
        { kind: 'budget.allowed', ...ref, usd, by },
        ...settledOf(known.inboxId, allowedText(usd)),
      ]);
      deps.crashPoints.hit('budget.allowed.after');
      deps.audit.record('budget_allowed', { name, key, usd, by });
      for (const one of reads.waitingForBudget())
        if (one.budget === name && one.key === key) goOn(one.turnId);
      deps.onChange();
      return ledgers.viewOf(budget, key);
    },
  };
}

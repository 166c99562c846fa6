import type { AccountMember } from '../../ports/accounts';
import type { UnpricedAgent } from './blind-caps';
import type { BudgetPeriod } from '../../../shared/settings/budgets';
import type { BudgetView, Usage } from '../../../shared/types';
import type { Clock } from '../../ports/clock';
import type { JournalEntry } from '../../ports/journal/entries';
import type { Journal } from '../../ports/journal/journal';
import type { JournalReads } from '../../ports/journal/reads';
import type { TurnRow } from '../../ports/journal/rows';
import type { BudgetPeriodRef, Spender } from '../../ports/journal/spend';
import type { SettingsPort } from '../../ports/settings';
import { createElsewhereSpend, type CommonSpend } from './elsewhere';
import { payingName } from './paying-name';
import { periodAt, type Span } from './periods';
import {
  type Account,
  type Budget,
  gatewayPayer,
  keyOf,
  noticeOf,
  type Payer,
} from './plan-budgets';

/** Who pays for what. */
export interface PayerFacts {
  /** Every provider and external agent with its account. BU-05 */
  readonly members: () => readonly AccountMember[];
  /** Number of the task that created the turn. */
  readonly taskOf: (turnId: number) => string | undefined;
  /** The login or key behind a provider or external agent. */
  readonly accountOf: (provider: string) => string;
  /** Agents whose cost is never known, and the providers they use. BU-03 */
  readonly unpricedAgents: () => readonly UnpricedAgent[];
}

interface LedgersDeps {
  readonly journal: Pick<Journal, 'appliedSeq'>;
  readonly reads: Pick<
    JournalReads,
    | 'spendSince'
    | 'unpricedSince'
    | 'budgetPeriod'
    | 'turn'
    | 'turns'
    | 'session'
    | 'sharedTurn'
    | 'frame'
    | 'gatewaySpendSince'
  >;
  readonly settings: SettingsPort;
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly zone: () => string;
  readonly payers: PayerFacts;
  readonly budgets: () => readonly Budget[];
}

/** One budget's current period, read once and updated from then on. */
interface Ledger {
  readonly span: Span | undefined;
  readonly byKey: Map<string, number>;
  /** It includes entries up to this one. */
  readonly seq: number;
}

/** Spending of accounts since the first of the month. */
export interface AccountSpend {
  readonly span: Span;
  readonly usdOf: ReadonlyMap<string, number>;
  /** Accounts that used something without a known price, so their total is a minimum. */
  readonly atLeast: ReadonlySet<string>;
}

/** The end of a step, or of a try of it whose answer could not be used. */
type Paid = Extract<JournalEntry, { kind: 'step.ended' | 'call.retried' }>;
type Owner = Pick<Account, 'budget' | 'key'>;

export interface Ledgers {
  payerOf(turn: TurnRow, provider: string): Payer;
  /** The name of the provider, or of the external agent, that a turn is charged to. */
  readonly payingName: (provider: string, agent: string) => string;
  /** `exceptTurn`: ignores what that turn itself has reserved. */
  account(budget: Budget, key: string, exceptTurn: number): Account;
  spanOf(budget: Budget): Span | undefined;
  refOf(owner: Owner): BudgetPeriodRef;
  /** Counts an entry that is on disk; undefined if it cost nothing. */
  add(entry: Paid, seq: number): Payer | undefined;
  setAside(turnId: number, mostUsd: number): void;
  /** Its cost is known but not on disk yet. */
  answered(turnId: number, costUsd: number): void;
  /** Resolves when a reserved amount is released. */
  changed(): Promise<void>;
  forget(turnId: number): void;
  clear(): void;
  /** Payers that have spent from it in this period. */
  keysOf(budget: Budget): readonly string[];
  views(budget: Budget): readonly BudgetView[];
  viewOf(budget: Budget, key: string): BudgetView;
  /** What each account has spent in this month, budgets or not. BU-05 */
  byAccount(): AccountSpend;
  /** What this computer has spent from budgets that other computers may also have. DW-25 */
  common(): readonly CommonSpend[];
  /** Takes another computer's spending. Returns our budgets that it counts for. */
  heard(machine: string, spend: CommonSpend): readonly Owner[];
}

function usageIn(entry: Paid): Usage | undefined {
  if (entry.kind === 'call.retried') return entry.usage;
  const { end, isElsewhere } = entry;
  if (isElsewhere === true) return undefined;
  return end.state === 'completed' || end.state === 'failed' ? end.usage : undefined;
}

/** Sums of the budgets in use, and what running steps may still add to them. */
export function createLedgers(deps: LedgersDeps): Ledgers {
  const { reads, settings, clock } = deps;
  const ledgers = new Map<string, Ledger>();
  /** The payer of a turn's running step. */
  const running = new Map<number, Payer>();
  /** By turn: its own model or agent, then its fallbacks. */
  const payers = new Map<number, Payer[]>();
  /** By turn: each runs one step at a time. */
  const aside = new Map<number, number>();
  const pending = new Map<number, number>();
  let waiting: (() => void)[] = [];
  const elsewhere = createElsewhereSpend(deps);

  const periodNow = (per: Exclude<BudgetPeriod, 'turn'>, monthDay = 1): Span =>
    periodAt(per, clock.nowMs(), settings.get('budgets.timezone') || deps.zone(), {
      weekStart: settings.get('budgets.week_starts'),
      monthDay,
    });
  const spanOf = ({ per, resets_on: monthDay }: Budget): Span | undefined =>
    per === 'turn' ? undefined : periodNow(per, monthDay);

  const isProvider = (one: string): boolean =>
    deps.payers.members().some(({ name }) => name === one);
  const nameOf: Ledgers['payingName'] = (provider, agent) =>
    payingName(provider, agent, isProvider);
  const payerFor = (turn: TurnRow, runsOn: string, agent = turn.agent): Payer => {
    const provider = nameOf(runsOn, agent);
    return {
      turnId: turn.id,
      agent,
      provider,
      account: deps.payers.accountOf(provider),
      session: turn.sessionKey,
      task: deps.payers.taskOf(turn.id),
    };
  };
  /** What another agent or model answered of a turn is charged to that one. FB-06 */
  const payerOfPart = ({ turnId, fallback }: Spender): Payer | undefined => {
    const known = payers.get(turnId) ?? [];
    if (known[fallback] !== undefined) return known[fallback];
    const turn = reads.turn(turnId);
    if (turn === undefined) return undefined;
    const other = turn.fallbacks?.[fallback - 1];
    const frame = turn.frameId === undefined ? undefined : reads.frame(turn.frameId);
    const payer = payerFor(turn, other?.provider ?? frame?.provider ?? '', other?.agent);
    known[fallback] = payer;
    payers.set(turnId, known);
    return payer;
  };
  const payerOfStep = ({ turnId, step }: Paid): Payer | undefined => {
    const others = reads.turn(turnId)?.fallbacks ?? [];
    const fallback = others.findLastIndex(({ afterStep }) => afterStep < step) + 1;
    return payerOfPart({ turnId, fallback });
  };

  const ledgerOf = (budget: Budget): Ledger => {
    const known = ledgers.get(budget.name);
    const nowMs = clock.nowMs();
    const isNow =
      known?.span === undefined || (nowMs >= known.span.startMs && nowMs < known.span.endMs);
    if (known !== undefined && isNow) return known;
    const span = spanOf(budget);
    const byKey = new Map<string, number>();
    const made = { span, byKey, seq: deps.journal.appliedSeq() };
    for (const part of span === undefined ? [] : reads.spendSince(span.startMs)) {
      const payer = payerOfPart(part);
      const key = payer === undefined ? undefined : keyOf(budget, payer);
      if (key !== undefined) byKey.set(key, (byKey.get(key) ?? 0) + part.usd);
    }
    ledgers.set(budget.name, made);
    return made;
  };

  const sumOf = (of: ReadonlyMap<number, number>, owner: Owner, except: number): number => {
    let sum = 0;
    for (const [turnId, usd] of of) {
      const payer = turnId === except ? undefined : running.get(turnId);
      if (payer !== undefined && keyOf(owner.budget, payer) === owner.key) sum += usd;
    }
    return sum;
  };

  const refOf = (owner: Owner): BudgetPeriodRef => ({
    budget: owner.budget.name,
    key: owner.key,
    fromMs: ledgerOf(owner.budget).span?.startMs ?? 0,
  });

  /** Spending of gateway clients from it, by this computer's local days. BU-01 */
  const gatewayUsd = (owner: Owner, span: Span | undefined): number => {
    if (span === undefined) return 0;
    let sum = 0;
    for (const { provider, usd } of reads.gatewaySpendSince(span.startMs)) {
      const payer = gatewayPayer(provider, deps.payers.accountOf(provider));
      if (keyOf(owner.budget, payer) === owner.key) sum += usd;
    }
    return sum;
  };

  const spentHere = (owner: Owner): number => {
    const { byKey, span } = ledgerOf(owner.budget);
    return (byKey.get(owner.key) ?? 0) + gatewayUsd(owner, span);
  };

  const account: Ledgers['account'] = (budget, key, exceptTurn) => {
    const owner = { budget, key };
    const spent =
      budget.per === 'turn'
        ? (reads.turn(Number(key))?.usage.costUsd ?? 0)
        : spentHere(owner) + elsewhere.usdOf(owner);
    return {
      ...owner,
      spentUsd: spent + sumOf(pending, owner, 0),
      asideUsd: sumOf(aside, owner, exceptTurn),
      allowedUsd: budget.per === 'turn' ? 0 : reads.budgetPeriod(refOf(owner)).allowedUsd,
    };
  };

  const free = (): void => {
    const all = waiting;
    waiting = [];
    for (const go of all) go();
  };

  /**
   * Agents whose turns used something without a price in this period, and those for which that is
   * known in advance. BU-03
   */
  const unpriced = (owner: Owner, span: Span | undefined): string[] => {
    const ahead = deps.payers.unpricedAgents().flatMap(({ agent, provider }) => {
      const payer = { ...gatewayPayer(provider, deps.payers.accountOf(provider)), agent };
      const key = keyOf(owner.budget, payer);
      return key !== undefined && (key === owner.key || owner.key === '') ? [agent] : [];
    });
    if (span === undefined) return [...new Set(ahead)].toSorted();
    const agents = reads.unpricedSince(span.startMs).flatMap((part) => {
      const payer = payerOfPart(part);
      return payer !== undefined && keyOf(owner.budget, payer) === owner.key
        ? [payer.agent ?? '']
        : [];
    });
    return [...new Set([...ahead, ...agents])].filter((agent) => agent !== '').toSorted();
  };

  /** All payers that spent from a budget in this period, including gateway clients. */
  const keysSpent = (budget: Budget): Set<string> => {
    const { byKey, span } = ledgerOf(budget);
    const keys = new Set(byKey.keys());
    for (const { provider } of span === undefined ? [] : reads.gatewaySpendSince(span.startMs)) {
      const key = keyOf(budget, gatewayPayer(provider, deps.payers.accountOf(provider)));
      if (key !== undefined) keys.add(key);
    }
    return keys;
  };

  const viewOf: Ledgers['viewOf'] = (budget, key) => {
    const one = account(budget, key, 0);
    const span = spanOf(budget);
    const level = noticeOf(one);
    const notEnforcedFor = unpriced(one, span);
    return {
      name: budget.name,
      scope: budget.scope,
      key,
      per: budget.per,
      usd: budget.usd,
      allowedUsd: one.allowedUsd,
      spentUsd: one.spentUsd,
      state: level === 'none' ? 'open' : level,
      ...(span === undefined ? {} : { endsAtMs: span.endMs }),
      ...(budget.resets_on === undefined ? {} : { resetsOn: budget.resets_on }),
      ...(budget.is_credit === true ? { isCredit: true } : {}),
      ...(notEnforcedFor.length === 0 ? {} : { notEnforcedFor }),
    };
  };

  const byAccount = (): AccountSpend => {
    const { startMs, endMs } = periodNow('month');
    const [usdOf, atLeast] = [new Map<string, number>(), new Set<string>()];
    const add = (payer: string, usd: number): void => {
      usdOf.set(payer, (usdOf.get(payer) ?? 0) + usd);
    };
    const accountOfPart = (part: Spender): string => {
      const isKept = payers.has(part.turnId);
      const payer = payerOfPart(part);
      // Do not keep a month of turns in memory for one query.
      if (!isKept) payers.delete(part.turnId);
      return payer?.account ?? '';
    };
    for (const part of reads.spendSince(startMs)) add(accountOfPart(part), part.usd);
    for (const { provider, usd } of reads.gatewaySpendSince(startMs))
      add(deps.payers.accountOf(provider), usd);
    for (const part of reads.unpricedSince(startMs)) atLeast.add(accountOfPart(part));
    return { span: { startMs, endMs }, usdOf, atLeast };
  };

  return {
    payingName: nameOf,
    payerOf(turn, provider) {
      const payer = payerFor(turn, provider);
      running.set(turn.id, payer);
      return payer;
    },
    account,
    spanOf,
    refOf,
    add(entry, seq) {
      const usage = usageIn(entry);
      // The end of a tool call is committed with the start of the next request, which is still
      // running.
      if (usage === undefined) return undefined;
      if (entry.kind === 'step.ended') pending.delete(entry.turnId);
      const usd = usage.costUsd ?? 0;
      if (usd === 0) return undefined;
      const budgets = deps.budgets();
      const payer = budgets.length === 0 ? undefined : payerOfStep(entry);
      if (payer === undefined) return undefined;
      for (const budget of budgets) {
        const ledger = ledgers.get(budget.name);
        const key = keyOf(budget, payer);
        if (ledger === undefined || key === undefined || seq <= ledger.seq) continue;
        ledger.byKey.set(key, (ledger.byKey.get(key) ?? 0) + usd);
      }
      return payer;
    },
    setAside: (turnId, mostUsd) => void aside.set(turnId, mostUsd),
    answered(turnId, costUsd) {
      aside.delete(turnId);
      if (costUsd > 0) pending.set(turnId, costUsd);
      free();
    },
    changed: () => new Promise((resolve) => waiting.push(resolve)),
    forget(turnId) {
      payers.delete(turnId);
      running.delete(turnId);
      pending.delete(turnId);
      aside.delete(turnId);
    },
    clear() {
      ledgers.clear();
      free();
    },
    keysOf: (budget) => (budget.per === 'turn' ? [] : [...keysSpent(budget)]),
    common: () =>
      deps.budgets().flatMap((budget) => {
        const endsAtMs = spanOf(budget)?.endMs;
        if (endsAtMs === undefined) return [];
        return [...keysSpent(budget)].flatMap((owned) => {
          const owner = { budget, key: owned };
          const [key, usd] = [elsewhere.keyOf(owner), spentHere(owner)];
          return key === undefined || usd === 0 ? [] : [{ key, usd, endsAtMs }];
        });
      }),
    heard(machine, spend) {
      elsewhere.heard(machine, spend);
      return deps
        .budgets()
        .flatMap((budget) => elsewhere.keysOf(budget).map((key) => ({ budget, key })))
        .filter((owner) => elsewhere.keyOf(owner) === spend.key);
    },
    views(budget) {
      if (budget.per === 'turn') return [viewOf(budget, '')];
      const keys = new Set([...keysSpent(budget), ...elsewhere.keysOf(budget)]);
      if (budget.of !== undefined) keys.add(budget.of);
      if (budget.scope === 'all' || keys.size === 0) keys.add(budget.of ?? '');
      return [...keys].toSorted().map((key) => viewOf(budget, key));
    },
    viewOf,
    byAccount,
  };
}

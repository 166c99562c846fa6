/** Usage limits, outages and budgets shared by every computer of the store. DW-25 */
import { parsedJson } from '../../../shared/parsed-json';
import type { Clock } from '../../ports/clock';
import type { JournalEntry } from '../../ports/journal/entries';
import type { LookAnswer, SharedFact, SharedStore, ToldFact } from '../../ports/shared-store';
import type { Budgets } from '../budgets/budgets';
import { dropOldest } from '../kernel/drop-oldest';
import type { OwnTrouble } from '../outage/elsewhere';
import type { Outages } from '../outage/outages';

/** The end of an outage is not known in advance, so its fact expires after this time. */
const OUTAGE_FOR_MS = 24 * 3_600_000;
const MAX_KEY_CHARS = 300;
/** Maximum facts that are kept to be heard again. */
const MAX_UNHEARD = 1_000;

/**
 * Name of a provider or external agent that is the same on every computer. Undefined if it is only
 * local.
 */
export interface CommonNames {
  /** Reads keys again if the settings may have changed. */
  refresh(): Promise<void>;
  /** The account that a usage limit belongs to. */
  accountOf(provider: string): string | undefined;
  /** The address that an outage belongs to. */
  addressOf(provider: string): string | undefined;
  /** Every provider that has such a name here. */
  providers(): readonly string[];
}

interface CommonLimitsDeps {
  readonly outage: Pick<
    Outages,
    'ownTroubles' | 'heardLimit' | 'heardLimitOver' | 'heardDown' | 'heardUp'
  >;
  readonly budgets: Pick<Budgets, 'commonSpend' | 'heardSpend'>;
  readonly names: CommonNames;
  readonly clock: Pick<Clock, 'nowMs'>;
}

/** Facts that other computers do not know yet. */
interface ToTell {
  readonly facts: readonly SharedFact[];
  /**
   * These are all facts of this computer: anything else that it reported earlier is no longer
   * valid.
   */
  readonly isAll: boolean;
  /** Call when the other computers have been told. */
  told(): void;
}

export interface CommonLimits {
  /** Call after each commit of our journal. True if the other computers should be told now. */
  follow(entries: readonly JournalEntry[]): boolean;
  /** Undefined if there is nothing to tell. */
  toTell(): Promise<ToTell | undefined>;
  /**
   * Call after each poll, also without facts: one that failed is heard again. Rejects if one failed
   * for the first time; the others are heard anyway.
   */
  hear(facts: readonly ToldFact[]): Promise<void>;
}

/** One fact to tell, with what distinguishes it from facts already told. */
interface Wanted {
  readonly kind: string;
  readonly key: string;
  readonly body: string;
  readonly untilMs: number;
  readonly sign: string;
}

const TROUBLES: ReadonlySet<JournalEntry['kind']> = new Set([
  'provider.contact',
  'provider.probed',
  'outage.declared',
  'outage.recovering',
  'outage.resolved',
  'breaker.moved',
  'budget.told',
]);

const idOf = ({ kind, key }: Pick<Wanted, 'kind' | 'key'>): string => `${kind} ${key}`;

const factId = (fact: ToldFact): string => `${idOf(fact)} ${fact.machine}`;

/** The fact for a trouble. Undefined if no other computer can tell what it concerns. Pure. */
function wantedOf(trouble: OwnTrouble, names: CommonNames, nowMs: number): Wanted | undefined {
  const { kind, provider } = trouble;
  const key = kind === 'limit' ? names.accountOf(provider) : names.addressOf(provider);
  if (key === undefined || key.length > MAX_KEY_CHARS) return undefined;
  switch (kind) {
    case 'limit': {
      const { cause, untilMs, isUnnamed } = trouble;
      const body = JSON.stringify({ cause, isUnnamed });
      return { kind, key, body, untilMs, sign: `${body} ${String(untilMs)}` };
    }
    case 'outage': {
      const untilMs = nowMs + OUTAGE_FOR_MS;
      return { kind, key, body: '{}', untilMs, sign: String(trouble.sinceMs) };
    }
    case 'breaker': {
      const { untilMs, openedAtMs } = trouble;
      return { kind, key, body: '{}', untilMs, sign: String(openedAtMs) };
    }
  }
}

export function createCommonLimits(deps: CommonLimitsDeps): CommonLimits {
  const { outage, budgets, names, clock } = deps;
  const told = new Map<string, Wanted>();
  let isFirst = true;
  let isTroubleDirty = true;
  let isSpendDirty = true;
  /** A fact was sent but may not have arrived. */
  let isOwed = false;

  const wanted = (): ReadonlyMap<string, Wanted> => {
    const all = new Map<string, Wanted>();
    const add = (one: Wanted): void => {
      const id = idOf(one);
      // If several providers use one account, the longest limit counts.
      if ((all.get(id)?.untilMs ?? 0) < one.untilMs) all.set(id, one);
    };
    for (const trouble of outage.ownTroubles()) {
      const one = wantedOf(trouble, names, clock.nowMs());
      if (one !== undefined) add(one);
    }
    for (const { key, usd, endsAtMs } of budgets.commonSpend()) {
      const body = JSON.stringify({ usd });
      if (key.length <= MAX_KEY_CHARS)
        add({ kind: 'spend', key, body, untilMs: endsAtMs, sign: body });
    }
    return all;
  };

  const hearOne = async (fact: ToldFact): Promise<void> => {
    const { kind, key, leftMs, name, machine } = fact;
    const untilMs = clock.nowMs() + leftMs;
    const said = fieldsIn(fact.body);
    const those = (of: CommonNames['accountOf']): readonly string[] =>
      names.providers().filter((provider) => of(provider) === key);
    switch (kind) {
      case 'limit': {
        const cause = said['cause'] === 'retry_after' ? 'retry_after' : 'quota';
        const limit = {
          from: name,
          cause,
          untilMs,
          isUnnamed: said['isUnnamed'] === true,
        } as const;
        for (const provider of those((one) => names.accountOf(one)))
          if (leftMs > 0) outage.heardLimit(provider, limit);
          else outage.heardLimitOver(provider, name);
        return;
      }
      case 'outage':
      case 'breaker': {
        const breakerForMs = kind === 'breaker' ? leftMs : undefined;
        for (const provider of those((one) => names.addressOf(one)))
          if (leftMs > 0) await outage.heardDown(provider, { from: name, breakerForMs });
          else outage.heardUp(provider);
        return;
      }
      case 'spend': {
        const usd = Number(said['usd']);
        if (usd >= 0) budgets.heardSpend(machine, { key, usd, endsAtMs: untilMs });
        return;
      }
      default: // A kind from a newer version.
    }
  };

  /** Facts that failed, until they are heard, over or replaced. */
  const unheard = new Map<string, { readonly fact: ToldFact; readonly untilMs: number }>();
  let hearing: Promise<void> = Promise.resolve();

  const hearAll = async (facts: readonly ToldFact[]): Promise<void> => {
    if (facts.length === 0 && unheard.size === 0) return;
    const nowMs = clock.nowMs();
    const news = facts.map((fact) => ({ fact, untilMs: nowMs + fact.leftMs }));
    for (const fact of facts) unheard.delete(factId(fact));
    const again = [...unheard.values()];
    unheard.clear();
    const errors: unknown[] = [];
    const named = names.refresh();
    for (const { fact, untilMs } of [...again, ...news]) {
      try {
        await named;
        const leftMs = Math.max(0, untilMs - clock.nowMs());
        if (fact.leftMs === 0 || leftMs > 0) await hearOne({ ...fact, leftMs });
      } catch (error) {
        if (facts.includes(fact)) errors.push(error);
        unheard.set(factId(fact), { fact, untilMs });
      }
    }
    dropOldest(unheard, MAX_UNHEARD);
    if (errors.length > 0) throw errors[0];
  };

  return {
    follow(entries) {
      let isUrgent = false;
      for (const entry of entries) {
        if (TROUBLES.has(entry.kind)) isUrgent = true;
        else if (entry.kind === 'gateway.used') isSpendDirty = true;
        else if (entry.kind === 'step.ended' && 'usage' in entry.end)
          isSpendDirty ||= (entry.end.usage?.costUsd ?? 0) > 0;
        else if (entry.kind === 'call.retried') isSpendDirty ||= (entry.usage?.costUsd ?? 0) > 0;
      }
      isTroubleDirty ||= isUrgent;
      return isUrgent;
    },
    async toTell() {
      if (!isTroubleDirty && !isSpendDirty && !isOwed) return undefined;
      await names.refresh();
      isTroubleDirty = false;
      isSpendDirty = false;
      isOwed = true;
      const now = wanted();
      const news = [...now].filter(([id, one]) => told.get(id)?.sign !== one.sign);
      const over = [...told].filter(([id]) => !now.has(id));
      if (news.length + over.length === 0 && !isFirst) {
        isOwed = false;
        return undefined;
      }
      const nowMs = clock.nowMs();
      return {
        isAll: isFirst,
        facts: [
          ...news.map(([, { kind, key, body, untilMs }]) => ({
            kind,
            key,
            body,
            forMs: Math.max(0, Math.ceil(untilMs - nowMs)),
          })),
          ...over.map(([, { kind, key }]) => ({ kind, key, body: '{}', forMs: 0 })),
        ],
        told() {
          isFirst = false;
          isOwed = false;
          for (const [id, one] of news) told.set(id, one);
          for (const [id] of over) told.delete(id);
        },
      };
    },
    hear(facts) {
      // In the order in which they were told.
      const own = hearing.then(() => hearAll(facts));
      hearing = own.catch(() => undefined);
      return own;
    },
  };
}

/** Written by another computer, perhaps by another version: unreadable fields are ignored. */
function fieldsIn(body: string): Readonly<Record<string, unknown>> {
  const value = parsedJson(body);
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

/** Exchange of facts between this computer and the store. */
interface LimitExchange {
  /** Where the next poll starts. */
  from(): number;
  /**
   * Handles a poll's answer and sends pending facts; a failure is retried with the next poll.
   * @throws SHARE_UNREACHABLE
   */
  after(answer: LookAnswer): Promise<void>;
}

export function createLimitExchange(
  limits: CommonLimits,
  store: Pick<SharedStore, 'putFacts'>,
  track: (work: Promise<void>) => void,
): LimitExchange {
  let from = 0;
  return {
    from: () => from,
    async after({ facts, factsUpTo }) {
      from = factsUpTo;
      // Not awaited, because it may have to contact a provider.
      track(limits.hear(facts));
      const news = await limits.toTell();
      if (news !== undefined && (await store.putFacts(news.facts, news.isAll))) news.told();
    },
  };
}

/** Spending of other computers of the shared store from common budgets. DW-25 */
import { parsedJson } from '../../../shared/parsed-json';
import type { Clock } from '../../ports/clock';
import type { JournalReads } from '../../ports/journal/reads';
import type { Account, Budget } from './plan-budgets';

type Owner = Pick<Account, 'budget' | 'key'>;

/** What one computer has spent from a budget in its current period. */
export interface CommonSpend {
  /** Identifies the budget and its payer on every computer. */
  readonly key: string;
  readonly usd: number;
  readonly endsAtMs: number;
}

/** A budget with the same name, scope and period is one budget on all computers. */
const commonKey = ({ budget, key }: Owner): string =>
  JSON.stringify([budget.name, budget.scope, budget.per, key]);

/** Parts of a key from another computer; empty if it cannot be read. */
function partsOf(common: string): readonly unknown[] {
  const parts = parsedJson(common);
  return Array.isArray(parts) ? parts : [];
}

interface ElsewhereSpend {
  /** Its key on all computers; undefined if each computer counts separately. */
  keyOf(owner: Owner): string | undefined;
  heard(machine: string, told: CommonSpend): void;
  usdOf(owner: Owner): number;
  /** Payers that have spent from it on other computers. */
  keysOf(budget: Budget): readonly string[];
}

export function createElsewhereSpend({
  clock,
  reads,
}: {
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly reads: Pick<JournalReads, 'session' | 'turns' | 'sharedTurn'>;
}): ElsewhereSpend {
  const told = new Map<string, Map<string, CommonSpend>>();

  /** Task and turn numbers differ on each computer, and so do sessions that are not shared. */
  const isCommon = ({ budget, key }: Owner): boolean => {
    if (budget.per === 'turn' || budget.scope === 'task') return false;
    if (budget.scope !== 'session') return true;
    const session = reads.session({ key });
    const [turn] = session === undefined ? [] : reads.turns({ sessionId: session.id, limit: 1 });
    return turn !== undefined && reads.sharedTurn(turn.id) !== undefined;
  };
  const nowOf = (key: string): readonly CommonSpend[] =>
    [...(told.get(key)?.values() ?? [])].filter(({ endsAtMs }) => endsAtMs > clock.nowMs());

  return {
    keyOf: (owner) => (isCommon(owner) ? commonKey(owner) : undefined),
    heard(machine, spend) {
      const of = told.get(spend.key) ?? new Map<string, CommonSpend>();
      of.set(machine, spend);
      told.set(spend.key, of);
    },
    usdOf(owner) {
      if (told.size === 0) return 0;
      return nowOf(commonKey(owner)).reduce((sum, { usd }) => sum + usd, 0);
    },
    keysOf: (budget) =>
      [...told.keys()].flatMap((common) => {
        const [name, scope, per, key] = partsOf(common);
        const isIt = name === budget.name && scope === budget.scope && per === budget.per;
        const isWanted = budget.of === undefined || budget.of === key;
        return isIt && isWanted && typeof key === 'string' && nowOf(common).length > 0 ? [key] : [];
      }),
  };
}

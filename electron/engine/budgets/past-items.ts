import type { InboxRow } from '../../ports/journal/inbox';
import type { JournalEntry } from '../../ports/journal/entries';
import type { JournalReads } from '../../ports/journal/reads';
import { settle } from '../inbox/entries';
import type { Span } from './periods';

const MOST = 1_000;

/** The budget and period that an item reports on. */
function toldOf(
  facts: InboxRow['facts'],
): { readonly budget: string; readonly fromMs: number } | undefined {
  if (typeof facts !== 'object' || facts === null || Array.isArray(facts)) return undefined;
  const { budget, level, fromMs } = facts as Readonly<Record<string, unknown>>;
  return typeof budget === 'string' && typeof level === 'string' && typeof fromMs === 'number'
    ? { budget, fromMs }
    : undefined;
}

/** Inbox items about budgets whose period is over and that are no longer true. */
interface PastItems {
  /** Entries that close them. Reads only if a period of an open item can have ended since. */
  entries(nowMs: number, spanOf: (budget: string) => Span | undefined): readonly JournalEntry[];
  /** There is one more item. */
  told(): void;
}

export function createPastItems({ inbox }: Pick<JournalReads, 'inbox'>): PastItems {
  /** No period of an open item ends before this. */
  let nextMs = 0;
  return {
    told() {
      nextMs = 0;
    },
    entries(nowMs, spanOf) {
      if (nowMs < nextMs) return [];
      nextMs = Infinity;
      return inbox({ includeSettled: false, limit: MOST }).flatMap(({ id, facts }) => {
        const told = toldOf(facts);
        const span = told === undefined ? undefined : spanOf(told.budget);
        if (told === undefined || span === undefined) return [];
        nextMs = Math.min(nextMs, span.endMs);
        return span.startMs > told.fromMs ? [settle(id, 'A new period has started')] : [];
      });
    },
  };
}

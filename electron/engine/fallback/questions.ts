/** The question whether waiting turns of an agent may continue with another one. Pure. FB-02 */
import { because } from '../../../shared/reason';
import type { JournalEntry } from '../../ports/journal/entries';
import type { InboxRow } from '../../ports/journal/inbox';
import { openItem } from '../inbox/entries';

/** What a question is about. The same outage or window is asked about once. */
export interface Offer {
  readonly agent: string;
  /** The one that the turns wait for, and the possible fallback. */
  readonly from: string;
  readonly to: string;
  readonly cause: 'outage' | 'limit';
  readonly sinceMs: number;
}

/** Stored outcomes; the names never change. */
export const OFFER_OUTCOMES = { used: 'continued', over: 'over' } as const;

/** The offer in an inbox item; undefined for any other item. */
export function offerOf(facts: unknown): Offer | undefined {
  const offer = (facts as { readonly fallback?: Partial<Offer> } | null | undefined)?.fallback;
  if (typeof offer !== 'object') return undefined;
  const { agent, from, to, cause, sinceMs } = offer;
  return typeof agent === 'string' &&
    typeof from === 'string' &&
    typeof to === 'string' &&
    typeof sinceMs === 'number'
    ? { agent, from, to, cause: cause === 'limit' ? 'limit' : 'outage', sinceMs }
    : undefined;
}

export const isSameOffer = (one: Offer, other: Offer): boolean =>
  one.agent === other.agent &&
  one.from === other.from &&
  one.to === other.to &&
  one.sinceMs === other.sinceMs;

/** The user's answer; undefined for a question that is open or ended without an answer. */
export function answerOf({ settledAtMs, outcome }: InboxRow): 'yes' | 'no' | undefined {
  if (settledAtMs === undefined || outcome === OFFER_OUTCOMES.over) return undefined;
  return outcome === OFFER_OUTCOMES.used ? 'yes' : 'no';
}

export function offerItem(inboxId: number, offer: Offer): JournalEntry {
  const { agent, from, to, cause } = offer;
  const values = { name: agent, first: from, last: to };
  return openItem(inboxId, 'problem', {
    title: `Continue the turns of "${agent}" with ${to}?`,
    detail:
      cause === 'limit'
        ? because('reason.offerLimit', values)
        : because('reason.offerOutage', values),
    facts: { fallback: { ...offer } },
  });
}

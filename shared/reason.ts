/**
 * Why a turn, a run or an outage is as it is, as the journal stores it: the key of a sentence and its
 * values, never prose. What a row says is read in today's words; prose of rows that an earlier version
 * wrote is shown as it is.
 */
import { EN_REASONS } from './messages/en-reasons';
import {
  sayWith,
  type MessageKey,
  type Sentence,
  type SentenceRest,
  type SentenceValue,
} from './messages/sentence';

type ReasonKey = keyof typeof EN_REASONS;

/** One of the sentences of {@link EN_REASONS} with its values. */
export interface Reason extends Sentence {
  readonly key: ReasonKey;
}

/** There is nothing to say. Stored as an empty text. */
export const NO_REASON: Reason = { key: 'reason.none' };

export function because<K extends ReasonKey>(key: K, ...rest: SentenceRest<K>): Reason {
  const [values] = rest;
  return { key, ...(values === undefined ? {} : { values: cut(values) }) };
}

/** Longest text of one value: a reason is for lists, a tool's output stays with its step. */
const MAX_VALUE = 1_000;
const cut = (
  values: Readonly<Record<string, SentenceValue>>,
): Readonly<Record<string, SentenceValue>> =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      typeof value === 'string' ? value.slice(0, MAX_VALUE) : value,
    ]),
  );

/** Words from outside: what a provider, a program or an earlier version has said. */
export const quoted = (text: string): Reason =>
  text === '' ? NO_REASON : because('reason.quoted', { text });

const isReasonKey = (key: unknown): key is ReasonKey =>
  typeof key === 'string' && Object.hasOwn(EN_REASONS, key);

const patternOf = (key: MessageKey): string => (isReasonKey(key) ? EN_REASONS[key] : key);

/** The sentence as people read it; empty for {@link NO_REASON}. */
export const reasonText = (reason: Reason): string => sayWith(patternOf, reason);

/** As a column of the database keeps it. */
export const storedReason = (reason: Reason): string =>
  reason.key === 'reason.none' ? '' : JSON.stringify(reason);

const CODED = '{"key":"reason.';

/** What a column or the body of an entry holds; the prose of earlier versions is quoted. */
export function reasonOf(stored: unknown): Reason {
  if (typeof stored === 'string' && stored.startsWith(CODED)) {
    try {
      return reasonOf(JSON.parse(stored));
    } catch {
      return quoted(stored);
    }
  }
  if (typeof stored === 'string') return quoted(stored);
  if (typeof stored !== 'object' || stored === null) return NO_REASON;
  return 'key' in stored && isReasonKey(stored.key)
    ? (stored as Reason)
    : quoted(JSON.stringify(stored));
}

/** {@link reasonText} of what a column holds. */
export const storedText = (stored: unknown): string => reasonText(reasonOf(stored));

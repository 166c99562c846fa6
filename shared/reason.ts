/**
 * Why a turn, a run or an outage has its state, as the journal stores it: the key of a sentence and
 * its values, never prose. A row is shown in current wording; prose in rows of earlier versions is
 * shown unchanged.
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

/** No reason. Stored as an empty text. */
export const NO_REASON: Reason = { key: 'reason.none' };

export function because<K extends ReasonKey>(key: K, ...rest: SentenceRest<K>): Reason {
  const [values] = rest;
  return { key, ...(values === undefined ? {} : { values: cut(values) }) };
}

/** Maximum text of one value: a reason is for lists, a tool's output stays with its step. */
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

/** External text: from a provider, a program or an earlier version. */
export const quoted = (text: string): Reason =>
  text === '' ? NO_REASON : because('reason.quoted', { text });

const isReasonKey = (key: unknown): key is ReasonKey =>
  typeof key === 'string' && Object.hasOwn(EN_REASONS, key);

const patternOf = (key: MessageKey): string => (isReasonKey(key) ? EN_REASONS[key] : key);

/** The sentence for users; empty for {@link NO_REASON}. */
export const reasonText = (reason: Reason): string => sayWith(patternOf, reason);

/** The form stored in a database column. */
export const storedReason = (reason: Reason): string =>
  reason.key === 'reason.none' ? '' : JSON.stringify(reason);

const CODED = '{"key":"reason.';

/** Reads a column or the body of an entry; prose of earlier versions is quoted. */
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

/** {@link reasonText} of a column's content. */
export const storedText = (stored: unknown): string => reasonText(reasonOf(stored));

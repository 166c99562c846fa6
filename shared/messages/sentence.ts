/**
 * Sentences without a language yet, and how they become text. Nothing here loads the catalogue:
 * code that needs a few messages loads only their part.
 */
import type { EN } from './en';
import { formatMessage, type MessageValue } from './format';

/** Key of a message. */
export type MessageKey = keyof typeof EN;

/** Every name a pattern may use for a value; a test holds the catalogue to it. */
export const VALUE_NAMES = [
  'added',
  'age',
  'cost',
  'count',
  'day',
  'days',
  'duration',
  'electron',
  'file',
  'first',
  'folder',
  'hours',
  'id',
  'input',
  'last',
  'last4',
  'line',
  'minutes',
  'name',
  'number',
  'outcome',
  'output',
  'removed',
  'reused',
  'running',
  'seconds',
  'span',
  'step',
  'text',
  'time',
  'title',
  'tool',
  'version',
  'waiting',
  'what',
  'word',
] as const;
type ValueName = (typeof VALUE_NAMES)[number];

type HeadOf<R> = R extends `${infer A}}${string}`
  ? A extends `${infer B},${string}`
    ? B
    : A
  : never;
/** Names of the values in a pattern. A branch text must not be one of the names alone. */
type NamesIn<S extends string> = S extends `${string}{${infer R}`
  ? Extract<HeadOf<R>, ValueName> | NamesIn<R>
  : never;

/** The names in a message's pattern, each with a value. */
type ValuesOf<K extends MessageKey> = {
  readonly [N in NamesIn<(typeof EN)[K]>]: MessageValue;
};
/** The values of a message, if it has any. */
export type Rest<K extends MessageKey> = [NamesIn<(typeof EN)[K]>] extends [never]
  ? []
  : [values: ValuesOf<K>];

/** Fills a placeholder in a {@link Sentence}: a value, or another message. */
export type SentenceValue = MessageValue | Sentence;

/**
 * A message and its values, not yet in any language: main passes it on, and each window renders it
 * in its own language.
 */
export interface Sentence {
  readonly key: MessageKey;
  readonly values?: Readonly<Record<string, SentenceValue>> | undefined;
}

/** The values of a sentence, if its pattern has any. */
export type SentenceRest<K extends MessageKey> = [NamesIn<(typeof EN)[K]>] extends [never]
  ? []
  : [values: { readonly [N in NamesIn<(typeof EN)[K]>]: SentenceValue }];

/** The sentence of a key with its values. */
export function sentence<K extends MessageKey>(key: K, ...rest: SentenceRest<K>): Sentence {
  const [values] = rest;
  return { key, ...(values === undefined ? {} : { values }) };
}

/** A sentence in the language whose patterns `patternOf` knows. */
export function sayWith(
  patternOf: (key: MessageKey) => string,
  { key, values = {} }: Sentence,
): string {
  const said = Object.entries(values).map(([name, value]) => [
    name,
    typeof value === 'object' ? sayWith(patternOf, value) : value,
  ]);
  return formatMessage(patternOf(key), Object.fromEntries(said) as Record<string, MessageValue>);
}

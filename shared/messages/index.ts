/**
 * The catalogue of everything the windows say. One language so far; keys are typed, and so are the
 * names of the values where the pattern names them.
 */
import { EN } from './en';
import { formatMessage } from './format';
import type { MessageValue } from './format';
import { pseudo } from './pseudo';

export { formatMessage, namesInMessage, parseMessage } from './format';
export type { MessageValue, MessageValues } from './format';
export { pseudo } from './pseudo';

export const CATALOGUE = EN;
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
  'outcome',
  'output',
  'removed',
  'reused',
  'running',
  'seconds',
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

type ValuesOf<K extends MessageKey> = { readonly [N in NamesIn<(typeof EN)[K]>]: MessageValue };
type Rest<K extends MessageKey> = [NamesIn<(typeof EN)[K]>] extends [never]
  ? []
  : [values: ValuesOf<K>];

/** What fills a place in a {@link Sentence}: a value, or a message of its own. */
export type SentenceValue = MessageValue | Sentence;

/**
 * A message and what fills it, not yet in any language: main hands these on, and each window says them
 * in its own.
 */
export interface Sentence {
  readonly key: MessageKey;
  readonly values?: Readonly<Record<string, SentenceValue>> | undefined;
}

type SentenceRest<K extends MessageKey> = [NamesIn<(typeof EN)[K]>] extends [never]
  ? []
  : [values: { readonly [N in NamesIn<(typeof EN)[K]>]: SentenceValue }];

/** The sentence of a key with its values. */
export function sentence<K extends MessageKey>(key: K, ...rest: SentenceRest<K>): Sentence {
  const [values] = rest;
  return { key, ...(values === undefined ? {} : { values }) };
}

/** A sentence in the language of the catalogue. */
export function sentenceText({ key, values = {} }: Sentence): string {
  const said = Object.entries(values).map(([name, value]) => [
    name,
    typeof value === 'object' ? sentenceText(value) : value,
  ]);
  return formatMessage(patternOf(key), Object.fromEntries(said) as Record<string, MessageValue>);
}

/** `pseudo` is the pretended language of the tests; see {@link pseudo}. */
export const CATALOGUE_LOCALES = ['en', 'pseudo'] as const;
export type CatalogueLocale = (typeof CATALOGUE_LOCALES)[number];

let patternOf = (key: MessageKey): string => EN[key];

/** Chooses what {@link t} says from now on. Call it before anything is drawn. */
export function setCatalogueLocale(locale: CatalogueLocale): void {
  const written = new Map<MessageKey, string>();
  patternOf =
    locale === 'en'
      ? (key) => EN[key]
      : (key) => {
          const known = written.get(key) ?? pseudo(EN[key]);
          written.set(key, known);
          return known;
        };
}

/** The message of a key with its values, in the language of the catalogue. */
export function t<K extends MessageKey>(key: K, ...rest: Rest<K>): string {
  return formatMessage(patternOf(key), rest[0] ?? {});
}

/**
 * The catalogue of all window texts. One language so far; keys are typed, and so are the names of
 * the values that a pattern uses.
 */
import { EN } from './en';
import { formatMessage } from './format';
import { pseudo } from './pseudo';
import { sayWith, type MessageKey, type Rest, type Sentence } from './sentence';

export { formatMessage, namesInMessage, parseMessage } from './format';
export type { MessageValue, MessageValues } from './format';
export { pseudo } from './pseudo';
export { sentence, VALUE_NAMES } from './sentence';
export type { MessageKey, Sentence, SentenceValue } from './sentence';

export const CATALOGUE = EN;

/** A sentence in the language of the catalogue. */
export const sentenceText = (said: Sentence): string => sayWith(patternOf, said);

/** `pseudo` is the pseudo-locale for tests; see {@link pseudo}. */
type CatalogueLocale = 'en' | 'pseudo';

let patternOf = (key: MessageKey): string => EN[key];

/** Sets the language of {@link t}. Call it before the first render. */
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

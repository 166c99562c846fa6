/**
 * The catalogue of everything the windows say. One language so far; keys are typed, and so are the
 * names of the values where the pattern names them.
 */
import { EN } from './en';
import { formatMessage } from './format';
import type { MessageValue } from './format';

export { formatMessage, namesInMessage, parseMessage } from './format';
export type { MessageValue, MessageValues } from './format';

export const CATALOGUE = EN;
/** Key of a message. */
export type MessageKey = keyof typeof EN;

/** Every name a pattern may use for a value; a test holds the catalogue to it. */
export const VALUE_NAMES = [
  'age',
  'cost',
  'count',
  'day',
  'days',
  'duration',
  'electron',
  'file',
  'hours',
  'id',
  'input',
  'last4',
  'line',
  'minutes',
  'name',
  'outcome',
  'output',
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

/** The message of a key with its values, in the language of the catalogue. */
export function t<K extends MessageKey>(key: K, ...rest: Rest<K>): string {
  return formatMessage(EN[key], rest[0] ?? {});
}

import { parseOutside } from '../../../engine/kernel/json-depth';
import { entryOf } from '../../../../shared/table';
import { isJson, type Json } from '../../../engine/kernel/json-object';

/** Reads a request or an answer that is translated only if nothing is lost. Pure. */

/** A request or an answer in the other dialect, or the part without an equivalent. */
export type Translated =
  | { readonly kind: 'exact'; readonly json: Json }
  | { readonly kind: 'inexact'; readonly why: string };

class Inexact extends Error {}

/** @throws an error that {@link exactly} turns into the reason */
export function inexact(why: string): never {
  throw new Inexact(why);
}

/** The result of a translation, or the reason why there is none. */
export function exactly(translate: () => Json): Translated {
  try {
    return { kind: 'exact', json: translate() };
  } catch (error) {
    if (error instanceof Inexact) return { kind: 'inexact', why: error.message };
    throw error;
  }
}

/** Absent and null mean the same in both dialects. */
export const isSet = (value: unknown): boolean => value !== undefined && value !== null;
const saysSomething = (value: unknown): boolean =>
  isSet(value) && !(Array.isArray(value) && value.length === 0);

const MAX_NAME = 60;
const quoted = (name: string): string => `"${name.slice(0, MAX_NAME)}"`;

/** An object of the request; anything else has no equivalent. */
export function objectOf(value: unknown, what: string): Json {
  return isJson(value) ? value : inexact(`${what} is not an object`);
}

export function listOf(value: unknown, what: string): readonly unknown[] {
  return Array.isArray(value) ? (value as unknown[]) : inexact(`${what} is not a list`);
}

export function textOf(value: unknown, what: string): string {
  return typeof value === 'string' ? value : inexact(`${what} is not a text`);
}

/** A known field whose value only states the other dialect's default behavior. */
type Allowed = ReadonlySet<unknown> | 'any';

export const only = (...values: readonly unknown[]): Allowed => new Set(values);

/** Every field must be translated, or have a value that changes nothing. */
export function requireKnown(json: Json, allowed: Readonly<Record<string, Allowed>>): void {
  for (const [name, value] of Object.entries(json)) {
    if (!isSet(value)) continue;
    const known = entryOf(allowed, name);
    if (known === undefined) inexact(`the field ${quoted(name)} has no equivalent there`);
    if (known !== 'any' && !known.has(value))
      inexact(`this value of the field ${quoted(name)} has no equivalent there`);
  }
}

/** Checks the fields of one part of a message. */
export function requireOnly(json: Json, what: string, names: readonly string[]): void {
  const other = Object.keys(json).find(
    (name) => saysSomething(json[name]) && !names.includes(name),
  );
  if (other !== undefined) inexact(`the field ${quoted(other)} of ${what} has no equivalent there`);
}

/** Image types that both dialects accept. */
const IMAGES: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);

export const isImageType = (type: unknown): type is string =>
  typeof type === 'string' && IMAGES.has(type);

/** Arguments of a tool call as an object. */
export function argumentsOf(text: unknown): Json {
  if (text === '') return {};
  let value: unknown;
  try {
    value = parseOutside(textOf(text, 'the arguments of a tool call'));
  } catch (error) {
    if (error instanceof Inexact) throw error;
    return inexact('the arguments of a tool call are not JSON');
  }
  return objectOf(value, 'the arguments of a tool call');
}

/** IDs and names that both dialects accept. */
const PLAIN_NAME = /^[A-Za-z0-9_-]{1,64}$/;

export function plainName(value: unknown, what: string): string {
  return typeof value === 'string' && PLAIN_NAME.test(value)
    ? value
    : inexact(`${what} has characters that are not allowed there`);
}

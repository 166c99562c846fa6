/** Settings with a value for each name. Pure. */
import type { ConfigEntry } from '../../shared/types';

type Values = Readonly<Record<string, unknown>>;

/** The values by name; none if it is no object. */
export const valuesOf = (value: unknown): Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Values) : {};

/** The names in the order in which they are read. */
export const namesOf = (value: unknown): readonly string[] =>
  Object.keys(valuesOf(value)).toSorted((a, b) => a.localeCompare(b));

/** The same value with one name set, or taken out. */
export function withEntry(value: unknown, name: string, given: unknown): Record<string, unknown> {
  const rest = Object.entries(valuesOf(value)).filter(([known]) => known !== name);
  return Object.fromEntries(given === undefined ? rest : [...rest, [name, given]]);
}

/** What a setting has under a name; undefined if there is nothing. */
export function storedUnder(
  entries: readonly ConfigEntry[],
  key: ConfigEntry['key'],
  name: string,
): unknown {
  const all = valuesOf(entries.find((entry) => entry.key === key)?.value);
  return Object.hasOwn(all, name) ? all[name] : undefined;
}

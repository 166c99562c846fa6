import { isDeepStrictEqual } from 'node:util';
import type { SettingKey } from '../../../shared/settings';
import { SETTINGS } from '../../../shared/settings';
import type { Claim, RefusedName } from './clashing-names';
import { claimsOf, NAMING_KEYS, refusedNames } from './clashing-names';
import type { SettingValues } from './last-good';
import type { Entries } from './map-entries';
import { isJson } from '../../engine/kernel/json-object';
import { standIn } from './map-entries';
import type { ReadFile } from './settings-rules';

const noEntries = (value: unknown): Entries => (isJson(value) ? value : {});

/**
 * The values that a file puts into effect: its valid values and entries, and for each invalid one
 * the last valid one. A map never loses more than its invalid entries. Pure. S0-02
 */
export function valuesInForce(reading: ReadFile, good: SettingValues | undefined): SettingValues {
  const values = new Map(reading.values);
  for (const key of reading.bad.keys()) {
    if (good?.has(key) === true) values.set(key, good.get(key));
  }
  for (const { key, name } of reading.badEntries) {
    const last = noEntries(good?.get(key));
    const instead = Object.hasOwn(last, name) ? last[name] : standIn(key, name);
    if (instead === undefined) continue;
    values.set(key, { ...noEntries(values.get(key)), [name]: instead });
  }
  return values;
}

/** Every name in the file, including those of invalid entries, which may be corrected. Pure. */
export const claimsOfFile = (reading: ReadFile, values: SettingValues): readonly Claim[] =>
  claimsOf((key) => ({
    ...noEntries(reading.writtenAt(key)),
    ...noEntries(values.get(key)),
  }));

/** Removes confusable names from their maps. Pure. S3-06 */
export function withoutNames(
  values: SettingValues,
  refused: readonly RefusedName[],
): SettingValues {
  const left = new Map(values);
  for (const key of NAMING_KEYS) {
    const names = new Set(refused.filter((one) => one.key === key).map(({ name }) => name));
    if (names.size === 0 || !left.has(key)) continue;
    const entries = Object.entries(noEntries(left.get(key)));
    left.set(key, Object.fromEntries(entries.filter(([name]) => !names.has(name))));
  }
  return left;
}

/**
 * A complete map that replaces the file's, with the file's invalid entries added: a change based on
 * the current values does not see them, and they may be one letter from valid. An entry that the
 * change names is replaced. Pure.
 */
export function withUnused(
  next: unknown,
  names: readonly string[],
  now: { readonly written: unknown; readonly inForce: unknown },
): unknown {
  if (!isJson(next)) return next;
  const [written, inForce] = [noEntries(now.written), noEntries(now.inForce)];
  const unseen = names.filter(
    (name) =>
      Object.hasOwn(written, name) &&
      (!Object.hasOwn(next, name) || isDeepStrictEqual(next[name], inForce[name])),
  );
  return { ...next, ...Object.fromEntries(unseen.map((name) => [name, written[name]])) };
}

/**
 * Names to reject if external values override the file: the command line or the environment may
 * name a server like an agent in the file. Pure.
 */
export function refusedOverFile(
  inForce: (key: SettingKey) => unknown,
  good: SettingValues | undefined,
): readonly RefusedName[] {
  return refusedNames(
    claimsOf(inForce),
    claimsOf((key) => good?.get(key) ?? SETTINGS[key].default),
  );
}

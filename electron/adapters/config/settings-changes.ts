import type { SettingKey } from '../../../shared/settings';
import { canonicalKey, fallingPair, settingFromText, SETTINGS } from '../../../shared/settings';
import { HoldfastError } from '../../engine/kernel/errors';
import type { MapKey } from '../../ports/settings';
import { claimsOf, NAMING_KEYS, refusedNames } from './clashing-names';
import { checkValue } from './explain-value';
import type { Entries } from './map-entries';
import { isJson } from '../../engine/kernel/json-object';
import { checkEntry } from './map-entries';
import { keysOfSection, nearestKey } from './settings-rules';

/** The error for an unknown setting, with the most similar known one. */
export function unknownKey(key: string): HoldfastError {
  const near = nearestKey(key);
  return new HoldfastError(
    'CONFIG_UNKNOWN_KEY',
    `There is no setting called ${JSON.stringify(key.slice(0, 200))}.`,
    {
      hint:
        near === undefined
          ? 'List all settings with "holdfast config list".'
          : `Did you mean ${near}?`,
      facts: { key: key.slice(0, 200) },
    },
  );
}

/**
 * The single keys that `set(key, value)` changes, validated; null removes a key. Pure.
 * @throws CONFIG_UNKNOWN_KEY, CONFIG_INVALID
 */
export function changesOf(key: string, value: unknown): [SettingKey, unknown][] {
  const known = canonicalKey(key);
  if (known !== undefined) {
    if (value === null) return [[known, undefined]];
    const checked = checkValue(known, value);
    if (checked.ok) return [[known, checked.value]];
    throw wrong(known, checked.sentence);
  }
  const keys = keysOfSection(key);
  if (keys.length === 0) throw unknownKey(key);
  if (value === null) return keys.map((one) => [one, undefined]);
  if (typeof value !== 'object' || Array.isArray(value)) {
    throw new HoldfastError('CONFIG_INVALID', `${key} is a section; it takes an object: { … }.`, {
      hint: `Nothing was changed. Its settings are ${keys.join(', ')}.`,
      facts: { key },
    });
  }
  return Object.entries(value).flatMap(([name, inner]) => changesOf(`${key}.${name}`, inner));
}

/**
 * The map to write for a change of one of its entries; the others stay as in the file, even invalid
 * ones: they may still be corrected by hand. Undefined removes the entry. Pure.
 * @throws CONFIG_INVALID
 */
export function entryChange(
  key: MapKey,
  name: string,
  value: unknown,
  now: { readonly inForce: (key: SettingKey) => unknown; readonly written: unknown },
): unknown {
  const before = isJson(now.written) ? now.written : now.inForce(key);
  const others = Object.entries(isJson(before) ? before : {}).filter(([one]) => one !== name);
  if (value === undefined) return Object.fromEntries(others);
  const checked = checkEntry(key, name, value);
  if (!checked.ok) throw wrong(key, checked.sentence);
  const own = (checked.value as Entries)[name];
  const inForce = now.inForce(key);
  const next = { ...(isJson(inForce) ? inForce : {}), [name]: own };
  refuseFalling([[key, next]], now.inForce);
  // In its old position, so that a hand-ordered file keeps its order.
  return isJson(before) && Object.hasOwn(before, name)
    ? { ...before, [name]: own }
    : Object.fromEntries([...others, [name, own]]);
}

const wrong = (key: SettingKey, sentence: string): HoldfastError =>
  new HoldfastError('CONFIG_INVALID', `${sentence}.`, {
    hint: 'Nothing was changed.',
    facts: { key },
  });

/**
 * Rejects wrong values given for this start only: unlike with a wrong line in the file, the user
 * can correct them at once, and a start that ignored them would do something else. Pure.
 * @throws CONFIG_UNKNOWN_KEY, CONFIG_INVALID
 */
export function refuseWrongOverrides(overrides: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(overrides)) {
    const key = canonicalKey(name);
    changesOf(
      name,
      key === undefined || typeof value !== 'string' ? value : settingFromText(key, value),
    );
  }
}

/**
 * Rejects two limits whose upper one would be below the lower one, and names that could be
 * confused. Pure.
 * @throws CONFIG_INVALID
 */
export function refuseFalling(
  changes: readonly (readonly [SettingKey, unknown])[],
  inForce: (key: SettingKey) => unknown,
): void {
  const changed = new Map(changes);
  const valueOf = (key: SettingKey): unknown => {
    if (!changed.has(key)) return inForce(key);
    return changed.get(key) ?? SETTINGS[key].default;
  };
  const pair = fallingPair(valueOf);
  if (pair?.keys.some((key) => changed.has(key)) === true)
    throw new HoldfastError('CONFIG_INVALID', `${pair.sentence}.`, {
      hint: 'Nothing was changed. Set the other one first.',
      facts: { key: pair.keys[1] },
    });
  if (!NAMING_KEYS.some((key) => changed.has(key))) return;
  const [refused] = refusedNames(claimsOf(valueOf), claimsOf(inForce));
  if (refused === undefined) return;
  throw wrong(refused.key, refused.sentence);
}

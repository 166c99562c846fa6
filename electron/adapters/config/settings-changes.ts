import type { SettingKey } from '../../../shared/settings';
import { canonicalKey, fallingPair, settingFromText, SETTINGS } from '../../../shared/settings';
import { HoldfastError } from '../../engine/kernel/errors';
import { checkValue } from './explain-value';
import { keysOfSection, nearestKey } from './settings-model';

/** The refusal of a name that is no setting, with the nearest one that is. */
export function unknownKey(key: string): HoldfastError {
  const near = nearestKey(key);
  return new HoldfastError(
    'CONFIG_UNKNOWN_KEY',
    `There is no setting called ${JSON.stringify(key.slice(0, 200))}.`,
    {
      hint:
        near === undefined
          ? 'See all settings with "holdfast config get".'
          : `Did you mean ${near}?`,
      facts: { key: key.slice(0, 200) },
    },
  );
}

/**
 * The single keys that `set(key, value)` means, validated; null takes a key out. Pure.
 * @throws CONFIG_UNKNOWN_KEY, CONFIG_INVALID
 */
export function changesOf(key: string, value: unknown): [SettingKey, unknown][] {
  const known = canonicalKey(key);
  if (known !== undefined) {
    if (value === null) return [[known, undefined]];
    const checked = checkValue(known, value);
    if (checked.ok) return [[known, checked.value]];
    throw new HoldfastError('CONFIG_INVALID', `${checked.sentence}.`, {
      hint: 'Nothing was changed.',
      facts: { key: known },
    });
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
 * Refuses what was typed for this start only: unlike a wrong line of the file, it is in front of
 * who can correct it, and a start that ignored it would do something else than asked. Pure.
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
 * Refuses two limits of which the upper one would be below the lower one. Pure.
 * @throws CONFIG_INVALID
 */
export function refuseFalling(
  changes: readonly (readonly [SettingKey, unknown])[],
  inForce: (key: SettingKey) => unknown,
): void {
  const changed = new Map(changes);
  const pair = fallingPair((key) => {
    if (!changed.has(key)) return inForce(key);
    return changed.get(key) ?? SETTINGS[key].default;
  });
  if (pair === undefined || !pair.keys.some((key) => changed.has(key))) return;
  throw new HoldfastError('CONFIG_INVALID', `${pair.sentence}.`, {
    hint:
      pair.keys[1] === 'mcp.servers'
        ? 'Nothing was changed.'
        : 'Nothing was changed. Set the other one first.',
    facts: { key: pair.keys[1] },
  });
}

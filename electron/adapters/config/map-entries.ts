import { z } from 'zod';
import type { SettingKey } from '../../../shared/settings';
import { SETTINGS } from '../../../shared/settings';
import { checkValue } from './explain-value';
import { isJson } from '../../engine/kernel/json-object';

/** One invalid entry of a map. */
export interface BadEntry {
  readonly name: string;
  readonly sentence: string;
}

/** What of a value can be used. */
type Sifted =
  | { readonly kind: 'usable'; readonly value: unknown; readonly bad: readonly BadEntry[] }
  | { readonly kind: 'unusable'; readonly sentence: string };

export type Entries = Readonly<Record<string, unknown>>;

/** True for a setting with named entries: servers, providers, agents, rules. */
export const isMap = (key: SettingKey): boolean => {
  const schema: z.ZodType = SETTINGS[key].schema;
  return schema instanceof z.ZodRecord;
};

/** Validates one entry of a map. */
export const checkEntry = (
  key: SettingKey,
  name: string,
  entry: unknown,
): ReturnType<typeof checkValue> => checkValue(key, Object.fromEntries([[name, entry]]));

/**
 * Removes invalid entries from a map one by one, so that one wrong server, provider or agent does
 * not affect the others; any other value is valid or invalid as a whole. Conflicts between names
 * are not checked here. Pure. S0-02
 */
export function siftValue(key: SettingKey, value: unknown): Sifted {
  const whole = checkValue(key, value);
  if (whole.ok) return { kind: 'usable', value: whole.value, bad: [] };
  if (!isMap(key) || !isJson(value)) return { kind: 'unusable', sentence: whole.sentence };
  const usable: [string, unknown][] = [];
  const bad: BadEntry[] = [];
  for (const [name, entry] of Object.entries(value)) {
    const checked = checkEntry(key, name, entry);
    if (checked.ok) usable.push(...Object.entries(checked.value as Entries));
    else bad.push({ name, sentence: checked.sentence });
  }
  return { kind: 'usable', value: Object.fromEntries(usable), bad };
}

/**
 * Replaces an invalid entry that was never valid. An unreadable rule for a tool may have been a
 * denial, so the tool asks. Otherwise nothing replaces it, and the general setting applies.
 */
export function standIn(key: SettingKey, name: string): unknown {
  if (key !== 'approvals.tools') return undefined;
  return checkEntry(key, name, 'ask').ok ? 'ask' : undefined;
}

import { z } from 'zod';
import type { SettingKey } from '../../../shared/settings';
import { SETTINGS } from '../../../shared/settings';
import { checkValue } from './explain-value';

/** One entry of a map that cannot be used. */
export interface BadEntry {
  readonly name: string;
  readonly sentence: string;
}

/** What of a value can be used. */
type Sifted =
  | { readonly kind: 'usable'; readonly value: unknown; readonly bad: readonly BadEntry[] }
  | { readonly kind: 'unusable'; readonly sentence: string };

export type Entries = Readonly<Record<string, unknown>>;

export const isEntries = (value: unknown): value is Entries =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** True for a setting whose value has entries by name: servers, providers, agents, rules. */
export const isMap = (key: SettingKey): boolean => {
  const schema: z.ZodType = SETTINGS[key].schema;
  return schema instanceof z.ZodRecord;
};

/** An entry of a map, looked at alone. */
export const checkEntry = (
  key: SettingKey,
  name: string,
  entry: unknown,
): ReturnType<typeof checkValue> => checkValue(key, Object.fromEntries([[name, entry]]));

/**
 * Takes out of a map what cannot be used, entry by entry, so that one wrong server, provider or agent
 * costs no other one; any other value is usable or not as a whole. Whether two names of a map go
 * together is not judged here. Pure. S0-02
 */
export function siftValue(key: SettingKey, value: unknown): Sifted {
  const whole = checkValue(key, value);
  if (whole.ok) return { kind: 'usable', value: whole.value, bad: [] };
  if (!isMap(key) || !isEntries(value)) return { kind: 'unusable', sentence: whole.sentence };
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
 * What stands for a bad entry that was never good. A rule for a tool that nobody can read may have
 * been a no: it asks. Else nothing does, and what is said in general applies.
 */
export function standIn(key: SettingKey, name: string): unknown {
  if (key !== 'approvals.tools') return undefined;
  return checkEntry(key, name, 'ask').ok ? 'ask' : undefined;
}

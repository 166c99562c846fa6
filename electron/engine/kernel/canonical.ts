import type { JsonValue } from '../../ports/provider';

/**
 * Canonical JSON: keys sorted by UTF-16 code unit, no white space, numbers as ECMAScript prints
 * them, -0 as 0. Equal values give equal text whatever the key order. Source: S4-+01.
 */
export function canonicalJson(value: JsonValue): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value === 0 ? 0 : value);
  if (Array.isArray(value))
    return `[${(value as readonly JsonValue[]).map(canonicalJson).join(',')}]`;
  const record = value as Readonly<Record<string, JsonValue>>;
  const members = Object.keys(record)
    .filter((key) => record[key] !== undefined)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonicalJson(record[key] ?? null)}`);
  return `{${members.join(',')}}`;
}

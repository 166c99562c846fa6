import type { JsonValue } from '../../ports/provider';

/**
 * Canonical JSON: keys sorted by UTF-16 code unit, no white space, numbers as ECMAScript prints
 * them, -0 as 0. Equal values give equal text whatever the key order. `known` holds prebuilt texts
 * of the outermost object's members. Source: S4-+01.
 */
export function canonicalJson(value: JsonValue, known?: Readonly<Record<string, string>>): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value === 0 ? 0 : value);
  if (Array.isArray(value)) {
    const items = value as readonly JsonValue[];
    let list = '';
    for (let index = 0; index < items.length; index += 1)
      list += `${index === 0 ? '' : ','}${canonicalJson(items[index] ?? null)}`;
    return `[${list}]`;
  }
  const record = value as Readonly<Record<string, JsonValue>>;
  // The common case for arguments and messages: one call for all their members.
  if (isFlatAndSorted(record)) return JSON.stringify(record);
  let members = '';
  for (const key of sorted(Object.keys(record))) {
    const member = record[key];
    if (member === undefined) continue;
    const text = known?.[key] ?? canonicalJson(member);
    members += `${members === '' ? '' : ','}${quoted(key)}:${text}`;
  }
  return `{${members}}`;
}

/** True if the keys are already in canonical order and no member needs sorting. */
function isFlatAndSorted(record: Readonly<Record<string, JsonValue>>): boolean {
  let before = '';
  for (const key in record) {
    const member = record[key];
    if (key < before || (typeof member === 'object' && member !== null)) return false;
    before = key;
  }
  return true;
}

function sorted(keys: string[]): readonly string[] {
  for (let index = 1; index < keys.length; index += 1)
    if ((keys[index] ?? '') < (keys[index - 1] ?? '')) return keys.sort();
  return keys;
}

/** Member names are few and recur often. */
const PLAIN_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

function quoted(name: string): string {
  return PLAIN_NAME.test(name) ? `"${name}"` : JSON.stringify(name);
}

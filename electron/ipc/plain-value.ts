/**
 * First look at anything that a window sends, before its schema: plain data of bounded size only.
 * Schemas ignore keys like `__proto__` that structured clone lets through; this does not.
 */

const FORBIDDEN_KEYS: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/** More values than any verb needs: `tools` of an agent and `side_effect_tools` are far below. */
const MAX_VALUES = 20_000;
const MAX_DEPTH = 32;

/** Undefined for plain data, otherwise what is wrong with it; never contains the data. */
export function refuseValue(root: unknown): string | undefined {
  let left = MAX_VALUES;
  const look = (value: unknown, depth: number): string | undefined => {
    left -= 1;
    if (left < 0) return 'too_many_values';
    if (depth > MAX_DEPTH) return 'too_deep';
    switch (typeof value) {
      case 'string':
      case 'boolean':
      case 'undefined':
        return undefined;
      case 'number':
        return Number.isFinite(value) ? undefined : 'not_a_finite_number';
      case 'object':
        break;
      default:
        return 'not_plain_data';
    }
    if (value === null) return undefined;
    if (Array.isArray(value)) {
      if (value.length > left) return 'too_many_values';
      for (const item of value) {
        const refusal = look(item, depth + 1);
        if (refusal !== undefined) return refusal;
      }
      return undefined;
    }
    const prototype: unknown = Object.getPrototypeOf(value);
    if (prototype !== null && Object.getPrototypeOf(prototype) !== null) return 'not_plain_data';
    for (const key of Reflect.ownKeys(value)) {
      if (typeof key !== 'string') return 'not_plain_data';
      if (FORBIDDEN_KEYS.has(key)) return 'forbidden_key';
      const refusal = look((value as Record<string, unknown>)[key], depth + 1);
      if (refusal !== undefined) return refusal;
    }
    return undefined;
  };
  return look(root, 0);
}

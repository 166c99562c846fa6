import { z } from 'zod';
import { isSecretKey, redactText } from '../../../shared/redact';
import type { SettingKey } from '../../../shared/settings';
import { SETTINGS } from '../../../shared/settings';

/** A user may have pasted a key into these, so messages never repeat their values. */
const NEVER_QUOTED: readonly SettingKey[] = ['providers', 'agents', 'mcp.servers'];

const hasLength = (origin: string): boolean => origin === 'string' || origin === 'array';

/** Result of {@link checkValue}. */
type CheckedValue =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly sentence: string };

/**
 * Validates a value for a key; the sentence names the key, the allowed values and the given one.
 */
export function checkValue(key: SettingKey, value: unknown): CheckedValue {
  const result = SETTINGS[key].schema.safeParse(value);
  if (result.success) return { ok: true, value: result.data };
  const issue = result.error.issues[0];
  const sentence = issue === undefined ? `${key} has a wrong value` : explain(key, value, issue);
  return { ok: false, sentence: redactText(sentence).slice(0, 600) };
}

/** Allowed values if the key is a choice. */
export function choicesOf(key: SettingKey): string[] | undefined {
  const schema: z.ZodType = SETTINGS[key].schema;
  return schema instanceof z.ZodEnum ? schema.options.map(String) : undefined;
}

function explain(key: SettingKey, value: unknown, issue: z.core.$ZodIssue): string {
  const path = issue.path.map(String);
  const where = [key, ...path].join('.').slice(0, 200);
  const given = at(value, path);
  const quoted = NEVER_QUOTED.includes(key) ? 'the value' : quote(given);
  const schema: z.ZodType = SETTINGS[key].schema;

  if (path.length === 0 && schema instanceof z.ZodNumber) {
    const what = schema.isInt ? 'a whole number' : 'a number';
    const range = `from ${String(schema.minValue)} to ${String(schema.maxValue)}`;
    const note =
      typeof given === 'string' && /^-?[\d.]+$/.test(given)
        ? ' (it is text; leave out the quotes)'
        : '';
    return `${where} must be ${what} ${range}; ${quoted} is not${note}`;
  }
  switch (issue.code) {
    case 'invalid_value':
      return `${where} must be one of ${issue.values.map(String).join(', ')}; ${quoted} is not`;
    case 'invalid_type':
      return given === undefined
        ? `${where} is missing; it must be ${typeName(issue.expected)}`
        : `${where} must be ${typeName(issue.expected)}; ${quoted} is not`;
    case 'too_small':
      return `${where} is too ${hasLength(issue.origin) ? 'short' : 'small'}; the minimum is ${String(issue.minimum)}`;
    case 'too_big':
      return `${where} is too ${hasLength(issue.origin) ? 'long' : 'large'}; the maximum is ${String(issue.maximum)}`;
    case 'unrecognized_keys': {
      const names = issue.keys.map((name) => JSON.stringify(name.slice(0, 60))).join(', ');
      const isKey = issue.keys.some(isSecretKey);
      return isKey
        ? `${where} cannot hold ${names}: API keys are never in this file. Remove it, and enter the API key under Providers or set api_key_env or api_key_file`
        : `${where} has no setting called ${names}`;
    }
    case 'invalid_key':
      return `${JSON.stringify((path.at(-1) ?? '').slice(0, 60))} cannot be a name in ${key}: ${issue.issues[0]?.message ?? 'wrong form'}`;
    case 'custom':
    case 'invalid_union':
      return `${where}: ${issue.message}`;
    case 'invalid_format':
      return issue.message.startsWith('Invalid')
        ? `${where} has the wrong form`
        : `${where}: ${issue.message}`;
    case 'not_multiple_of':
    case 'invalid_element':
      return `${where} has a wrong value`;
  }
}

function at(value: unknown, path: readonly string[]): unknown {
  let found = value;
  for (const name of path) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, name))
      return undefined;
    found = (found as Record<string, unknown>)[name];
  }
  return found;
}

/** A value formatted for a message: short, without secrets. */
export function quote(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object' && value !== null) return 'an object';
  return redactText(
    JSON.stringify(typeof value === 'string' ? value.slice(0, 40) : value) ?? 'nothing',
  );
}

function typeName(expected: string): string {
  switch (expected) {
    case 'boolean':
      return 'true or false';
    case 'array':
      return 'a list: ["a", "b"]';
    case 'object':
    case 'record':
      return 'an object: { … }';
    case 'string':
      return 'text';
    case 'int':
      return 'a whole number';
    default:
      return `a ${expected}`;
  }
}

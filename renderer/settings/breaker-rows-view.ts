/** Exceptions for single circuit breakers: what a row shows, and the value it writes. Pure. */
import { namesOf, valuesOf } from '../parts/named-values';

export const BREAKER_FIELDS = [
  'failure_threshold',
  'success_threshold',
  'initial_backoff',
  'max_backoff',
] as const;
type BreakerField = (typeof BREAKER_FIELDS)[number];
type BreakerValue = Readonly<Partial<Record<BreakerField, string | number>>>;

interface BreakerRow {
  readonly name: string;
  /** As typed; empty means the value for all others. */
  readonly fields: Readonly<Record<BreakerField, string>>;
}

/** The exceptions by name. */
export const breakerRows = (value: unknown): readonly BreakerRow[] =>
  namesOf(value).map((name) => ({ name, fields: fieldsOf(valuesOf(valuesOf(value)[name])) }));

const fieldsOf = (given: ReturnType<typeof valuesOf>): BreakerRow['fields'] =>
  Object.fromEntries(
    BREAKER_FIELDS.map((field) => {
      const one = given[field];
      return [field, typeof one === 'string' || typeof one === 'number' ? String(one) : ''];
    }),
  ) as BreakerRow['fields'];

/** The value of a typed field: digits alone are a count, or milliseconds. */
const typed = (text: string): string | number => (/^\d+$/.test(text) ? Number(text) : text);

/** The same value with one field of one breaker changed; an empty field is removed. */
export function withBreakerField(
  value: unknown,
  name: string,
  field: BreakerField,
  text: string,
): Record<string, BreakerValue> {
  return Object.fromEntries(
    breakerRows(value).map((row) => {
      const fields = row.name === name ? { ...row.fields, [field]: text.trim() } : row.fields;
      return [row.name, valueOf(fields)];
    }),
  );
}

const valueOf = (fields: BreakerRow['fields']): BreakerValue =>
  Object.fromEntries(
    BREAKER_FIELDS.flatMap((field) =>
      fields[field] === '' ? [] : [[field, typed(fields[field])]],
    ),
  );

/** Adds a breaker without exceptions yet, or removes one. */
export function withBreaker(
  value: unknown,
  name: string,
  isThere: boolean,
): Record<string, BreakerValue> {
  const rows = breakerRows(value).filter((row) => isThere || row.name !== name);
  // One that is there already keeps its fields.
  return {
    ...(isThere ? { [name]: {} } : {}),
    ...Object.fromEntries(rows.map((row) => [row.name, valueOf(row.fields)])),
  };
}

/** A row as SQLite returns it. The code that reads a column checks its type. */
export type Row = Readonly<Record<string, unknown>>;

/** A number that may be absent. */
export const numberOr = (value: unknown): number | undefined =>
  typeof value === 'number' ? value : undefined;

/** A text that may be absent. */
export const textOr = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : undefined;

/**
 * Undefined for a damaged text. Do not use it for a text that decides whether something is done
 * again.
 */
export function orUndefined<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

/** One damaged row must not hide the others. */
export const eachReadable = <T extends object>(
  rows: readonly Row[],
  read: (row: Row) => T,
): readonly T[] => rows.flatMap((row) => orUndefined(() => read(row)) ?? []);

/** A row as SQLite returns it: the code that reads a column checks its type. */
export type Row = Readonly<Record<string, unknown>>;

/** A number that may be absent. */
export const numberOr = (value: unknown): number | undefined =>
  typeof value === 'number' ? value : undefined;

/** A row as SQLite answers it: whoever reads a column says what it is. */
export type Row = Readonly<Record<string, unknown>>;

/** A number that may be absent. */
export const numberOr = (value: unknown): number | undefined =>
  typeof value === 'number' ? value : undefined;

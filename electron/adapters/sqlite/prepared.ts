import type Database from 'better-sqlite3';
import type { Row } from './row';

/**
 * Statements by their text, each prepared on first use and cached. Every reader has its own:
 * `pluck()` and `raw()` stick to a statement, and one reader's choice must not affect another.
 */
export function preparedOnce(
  db: Database.Database,
  prepare = (text: string): Database.Statement => db.prepare(text),
): (text: string) => Database.Statement {
  const known = new Map<string, Database.Statement>();
  return (text) => {
    let statement = known.get(text);
    if (statement === undefined) {
      statement = prepare(text);
      known.set(text, statement);
    }
    return statement;
  };
}

/** Reads by the text of their statement. */
export interface Queries {
  readonly rows: (text: string, ...values: unknown[]) => Row[];
  readonly row: (text: string, ...values: unknown[]) => Row | undefined;
  /** The row as `of` reads it; undefined if there is none. */
  readonly one: <T>(of: (row: Row) => T, text: string, ...values: unknown[]) => T | undefined;
  readonly has: (text: string, ...values: unknown[]) => boolean;
  /** The first column of the row; undefined if there is none. */
  readonly value: (text: string, ...values: unknown[]) => unknown;
  /** The first column of the row as a number; 0 if there is none. */
  readonly count: (text: string, ...values: unknown[]) => number;
}

export function queries(db: Database.Database): Queries {
  const sql = preparedOnce(db);
  const plucked = preparedOnce(db, (text) => db.prepare(text).pluck());
  const row: Queries['row'] = (text, ...values) => sql(text).get(...values) as Row | undefined;
  const value: Queries['value'] = (text, ...values) => plucked(text).get(...values);
  return {
    rows: (text, ...values) => sql(text).all(...values) as Row[],
    row,
    one(of, text, ...values) {
      const found = row(text, ...values);
      return found === undefined ? undefined : of(found);
    },
    has: (text, ...values) => row(text, ...values) !== undefined,
    value,
    count: (text, ...values) => Number(value(text, ...values) ?? 0),
  };
}

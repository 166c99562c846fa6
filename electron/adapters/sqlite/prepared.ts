import type Database from 'better-sqlite3';

/**
 * Statements by their text, each prepared with its first use and kept. Every reader has its own:
 * `pluck()` and `raw()` stick to a statement, and one reader's choice is not another's.
 */
export function preparedOnce(db: Database.Database): (text: string) => Database.Statement {
  const known = new Map<string, Database.Statement>();
  return (text) => {
    let statement = known.get(text);
    if (statement === undefined) {
      statement = db.prepare(text);
      known.set(text, statement);
    }
    return statement;
  };
}

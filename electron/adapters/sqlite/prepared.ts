import type Database from 'better-sqlite3';

/**
 * Statements by their text, each prepared on first use and cached. Every reader has its own:
 * `pluck()` and `raw()` stick to a statement, and one reader's choice must not affect another.
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

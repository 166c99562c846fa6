import type Database from 'better-sqlite3';

/** More of them than one commit is about are a list, which nobody asks for twice. */
const MOST_KEPT = 200;

/**
 * The same read, answered from memory until this connection changes anything: everybody who hears
 * of a commit asks for the turn that it is about. Not inside of a transaction, which may still be
 * taken back, and not where another process writes.
 */
export function untilChanged<Value>(
  db: Database.Database,
  read: (id: number) => Value,
): (id: number) => Value {
  if (db.readonly) return read;
  const changes = db.prepare('SELECT total_changes()').pluck();
  const kept = new Map<number, Value>();
  let keptAt: unknown;
  return (id) => {
    if (db.inTransaction) return read(id);
    const now = changes.get();
    if (now !== keptAt || kept.size >= MOST_KEPT) kept.clear();
    keptAt = now;
    const known = kept.get(id);
    if (known !== undefined) return known;
    const found = read(id);
    kept.set(id, found);
    return found;
  };
}

import type Database from 'better-sqlite3';

/** A result with more turns than one commit concerns is a list, which is not read twice. */
const MAX_KEPT = 200;

/**
 * The same read, cached until this connection changes anything: all listeners of a commit read the
 * turn that it concerns. It is not cached inside a transaction, which may still be rolled back, nor
 * if another process writes.
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
    if (now !== keptAt || kept.size >= MAX_KEPT) kept.clear();
    keptAt = now;
    const known = kept.get(id);
    if (known !== undefined) return known;
    const found = read(id);
    kept.set(id, found);
    return found;
  };
}

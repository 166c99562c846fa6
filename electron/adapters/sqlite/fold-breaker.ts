import type Database from 'better-sqlite3';
import type { JournalEntry } from '../../ports/journal/journal';
import type { BreakerEntry } from '../../ports/journal/breaker';
import type { Applied } from './fold-table';

/** Applies what became of calls to the outside to `breakers`, `call_tries` and `attempts`. */
export function createBreakerFold(
  db: Database.Database,
): (
  entry: BreakerEntry | Extract<JournalEntry, { kind: 'turn.pruned' }>,
  applied: Applied,
) => void {
  const keep = db.prepare(
    `INSERT OR REPLACE INTO breakers
       (name, dependency, state, failures, successes, backoff_ms, opened_at, cause, last_error, changed_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const drop = db.prepare('DELETE FROM breakers WHERE name = ?');
  const tried = db.prepare('INSERT INTO call_tries (turn_id, step, seq) VALUES (?, ?, ?)');
  const pruned = db.prepare('DELETE FROM call_tries WHERE turn_id = ?');
  const attempted = db.prepare(
    `INSERT OR REPLACE INTO attempts
       (name, streak, last_error, next_try_at, held_until, starts_at, tried)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
  );
  const attemptsOver = db.prepare('DELETE FROM attempts WHERE name = ?');
  return (entry, { seq, atMs }) => {
    switch (entry.kind) {
      case 'attempts.kept':
        attempted.run(
          entry.name,
          entry.streak,
          entry.lastError,
          entry.nextTryAtMs ?? null,
          entry.heldUntilMs ?? null,
          entry.startsAtMs === undefined ? null : JSON.stringify(entry.startsAtMs),
          entry.of ?? null,
        );
        return;
      case 'attempts.over':
        attemptsOver.run(entry.name);
        return;
      case 'breaker.moved':
        if (entry.isGone === true) drop.run(entry.name);
        else
          keep.run(
            entry.name,
            entry.dependency,
            entry.state,
            entry.failures,
            entry.successes,
            entry.backoffMs,
            entry.openedAtMs ?? null,
            entry.cause,
            entry.lastError ?? null,
            atMs,
          );
        return;
      case 'call.retried':
        tried.run(entry.turnId, entry.step, seq);
        return;
      case 'turn.pruned':
        pruned.run(entry.turnId);
        return;
    }
  };
}

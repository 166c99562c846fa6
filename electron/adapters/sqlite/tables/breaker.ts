import type Database from 'better-sqlite3';
import { parsedJson } from '../../../../shared/parsed-json';
import type { JournalEntry } from '../../../ports/journal/entries';
import type { BreakerEntry, BreakerReads, CallTryRow } from '../../../ports/journal/breaker';
import type { Applied } from './fold-table';
import type { AttemptState } from '../../../ports/attempts';
import type { ProviderFailureKind } from '../../../ports/provider';
import { queries } from '../prepared';
import { numberOr, type Row } from '../row';

/** Applies the outcomes of external calls to `breakers`, `call_tries` and `attempts`. */
export function createBreakerFold(
  db: Database.Database,
): (
  entry: BreakerEntry | Extract<JournalEntry, { kind: 'turn.pruned' }>,
  applied: Applied,
) => void {
  const keep = db.prepare(
    `INSERT OR REPLACE INTO breakers
       (name, dependency, state, failures, successes, backoff_ms, opened_at, cause, last_error, changed_at)
     VALUES (@name, @dependency, @state, @failures, @successes, @backoffMs, @openedAtMs, @cause,
       @lastError, @atMs)`,
  );
  const drop = db.prepare('DELETE FROM breakers WHERE name = ?');
  const tried = db.prepare('INSERT INTO call_tries (turn_id, step, seq) VALUES (?, ?, ?)');
  const pruned = db.prepare('DELETE FROM call_tries WHERE turn_id = ?');
  const attempted = db.prepare(
    `INSERT OR REPLACE INTO attempts
       (name, streak, last_error, next_try_at, held_until, starts_at, tried)
     VALUES (@name, @streak, @lastError, @nextTryAtMs, @heldUntilMs, @startsAt, @of)`,
  );
  const attemptsOver = db.prepare('DELETE FROM attempts WHERE name = ?');
  return (entry, { seq, atMs }) => {
    switch (entry.kind) {
      case 'attempts.kept':
        attempted.run({
          ...entry,
          nextTryAtMs: entry.nextTryAtMs ?? null,
          heldUntilMs: entry.heldUntilMs ?? null,
          startsAt: entry.startsAtMs === undefined ? null : JSON.stringify(entry.startsAtMs),
          of: entry.of ?? null,
        });
        return;
      case 'attempts.over':
        attemptsOver.run(entry.name);
        return;
      case 'breaker.moved':
        if (entry.isGone === true) drop.run(entry.name);
        else
          keep.run({
            ...entry,
            openedAtMs: entry.openedAtMs ?? null,
            lastError: entry.lastError ?? null,
            atMs,
          });
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

/** Reads of breakers and of retried calls. */
export function createBreakerReads(db: Database.Database): BreakerReads {
  const { rows, one } = queries(db);
  return {
    breakerRows: () =>
      rows(
        `SELECT name, dependency, state, failures, successes, backoff_ms AS backoffMs,
           opened_at AS openedAtMs, cause, last_error AS lastError FROM breakers`,
      ),
    callTries: (turnId, step) =>
      rows(
        `SELECT c.step, j.at_ms, j.body FROM call_tries AS c JOIN journal AS j ON j.seq = c.seq
         WHERE c.turn_id = ? AND c.step = ? ORDER BY c.seq`,
        turnId,
        step,
      ).map(tryOf),
    attempts: (name) => one(attemptsOf, 'SELECT * FROM attempts WHERE name = ?', name),
  };
}

const isTime = (value: unknown): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;

function attemptsOf(row: Row): AttemptState | undefined {
  const { streak, next_try_at: nextTryAtMs, held_until: heldUntilMs, tried } = row;
  if (!isTime(streak)) return undefined;
  const startsAtMs = timesOf(row['starts_at']);
  return {
    streak,
    lastError: String(row['last_error']),
    ...(isTime(nextTryAtMs) ? { nextTryAtMs } : {}),
    ...(isTime(heldUntilMs) ? { heldUntilMs } : {}),
    ...(startsAtMs === undefined ? {} : { startsAtMs }),
    ...(typeof tried === 'string' ? { of: tried } : {}),
  };
}

function timesOf(text: unknown): readonly number[] | undefined {
  if (typeof text !== 'string') return undefined;
  const times = parsedJson(text);
  return Array.isArray(times) && times.every(isTime) ? times : undefined;
}

function tryOf(row: Row): CallTryRow {
  const body = JSON.parse(String(row['body'])) as Row;
  return {
    step: Number(row['step']),
    atMs: Number(row['at_ms']),
    tries: body['tries'] as CallTryRow['tries'],
    dueAtMs: Number(body['dueAtMs']),
    failure: body['failure'] as ProviderFailureKind,
    status: numberOr(body['status']),
    message: String(body['message']),
  };
}

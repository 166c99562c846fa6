import type Database from 'better-sqlite3';
import type { AttemptState } from '../../ports/attempts';
import type { BreakerReads, CallTryRow } from '../../ports/journal/breaker';
import type { ProviderFailureKind } from '../../ports/provider';
import { preparedOnce } from './prepared';

type Row = Record<string, unknown>;

/** Reads of breakers and of calls that were repeated. */
export function createBreakerReads(db: Database.Database): BreakerReads {
  const sql = preparedOnce(db);
  return {
    breakerRows: () =>
      sql(
        `SELECT name, dependency, state, failures, successes, backoff_ms AS backoffMs,
           opened_at AS openedAtMs, cause, last_error AS lastError FROM breakers`,
      ).all() as Row[],
    callTries: (turnId, step) =>
      (
        sql(
          `SELECT c.step, j.at_ms, j.body FROM call_tries AS c JOIN journal AS j ON j.seq = c.seq
           WHERE c.turn_id = ? AND c.step = ? ORDER BY c.seq`,
        ).all(turnId, step) as Row[]
      ).map(tryOf),
    attempts(name) {
      const row = sql('SELECT * FROM attempts WHERE name = ?').get(name) as Row | undefined;
      return row === undefined ? undefined : attemptsOf(row);
    },
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
  try {
    const times: unknown = JSON.parse(text);
    return Array.isArray(times) && times.every(isTime) ? times : undefined;
  } catch {
    return undefined;
  }
}

function tryOf(row: Row): CallTryRow {
  const body = JSON.parse(String(row['body'])) as Row;
  return {
    step: Number(row['step']),
    atMs: Number(row['at_ms']),
    tries: body['tries'] as CallTryRow['tries'],
    dueAtMs: Number(body['dueAtMs']),
    failure: body['failure'] as ProviderFailureKind,
    status: typeof body['status'] === 'number' ? body['status'] : undefined,
    message: String(body['message']),
  };
}

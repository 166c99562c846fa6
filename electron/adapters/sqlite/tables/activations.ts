import { storedReason } from '../../../../shared/reason';
import { activationCode } from './activation-code';
import type Database from 'better-sqlite3';
import {
  ACTIVATION_KINDS,
  type ActivationKind,
  PRIORITIES,
  type Priority,
} from '../../../../shared/activations';
import type { TurnRow } from '../../../ports/journal/rows';
import type { EntryKind } from '../../../ports/journal/entries';
import type { FoldTable } from './fold-table';
import type { ActivationRow, LeaseRow, WakeRow, WorkReads } from '../../../ports/journal/work';
import { KIND_NAMES } from '../journal/entry-codec';
import { createLifeReads } from './session-life';
import { queries } from '../prepared';
import { type Row, numberOr, textOr } from '../row';

const claimBytes = (claimId: string): Buffer => Buffer.from(claimId.replaceAll('-', ''), 'hex');

/** A turn whose run ends in one of these states is blocked. */
const BLOCKING: ReadonlySet<string> = new Set(['waiting', 'held', 'requires_action']);

const workStatements = (db: Database.Database) => {
  const sql = (text: string): Database.Statement => db.prepare(text);
  return {
    event: sql(
      `INSERT OR IGNORE INTO activation_events (seq, event, session_id, turn_id, attempt, claim)
       SELECT @seq, @event, session_id, id, attempt, @claim FROM turns
       WHERE id = @id AND (is_closed = 0 OR closed_seq = @seq)`,
    ),
    wakeEvent: sql(
      `INSERT OR IGNORE INTO activation_events (seq, event, session_id, turn_id, attempt, claim)
       VALUES (?, ?, ?, NULL, 0, NULL)`,
    ),
    leased: sql(
      `UPDATE turns SET claim_id = ?, lease_owner = ?, leased_at = ?, due_at = NULL
       WHERE id = ? AND is_closed = 0`,
    ),
    released: sql('UPDATE turns SET lease_owner = NULL WHERE id = ? AND lease_owner IS NOT NULL'),
    // A run that waited in its process continues after the answer, under the same lease.
    goesOn: sql(
      `UPDATE turns SET lease_owner = (
         SELECT json_extract(j.body, '$.owner') FROM activation_events AS a
         JOIN journal AS j ON j.seq = a.seq
         WHERE a.session_id = turns.session_id AND a.turn_id = turns.id
           AND a.attempt = turns.attempt AND a.event = ${String(activationCode('leased'))}
         ORDER BY a.seq DESC LIMIT 1)
       WHERE id = ? AND is_closed = 0 AND lease_owner IS NULL`,
    ),
    leaseOf: sql('SELECT lease_owner FROM turns WHERE id = ?').pluck(),
    sessionLease: sql(
      'SELECT 1 FROM turns WHERE session_id = ? AND lease_owner IS NOT NULL LIMIT 1',
    ).pluck(),
    nextOf: sql(
      `SELECT id FROM turns WHERE session_id = (SELECT session_id FROM turns WHERE id = @id)
         AND id > @id AND is_closed = 0 AND state = 'queued' ORDER BY id LIMIT 1`,
    ).pluck(),
    wasBlocked: sql(
      `SELECT 1 FROM activation_events WHERE session_id = (SELECT session_id FROM turns WHERE id = @id)
         AND seq > (SELECT prompt_seq FROM turns WHERE id = @id) - 1 AND turn_id = @id
         AND event = ${String(activationCode('blocked'))} LIMIT 1`,
    ).pluck(),
    requeued: sql(
      `UPDATE turns SET state = 'waiting', reason = @reason, streak = @streak, due_at = @dueAtMs,
         last_error = @error WHERE id = @turnId AND is_closed = 0`,
    ),
    undue: sql('UPDATE turns SET due_at = NULL WHERE id = ? AND due_at IS NOT NULL'),
    progress: sql('UPDATE turns SET streak = 0, last_error = NULL WHERE id = ? AND streak <> 0'),
    crashes: sql(
      'UPDATE turns SET crashes = ?, stalls = stalls + ? WHERE id = ? AND is_closed = 0',
    ),
    wakeQueued: sql(
      `INSERT OR REPLACE INTO wakes
         (id, session_id, dedupe_key, due_at, note, priority, queued_at, queued_by, queued_by_turn)
       VALUES (@wakeId, @sessionId, @dedupeKey, @dueAtMs, @note, @priority, @atMs, @by, @turnId)`,
    ),
    wakeConsumed: sql(
      "UPDATE wakes SET state = 'consumed', turn_id = ? WHERE id = ? AND state = 'pending'",
    ),
    wakeCancelled: sql("UPDATE wakes SET state = 'cancelled' WHERE id = ? AND state = 'pending'"),
  };
};

/**
 * Leases, retries, wakes and the history of activations. Applied after the tables of the entry
 * itself; costs nothing for steps of turns that have nothing to retry.
 */
export function createWorkFold(db: Database.Database): Partial<FoldTable<EntryKind>> {
  const on = workStatements(db);
  // As with crashes in the fold of turns, only the progress of these turns has to be written.
  const streaks = new Set(
    db
      .prepare('SELECT id FROM turns WHERE is_closed = 0 AND streak <> 0')
      .pluck()
      .all() as number[],
  );
  const record = (
    event: ActivationKind,
    seq: number,
    turnId: number,
    claim: string | null = null,
  ): void => {
    on.event.run({
      seq,
      event: activationCode(event),
      claim: claim === null ? null : claimBytes(claim),
      id: turnId,
    });
  };

  return {
    'step.ended': (entry) => {
      if (entry.end.state !== 'completed' || !streaks.has(entry.turnId)) return;
      // A read that is only repeated is not progress.
      if (entry.end.drift !== undefined || entry.end.isAfterDrift === true) return;
      on.progress.run(entry.turnId);
      streaks.delete(entry.turnId);
    },
    'message.accepted': (entry, { seq }) => {
      // A wake was ready when it was queued, so its turn is the same activation.
      if (entry.wakeId === undefined) record('ready', seq, entry.turnId);
      if (on.sessionLease.get(entry.sessionId) !== undefined) record('blocked', seq, entry.turnId);
    },
    'turn.started': (entry, { seq, atMs }) => {
      on.leased.run(entry.claimId ?? null, entry.owner ?? null, atMs, entry.turnId);
      record('leased', seq, entry.turnId, entry.claimId ?? null);
      // The next turn of the session finds the session in use; recorded once.
      const next = on.nextOf.get({ id: entry.turnId }) as number | undefined;
      if (next !== undefined && on.wasBlocked.get({ id: next }) === undefined)
        record('blocked', seq, next);
    },
    'turn.state': (entry, { seq }) => {
      if (entry.state === 'running') {
        on.goesOn.run(entry.turnId);
        return;
      }
      const wasLeased = on.leaseOf.get(entry.turnId) != null;
      if (wasLeased) on.released.run(entry.turnId);
      if (entry.state === 'queued') record('ready', seq, entry.turnId);
      else if (entry.state === 'parked')
        record(wasLeased ? 'abandoned' : 'blocked', seq, entry.turnId);
      else if (BLOCKING.has(entry.state)) record('blocked', seq, entry.turnId);
      on.undue.run(entry.turnId);
    },
    'turn.waits': (entry, { seq }) => {
      if (on.leaseOf.get(entry.turnId) != null) on.released.run(entry.turnId);
      on.undue.run(entry.turnId);
      record('blocked', seq, entry.turnId);
    },
    'turn.recovered': (entry, { seq }) => {
      if (on.leaseOf.get(entry.turnId) == null) return;
      on.released.run(entry.turnId);
      record('abandoned', seq, entry.turnId);
    },
    'turn.closed': (entry, { seq }) => {
      on.released.run(entry.turnId);
      on.undue.run(entry.turnId);
      streaks.delete(entry.turnId);
      record('acked', seq, entry.turnId);
    },
    'turn.requeued': (entry, { seq }) => {
      on.released.run(entry.turnId);
      const { changes } = on.requeued.run({ ...entry, reason: storedReason(entry.reason) });
      if (changes === 0) return; // closed in between: stays closed
      streaks.add(entry.turnId);
      record('requeued', seq, entry.turnId);
    },
    'turn.abandoned': (entry, { seq }) => {
      on.released.run(entry.turnId);
      on.crashes.run(entry.crashes, entry.why === 'wake_lease_renew_failed' ? 1 : 0, entry.turnId);
      record('abandoned', seq, entry.turnId);
    },
    'wake.queued': (entry, { seq, atMs }) => {
      on.wakeQueued.run({ ...entry, atMs, turnId: entry.turnId ?? null });
      on.wakeEvent.run(seq, activationCode('ready'), entry.sessionId);
    },
    'wake.consumed': (entry) => {
      on.wakeConsumed.run(entry.turnId, entry.wakeId);
    },
    'wake.cancelled': (entry, { seq }) => {
      on.wakeCancelled.run(entry.wakeId);
      on.wakeEvent.run(seq, activationCode('abandoned'), entry.sessionId);
    },
  };
}

/** Lease and retry columns of a turn's row. Anything other than text counts as absent. */
export function workOf(row: Row): Pick<TurnRow, 'retry' | 'lease'> {
  const streak = Number(row['streak'] ?? 0);
  const dueAtMs = numberOr(row['due_at']);
  return {
    ...(streak > 0 || dueAtMs !== undefined
      ? { retry: { streak, dueAtMs, error: textOr(row['last_error']) ?? '' } }
      : {}),
    ...(typeof row['lease_owner'] === 'string' ? { lease: leaseOf(row) } : {}),
  };
}

function leaseOf(row: Row): LeaseRow {
  return {
    claimId: textOr(row['claim_id']) ?? '',
    owner: textOr(row['lease_owner']) ?? '',
    sinceMs: numberOr(row['leased_at']) ?? 0,
    turnId: Number(row['id']),
    attempt: Number(row['attempt']),
  };
}

const isPriority = (value: unknown): value is Priority =>
  (PRIORITIES as readonly unknown[]).includes(value);

function wakeOf(row: Row): WakeRow {
  return {
    wakeId: String(row['id']),
    sessionId: Number(row['session_id']),
    dedupeKey: String(row['dedupe_key']),
    dueAtMs: Number(row['due_at']),
    note: String(row['note']),
    priority: isPriority(row['priority']) ? row['priority'] : 'normal',
    queuedAtMs: Number(row['queued_at']),
    queuedBy: String(row['queued_by']),
    state: row['state'] as WakeRow['state'],
    turnId: numberOr(row['turn_id']),
    askedByTurnId: numberOr(row['queued_by_turn']),
  };
}

const ACTIVATION_QUERY = `SELECT a.seq, a.event, a.session_id, a.turn_id, a.attempt,
    j.at_ms, j.kind, j.body, s.key AS session_key, s.agent, t.prompt_seq
  FROM activation_events AS a JOIN journal AS j ON j.seq = a.seq
  JOIN sessions AS s ON s.id = a.session_id LEFT JOIN turns AS t ON t.id = a.turn_id`;

/** Reads of leases, wakes and the history of activations. */
export function createWorkReads(db: Database.Database): WorkReads {
  const { rows, row, one, has, value, count } = queries(db);

  const wake = (wakeId: string): WakeRow | undefined =>
    one(wakeOf, 'SELECT * FROM wakes WHERE id = ?', wakeId);
  const wakeOfTurn = (turnId: number): WakeRow | undefined =>
    one(wakeOf, 'SELECT * FROM wakes WHERE turn_id = ?', turnId);

  /** The turn and attempt of a claim. */
  const claimed = (claimId: string): Row | undefined =>
    /^[0-9a-f-]{36}$/i.test(claimId)
      ? row('SELECT turn_id, attempt FROM activation_events WHERE claim = ?', claimBytes(claimId))
      : undefined;

  /** Questions about our own calls name the call; an external agent asks without one. */
  const asksOf = (turnId: number | undefined, seq: number): ActivationRow['asks'] => {
    const asked = value(
      `SELECT q.body FROM requests AS r JOIN journal AS q ON q.seq = r.requested_seq
       WHERE r.turn_id = ? AND r.requested_seq < ? ORDER BY r.requested_seq DESC LIMIT 1`,
      ...[turnId, seq],
    );
    if (asked === undefined) return undefined;
    return 'call' in (JSON.parse(String(asked)) as Row) ? 'call' : 'agent';
  };

  const activationOf = (found: Row): ActivationRow => {
    const body = JSON.parse(String(found['body'] ?? '{}')) as Record<string, unknown>;
    const turnId = numberOr(found['turn_id']);
    const attempt = Number(found['attempt']);
    const leased =
      turnId === undefined || attempt === 0
        ? undefined
        : row(
            `SELECT body FROM journal WHERE seq = (SELECT seq FROM activation_events
               WHERE session_id = ? AND seq <= ? AND turn_id = ? AND attempt = ? AND event = ${String(activationCode('leased'))}
               ORDER BY seq DESC LIMIT 1)`,
            found['session_id'],
            found['seq'],
            turnId,
            attempt,
          );
    const lease = leased === undefined ? {} : (JSON.parse(String(leased['body'])) as Row);
    const startId = numberOr(body['startId']);
    return {
      seq: Number(found['seq']),
      atMs: Number(found['at_ms']),
      event: ACTIVATION_KINDS[Number(found['event'])] ?? 'ready',
      sessionId: Number(found['session_id']),
      sessionKey: String(found['session_key']),
      agent: String(found['agent']),
      turnId,
      attempt,
      claimId: textOr(lease['claimId']),
      owner: textOr(lease['owner']),
      wake: turnId === undefined ? wake(textOr(body['wakeId']) ?? '') : wakeOfTurn(turnId),
      promptSeq: numberOr(found['prompt_seq']),
      body,
      entryKind: KIND_NAMES.get(Number(found['kind'])) ?? 'unknown',
      startReason:
        startId === undefined
          ? undefined
          : textOr(value('SELECT reason FROM starts WHERE id = ?', startId)),
      asks: body['state'] === 'requires_action' ? asksOf(turnId, Number(found['seq'])) : undefined,
    };
  };

  return {
    ...createLifeReads(db),
    activations(filter) {
      const where: string[] = [];
      const values: unknown[] = [];
      const add = (text: string, ...more: unknown[]): void => {
        where.push(text);
        values.push(...more);
      };
      if (filter.sessionId !== undefined) add('a.session_id = ?', filter.sessionId);
      if (filter.claimId !== undefined) {
        const claim = claimed(filter.claimId);
        if (claim === undefined) return [];
        const session = count('SELECT session_id FROM turns WHERE id = ?', claim['turn_id']);
        add('a.session_id = ?', session);
        // What made it ready again later has no owner yet.
        add(
          `a.turn_id = ? AND a.attempt = ? AND a.event <> ${String(activationCode('ready'))}`,
          claim['turn_id'],
          claim['attempt'],
        );
      }
      const events = filter.events ?? [];
      if (events.length > 0)
        add(`a.event IN (${events.map(() => '?').join(', ')})`, ...events.map(activationCode));
      if (filter.afterSeq !== undefined) add('a.seq > ?', filter.afterSeq);
      const order = filter.afterSeq === undefined ? 'DESC' : 'ASC';
      const found = rows(
        `${ACTIVATION_QUERY} ${where.length === 0 ? '' : `WHERE ${where.join(' AND ')}`}
         ORDER BY a.seq ${order}, a.event ${order} LIMIT ?`,
        ...values,
        filter.limit,
      );
      if (filter.afterSeq === undefined) return found.map(activationOf).reverse();
      // One entry can yield two rows, and a caller that continues after its ID would miss the
      // second row.
      const last = found.length < filter.limit ? undefined : found.at(-1);
      if (last !== undefined)
        found.push(
          ...rows(
            `${ACTIVATION_QUERY} WHERE ${where.join(' AND ')} AND a.seq = ? AND a.event > ? ORDER BY a.event`,
            ...values,
            ...[last['seq'], last['event']],
          ),
        );
      return found.map(activationOf);
    },
    lease: (sessionId) =>
      one(
        leaseOf,
        'SELECT * FROM turns WHERE session_id = ? AND lease_owner IS NOT NULL LIMIT 1',
        sessionId,
      ),
    wake,
    wakeByKey: (sessionId, dedupeKey) =>
      one(
        wakeOf,
        `SELECT w.* FROM wakes AS w LEFT JOIN turns AS t ON t.id = w.turn_id
         WHERE w.session_id = ? AND w.dedupe_key = ? AND (w.state = 'pending'
           OR (w.state = 'consumed' AND t.is_closed = 0 AND t.state <> 'running'))
         ORDER BY w.queued_at DESC LIMIT 1`,
        sessionId,
        dedupeKey,
      ),
    pendingWakes: ({ sessionId, limit }) =>
      rows(
        `SELECT * FROM wakes WHERE state = 'pending' ${sessionId === undefined ? '' : 'AND session_id = ?'}
           ORDER BY due_at, id LIMIT ?`,
        ...(sessionId === undefined ? [] : [sessionId]),
        limit,
      ).map(wakeOf),
    countPendingWakes: (sessionId) =>
      count("SELECT count(*) FROM wakes WHERE session_id = ? AND state = 'pending'", sessionId),
    wakeOfTurn,
    wasAskedFor: (turnId, dedupeKey) =>
      has(
        'SELECT 1 FROM wakes WHERE queued_by_turn = ? AND dedupe_key = ? LIMIT 1',
        turnId,
        dedupeKey,
      ),
    wakesQueuedBy: (turnId) =>
      rows(
        'SELECT id, queued_at, due_at FROM wakes WHERE queued_by_turn = ? ORDER BY id LIMIT 100',
        turnId,
      ).map((found) => ({
        wakeId: String(found['id']),
        queuedAtMs: Number(found['queued_at']),
        dueAtMs: Number(found['due_at']),
      })),
    countRetrying: () =>
      count('SELECT count(*) FROM turns WHERE due_at IS NOT NULL AND is_closed = 0') +
      count('SELECT count(*) FROM held_work WHERE is_out = 0'),
  };
}

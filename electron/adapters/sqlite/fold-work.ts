import type Database from 'better-sqlite3';
import { ACTIVATION_KINDS, type ActivationKind } from '../../../shared/activations';
import type { EntryKind } from '../../ports/journal/journal';
import type { FoldTable } from './fold-table';

/** Number of an event in `activation_events`: its position in the list, never changed. */
export const activationCode = (event: ActivationKind): number => ACTIVATION_KINDS.indexOf(event);

const claimBytes = (claimId: string): Buffer => Buffer.from(claimId.replaceAll('-', ''), 'hex');

/** A turn that leaves its run by one of these waits for somebody. */
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
    // A run that waited in its process goes on with the answer under the lease that it had.
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
      `UPDATE turns SET state = 'waiting', reason = ?, streak = ?, due_at = ?, last_error = ?
       WHERE id = ? AND is_closed = 0`,
    ),
    undue: sql('UPDATE turns SET due_at = NULL WHERE id = ? AND due_at IS NOT NULL'),
    progress: sql('UPDATE turns SET streak = 0, last_error = NULL WHERE id = ? AND streak <> 0'),
    crashes: sql(
      'UPDATE turns SET crashes = ?, stalls = stalls + ? WHERE id = ? AND is_closed = 0',
    ),
    wakeQueued: sql(
      `INSERT OR REPLACE INTO wakes (id, session_id, dedupe_key, due_at, note, priority, queued_at, queued_by, queued_by_turn)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
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
  // As with crashes in the fold of turns: only these turns' progress has to be written.
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
      // A read that is merely asked again is no progress.
      if (entry.end.drift !== undefined || entry.end.isAfterDrift === true) return;
      on.progress.run(entry.turnId);
      streaks.delete(entry.turnId);
    },
    'message.accepted': (entry, { seq }) => {
      // A wake was ready when it was queued: its turn is the same activation.
      if (entry.wakeId === undefined) record('ready', seq, entry.turnId);
      if (on.sessionLease.get(entry.sessionId) !== undefined) record('blocked', seq, entry.turnId);
    },
    'turn.started': (entry, { seq, atMs }) => {
      on.leased.run(entry.claimId ?? null, entry.owner ?? null, atMs, entry.turnId);
      record('leased', seq, entry.turnId, entry.claimId ?? null);
      // Whoever is next in the session finds it taken; said once.
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
      const { changes } = on.requeued.run(
        entry.reason,
        entry.streak,
        entry.dueAtMs,
        entry.error,
        entry.turnId,
      );
      if (changes === 0) return; // closed meanwhile: stays closed
      streaks.add(entry.turnId);
      record('requeued', seq, entry.turnId);
    },
    'turn.abandoned': (entry, { seq }) => {
      on.released.run(entry.turnId);
      on.crashes.run(entry.crashes, entry.why === 'wake_lease_renew_failed' ? 1 : 0, entry.turnId);
      record('abandoned', seq, entry.turnId);
    },
    'wake.queued': (entry, { seq, atMs }) => {
      on.wakeQueued.run(
        entry.wakeId,
        entry.sessionId,
        entry.dedupeKey,
        entry.dueAtMs,
        entry.note,
        entry.priority,
        atMs,
        entry.by,
        entry.turnId ?? null,
      );
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

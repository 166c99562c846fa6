import type Database from 'better-sqlite3';
import { PROVIDER_STATES, type ProviderState } from '../../../shared/states';
import type { EntryKind } from '../../ports/journal/journal';
import type { ProviderRecord, Standing } from '../../ports/journal/outage';
import type { Applied, FoldTable } from './fold-table';

/** Numbers in `outage_plot.what`; never changed. */
export const PLOT_CODES = {
  state: 0,
  waiting: 1,
  call: 2,
  trial: 3,
  probe: 4,
  declared: 5,
} as const;

/** What a standing is called where people see it. */
function stateOf(record: ProviderRecord): ProviderState {
  const names: Readonly<Record<Standing['kind'], ProviderState>> = {
    answering: record.failedTurns === 0 ? 'answering' : 'failing',
    down: 'down',
    recovering: 'recovering',
    draining: 'recovering',
    quota: 'quota',
    key: 'key',
  };
  return names[record.standing.kind];
}

const outageStatements = (db: Database.Database) => {
  const sql = (text: string): Database.Statement => db.prepare(text);
  return {
    health: sql(
      `INSERT INTO provider_health (provider, state, record) VALUES (?, ?, ?)
       ON CONFLICT (provider) DO UPDATE SET state = excluded.state, record = excluded.record`,
    ),
    stateOf: sql('SELECT state FROM provider_health WHERE provider = ?').pluck(),
    waitingOf: sql('SELECT waiting FROM provider_health WHERE provider = ?').pluck(),
    waiting: sql(
      `INSERT INTO provider_health (provider, state, waiting) VALUES (?, 0, ?)
       ON CONFLICT (provider) DO UPDATE SET waiting = excluded.waiting`,
    ),
    point: sql(
      'INSERT OR REPLACE INTO outage_plot (provider, seq, what, at_ms, value) VALUES (?, ?, ?, ?, ?)',
    ),
    declared: sql(
      'INSERT INTO outages (id, provider, started_at, failed_turns, reason) VALUES (?, ?, ?, ?, ?)',
    ),
    resolved: sql('UPDATE outages SET resolved_at = ? WHERE id = ? AND resolved_at IS NULL'),
    drained: sql('UPDATE outages SET drained = drained + 1 WHERE id = ?'),
    held: sql('SELECT provider, is_out, outage_id FROM held_work WHERE turn_id = ?'),
    waits: sql(
      `INSERT INTO held_work (turn_id, provider, cause, since, until, rank, outage_id)
       VALUES (@turnId, @provider, @cause, @atMs, @untilMs, @turnId, @outageId)
       ON CONFLICT (turn_id) DO UPDATE SET provider = excluded.provider, cause = excluded.cause,
         until = excluded.until, is_out = 0, outage_id = coalesce(excluded.outage_id, outage_id)`,
    ),
    isOpen: sql('SELECT 1 FROM turns WHERE id = ? AND is_closed = 0').pluck(),
    out: sql('UPDATE held_work SET is_out = 1 WHERE turn_id = ?'),
    gone: sql('DELETE FROM held_work WHERE turn_id = ?'),
    moved: sql('UPDATE held_work SET rank = ? WHERE turn_id = ?'),
    oldPoints: sql(
      `SELECT provider, what, value, max(seq) FROM outage_plot
       WHERE at_ms < ? AND what IN (${String(PLOT_CODES.state)}, ${String(PLOT_CODES.waiting)})
       GROUP BY provider, what`,
    ),
    dropPoints: sql('DELETE FROM outage_plot WHERE at_ms < ?'),
    dropOutages: sql('DELETE FROM outages WHERE resolved_at < ?'),
  };
};

/**
 * The providers' health, outages, the waiting queue and what the picture of them is drawn from.
 * Applied after the tables of the entry itself; entries of turns that never waited cost a look into
 * a set.
 */
export function createOutageFold(db: Database.Database): Partial<FoldTable<EntryKind>> {
  const on = outageStatements(db);
  // Only these turns' entries matter. One too many costs a look that finds nothing.
  const known = new Set(db.prepare('SELECT turn_id FROM held_work').pluck().all() as number[]);

  const point = (
    provider: string,
    what: keyof typeof PLOT_CODES,
    value: number,
    { seq, atMs }: Applied,
  ): void => {
    on.point.run(provider, seq, PLOT_CODES[what], atMs, value);
  };
  const health = (record: ProviderRecord, applied: Applied): void => {
    const state = PROVIDER_STATES.indexOf(stateOf(record));
    const before = on.stateOf.get(record.provider) as number | undefined;
    on.health.run(record.provider, state, JSON.stringify(record));
    if ((before ?? 0) !== state) point(record.provider, 'state', state, applied);
  };
  const count = (provider: string, by: 1 | -1, applied: Applied): void => {
    const before = (on.waitingOf.get(provider) as number | undefined) ?? 0;
    const now = Math.max(0, before + by);
    on.waiting.run(provider, now);
    point(provider, 'waiting', now, applied);
  };
  const leave = (turnId: number, how: 'out' | 'gone', applied: Applied): void => {
    if (!known.has(turnId)) return;
    const row = on.held.get(turnId) as
      { provider: string; is_out: number; outage_id: number | null } | undefined;
    if (row === undefined) return;
    if (row.is_out === 0) count(row.provider, -1, applied);
    if (how === 'out') on.out.run(turnId);
    else {
      on.gone.run(turnId);
      known.delete(turnId);
    }
  };

  /** What was in force at that time stays, as one point each: the picture begins with it. */
  const prune = (beforeMs: number): void => {
    const last = on.oldPoints.all(beforeMs) as {
      provider: string;
      what: number;
      value: number;
    }[];
    on.dropPoints.run(beforeMs);
    for (const { provider, what, value } of last)
      if (value !== 0) on.point.run(provider, 0, what, beforeMs, value);
    on.dropOutages.run(beforeMs);
  };

  return {
    'outage.pruned': (entry) => {
      prune(entry.beforeMs);
    },
    'provider.contact': (entry, applied) => {
      point(entry.provider, 'call', entry.contact === 'success' ? 1 : 0, applied);
      health(entry.record, applied);
    },
    'provider.probed': (entry, applied) => {
      point(entry.provider, entry.why === 'trial' ? 'trial' : 'probe', entry.ok ? 1 : 0, applied);
      health(entry.record, applied);
    },
    'outage.declared': (entry, applied) => {
      on.declared.run(
        entry.outageId,
        entry.provider,
        applied.atMs,
        entry.failedTurns,
        entry.reason,
      );
      point(entry.provider, 'declared', entry.failedTurns, applied);
      health(entry.record, applied);
    },
    'outage.recovering': (entry, applied) => {
      health(entry.record, applied);
    },
    'outage.resolved': (entry, applied) => {
      on.resolved.run(applied.atMs, entry.outageId);
      health(entry.record, applied);
    },
    'turn.waits': (entry, applied) => {
      if (on.isOpen.get(entry.turnId) === undefined) return; // closed meanwhile: stays closed
      const row = on.held.get(entry.turnId) as { provider: string; is_out: number } | undefined;
      on.waits.run({
        turnId: entry.turnId,
        provider: entry.provider,
        cause: entry.cause,
        atMs: applied.atMs,
        untilMs: entry.untilMs ?? null,
        outageId: entry.outageId ?? null,
      });
      known.add(entry.turnId);
      if (row === undefined || row.is_out === 1) count(entry.provider, 1, applied);
    },
    'turn.moved': (entry) => {
      on.moved.run(entry.rank, entry.turnId);
    },
    'turn.started': (entry, applied) => {
      leave(entry.turnId, 'out', applied);
    },
    'turn.closed': (entry, applied) => {
      if (!known.has(entry.turnId)) return;
      const row = on.held.get(entry.turnId) as
        { is_out: number; outage_id: number | null } | undefined;
      if (row?.outage_id != null && row.is_out === 1 && entry.state === 'completed')
        on.drained.run(row.outage_id);
      leave(entry.turnId, 'gone', applied);
    },
    'turn.state': (entry, applied) => {
      // Parked, held, asking: somebody else's turn now. Queued again it may go on waiting.
      if (entry.state !== 'queued' && entry.state !== 'running')
        leave(entry.turnId, 'gone', applied);
    },
  };
}

import { storedReason, storedText } from '../../../../shared/reason';
import { parsedJson } from '../../../../shared/parsed-json';
import type Database from 'better-sqlite3';
import { PROVIDER_STATES, type ProviderState, HELD_CAUSES } from '../../../../shared/states';
import type { EntryKind } from '../../../ports/journal/entries';
import type {
  Fallback,
  ProviderRecord,
  HealthState,
  HeldRow,
  OutageReads,
  OutageRow,
  PlotPoint,
} from '../../../ports/journal/outage';
import type { Applied, FoldTable } from './fold-table';
import { queries } from '../prepared';
import { type Row, numberOr } from '../row';

/** Numbers in `outage_plot.what`. They never change. */
const PLOT_CODES = {
  state: 0,
  waiting: 1,
  call: 2,
  trial: 3,
  probe: 4,
  declared: 5,
} as const;

/** The name of a health state in what users see. */
function stateOf(record: ProviderRecord): ProviderState {
  const names: Readonly<Record<HealthState['kind'], ProviderState>> = {
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
      `INSERT INTO outages (id, provider, started_at, failed_turns, reason)
       VALUES (@outageId, @provider, @atMs, @failedTurns, @reason)`,
    ),
    resolved: sql('UPDATE outages SET resolved_at = ? WHERE id = ? AND resolved_at IS NULL'),
    drained: sql('UPDATE outages SET drained = drained + 1 WHERE id = ?'),
    held: sql('SELECT provider, is_out, outage_id FROM held_work WHERE turn_id = ?'),
    waits: sql(
      `INSERT INTO held_work (turn_id, provider, cause, since, until, rank, outage_id, windows)
       VALUES (@turnId, @provider, @cause, @atMs, @untilMs, @turnId, @outageId, coalesce(@windows, 0))
       ON CONFLICT (turn_id) DO UPDATE SET provider = excluded.provider, cause = excluded.cause,
         until = excluded.until, is_out = 0, goes_now = 0, outage_id = coalesce(excluded.outage_id, outage_id),
         windows = coalesce(@windows, windows)`,
    ),
    isOpen: sql('SELECT 1 FROM turns WHERE id = ? AND is_closed = 0').pluck(),
    out: sql('UPDATE held_work SET is_out = 1 WHERE turn_id = ?'),
    gone: sql('DELETE FROM held_work WHERE turn_id = ?'),
    goes: sql('UPDATE held_work SET goes_now = 1 WHERE turn_id = ?'),
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
 * Applies entries to the health of providers, the outages, the waiting queue and the data of their
 * chart. Runs after the tables of the entry itself; for turns that never waited it costs one lookup
 * in a set.
 */
export function createOutageFold(db: Database.Database): Partial<FoldTable<EntryKind>> {
  const on = outageStatements(db);
  // Only entries of these turns matter. A turn too many costs a lookup that finds nothing.
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

  /** The state at that time is kept, as one point for each part: the chart starts with it. */
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
      on.declared.run({ ...entry, atMs: applied.atMs, reason: storedReason(entry.reason) });
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
      if (on.isOpen.get(entry.turnId) === undefined) return; // closed in between: stays closed
      const row = on.held.get(entry.turnId) as { provider: string; is_out: number } | undefined;
      on.waits.run({
        ...entry,
        atMs: applied.atMs,
        untilMs: entry.untilMs ?? null,
        outageId: entry.outageId ?? null,
        windows: entry.windows ?? null,
      });
      known.add(entry.turnId);
      if (row === undefined || row.is_out === 1) count(entry.provider, 1, applied);
    },
    'turn.goes': (entry) => {
      on.goes.run(entry.turnId);
    },
    'turn.fell_back': (entry, applied) => {
      leave(entry.turnId, 'gone', applied);
    },
    'turn.moved': (entry) => {
      on.moved.run(entry.rank, entry.turnId);
    },
    'turn.started': (entry, applied) => {
      leave(entry.turnId, 'out', applied);
    },
    'turn.requeued': (entry, applied) => {
      // The turn waits for a budget, so the provider is no longer involved.
      if (entry.budget !== undefined) leave(entry.turnId, 'gone', applied);
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
      // A parked, held or asking turn no longer waits for the provider. A turn that is queued again
      // may continue to wait.
      if (entry.state !== 'queued' && entry.state !== 'running')
        leave(entry.turnId, 'gone', applied);
    },
  };
}

/** A damaged list counts as empty: the turn then continues with its own model. */
export function fallbacksOf(row: Row): { readonly fallbacks?: readonly Fallback[] } {
  const read = parsedJson(String(row['fallbacks'] ?? 'null'));
  return Array.isArray(read) && read.length > 0 ? { fallbacks: read as Fallback[] } : {};
}

/** More points than a chart can show; the newest are kept. */
const MAX_POINTS = 20_000;

/** Reads of the outage room. */
export function createOutageReads(db: Database.Database): OutageReads {
  const { rows, row, one, count } = queries(db);
  /** A start must not depend on a damaged record: it is still known whether an outage is open. */
  const withoutRecord = (provider: string): ProviderRecord => {
    const open = row(
      'SELECT * FROM outages WHERE provider = ? AND resolved_at IS NULL ORDER BY id DESC LIMIT 1',
      provider,
    );
    const lastError = 'Its stored state could not be read.';
    if (open === undefined)
      return { provider, failedTurns: 0, tries: 0, standing: { kind: 'answering' }, lastError };
    const { outageId, startedAtMs, failedTurns } = outageOf(open);
    const standing = { kind: 'down', outageId, sinceMs: startedAtMs } as const;
    return { provider, failedTurns, tries: 0, lastTryAtMs: startedAtMs, standing, lastError };
  };
  /**
   * A damaged row is repaired from what is known about its turn: the turn still waits, in its
   * place.
   */
  const heldOf = (found: Row): HeldRow => {
    const turnId = Number(found['turn_id']);
    const acceptedAt = (): unknown =>
      row('SELECT accepted_at FROM turns WHERE id = ?', turnId)?.['accepted_at'];
    return {
      turnId,
      provider: String(found['provider']),
      cause: HELD_CAUSES.find((cause) => cause === found['cause']) ?? 'outage',
      sinceMs: numberOr(found['since']) ?? numberOr(acceptedAt()) ?? 0,
      untilMs: numberOr(found['until']),
      rank: numberOr(found['rank']) ?? turnId,
      isOut: found['is_out'] === 1,
      outageId: numberOr(found['outage_id']),
      windows: numberOr(found['windows']) ?? 0,
      ...(found['goes_now'] === 1 ? { goesNow: true } : {}),
    };
  };
  return {
    providerRecords: () =>
      rows(
        'SELECT provider, record FROM provider_health WHERE record IS NOT NULL ORDER BY provider',
      ).map(({ provider, record }) => recordOf(record) ?? withoutRecord(String(provider))),
    held: (turnId) => one(heldOf, 'SELECT * FROM held_work WHERE turn_id = ?', turnId),
    heldTurns: ({ provider }) =>
      provider === undefined
        ? rows('SELECT * FROM held_work ORDER BY rank, turn_id').map(heldOf)
        : rows('SELECT * FROM held_work WHERE provider = ? ORDER BY rank, turn_id', provider).map(
            heldOf,
          ),
    countHeld: () => count('SELECT count(*) FROM held_work WHERE is_out = 0'),
    outages: ({ provider, limit }) =>
      provider === undefined
        ? rows('SELECT * FROM outages ORDER BY id DESC LIMIT ?', limit).map(outageOf)
        : rows(
            'SELECT * FROM outages WHERE provider = ? ORDER BY id DESC LIMIT ?',
            provider,
            limit,
          ).map(outageOf),
    outage: (outageId) => one(outageOf, 'SELECT * FROM outages WHERE id = ?', outageId),
    plotPoints(provider, fromMs) {
      const before = (what: number): Row[] =>
        rows(
          `SELECT * FROM outage_plot WHERE provider = ? AND what = ? AND at_ms < ?
           ORDER BY seq DESC LIMIT 1`,
          provider,
          what,
          fromMs,
        );
      const since = rows(
        'SELECT * FROM outage_plot WHERE provider = ? AND at_ms >= ? ORDER BY seq DESC LIMIT ?',
        provider,
        fromMs,
        MAX_POINTS,
      );
      return [...before(PLOT_CODES.state), ...before(PLOT_CODES.waiting), ...since.reverse()].map(
        pointOf,
      );
    },
  };
}

const HEALTH_STATES: ReadonlySet<unknown> = new Set<HealthState['kind']>([
  'answering',
  'down',
  'recovering',
  'draining',
  'quota',
  'key',
]);

/** Undefined if the record is damaged. */
function recordOf(text: unknown): ProviderRecord | undefined {
  try {
    const read = JSON.parse(String(text)) as ProviderRecord;
    return HEALTH_STATES.has(read.standing.kind) && Number.isFinite(read.failedTurns)
      ? read
      : undefined;
  } catch {
    return undefined;
  }
}

function outageOf(row: Row): OutageRow {
  return {
    outageId: Number(row['id']),
    provider: String(row['provider']),
    startedAtMs: Number(row['started_at']),
    resolvedAtMs: numberOr(row['resolved_at']),
    failedTurns: Number(row['failed_turns']),
    reason: storedText(row['reason']),
    drained: Number(row['drained']),
  };
}

function pointOf(row: Row): PlotPoint {
  const atMs = Number(row['at_ms']);
  const value = Number(row['value']);
  switch (row['what']) {
    case PLOT_CODES.state:
      return { atMs, what: 'state', state: PROVIDER_STATES[value] ?? 'answering' };
    case PLOT_CODES.waiting:
      return { atMs, what: 'waiting', count: value };
    case PLOT_CODES.declared:
      return { atMs, what: 'declared', failedTurns: value };
    case PLOT_CODES.trial:
      return { atMs, what: 'trial', ok: value === 1 };
    case PLOT_CODES.probe:
      return { atMs, what: 'probe', ok: value === 1 };
    default:
      return { atMs, what: 'call', ok: value === 1 };
  }
}

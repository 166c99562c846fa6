import type Database from 'better-sqlite3';
import { HELD_CAUSES, PROVIDER_STATES } from '../../../shared/states';
import type {
  HeldRow,
  OutageReads,
  OutageRow,
  PlotPoint,
  ProviderRecord,
  Standing,
} from '../../ports/journal/outage';
import { PLOT_CODES } from './fold-outage';
import { preparedOnce } from './prepared';

type Row = Record<string, unknown>;
const numberOr = (value: unknown): number | undefined =>
  typeof value === 'number' ? value : undefined;

/** More points than a picture can show; the newest are kept. */
const MAX_POINTS = 20_000;

/** Reads of the outage room. */
export function createOutageReads(db: Database.Database): OutageReads {
  const sql = preparedOnce(db);
  const rows = (text: string, ...values: unknown[]): Row[] => sql(text).all(...values) as Row[];
  const row = (text: string, ...values: unknown[]): Row | undefined =>
    sql(text).get(...values) as Row | undefined;
  /** A start must not depend on one that is damaged: what is known is whether an outage is open. */
  const withoutRecord = (provider: string): ProviderRecord => {
    const open = row(
      'SELECT * FROM outages WHERE provider = ? AND resolved_at IS NULL ORDER BY id DESC LIMIT 1',
      provider,
    );
    const lastError = 'What was known of it could not be read.';
    if (open === undefined)
      return { provider, failedTurns: 0, tries: 0, standing: { kind: 'answering' }, lastError };
    const { outageId, startedAtMs, failedTurns } = outageOf(open);
    const standing = { kind: 'down', outageId, sinceMs: startedAtMs } as const;
    return { provider, failedTurns, tries: 0, lastTryAtMs: startedAtMs, standing, lastError };
  };
  /** A damaged row is mended by what is known of its turn: it still waits, in its place. */
  const heldOf = (found: Row): HeldRow => {
    const turnId = Number(found['turn_id']);
    const acceptedAt = (): unknown =>
      row('SELECT accepted_at FROM turns WHERE id = ?', turnId)?.['accepted_at'];
    return {
      turnId,
      provider: String(found['provider']),
      cause: HELD_CAUSES.find((one) => one === found['cause']) ?? 'outage',
      sinceMs: numberOr(found['since']) ?? numberOr(acceptedAt()) ?? 0,
      untilMs: numberOr(found['until']),
      rank: numberOr(found['rank']) ?? turnId,
      isOut: found['is_out'] === 1,
      outageId: numberOr(found['outage_id']),
    };
  };
  return {
    providerRecords: () =>
      rows(
        'SELECT provider, record FROM provider_health WHERE record IS NOT NULL ORDER BY provider',
      ).map(({ provider, record }) => recordOf(record) ?? withoutRecord(String(provider))),
    held(turnId) {
      const found = row('SELECT * FROM held_work WHERE turn_id = ?', turnId);
      return found === undefined ? undefined : heldOf(found);
    },
    heldTurns: ({ provider }) =>
      provider === undefined
        ? rows('SELECT * FROM held_work ORDER BY rank, turn_id').map(heldOf)
        : rows('SELECT * FROM held_work WHERE provider = ? ORDER BY rank, turn_id', provider).map(
            heldOf,
          ),
    countHeld: () =>
      Number(row('SELECT count(*) AS n FROM held_work WHERE is_out = 0')?.['n'] ?? 0),
    outages: ({ provider, limit }) =>
      provider === undefined
        ? rows('SELECT * FROM outages ORDER BY id DESC LIMIT ?', limit).map(outageOf)
        : rows(
            'SELECT * FROM outages WHERE provider = ? ORDER BY id DESC LIMIT ?',
            provider,
            limit,
          ).map(outageOf),
    outage(outageId) {
      const found = row('SELECT * FROM outages WHERE id = ?', outageId);
      return found === undefined ? undefined : outageOf(found);
    },
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

const STANDINGS: ReadonlySet<unknown> = new Set<Standing['kind']>([
  'answering',
  'down',
  'recovering',
  'draining',
  'quota',
  'key',
]);

/** Undefined where it is damaged. */
function recordOf(text: unknown): ProviderRecord | undefined {
  try {
    const read = JSON.parse(String(text)) as ProviderRecord;
    return STANDINGS.has(read.standing.kind) && Number.isFinite(read.failedTurns)
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
    reason: String(row['reason']),
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

import path from 'node:path';
import type Database from 'better-sqlite3';
import type { Redactor } from '../../shared/redact';
import type { FileAudit } from '../adapters/log/audit';
import type { FileLog } from '../adapters/log/log';
import { createAuditReader } from '../adapters/log/audit-reader';
import { createPowerRecords } from '../adapters/log/power-records';
import { createHistoryReads } from '../adapters/sqlite/tables/history';
import type { Handlers } from '../engine/api/handlers';
import type { Clock } from '../ports/clock';
import type { JournalReads } from '../ports/journal/reads';
import { oneTurn } from '../read-in-slices';
import { createDayLine } from '../engine/history/day-line';
import { createEventList } from '../engine/history/event-list';

/** More outages than this in a day cannot be told apart in its picture. */
const MAX_OUTAGES = 200;

/** What happened, as the windows and the command line look back on it. Reads only. */
export function createHistoryVerbs(deps: {
  readonly dataDir: string;
  readonly db: Database.Database;
  readonly reads: JournalReads;
  readonly clock: Clock;
  readonly log: FileLog;
  readonly audit: FileAudit;
  readonly redactor: Redactor;
  /** False while nothing runs and only what is on disk is shown. */
  readonly isAlive: () => boolean;
}): Pick<Handlers, 'day.line' | 'events.list'> {
  const { reads, clock } = deps;
  const history = createHistoryReads(deps.db);
  const dayLine = createDayLine({
    history,
    power: createPowerRecords(deps.log.path),
    clock,
    rest: oneTurn,
    isAlive: deps.isAlive,
    lastEntryAtMs: () => reads.lastEntryAtMs(),
    outages: (sinceMs) =>
      reads
        .outages({ limit: MAX_OUTAGES })
        .filter(({ resolvedAtMs }) => resolvedAtMs === undefined || resolvedAtMs > sinceMs)
        .map(({ provider, startedAtMs, resolvedAtMs }) => ({
          provider,
          fromMs: startedAtMs,
          ...(resolvedAtMs === undefined ? {} : { toMs: resolvedAtMs }),
        }))
        .reverse(),
  });
  const eventList = createEventList({
    history,
    audit: createAuditReader(path.join(deps.dataDir, 'audit')),
    flushAudit: () => deps.audit.flush(),
    sessionOfTurn: (turnId) => reads.turn(turnId)?.sessionId,
    redactor: deps.redactor,
    clock,
    rest: oneTurn,
    loadDescribe: () => import('../engine/history/describe'),
  });
  return { 'day.line': () => dayLine(), 'events.list': eventList };
}

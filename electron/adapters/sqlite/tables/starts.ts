import type Database from 'better-sqlite3';
import type { FoldTable } from './fold-table';

/** Starts and stops of the process. */
export function createStartsFold(
  db: Database.Database,
): FoldTable<'marker.started' | 'marker.noticed' | 'marker.stopped'> {
  const sql = (text: string): Database.Statement => db.prepare(text);
  const on = {
    started: sql(
      `INSERT INTO starts (id, started_at, reason, down_since, boot_id, instance_id, machine_id, version)
       VALUES (@startId, @atMs, @reason, @downSinceMs, @bootId, @instanceId, @machineId, @version)`,
    ),
    noticed: sql('UPDATE starts SET noticed_at = ? WHERE id = ?'),
    stopped: sql('UPDATE starts SET stopped_at = ?, stop_reason = ? WHERE id = ?'),
  };
  return {
    'marker.started': (entry, { atMs }) => {
      on.started.run({ ...entry, downSinceMs: entry.downSinceMs ?? null, atMs });
    },
    'marker.noticed': (entry, { atMs }) => {
      on.noticed.run(atMs, entry.startId);
    },
    'marker.stopped': (entry, { atMs }) => {
      on.stopped.run(atMs, entry.reason, entry.startId);
    },
  };
}

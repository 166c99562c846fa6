import fs from 'node:fs';
import path from 'node:path';
import type Database from 'better-sqlite3';
import { COUNTER_TABLES } from './journal/group-commit';
import { codesOf } from './journal/entry-codec';
import { backup } from './open-database';
import { FOLD_TABLES } from './tables/fold';

/**
 * Tasks and the outcomes of their runs are not work in progress (R20). Timers and heartbeats wake a
 * conversation, which is deleted. The clients of the gateway are in the settings of other programs.
 */
const KEPT_BY_RESET = [
  'marker.started',
  'marker.noticed',
  'marker.stopped',
  'task.set',
  'task.state',
  'task.fired',
  'task.skipped',
  'task.moved',
  'task.event',
  'gateway.joined',
  'gateway.revoked',
] as const;

/**
 * Deletes the work in progress: journal, tables and large results; makes a dated backup first.
 * Audit, settings, markers and the numbers already assigned stay, so no ID is used twice. S4-30.
 * @returns the path of the backup
 */
export async function wipe(
  db: Database.Database,
  options: { readonly dataDir: string; readonly nowMs: number },
): Promise<string> {
  const saved = await backup(db, options, 'before-reset');
  db.transaction(() => {
    const put = db.prepare('INSERT OR REPLACE INTO state (key, value) VALUES (?, ?)');
    const top = (query: string): string => String(db.prepare(query).pluck().get() ?? 0);
    put.run('floor_seq', top('SELECT max(seq) FROM journal'));
    for (const [name, table] of Object.entries(COUNTER_TABLES)) {
      const known = Number(
        db.prepare('SELECT value FROM state WHERE key = ?').pluck().get(`floor_${name}`) ?? 0,
      );
      put.run(
        `floor_${name}`,
        String(Math.max(known, Number(top(`SELECT max(id) FROM ${table}`)))),
      );
    }
    // Because the markers are kept, the next start is not a first start.
    db.exec(`DELETE FROM journal WHERE kind NOT IN (${codesOf(...KEPT_BY_RESET)})`);
    for (const table of FOLD_TABLES) if (!KEPT.has(table)) db.exec(`DELETE FROM ${table}`);
    db.exec('DELETE FROM unsent');
    db.exec('UPDATE fold SET applied_seq = (SELECT coalesce(max(seq), 0) FROM journal)');
  })();
  fs.rmSync(path.join(options.dataDir, 'blobs'), { recursive: true, force: true });
  removeDrafts(path.join(options.dataDir, 'drafts'));
  return saved;
}

/** Tables that a reset does not change. */
const KEPT: ReadonlySet<string> = new Set(['starts', 'tasks', 'task_slots', 'gateway_clients']);

/** Staged drafts are work in progress; the files that applied drafts replaced stay. */
function removeDrafts(root: string): void {
  const names = fs.existsSync(root) ? fs.readdirSync(root) : [];
  for (const name of names) {
    if (/^s\d+$/.test(name)) fs.rmSync(path.join(root, name), { recursive: true, force: true });
  }
}

/** Removes data older than the retention while work continues, and frees its space. */
import type Database from 'better-sqlite3';
import type { CrashPoints } from '../../engine/kernel/crash-points';
import type { JournalEntry } from '../../ports/journal/entries';
import { codesOf } from './journal/entry-codec';
import { prunedEntries, type PrunableTurn } from './pruned-entry';

/** Number of turns whose steps are deleted in one transaction. */
const PRUNE_TURNS = 20;
/** Number of free pages that are returned at once: a few milliseconds. */
const VACUUM_PAGES = 200;

/**
 * Removes the steps of turns that closed before `beforeMs`, in small transactions with a pause
 * between them, so that a running turn never waits for it. The turn's row, its message and its
 * answer stay: session events outlive pruned turns. Open turns are never touched. S0-+02.
 *
 * @returns how many turns lost their steps
 */
export async function pruneClosedTurns(
  db: Database.Database,
  options: {
    readonly beforeMs: number;
    /**
     * Writes the totals of a turn before its steps are deleted, so that the tables stay a fold of
     * the journal.
     */
    readonly commit: (entries: readonly JournalEntry[]) => Promise<unknown>;
    readonly crashPoints: CrashPoints;
    readonly pause: () => Promise<void>;
    readonly signal: AbortSignal;
  },
): Promise<number> {
  const find = db.prepare(
    `SELECT t.id, t.ended_at, t.answer_step, t.tokens_in, t.tokens_out, t.cost_usd FROM turns AS t
     WHERE t.is_closed = 1 AND t.ended_at < ? AND (t.ended_at, t.id) > (?, ?)
       AND EXISTS (SELECT 1 FROM steps WHERE turn_id = t.id AND step <> coalesce(t.answer_step, -1))
     ORDER BY t.ended_at, t.id LIMIT ?`,
  );
  const dropRows = db.prepare(
    `DELETE FROM journal WHERE seq IN (
       SELECT started_seq FROM steps WHERE turn_id = @id AND step <> @keep
       UNION ALL SELECT ended_seq FROM steps WHERE turn_id = @id AND step <> @keep AND ended_seq IS NOT NULL)`,
  );
  const dropSteps = db.prepare('DELETE FROM steps WHERE turn_id = @id AND step <> @keep');
  // Reports of external agents about their calls, and failed attempts, are between the steps of the
  // turn.
  const dropOutside = db.prepare(
    `DELETE FROM journal WHERE kind IN (${codesOf('outside.call', 'outside.asking', 'call.retried')}) AND turn_id = @id AND @keep = @keep
       AND seq BETWEEN (SELECT min(started_seq) FROM steps WHERE turn_id = @id)
                   AND (SELECT max(coalesce(ended_seq, started_seq)) FROM steps WHERE turn_id = @id)`,
  );
  let pruned = 0;
  // What was pruned long ago is read once per run, not once per batch.
  let last: Pick<PrunableTurn, 'id' | 'ended_at'> = { id: 0, ended_at: 0 };
  while (!options.signal.aborted) {
    const { beforeMs } = options;
    const turns = find.all(beforeMs, last.ended_at, last.id, PRUNE_TURNS) as PrunableTurn[];
    if (turns.length === 0) break;
    last = turns.at(-1) ?? last;
    await options.commit(prunedEntries(db, turns));
    db.transaction(() => {
      for (const turn of turns) {
        const values = { id: turn.id, keep: turn.answer_step ?? -1 };
        dropRows.run(values);
        dropOutside.run(values);
        dropSteps.run(values);
      }
    })();
    options.crashPoints.hit('prune.batch.after');
    pruned += turns.length;
    await options.pause();
  }
  return pruned;
}

/** Number of entries about outages or breakers that are deleted in one transaction. */
const PRUNE_ENTRIES = 500;
/** The range is the condition of the index, which is used only if it is written identically. */
export const OF_OUTAGES = `kind BETWEEN ${codesOf('provider.contact')} AND ${codesOf('outage.pruned')} AND kind IN (${codesOf(
  'provider.contact',
  'outage.declared',
  'outage.recovering',
  'outage.resolved',
  'provider.probed',
  'outage.pruned',
)})`;

/**
 * Removes entries about providers before `beforeMs`, including outages that were over by then.
 * What is still current stays: an open outage, and each provider's last state before that. S0-+02
 *
 * @returns the number of removed journal rows
 */
export async function pruneOutages(
  db: Database.Database,
  options: Parameters<typeof pruneClosedTurns>[1],
): Promise<number> {
  const { beforeMs } = options;
  const find = (): number[] => {
    // The newest entry of each provider shows its state. The newest entry of this computer shows
    // the state of the others.
    const newest = new Set(
      db
        .prepare(
          `SELECT max(seq) FROM journal WHERE ${OF_OUTAGES} AND at_ms < ?
           GROUP BY json_extract(body, '$.provider')`,
        )
        .pluck()
        .all(beforeMs) as number[],
    );
    const old = db
      .prepare(
        `SELECT seq FROM journal WHERE ${OF_OUTAGES} AND at_ms < ?
           AND NOT (kind = ${codesOf('outage.declared')} AND json_extract(body, '$.outageId') IN
             (SELECT id FROM outages WHERE resolved_at IS NULL OR resolved_at >= ?))`,
      )
      .pluck()
      .all(beforeMs, beforeMs) as number[];
    return old.filter((seq) => !newest.has(seq));
  };
  const gone = find();
  if (gone.length === 0) return 0;
  await options.commit([{ kind: 'outage.pruned', beforeMs }]);
  await dropEntries(db, gone, options);
  return gone.length;
}

/**
 * Removes breaker entries from before `beforeMs`. The state of each is its newest entry, which is
 * not removed however old it is; of a breaker that no longer exists nothing remains. The tables
 * lose nothing by it. S0-+02, S2-05, S2-+04
 *
 * @returns the number of journal rows removed
 */
export async function pruneBreakers(
  db: Database.Database,
  options: Parameters<typeof pruneClosedTurns>[1],
): Promise<number> {
  const { beforeMs } = options;
  const newest = new Set(
    db
      .prepare(
        `SELECT max(seq) FROM journal WHERE kind = ${codesOf('breaker.moved')} AND at_ms < ? AND json_extract(body, '$.name') IN
           (SELECT name FROM breakers WHERE changed_at < ?) GROUP BY json_extract(body, '$.name')`,
      )
      .pluck()
      .all(beforeMs, beforeMs) as number[],
  );
  const old = db
    .prepare(`SELECT seq FROM journal WHERE kind = ${codesOf('breaker.moved')} AND at_ms < ?`)
    .pluck()
    .all(beforeMs) as number[];
  const gone = old.filter((seq) => !newest.has(seq)).sort((one, other) => one - other);
  await dropEntries(db, gone, options);
  return gone.length;
}

/**
 * Deletes the oldest entries first, in small transactions: if it is interrupted, the rest is still
 * consistent.
 */
async function dropEntries(
  db: Database.Database,
  seqs: readonly number[],
  options: Pick<Parameters<typeof pruneClosedTurns>[1], 'crashPoints' | 'pause' | 'signal'>,
): Promise<void> {
  const drop = db.prepare('DELETE FROM journal WHERE seq = ?');
  for (let at = 0; at < seqs.length && !options.signal.aborted; at += PRUNE_ENTRIES) {
    db.transaction(() => {
      for (const seq of seqs.slice(at, at + PRUNE_ENTRIES)) drop.run(seq);
    })();
    options.crashPoints.hit('prune.batch.after');
    await options.pause();
  }
}

/**
 * Returns pruned space to the disk, in small steps with a pause between them, so that nothing is
 * blocked. Continues an interrupted earlier run. S0-+02
 */
export async function giveBackSpace(
  db: Database.Database,
  options: Pick<Parameters<typeof pruneClosedTurns>[1], 'pause' | 'signal'>,
): Promise<void> {
  const free = (): number => db.pragma('freelist_count', { simple: true }) as number;
  let left = free();
  while (left > 0 && !options.signal.aborted) {
    db.pragma(`incremental_vacuum(${String(VACUUM_PAGES)})`);
    const now = free();
    if (now >= left) return; // a database that releases nothing, however often it is asked
    left = now;
    await options.pause();
  }
}

/** Journal rows read per step. */
const SCAN_ROWS = 5_000;

/**
 * When the newest entry up to `untilMs` was written; undefined if there is none. Walks back from
 * the end of the journal, in small steps with a pause between them.
 */
export async function newestEntryMs(
  db: Database.Database,
  untilMs: number,
  options: Pick<Parameters<typeof pruneClosedTurns>[1], 'pause' | 'signal'>,
): Promise<number | undefined> {
  const back = db.prepare(
    `SELECT min(seq) AS fromSeq, max(iif(at_ms <= ?, at_ms, NULL)) AS foundMs
     FROM (SELECT seq, at_ms FROM journal WHERE seq < ? ORDER BY seq DESC LIMIT ?)`,
  );
  let beforeSeq: number | null = Number.MAX_SAFE_INTEGER;
  while (beforeSeq !== null && !options.signal.aborted) {
    const row = back.get(untilMs, beforeSeq, SCAN_ROWS) as {
      readonly fromSeq: number | null;
      readonly foundMs: number | null;
    };
    if (row.foundMs !== null) return row.foundMs;
    beforeSeq = row.fromSeq;
    await options.pause();
  }
  return undefined;
}

/**
 * Every content address that a journal row still names: one pass through the journal, in small
 * steps with a pause between them. The result also includes rows that are written later.
 */
export async function usedBlobs(
  db: Database.Database,
  options: Pick<Parameters<typeof pruneClosedTurns>[1], 'pause' | 'signal'>,
): Promise<(sha256: string) => boolean> {
  const end = db
    .prepare('SELECT max(seq) FROM (SELECT seq FROM journal WHERE seq > ? ORDER BY seq LIMIT ?)')
    .pluck();
  const named = db
    .prepare(`SELECT body FROM journal WHERE seq > ? AND seq <= ? AND instr(body, '"b":"') > 0`)
    .pluck();
  const used = new Set<string>();
  let walked = 0;
  const walk = (): boolean => {
    const to = end.get(walked, SCAN_ROWS) as number | null;
    if (to === null) return false;
    for (const body of named.all(walked, to) as string[])
      for (const [, sha256 = ''] of body.matchAll(/"b":"([0-9a-f]{64})"/g)) used.add(sha256);
    walked = to;
    return true;
  };
  while (!options.signal.aborted && walk()) await options.pause();
  return (sha256) => {
    while (walk()); // what was committed since: a few rows, or none
    return used.has(sha256);
  };
}

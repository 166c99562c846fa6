import type Database from 'better-sqlite3';
import type { EntryKind } from '../../../ports/journal/entries';
import { KIND_CODES } from '../journal/entry-codec';
import { preparedOnce } from '../prepared';
import { type Row, numberOr } from '../row';

/** Five minutes: midnight and every ten minutes are a border of such slots in every time zone. */
export const COUNT_SLOT_MS = 300_000;

/** What was finished in one slot of {@link COUNT_SLOT_MS}. */
interface SlotCount {
  /** Start of the slot. */
  readonly slotMs: number;
  readonly steps: number;
  /** Turns that were completed. */
  readonly turns: number;
}

/** One journal row as people may read it: without prompts, results and frames. */
export interface HistoryRow {
  readonly seq: number;
  readonly atMs: number;
  readonly kind: EntryKind | undefined;
  readonly turnId: number | undefined;
  readonly sessionId: number | undefined;
  readonly step: number | undefined;
  /** Fields of the entry, large ones left out. */
  readonly body: Readonly<Record<string, unknown>>;
  /** Of a finished step: what its start said. */
  readonly started: Readonly<Record<string, unknown>> | undefined;
}

/** Which rows are wanted. */
interface HistoryFilter {
  readonly kinds?: readonly EntryKind[];
  readonly turnId?: number;
  readonly sessionId?: number;
}

/** One stretch of the past: starts of the engine, from the start that was running at its beginning. */
export interface StartSpan {
  readonly startedAtMs: number;
  readonly reason: string;
  readonly downSinceMs: number | undefined;
  readonly stoppedAtMs: number | undefined;
}

/**
 * Reads of the journal by time. Every call looks at a bounded stretch of sequence numbers, so that
 * whoever walks through a long history can let others work in between. No index is needed: rows
 * are appended in the order of time, so the place of a moment is found by bisection. Where the
 * clock was set back meanwhile, a few rows beside that place may be on the wrong side.
 */
export interface HistoryReads {
  /** Sequence of the newest row; 0 in an empty journal. */
  lastSeq(): number;
  /** Sequence of the oldest row; 1 in an empty journal. */
  firstSeq(): number;
  /** Sequence of the first row at or after a moment; one above the last where there is none. */
  seqAt(atMs: number): number;
  /** The newest row at or before a sequence; undefined where there is none. */
  rowBefore(seq: number): { readonly seq: number; readonly atMs: number } | undefined;
  /** What was finished in rows after `afterSeq` up to `toSeq`. */
  counts(afterSeq: number, toSeq: number): readonly SlotCount[];
  /** Rows after `afterSeq` up to `toSeq`, newest first, at most `limit`. */
  rows(afterSeq: number, toSeq: number, filter: HistoryFilter, limit: number): HistoryRow[];
  /** Sequences between which the rows of a turn or session lie: a wider place is right, too. */
  bounds(filter: HistoryFilter): { readonly firstSeq: number; readonly lastSeq: number };
  /** Starts since a moment, oldest first, with the one before it; at most 2,000. */
  starts(fromMs: number): readonly StartSpan[];
}

/** Entries of a closed turn that come later (its delivered answer) are near its end. */
const AFTER_CLOSE = 5_000;
/** Smaller bodies are read as they are. */
const SMALL_BYTES = 800;

const NAMES = new Map<number, EntryKind>(
  Object.entries(KIND_CODES).map(([kind, code]) => [code, kind as EntryKind]),
);
const ENDED = String(KIND_CODES['step.ended']);
const CLOSED = String(KIND_CODES['turn.closed']);

const parse = (value: unknown): Row | undefined =>
  typeof value === 'string' ? (JSON.parse(value) as Row) : undefined;

// A step that is not completed begins with its state: `{"s":5` is confirmed by a person or a check.
const COUNTS = `SELECT at_ms / ${String(COUNT_SLOT_MS)} AS slot,
    sum(kind = ${ENDED}) AS steps, sum(kind = ${CLOSED}) AS turns
  FROM journal WHERE seq > ? AND seq <= ? AND (
    (kind = ${ENDED} AND (substr(body, 1, 5) <> '{"s":' OR substr(body, 6, 1) = '5'))
    OR (kind = ${CLOSED} AND json_extract(body, '$.state') = 'completed'))
  GROUP BY slot`;

const ROWS = `SELECT j.seq, j.at_ms, j.kind, j.turn_id, j.step, t.session_id,
    CASE WHEN j.kind = ${String(KIND_CODES['frame.recorded'])} THEN NULL
         WHEN octet_length(j.body) < ${String(SMALL_BYTES)} THEN j.body
         ELSE json_remove(j.body, '$.x', '$.answer', '$.facts') END AS body,
    b.body AS started
  FROM journal AS j
  LEFT JOIN turns AS t ON t.id = j.turn_id
  LEFT JOIN steps AS s ON j.kind = ${ENDED} AND s.turn_id = j.turn_id AND s.step = j.step
  LEFT JOIN journal AS b ON b.seq = s.started_seq
  WHERE j.seq > ? AND j.seq <= ?`;

export function createHistoryReads(db: Database.Database): HistoryReads {
  const sql = preparedOnce(db);
  const row = (text: string, ...values: unknown[]): Row | undefined =>
    sql(text).get(...values) as Row | undefined;

  const lastSeq = (): number =>
    Number(row('SELECT seq FROM journal ORDER BY seq DESC LIMIT 1')?.['seq'] ?? 0);
  const firstSeq = (): number =>
    Number(row('SELECT seq FROM journal ORDER BY seq LIMIT 1')?.['seq'] ?? 1);

  const seqAt = (atMs: number): number => {
    let low = firstSeq();
    let high = lastSeq() + 1;
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      // Old steps are put away, so the sequence has holes.
      const found = row(
        'SELECT seq, at_ms FROM journal WHERE seq >= ? ORDER BY seq LIMIT 1',
        middle,
      );
      if (found === undefined || Number(found['at_ms']) >= atMs) high = middle;
      else low = Number(found['seq']) + 1;
    }
    return low;
  };

  return {
    lastSeq,
    firstSeq,
    seqAt,
    rowBefore(seq) {
      const found = row(
        'SELECT seq, at_ms FROM journal WHERE seq <= ? ORDER BY seq DESC LIMIT 1',
        seq,
      );
      return found && { seq: Number(found['seq']), atMs: Number(found['at_ms']) };
    },
    counts: (afterSeq, toSeq) =>
      (sql(COUNTS).all(afterSeq, toSeq) as Row[]).map((found) => ({
        slotMs: Number(found['slot']) * COUNT_SLOT_MS,
        steps: Number(found['steps']),
        turns: Number(found['turns']),
      })),
    rows(afterSeq, toSeq, filter, limit) {
      const codes = filter.kinds?.map((kind) => KIND_CODES[kind]);
      const where = [
        ...(codes === undefined ? [] : [`j.kind IN (${codes.map(String).join(', ') || '-1'})`]),
        ...(filter.turnId === undefined ? [] : ['j.turn_id = ?']),
        ...(filter.sessionId === undefined
          ? []
          : ["coalesce(t.session_id, json_extract(j.body, '$.sessionId')) = ?"]),
      ];
      const text = `${ROWS}${where.map((part) => ` AND ${part}`).join('')} ORDER BY j.seq DESC LIMIT ?`;
      const values = [filter.turnId, filter.sessionId].filter((value) => value !== undefined);
      return (sql(text).all(afterSeq, toSeq, ...values, limit) as Row[]).map(rowOf);
    },
    bounds(filter) {
      let first = firstSeq();
      let last = lastSeq();
      if (filter.turnId !== undefined) {
        const turn = row('SELECT prompt_seq, closed_seq FROM turns WHERE id = ?', filter.turnId);
        if (turn === undefined) return { firstSeq: 1, lastSeq: 0 };
        first = Math.max(first, Number(turn['prompt_seq']));
        const closed = numberOr(turn['closed_seq']);
        if (closed !== undefined) last = Math.min(last, closed + AFTER_CLOSE);
      }
      if (filter.sessionId !== undefined) {
        const session = row('SELECT created_at FROM sessions WHERE id = ?', filter.sessionId);
        if (session === undefined) return { firstSeq: 1, lastSeq: 0 };
        first = Math.max(first, seqAt(Number(session['created_at'])));
      }
      return { firstSeq: first, lastSeq: last };
    },
    starts(fromMs) {
      const inside = sql(
        'SELECT * FROM starts WHERE started_at >= ? ORDER BY started_at DESC LIMIT 2000',
      ).all(fromMs) as Row[];
      const before = row(
        'SELECT * FROM starts WHERE started_at < ? ORDER BY started_at DESC LIMIT 1',
        fromMs,
      );
      return [...inside, ...(before === undefined ? [] : [before])].reverse().map((found) => ({
        startedAtMs: Number(found['started_at']),
        reason: String(found['reason']),
        downSinceMs: numberOr(found['down_since']),
        stoppedAtMs: numberOr(found['stopped_at']),
      }));
    },
  };
}

const rowOf = (row: Row): HistoryRow => ({
  seq: Number(row['seq']),
  atMs: Number(row['at_ms']),
  kind: NAMES.get(Number(row['kind'])),
  turnId: numberOr(row['turn_id']),
  sessionId: numberOr(row['session_id']),
  step: numberOr(row['step']),
  body: parse(row['body']) ?? {},
  started: parse(row['started']),
});

import { storedText } from '../../../../shared/reason';
import type Database from 'better-sqlite3';
import type { HistoryReads, HistoryRow } from '../../../ports/history';
import {
  codesOf,
  decodeEntry,
  decodeStart,
  isFinishedStep,
  isKind,
  LARGE_FIELDS,
  type RawRow,
} from '../journal/entry-codec';
import { queries } from '../prepared';
import { type Row, numberOr, orUndefined } from '../row';

/** Entries that follow the end of a turn, such as its delivered answer, are near its end. */
const AFTER_CLOSE = 5_000;
/** Bodies smaller than this are read completely. */
const SMALL_BYTES = 800;

const ENDED = codesOf('step.ended');
const CLOSED = codesOf('turn.closed');

const countsBy = (slotMs: number): string => `SELECT at_ms / ${String(slotMs)} AS slot,
    sum(kind = ${ENDED}) AS steps, sum(kind = ${CLOSED}) AS turns
  FROM journal WHERE seq > ? AND seq <= ? AND (
    (kind = ${ENDED} AND ${isFinishedStep('body')})
    OR (kind = ${CLOSED} AND json_extract(body, '$.state') = 'completed'))
  GROUP BY slot`;

const ROWS = `SELECT j.seq, j.at_ms, j.kind, j.turn_id, j.step,
    coalesce(t.session_id, json_extract(j.body, '$.sessionId')) AS session_id,
    CASE WHEN j.kind = ${codesOf('frame.recorded')} THEN NULL
         WHEN octet_length(j.body) < ${String(SMALL_BYTES)} THEN j.body
         ELSE json_remove(j.body, ${LARGE_FIELDS}) END AS body,
    b.body AS started
  FROM journal AS j
  LEFT JOIN turns AS t ON t.id = j.turn_id
  LEFT JOIN steps AS s ON j.kind = ${ENDED} AND s.turn_id = j.turn_id AND s.step = j.step
  LEFT JOIN journal AS b ON b.seq = s.started_seq
  WHERE j.seq > ? AND j.seq <= ?`;

export function createHistoryReads(db: Database.Database): HistoryReads {
  const { rows, row, one, value, count } = queries(db);

  const lastSeq = (): number => count('SELECT seq FROM journal ORDER BY seq DESC LIMIT 1');
  const firstSeq = (): number => Number(value('SELECT seq FROM journal ORDER BY seq LIMIT 1') ?? 1);

  const seqAt = (atMs: number): number => {
    let low = firstSeq();
    let high = lastSeq() + 1;
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      // Old steps are deleted, so the sequence has gaps.
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
    isKind,
    lastSeq,
    seqAt,
    rowBefore: (seq) =>
      one(
        (found) => ({ seq: Number(found['seq']), atMs: Number(found['at_ms']) }),
        'SELECT seq, at_ms FROM journal WHERE seq <= ? ORDER BY seq DESC LIMIT 1',
        seq,
      ),
    counts: (afterSeq, toSeq, slotMs) =>
      rows(countsBy(slotMs), afterSeq, toSeq).map((found) => ({
        slotMs: Number(found['slot']) * slotMs,
        steps: Number(found['steps']),
        turns: Number(found['turns']),
      })),
    rows(afterSeq, toSeq, filter, limit) {
      const where = [
        ...(filter.kinds === undefined ? [] : [`j.kind IN (${codesOf(...filter.kinds) || '-1'})`]),
        ...(filter.turnId === undefined ? [] : ['j.turn_id = ?']),
        ...(filter.sessionId === undefined
          ? []
          : ["coalesce(t.session_id, json_extract(j.body, '$.sessionId')) = ?"]),
      ];
      const text = `${ROWS}${where.map((part) => ` AND ${part}`).join('')} ORDER BY j.seq DESC LIMIT ?`;
      const values = [filter.turnId, filter.sessionId].filter((id) => id !== undefined);
      return rows(text, afterSeq, toSeq, ...values, limit).map(rowOf);
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
      const inside = rows(
        'SELECT * FROM starts WHERE started_at >= ? ORDER BY started_at DESC LIMIT 2000',
        fromMs,
      );
      const before = rows(
        'SELECT * FROM starts WHERE started_at < ? ORDER BY started_at DESC LIMIT 1',
        fromMs,
      );
      return [...inside, ...before].reverse().map((found) => ({
        startedAtMs: Number(found['started_at']),
        reason: storedText(found['reason']),
        downSinceMs: numberOr(found['down_since']),
        stoppedAtMs: numberOr(found['stopped_at']),
      }));
    },
  };
}

const rowOf = (row: Row): HistoryRow => {
  const turnId = numberOr(row['turn_id']);
  const step = numberOr(row['step']);
  const started = row['started'];
  return {
    seq: Number(row['seq']),
    atMs: Number(row['at_ms']),
    turnId,
    sessionId: numberOr(row['session_id']),
    step,
    // The key of a step is not read, because it is never shown.
    entry: orUndefined(() => decodeEntry({ ...row, key: null } as unknown as RawRow)),
    started:
      typeof started === 'string'
        ? orUndefined(() =>
            decodeStart({ ...row, key: null } as unknown as RawRow, JSON.parse(started) as Row),
          )
        : undefined,
  };
};

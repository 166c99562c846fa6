import { storedText } from '../../../../shared/reason';
import type Database from 'better-sqlite3';
import { ACTIVATION_KINDS } from '../../../../shared/activations';
import type { LifeMark, WorkReads } from '../../../ports/journal/work';
import { codesOf, KIND_NAMES } from '../journal/entry-codec';
import { activationCode } from './activation-code';
import { queries } from '../prepared';
import type { Row } from '../row';
import { textIn } from '../../../engine/kernel/json-object';

const MARKS = `SELECT a.seq, a.event, a.turn_id, a.attempt, j.at_ms, j.kind, j.body
  FROM activation_events AS a JOIN journal AS j ON j.seq = a.seq`;
// An answer and the run that continues with it are one commit: the entry of the run is the next
// one.
const RESUMED = `SELECT j.seq, NULL AS event, r.turn_id, t.attempt, j.at_ms, j.kind, j.body
  FROM requests AS r JOIN journal AS j ON j.seq = r.answered_seq + 1
    AND j.kind = ${codesOf('turn.state')} AND json_extract(j.body, '$.state') = 'running'
  JOIN turns AS t ON t.id = r.turn_id`;
/**
 * Before the newest mark of a turn there may be one that only says that another turn was running.
 */
const LOOKED_BACK = 3;

function markOf(row: Row): LifeMark {
  const body = JSON.parse(textIn(row['body']) || '{}') as Row;
  const event = row['event'];
  return {
    seq: Number(row['seq']),
    atMs: Number(row['at_ms']),
    turnId: Number(row['turn_id']),
    attempt: Number(row['attempt']),
    event: event === null ? 'resumed' : (ACTIVATION_KINDS[Number(event)] ?? 'ready'),
    entryKind: KIND_NAMES.get(Number(row['kind'])) ?? 'unknown',
    state: textIn(body['state']),
    reason: storedText(body['reason']),
  };
}

/** The turn did not start, because another turn of its session was running. */
const isContended = ({ event, entryKind }: LifeMark): boolean =>
  event === 'blocked' && (entryKind === 'message.accepted' || entryKind === 'turn.started');

/**
 * Derives what the turns of a session did from existing entries: nothing extra is written. A page
 * costs its own entries and the later ones, not the earlier ones.
 */
export function createLifeReads(db: Database.Database): Pick<WorkReads, 'life'> {
  const { rows } = queries(db);
  const ordered = (marks: readonly LifeMark[]): readonly LifeMark[] =>
    marks.filter((mark) => !isContended(mark)).sort((a, b) => a.seq - b.seq);

  const inWindow = (
    sessionId: number,
    { afterSeq, beforeSeq, limit }: Parameters<WorkReads['life']>[1],
  ): readonly Row[] =>
    rows(
      `${MARKS} WHERE a.session_id = ? AND a.turn_id IS NOT NULL AND a.seq > ? AND a.seq < ?
       ORDER BY a.seq DESC, a.event DESC LIMIT ?`,
      ...[sessionId, afterSeq, beforeSeq, limit],
    );

  const lastOf = (sessionId: number, turnId: number, seq: number): readonly LifeMark[] => {
    const past = [
      ...rows(
        `${MARKS} WHERE a.session_id = ? AND a.seq <= ? AND a.turn_id = ?
         ORDER BY a.seq DESC, a.event DESC LIMIT ${String(LOOKED_BACK)}`,
        ...[sessionId, seq, turnId],
      ),
      ...rows(
        `${RESUMED} WHERE r.turn_id = ? AND r.answered_seq < ? ORDER BY r.answered_seq DESC LIMIT 1`,
        ...[turnId, seq],
      ),
    ];
    return ordered(past.map(markOf)).slice(-1);
  };

  /** The turn was still open, or a later entry closed it. */
  const openAt = (sessionId: number, seq: number): readonly number[] =>
    rows(
      `SELECT id FROM turns WHERE is_closed = 0 AND session_id = ?1 AND prompt_seq <= ?2
       UNION SELECT t.id FROM activation_events AS a JOIN turns AS t ON t.id = a.turn_id
         WHERE a.session_id = ?1 AND a.seq > ?2 AND a.event = ${String(activationCode('acked'))}
           AND t.prompt_seq <= ?2 ORDER BY 1`,
      { 1: sessionId, 2: seq },
    ).map((row) => Number(row['id']));

  return {
    life(sessionId, window) {
      const found = inWindow(sessionId, window);
      const hasMore = found.length === window.limit;
      // The oldest entry may be incomplete, so it goes to the next page.
      const afterSeq = hasMore ? Number(found.at(-1)?.['seq'] ?? 0) : window.afterSeq;
      const resumed = rows(
        `${RESUMED} WHERE r.session_id = ? AND r.answered_seq >= ? AND r.answered_seq < ?`,
        ...[sessionId, afterSeq, window.beforeSeq - 1],
      );
      const marks = ordered([...found, ...resumed].map(markOf).filter(({ seq }) => seq > afterSeq));
      const before = openAt(sessionId, afterSeq).flatMap((id) => lastOf(sessionId, id, afterSeq));
      return { marks, before, hasMore, sinceSeq: afterSeq };
    },
  };
}

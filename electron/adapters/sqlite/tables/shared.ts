import type Database from 'better-sqlite3';
import type { SharedAsk, SharedReads, SharedTurnRow } from '../../../ports/journal/shared';
import { preparedOnce } from '../prepared';
import type { Row } from '../row';
import type { FoldTable } from './fold-table';

type SharedKind = 'share.sent' | 'share.claimed' | 'share.away' | 'share.ended';

/** Which turns are shared, and who has them. */
export function createSharedFold(db: Database.Database): FoldTable<SharedKind> {
  const sent = db.prepare(
    `INSERT INTO shared_turns (turn_id, uid, epoch, state, machine, mark, ask) VALUES (?, ?, 0, 'away', '', 0, ?)
     ON CONFLICT DO NOTHING`,
  );
  const claimed = db.prepare(
    `INSERT INTO shared_turns (turn_id, uid, epoch, state, machine, mark, origin_db, origin_turn)
     VALUES (@turnId, @uid, @epoch, 'here', '', @mark, @databaseId, @originTurn)
     ON CONFLICT (turn_id) DO UPDATE SET epoch = excluded.epoch, state = 'here', machine = '',
       mark = excluded.mark, origin_db = excluded.origin_db, origin_turn = excluded.origin_turn`,
  );
  const away = db.prepare(
    "UPDATE shared_turns SET state = 'away', epoch = max(epoch, ?), machine = ? WHERE turn_id = ? AND state <> 'over'",
  );
  const ended = db.prepare("UPDATE shared_turns SET state = 'over' WHERE turn_id = ?");
  return {
    'share.sent': ({ turnId, uid, ask }) => void sent.run(turnId, uid, JSON.stringify(ask)),
    'share.claimed': ({ turnId, uid, epoch, mark, origin }) => {
      claimed.run({
        turnId,
        uid,
        epoch,
        mark,
        databaseId: origin.databaseId,
        originTurn: origin.turnId,
      });
    },
    'share.away': ({ turnId, epoch, machine }) => void away.run(epoch, machine, turnId),
    'share.ended': ({ turnId }) => void ended.run(turnId),
  };
}

export function createSharedReads(db: Database.Database, databaseId: () => string): SharedReads {
  const sql = preparedOnce(db);
  const rowOf = (row: Row | undefined): SharedTurnRow | undefined =>
    row === undefined
      ? undefined
      : {
          turnId: Number(row['turn_id']),
          uid: String(row['uid']),
          epoch: Number(row['epoch']),
          state: row['state'] as SharedTurnRow['state'],
          machine: String(row['machine']),
          ask: typeof row['ask'] === 'string' ? (JSON.parse(row['ask']) as SharedAsk) : undefined,
          origin: {
            databaseId: typeof row['origin_db'] === 'string' ? row['origin_db'] : databaseId(),
            turnId: Number(row['origin_turn'] ?? row['turn_id']),
          },
        };
  const one = (where: string, value: unknown): SharedTurnRow | undefined =>
    rowOf(sql(`SELECT * FROM shared_turns WHERE ${where}`).get(value) as Row | undefined);
  return {
    sharedTurn: (turnId) => one('turn_id = ?', turnId),
    sharedByUid: (uid) => one('uid = ?', uid),
    openShared: () =>
      (
        sql("SELECT * FROM shared_turns WHERE state <> 'over' ORDER BY turn_id").all() as Row[]
      ).flatMap((row) => rowOf(row) ?? []),
    sharedMark: () => Number(sql('SELECT max(mark) AS mark FROM shared_turns').pluck().get() ?? 0),
    keyOrigin: (turnId) =>
      one('turn_id = ?', turnId)?.origin ?? { databaseId: databaseId(), turnId },
  };
}

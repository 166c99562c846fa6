import type Database from 'better-sqlite3';
import type {
  SharedAsk,
  SharedMove,
  SharedReads,
  SharedTurnRow,
} from '../../../ports/journal/shared';
import type { OriginOf } from '../../../ports/journal/reads';
import { KIND_CODES } from '../journal/entry-codec';
import { queries } from '../prepared';
import { type Row, textOr } from '../row';
import type { FoldTable } from './fold-table';

type SharedKind = 'share.sent' | 'share.claimed' | 'share.away' | 'share.ended';

const NOTHING_ASKED = { priority: 1, needs: [], isHere: false } satisfies SharedAsk;

/** Which turns are shared, and who has them. */
export function createSharedFold(db: Database.Database): FoldTable<SharedKind> {
  const sent = db.prepare(
    `INSERT INTO shared_turns (turn_id, uid, epoch, state, machine, mark, ask) VALUES (?, ?, 0, 'away', '', 0, ?)
     ON CONFLICT DO NOTHING`,
  );
  const claimed = db.prepare(
    `INSERT INTO shared_turns (turn_id, uid, epoch, state, machine, mark, ask, origin_db, origin_turn)
     VALUES (@turnId, @uid, @epoch, 'here', '', @mark, @ask, @databaseId, @originTurn)
     ON CONFLICT (turn_id) DO UPDATE SET epoch = excluded.epoch, state = 'here', machine = '',
       mark = excluded.mark, ask = coalesce(shared_turns.ask, excluded.ask), origin_db = excluded.origin_db, origin_turn = excluded.origin_turn`,
  );
  const away = db.prepare(
    "UPDATE shared_turns SET state = 'away', epoch = max(epoch, ?), machine = ? WHERE turn_id = ? AND state <> 'over'",
  );
  const ended = db.prepare(
    "UPDATE shared_turns SET state = 'over', machine = coalesce(?, machine) WHERE turn_id = ?",
  );
  return {
    'share.sent': ({ turnId, uid, ask }) => void sent.run(turnId, uid, JSON.stringify(ask)),
    'share.claimed': ({ turnId, uid, epoch, mark, origin, files }) => {
      claimed.run({
        turnId,
        uid,
        epoch,
        mark,
        ask: files === undefined ? null : JSON.stringify({ ...NOTHING_ASKED, files }),
        databaseId: origin.databaseId,
        originTurn: origin.turnId,
      });
    },
    'share.away': ({ turnId, epoch, machine }) => void away.run(epoch, machine, turnId),
    'share.ended': ({ turnId, machine }) => void ended.run(machine ?? null, turnId),
  };
}

export function createSharedReads(db: Database.Database, originOf: OriginOf): SharedReads {
  const { rows, one, value, count } = queries(db);
  const rowOf = (row: Row): SharedTurnRow => ({
    turnId: Number(row['turn_id']),
    uid: String(row['uid']),
    epoch: Number(row['epoch']),
    state: row['state'] as SharedTurnRow['state'],
    machine: String(row['machine']),
    ask: typeof row['ask'] === 'string' ? (JSON.parse(row['ask']) as SharedAsk) : undefined,
    origin: {
      databaseId: textOr(row['origin_db']) ?? originOf({ turnId: Number(row['turn_id']) }),
      turnId: Number(row['origin_turn'] ?? row['turn_id']),
    },
  });
  const sharedTurn: SharedReads['sharedTurn'] = (turnId) =>
    one(rowOf, 'SELECT * FROM shared_turns WHERE turn_id = ?', turnId);
  return {
    sharedTurn,
    sharedByUid: (uid) => one(rowOf, 'SELECT * FROM shared_turns WHERE uid = ?', uid),
    openShared: () =>
      rows("SELECT * FROM shared_turns WHERE state <> 'over' ORDER BY turn_id").map(rowOf),
    countSharedAway: () =>
      count(
        `SELECT count(*) FROM shared_turns AS s JOIN turns AS t ON t.id = s.turn_id
         WHERE s.state = 'away' AND t.state = 'waiting' AND t.due_at IS NULL`,
      ),
    hasShared: () => value('SELECT EXISTS (SELECT 1 FROM shared_turns)') === 1,
    sharedMoves: (turnId) =>
      rows(
        `SELECT at_ms, kind, body FROM journal
         WHERE seq >= (SELECT prompt_seq FROM turns WHERE id = @turnId) AND turn_id = @turnId
           AND kind IN (@claimed, @away) ORDER BY seq`,
        { turnId, claimed: KIND_CODES['share.claimed'], away: KIND_CODES['share.away'] },
      )
        .flatMap((row) => moveOf(row) ?? [])
        // A grant is written before and after the entries of other computers are imported: the last
        // one says more.
        .filter((move, at, all) => {
          const next = all[at + 1];
          return next === undefined || next.to !== move.to || next.machine !== move.machine;
        }),
    sharedMark: () => count('SELECT max(mark) FROM shared_turns'),
    keyOrigin: (turnId) =>
      sharedTurn(turnId)?.origin ?? { databaseId: originOf({ turnId }), turnId },
  };
}

function moveOf(row: Row): SharedMove | undefined {
  const { from, machine, atStep } = JSON.parse(String(row['body'])) as {
    readonly from?: string;
    readonly machine?: string;
    readonly atStep?: number;
  };
  const isHere = row['kind'] === KIND_CODES['share.claimed'];
  const name = isHere ? from : machine;
  if (name === undefined || name === '') return undefined;
  return { atMs: Number(row['at_ms']), to: isHere ? 'here' : 'there', machine: name, atStep };
}

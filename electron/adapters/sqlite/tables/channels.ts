import type Database from 'better-sqlite3';
import type { JournalEntry } from '../../../ports/journal/entries';
import type { ChannelEntry, ChannelReads } from '../../../ports/journal/channels';
import type { Applied } from './fold-table';
import { queries } from '../prepared';
import { numberOr } from '../row';

/** How long a message is recognized when it arrives again. */
const KNOWN_MS = 30 * 86_400_000;

/** Stored in place of a turn if the message is set aside. */
const WITHOUT_TURN = 0;

/** Channels without a row: either every answer is shown there anyway, or there is no reader. */
const WITHOUT_ROW: ReadonlySet<string> = new Set(['window', 'cli', 'none']);

/** Applies entries about messages from and to channels. */
export function createChannelsFold(
  db: Database.Database,
): (
  entry: ChannelEntry | Extract<JournalEntry, { kind: 'reply.delivered' }>,
  applied: Applied,
) => void {
  const sql = (text: string): Database.Statement => db.prepare(text);
  const heard = sql(
    'INSERT OR IGNORE INTO channel_messages (channel, message_id, turn_id, at_ms) VALUES (?, ?, ?, ?)',
  );
  const forget = sql('DELETE FROM channel_messages WHERE channel = ? AND at_ms < ?');
  const offset = sql(
    `INSERT INTO channels (name, read_offset, read_at) VALUES (?, ?, ?)
     ON CONFLICT (name) DO UPDATE SET read_offset = excluded.read_offset, read_at = excluded.read_at`,
  );
  // Stored like attempts of other parts. No channel or server has a name that starts like this.
  const began = sql(
    "INSERT OR REPLACE INTO attempts (name, streak, last_error, tried) VALUES ('inbound.' || ?, ?, '', ?)",
  );
  const delivered = sql(
    `INSERT INTO channels (name, delivered, delivered_at) VALUES (?, 1, ?)
     ON CONFLICT (name) DO UPDATE SET delivered = delivered + 1, delivered_at = excluded.delivered_at`,
  );
  // Pieces that this channel has received stay counted; another channel has none of them.
  const attempted = sql(
    `INSERT INTO reply_attempts (turn_id, channel) VALUES (?, ?)
     ON CONFLICT (turn_id) DO UPDATE SET is_open = 1, channel = excluded.channel,
       pieces = iif(channel = excluded.channel, pieces, 0)`,
  );
  const piece = sql('UPDATE reply_attempts SET pieces = ?, is_open = 1 WHERE turn_id = ?');
  const missed = sql('UPDATE reply_attempts SET is_open = 0 WHERE turn_id = ?');
  const attemptEnded = sql('DELETE FROM reply_attempts WHERE turn_id = ?');
  return (entry, { atMs }) => {
    switch (entry.kind) {
      case 'channel.heard':
        forget.run(entry.channel, atMs - KNOWN_MS);
        heard.run(entry.channel, entry.messageId, entry.turnId, atMs);
        return;
      case 'channel.setAside':
        heard.run(entry.channel, entry.messageId, WITHOUT_TURN, atMs);
        return;
      case 'channel.began':
        began.run(entry.channel, entry.starts, entry.messageId);
        return;
      case 'channel.offset':
        offset.run(entry.channel, entry.offset, atMs);
        return;
      case 'reply.attempted':
        attempted.run(entry.turnId, entry.channel);
        return;
      case 'reply.piece':
        piece.run(entry.pieces, entry.turnId);
        return;
      case 'reply.missed':
        missed.run(entry.turnId);
        return;
      case 'reply.delivered':
        attemptEnded.run(entry.turnId);
        if (!WITHOUT_ROW.has(entry.channel)) delivered.run(entry.channel, atMs);
    }
  };
}

/** Reads of messages from and to channels. */
export function createChannelReads(db: Database.Database): ChannelReads {
  const { rows, row, one, value } = queries(db);
  const turnOf = (channel: string, messageId: string): number | undefined =>
    numberOr(
      value(
        'SELECT turn_id FROM channel_messages WHERE channel = ? AND message_id = ?',
        channel,
        messageId,
      ),
    );
  return {
    heardMessage(channel, messageId) {
      const turnId = turnOf(channel, messageId);
      return turnId === WITHOUT_TURN ? undefined : turnId;
    },
    isSetAside: (channel, messageId) => turnOf(channel, messageId) === WITHOUT_TURN,
    begunMessage: (channel) =>
      one(
        ({ tried, streak }) => ({ messageId: String(tried), starts: Number(streak) }),
        "SELECT streak, tried FROM attempts WHERE name = 'inbound.' || ?",
        channel,
      ),
    channelRow(name) {
      const found = row('SELECT * FROM channels WHERE name = ?', name);
      const offset = numberOr(found?.['read_offset']);
      const offsetAtMs = numberOr(found?.['read_at']);
      const deliveredAtMs = numberOr(found?.['delivered_at']);
      return {
        delivered: numberOr(found?.['delivered']) ?? 0,
        ...(offset === undefined ? {} : { offset }),
        ...(offsetAtMs === undefined ? {} : { offsetAtMs }),
        ...(deliveredAtMs === undefined ? {} : { deliveredAtMs }),
      };
    },
    attemptedReply: (turnId) =>
      one(
        (found) => ({
          channel: String(found['channel']),
          pieces: Number(found['pieces']),
          isUnknown: found['is_open'] === 1,
        }),
        'SELECT * FROM reply_attempts WHERE turn_id = ?',
        turnId,
      ),
    pendingChannels: () =>
      rows(
        `SELECT channel, count(*) AS count, min(ended_at) AS since FROM turns
         WHERE is_reply_pending = 1 GROUP BY channel`,
      ).map((found) => ({
        channel: String(found['channel']),
        count: Number(found['count']),
        sinceMs: Number(found['since'] ?? 0),
      })),
  };
}

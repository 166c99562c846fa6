import type Database from 'better-sqlite3';
import type { ChannelReads } from '../../ports/journal/channels';
import { preparedOnce } from './prepared';

type Row = Readonly<Record<string, unknown>>;

/** Reads of what channels brought and took. */
export function createChannelReads(db: Database.Database): ChannelReads {
  const sql = preparedOnce(db);
  return {
    heardMessage: (channel, messageId) =>
      sql('SELECT turn_id FROM channel_messages WHERE channel = ? AND message_id = ?')
        .pluck()
        .get(channel, messageId) as number | undefined,
    channelRow(name) {
      const row = sql('SELECT * FROM channels WHERE name = ?').get(name) as Row | undefined;
      const at = (key: string): number | undefined =>
        typeof row?.[key] === 'number' ? row[key] : undefined;
      const [offset, offsetAtMs, deliveredAtMs] = [
        at('read_offset'),
        at('read_at'),
        at('delivered_at'),
      ];
      return {
        delivered: at('delivered') ?? 0,
        ...(offset === undefined ? {} : { offset }),
        ...(offsetAtMs === undefined ? {} : { offsetAtMs }),
        ...(deliveredAtMs === undefined ? {} : { deliveredAtMs }),
      };
    },
    attemptedReply(turnId) {
      const row = sql('SELECT * FROM reply_attempts WHERE turn_id = ?').get(turnId) as
        Row | undefined;
      return row === undefined
        ? undefined
        : {
            channel: String(row['channel']),
            pieces: Number(row['pieces']),
            isUnknown: row['is_open'] === 1,
          };
    },
    pendingChannels: () =>
      (
        sql(
          `SELECT channel, count(*) AS count, min(ended_at) AS since FROM turns
           WHERE is_reply_pending = 1 GROUP BY channel`,
        ).all() as Row[]
      ).map((row) => ({
        channel: String(row['channel']),
        count: Number(row['count']),
        sinceMs: Number(row['since'] ?? 0),
      })),
  };
}

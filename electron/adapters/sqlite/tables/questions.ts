import type Database from 'better-sqlite3';
import type { QuestionEntry, QuestionReads } from '../../../ports/journal/questions';
import { queries } from '../prepared';
import { numberOr } from '../row';
import type { FoldTable } from './fold-table';

/** Applies the results of questions on channels. */
export function createQuestionsFold(db: Database.Database): FoldTable<QuestionEntry['kind']> {
  const sql = (text: string): Database.Statement => db.prepare(text);
  const attempted = sql(
    `INSERT INTO sent_questions (channel, inbox_id, is_open) VALUES (?, ?, 1)
     ON CONFLICT (channel, inbox_id) DO UPDATE SET is_open = 1`,
  );
  // A question that never arrived leaves no row: it is sent again as if for the first time.
  const notTaken = sql(
    'DELETE FROM sent_questions WHERE channel = ? AND inbox_id = ? AND said IS NULL',
  );
  const sent = sql(
    `INSERT INTO sent_questions (channel, inbox_id, is_open, peer, ref, said, sent_at)
     VALUES (?, ?, 0, ?, ?, ?, ?)
     ON CONFLICT (channel, inbox_id) DO UPDATE SET is_open = 0, peer = excluded.peer,
       ref = excluded.ref, said = excluded.said, sent_at = excluded.sent_at`,
  );
  const reminded = sql(
    'UPDATE sent_questions SET reminded_at = ? WHERE channel = ? AND inbox_id = ?',
  );
  const told = sql('UPDATE sent_questions SET said = ? WHERE channel = ? AND inbox_id = ?');
  const closed = sql('DELETE FROM sent_questions WHERE channel = ? AND inbox_id = ?');
  return {
    ...digestsFold(db),
    'question.attempted': ({ channel, inboxId }) => {
      attempted.run(channel, inboxId);
    },
    'question.not_taken': ({ channel, inboxId }) => {
      notTaken.run(channel, inboxId);
    },
    'question.sent': ({ channel, inboxId, peer, ref, said }, { atMs }) => {
      sent.run(channel, inboxId, peer, ref ?? null, said, atMs);
    },
    'question.told': ({ channel, inboxId, said }) => {
      told.run(said, channel, inboxId);
    },
    'question.reminded': ({ channel, inboxIds }, { atMs }) => {
      for (const inboxId of inboxIds) reminded.run(atMs, channel, inboxId);
    },
    'question.not_reminded': ({ channel, inboxIds }) => {
      for (const inboxId of inboxIds) reminded.run(null, channel, inboxId);
    },
    'question.closed': ({ channel, inboxId }) => {
      closed.run(channel, inboxId);
    },
  };
}

type DigestKind = Extract<QuestionEntry['kind'], `digest.${string}`>;

function digestsFold(db: Database.Database): FoldTable<DigestKind> {
  const sql = (text: string): Database.Statement => db.prepare(text);
  const digest = sql(
    `INSERT INTO digests (channel, day, from_ms, to_ms, is_open) VALUES (?, ?, ?, ?, 1)
     ON CONFLICT (channel, day) DO UPDATE SET from_ms = excluded.from_ms, to_ms = excluded.to_ms,
       is_open = 1`,
  );
  // Long enough for a clock that was wrong for weeks.
  const oldDigests = sql(
    `DELETE FROM digests WHERE channel = ? AND day NOT IN
       (SELECT day FROM digests WHERE channel = ? ORDER BY to_ms DESC LIMIT 60)`,
  );
  const noDigest = sql('DELETE FROM digests WHERE channel = ? AND day = ?');
  const digestSent = sql('UPDATE digests SET is_open = 0 WHERE channel = ? AND day = ?');
  return {
    'digest.attempted': ({ channel, day, fromMs, toMs }) => {
      digest.run(channel, day, fromMs, toMs);
      oldDigests.run(channel, channel);
    },
    'digest.not_taken': ({ channel, day }) => {
      noDigest.run(channel, day);
    },
    'digest.sent': ({ channel, day }) => {
      digestSent.run(channel, day);
    },
  };
}

/** Reads of questions on channels. */
export function createQuestionReads(db: Database.Database): QuestionReads {
  const { rows, count } = queries(db);
  return {
    sentQuestions: (channel) =>
      rows('SELECT * FROM sent_questions WHERE channel = ? ORDER BY inbox_id', channel).map(
        (row) => ({
          channel,
          inboxId: Number(row['inbox_id']),
          isUnknown: row['is_open'] === 1,
          ...(typeof row['said'] === 'string'
            ? {
                sent: {
                  peer: String(row['peer'] ?? ''),
                  ...(typeof row['ref'] === 'string' ? { ref: row['ref'] } : {}),
                  said: row['said'],
                  atMs: Number(row['sent_at']),
                  ...(row['reminded_at'] === null
                    ? {}
                    : { remindedAtMs: Number(row['reminded_at']) }),
                },
              }
            : {}),
        }),
      ),
    digests: (channel) =>
      rows('SELECT * FROM digests WHERE channel = ? ORDER BY to_ms DESC', channel).map((row) => ({
        day: String(row['day']),
        toMs: Number(row['to_ms']),
        isSent: row['is_open'] === 0,
      })),
    firstStartMs: () => count('SELECT min(started_at) FROM starts'),
    digestCounts(fromMs, toMs) {
      const [found] = rows(
        `SELECT sum(state = 'completed') AS completed, sum(state = 'failed') AS failed,
           sum(state IN ('cancelled', 'discarded')) AS cancelled, sum(crashes > 0) AS recovered,
           sum(cost_usd) AS usd, sum(saved_usd) AS saved
         FROM turns WHERE is_closed = 1 AND ended_at >= ? AND ended_at < ?`,
        fromMs,
        toMs,
      );
      return {
        completed: Number(found?.['completed'] ?? 0),
        failed: Number(found?.['failed'] ?? 0),
        cancelled: Number(found?.['cancelled'] ?? 0),
        recovered: Number(found?.['recovered'] ?? 0),
        restarts: count(
          `SELECT count(*) FROM starts WHERE started_at >= ? AND started_at < ?
             AND reason <> 'first_start'`,
          fromMs,
          toMs,
        ),
        outages: count(
          'SELECT count(*) FROM outages WHERE started_at >= ? AND started_at < ?',
          fromMs,
          toMs,
        ),
        usd: numberOr(found?.['usd']),
        savedUsd: Number(found?.['saved'] ?? 0),
      };
    },
    questionChannels: () =>
      rows('SELECT DISTINCT channel FROM sent_questions ORDER BY channel').map(({ channel }) =>
        String(channel),
      ),
  };
}

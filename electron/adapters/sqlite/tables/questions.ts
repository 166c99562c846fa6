import type Database from 'better-sqlite3';
import type { QuestionEntry, QuestionReads } from '../../../ports/journal/questions';
import { preparedOnce } from '../prepared';
import type { Row } from '../row';
import type { FoldTable } from './fold-table';

/** Applies what became of questions on channels. */
export function createQuestionsFold(db: Database.Database): FoldTable<QuestionEntry['kind']> {
  const sql = (text: string): Database.Statement => db.prepare(text);
  const attempted = sql(
    `INSERT INTO sent_questions (channel, inbox_id, is_open) VALUES (?, ?, 1)
     ON CONFLICT (channel, inbox_id) DO UPDATE SET is_open = 1`,
  );
  // One that never arrived leaves no row: it is sent as for the first time.
  const notTaken = sql(
    'DELETE FROM sent_questions WHERE channel = ? AND inbox_id = ? AND said IS NULL',
  );
  const sent = sql(
    `INSERT INTO sent_questions (channel, inbox_id, is_open, peer, ref, said, sent_at)
     VALUES (?, ?, 0, ?, ?, ?, ?)
     ON CONFLICT (channel, inbox_id) DO UPDATE SET is_open = 0, peer = excluded.peer,
       ref = excluded.ref, said = excluded.said, sent_at = excluded.sent_at`,
  );
  const told = sql('UPDATE sent_questions SET said = ? WHERE channel = ? AND inbox_id = ?');
  const closed = sql('DELETE FROM sent_questions WHERE channel = ? AND inbox_id = ?');
  return {
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
    'question.closed': ({ channel, inboxId }) => {
      closed.run(channel, inboxId);
    },
  };
}

/** Reads of questions on channels. */
export function createQuestionReads(db: Database.Database): QuestionReads {
  const sql = preparedOnce(db);
  return {
    sentQuestions: (channel) =>
      (
        sql('SELECT * FROM sent_questions WHERE channel = ? ORDER BY inbox_id').all(
          channel,
        ) as Row[]
      ).map((row) => ({
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
              },
            }
          : {}),
      })),
    questionChannels: () =>
      sql('SELECT DISTINCT channel FROM sent_questions ORDER BY channel').pluck().all() as string[],
  };
}

import { storedReason } from '../../../../shared/reason';
import type Database from 'better-sqlite3';
import type { FoldTable } from './fold-table';

/** Items that need the user's decision. */
export function createInboxFold(
  db: Database.Database,
): FoldTable<
  | 'inbox.opened'
  | 'inbox.retold'
  | 'inbox.settled'
  | 'missed.attempted'
  | 'missed.not_taken'
  | 'missed.told'
  | 'process.decided'
> {
  const sql = (text: string): Database.Statement => db.prepare(text);
  const on = {
    inboxOpened: sql(
      `INSERT INTO inbox (id, item, turn_id, session_id, title, detail, facts, created_at)
       VALUES (@inboxId, @item, @turnId, @sessionId, @title, @detail, @facts, @atMs)`,
    ),
    inboxRetold: sql('UPDATE inbox SET title = ?, detail = ?, facts = ? WHERE id = ?'),
    missedAttempted: sql('UPDATE inbox SET attempted_on = ? WHERE id = ?'),
    missedTold: sql('UPDATE inbox SET told_on = ? WHERE id = ?'),
    processDecided: sql("UPDATE inbox SET facts = json_set(facts, '$.answer', ?) WHERE id = ?"),
    inboxSettled: sql(
      'UPDATE inbox SET settled_at = ?, outcome = ? WHERE id = ? AND settled_at IS NULL',
    ),
  };
  return {
    'inbox.opened': (entry, { atMs }) => {
      on.inboxOpened.run({
        ...entry,
        turnId: entry.turnId ?? null,
        sessionId: entry.sessionId ?? null,
        detail: storedReason(entry.detail),
        facts: entry.facts === undefined ? null : JSON.stringify(entry.facts),
        atMs,
      });
    },
    'inbox.retold': ({ inboxId, title, detail, facts }) => {
      on.inboxRetold.run(
        title,
        storedReason(detail),
        facts === undefined ? null : JSON.stringify(facts),
        inboxId,
      );
    },
    'missed.attempted': (entry) => {
      on.missedAttempted.run(entry.channel, entry.inboxId);
    },
    'missed.not_taken': (entry) => {
      on.missedAttempted.run(null, entry.inboxId);
    },
    'missed.told': (entry) => {
      on.missedTold.run(entry.channel, entry.inboxId);
    },
    'process.decided': (entry) => {
      on.processDecided.run(entry.answer, entry.inboxId);
    },
    'inbox.settled': (entry, { atMs }) => {
      on.inboxSettled.run(atMs, entry.outcome, entry.inboxId);
    },
  };
}

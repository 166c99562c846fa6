import type Database from 'better-sqlite3';
import type { DraftReads, DraftRow, DraftStage } from '../../ports/journal/drafts';

type Row = Record<string, unknown>;

/** Reads of the table `drafts`. */
export function createDraftReads(db: Database.Database): DraftReads {
  const one = db.prepare('SELECT * FROM drafts WHERE id = ?');
  const ofFile = db.prepare(
    'SELECT * FROM drafts WHERE session_id = ? AND workspace = ? AND path = ? AND is_open = 1',
  );
  const open = db.prepare(
    'SELECT * FROM drafts WHERE is_open = 1 ORDER BY session_id, workspace, path LIMIT ?',
  );
  const openOfSession = db.prepare(
    'SELECT * FROM drafts WHERE is_open = 1 AND session_id = ? ORDER BY workspace, path LIMIT ?',
  );
  const decided = db.prepare('SELECT * FROM drafts WHERE is_open = 0 ORDER BY id DESC LIMIT ?');
  const decidedOfSession = db.prepare(
    'SELECT * FROM drafts WHERE is_open = 0 AND session_id = ? ORDER BY id DESC LIMIT ?',
  );
  const count = db.prepare('SELECT count(*) FROM drafts WHERE is_open = 1').pluck();
  const countOfSession = db
    .prepare('SELECT count(*) FROM drafts WHERE is_open = 1 AND session_id = ?')
    .pluck();
  const all = (rows: unknown[]): readonly DraftRow[] => (rows as Row[]).map(draftOf);
  return {
    draft(id) {
      const row = one.get(id) as Row | undefined;
      return row === undefined ? undefined : draftOf(row);
    },
    openDrafts: ({ sessionId, limit }) =>
      all(sessionId === undefined ? open.all(limit) : openOfSession.all(sessionId, limit)),
    openDraftOf(sessionId, workspace, path) {
      const row = ofFile.get(sessionId, workspace, path) as Row | undefined;
      return row === undefined ? undefined : draftOf(row);
    },
    decidedDrafts: ({ sessionId, limit }) =>
      all(sessionId === undefined ? decided.all(limit) : decidedOfSession.all(sessionId, limit)),
    countOpenDrafts: (sessionId) =>
      Number(sessionId === undefined ? count.get() : countOfSession.get(sessionId)),
  };
}

function draftOf(row: Row): DraftRow {
  return {
    id: Number(row['id']),
    sessionId: Number(row['session_id']),
    turnId: Number(row['turn_id']),
    workspace: String(row['workspace']),
    path: String(row['path']),
    baseHash: textOr(row['base_hash']),
    contentHash: String(row['content_hash']),
    sizeBytes: Number(row['size_bytes']),
    stage: row['stage'] as DraftStage,
    stagedAtMs: Number(row['staged_at']),
    updatedAtMs: Number(row['updated_at']),
    fromHash: textOr(row['from_hash']),
    toHash: textOr(row['to_hash']),
    decidedAtMs: typeof row['decided_at'] === 'number' ? row['decided_at'] : undefined,
    decidedBy: textOr(row['decided_by']),
  };
}

const textOr = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : undefined;

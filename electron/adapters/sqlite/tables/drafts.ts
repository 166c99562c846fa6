import type Database from 'better-sqlite3';
import { unreachable } from '../../../engine/kernel/unreachable';
import type { DraftEntry, DraftReads, DraftRow, DraftStage } from '../../../ports/journal/drafts';
import type { Applied } from './fold-table';
import type { Row } from '../row';

/** Applies entries about drafts to the table `drafts`. A draft that is decided stays decided. */
export function createDraftsFold(
  db: Database.Database,
): (entry: DraftEntry, applied: Applied) => void {
  const staged = db.prepare(
    `INSERT INTO drafts (id, session_id, turn_id, workspace, path, base_hash, content_hash, size_bytes,
       stage, staged_at, updated_at)
     VALUES (@id, @session, @turn, @workspace, @path, @base, @content, @size, 'staged', @at, @at)
     ON CONFLICT (id) DO UPDATE SET turn_id = excluded.turn_id, content_hash = excluded.content_hash,
       size_bytes = excluded.size_bytes, updated_at = excluded.updated_at WHERE is_open = 1`,
  );
  const promoting = db.prepare(
    `UPDATE drafts SET stage = 'promoting', from_hash = ?, to_hash = ? WHERE id = ? AND is_open = 1`,
  );
  const kept = db.prepare(
    `UPDATE drafts SET stage = 'staged', from_hash = NULL, to_hash = NULL WHERE id = ? AND is_open = 1`,
  );
  const partApplied = db.prepare(
    `UPDATE drafts SET stage = 'staged', base_hash = ?, from_hash = NULL, to_hash = NULL, updated_at = ?
       WHERE id = ? AND is_open = 1`,
  );
  const decided = db.prepare(
    `UPDATE drafts SET stage = ?, decided_at = ?, decided_by = ?, is_open = 0 WHERE id = ? AND is_open = 1`,
  );
  return (entry, { atMs }) => {
    switch (entry.kind) {
      case 'draft.staged':
        staged.run({
          id: entry.draftId,
          session: entry.sessionId,
          turn: entry.turnId,
          workspace: entry.workspace,
          path: entry.path,
          base: entry.baseHash ?? null,
          content: entry.contentHash,
          size: entry.sizeBytes,
          at: atMs,
        });
        return;
      case 'draft.promoting':
        promoting.run(entry.fromHash ?? null, entry.toHash, entry.draftId);
        return;
      case 'draft.kept':
        kept.run(entry.draftId);
        return;
      case 'draft.partApplied':
        partApplied.run(entry.baseHash, atMs, entry.draftId);
        return;
      case 'draft.promoted':
        decided.run('promoted', atMs, entry.by, entry.draftId);
        return;
      case 'draft.discarded':
        decided.run('discarded', atMs, entry.by, entry.draftId);
        return;
      default:
        unreachable(entry);
    }
  };
}

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

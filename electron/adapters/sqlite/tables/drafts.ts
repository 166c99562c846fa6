import type Database from 'better-sqlite3';
import { unreachable } from '../../../engine/kernel/unreachable';
import type { DraftEntry, DraftReads, DraftRow, DraftStage } from '../../../ports/journal/drafts';
import type { Applied } from './fold-table';
import { queries } from '../prepared';
import { type Row, numberOr, textOr } from '../row';

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
  const { rows, one, count } = queries(db);
  const ofSession = (sessionId: number | undefined) =>
    sessionId === undefined
      ? { where: '', values: [] }
      : { where: 'AND session_id = ?', values: [sessionId] };
  return {
    draft: (id) => one(draftOf, 'SELECT * FROM drafts WHERE id = ?', id),
    openDrafts({ sessionId, limit }) {
      const { where, values } = ofSession(sessionId);
      return rows(
        `SELECT * FROM drafts WHERE is_open = 1 ${where} ORDER BY session_id, workspace, path LIMIT ?`,
        ...values,
        limit,
      ).map(draftOf);
    },
    openDraftOf: (sessionId, workspace, path) =>
      one(
        draftOf,
        'SELECT * FROM drafts WHERE session_id = ? AND workspace = ? AND path = ? AND is_open = 1',
        sessionId,
        workspace,
        path,
      ),
    decidedDrafts({ sessionId, limit }) {
      const { where, values } = ofSession(sessionId);
      return rows(
        `SELECT * FROM drafts WHERE is_open = 0 ${where} ORDER BY id DESC LIMIT ?`,
        ...values,
        limit,
      ).map(draftOf);
    },
    countOpenDrafts(sessionId) {
      const { where, values } = ofSession(sessionId);
      return count(`SELECT count(*) FROM drafts WHERE is_open = 1 ${where}`, ...values);
    },
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
    decidedAtMs: numberOr(row['decided_at']),
    decidedBy: textOr(row['decided_by']),
  };
}

import type Database from 'better-sqlite3';
import { unreachable } from '../../engine/kernel/unreachable';
import type { DraftEntry } from '../../ports/journal/drafts';
import type { Applied } from './fold-table';

/** Applies entries about drafts to the table `drafts`. A decided draft stays decided. */
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

-- Drafts of files: a fold of the journal like every other table. The content lies beside it.
CREATE TABLE drafts (
  id INTEGER PRIMARY KEY,
  session_id INTEGER NOT NULL,
  turn_id INTEGER NOT NULL,
  workspace TEXT NOT NULL,
  path TEXT NOT NULL,
  base_hash TEXT,
  content_hash TEXT NOT NULL,
  size_bytes INTEGER NOT NULL,
  stage TEXT NOT NULL,
  staged_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  from_hash TEXT,
  to_hash TEXT,
  decided_at INTEGER,
  decided_by TEXT,
  is_open INTEGER NOT NULL DEFAULT 1
);
CREATE UNIQUE INDEX drafts_open ON drafts (session_id, workspace, path) WHERE is_open = 1;
CREATE INDEX drafts_decided ON drafts (id) WHERE is_open = 0;

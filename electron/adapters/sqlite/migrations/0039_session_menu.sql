-- What the user decided about a session: its place in the list, and where a fork started.
ALTER TABLE sessions ADD COLUMN pinned_at INTEGER;
ALTER TABLE sessions ADD COLUMN archived_at INTEGER;
ALTER TABLE sessions ADD COLUMN deleted_at INTEGER;
ALTER TABLE sessions ADD COLUMN fork_of INTEGER;
ALTER TABLE sessions ADD COLUMN fork_turn INTEGER;
CREATE INDEX sessions_pinned ON sessions (last_event_at) WHERE pinned_at IS NOT NULL;
CREATE INDEX sessions_deleted ON sessions (id) WHERE deleted_at IS NOT NULL;

-- The session that a session or the task behind it was made in, and messages that define an outcome.
ALTER TABLE sessions ADD COLUMN parent_id INTEGER;
ALTER TABLE tasks ADD COLUMN session_id INTEGER;
ALTER TABLE turns ADD COLUMN is_outcome INTEGER NOT NULL DEFAULT 0;
CREATE INDEX turns_outcome ON turns (session_id, id) WHERE is_outcome = 1;

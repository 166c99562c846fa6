-- What happened that tasks wait for: each event once, by its id, also after it has become a run.
CREATE TABLE task_events (
  task_id INTEGER NOT NULL,
  event_id TEXT NOT NULL,
  at_ms INTEGER NOT NULL,
  what TEXT NOT NULL,
  is_pending INTEGER NOT NULL DEFAULT 1,
  PRIMARY KEY (task_id, event_id)
) WITHOUT ROWID;

CREATE INDEX task_events_pending ON task_events (task_id, at_ms) WHERE is_pending = 1;

-- How what a task watches was when it was last looked at.
ALTER TABLE tasks ADD COLUMN event_seen TEXT;

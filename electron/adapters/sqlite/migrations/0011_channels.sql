-- What channels brought and took, besides the turns themselves.
CREATE TABLE channel_messages (
  channel TEXT NOT NULL,
  -- As the other side names it: the same message again is the same turn.
  message_id TEXT NOT NULL,
  turn_id INTEGER NOT NULL,
  at_ms INTEGER NOT NULL,
  PRIMARY KEY (channel, message_id)
) WITHOUT ROWID;
CREATE INDEX channel_messages_age ON channel_messages (channel, at_ms);

CREATE TABLE channels (
  name TEXT PRIMARY KEY,
  -- From where the next messages are asked for.
  read_offset INTEGER,
  read_at INTEGER,
  delivered INTEGER NOT NULL DEFAULT 0,
  delivered_at INTEGER
) WITHOUT ROWID;

-- The agent outside of Holdfast that made a task, by the name it gives itself.
ALTER TABLE tasks ADD COLUMN author TEXT;

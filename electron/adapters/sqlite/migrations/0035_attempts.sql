-- How trying stands with a channel or a server that is tried again and again: a restart goes on there.
CREATE TABLE attempts (
  name TEXT PRIMARY KEY,
  streak INTEGER NOT NULL,
  last_error TEXT NOT NULL,
  next_try_at INTEGER,
  held_until INTEGER,
  starts_at TEXT,
  tried TEXT
) STRICT;

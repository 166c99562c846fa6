-- When a reminder about a question was sent, and the digests of the last days, so that none goes twice.
ALTER TABLE sent_questions ADD COLUMN reminded_at INTEGER;
CREATE TABLE digests (
  channel TEXT NOT NULL,
  day TEXT NOT NULL,
  from_ms INTEGER NOT NULL,
  to_ms INTEGER NOT NULL,
  is_open INTEGER NOT NULL,
  PRIMARY KEY (channel, day)
) STRICT;

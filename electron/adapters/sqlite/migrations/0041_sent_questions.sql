-- Questions that are on their way to a channel or stand there: where, and what their message says.
CREATE TABLE sent_questions (
  channel TEXT NOT NULL,
  inbox_id INTEGER NOT NULL,
  is_open INTEGER NOT NULL,
  peer TEXT,
  ref TEXT,
  said TEXT,
  sent_at INTEGER,
  PRIMARY KEY (channel, inbox_id)
) STRICT;

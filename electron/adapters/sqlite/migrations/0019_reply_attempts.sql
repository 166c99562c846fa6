-- Answers that were on their way to a channel which cannot tell a second copy from the first.
CREATE TABLE reply_attempts (
  turn_id INTEGER PRIMARY KEY,
  channel TEXT NOT NULL
) STRICT;

-- What outside agents keep of a conversation.
CREATE TABLE outside_sessions (
  session_id INTEGER NOT NULL,
  agent TEXT NOT NULL,
  ref TEXT NOT NULL,
  used_at INTEGER NOT NULL,
  -- Handed back: a terminal has the conversation until it is taken over again.
  is_in_terminal INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (session_id, agent)
) WITHOUT ROWID;
CREATE INDEX outside_sessions_ref ON outside_sessions (ref);

CREATE TABLE outside_calls (
  turn_id INTEGER NOT NULL,
  step INTEGER NOT NULL,
  call_seq INTEGER NOT NULL,
  asking TEXT,
  request_id INTEGER,
  PRIMARY KEY (turn_id, step)
) WITHOUT ROWID;

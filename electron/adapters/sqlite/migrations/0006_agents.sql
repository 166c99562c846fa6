-- What outside agents keep of a conversation.
CREATE TABLE outside_sessions (
  session_id INTEGER NOT NULL,
  agent TEXT NOT NULL,
  ref TEXT NOT NULL,
  used_at INTEGER NOT NULL,
  PRIMARY KEY (session_id, agent)
) WITHOUT ROWID;

CREATE TABLE outside_calls (
  turn_id INTEGER NOT NULL,
  step INTEGER NOT NULL,
  call_seq INTEGER NOT NULL,
  asking TEXT,
  request_id INTEGER,
  PRIMARY KEY (turn_id, step)
) WITHOUT ROWID;

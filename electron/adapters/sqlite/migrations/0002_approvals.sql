-- Requests that wait for a person or for the outside: approvals and results of custom tools.
CREATE TABLE requests (
  id INTEGER PRIMARY KEY,
  turn_id INTEGER NOT NULL,
  session_id INTEGER NOT NULL,
  requested_seq INTEGER NOT NULL,
  requested_at INTEGER NOT NULL,
  answered_seq INTEGER,
  answered_at INTEGER
);
CREATE INDEX requests_open ON requests (id) WHERE answered_at IS NULL;
CREATE INDEX requests_by_turn ON requests (turn_id, id);
CREATE INDEX requests_by_session ON requests (session_id, id);

CREATE TABLE grants (
  session_id INTEGER NOT NULL,
  what TEXT NOT NULL,
  PRIMARY KEY (session_id, what)
) WITHOUT ROWID;

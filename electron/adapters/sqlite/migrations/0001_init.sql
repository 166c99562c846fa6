-- One append-only journal; every other table is a fold of it and can be rebuilt from it.
CREATE TABLE journal (
  seq INTEGER PRIMARY KEY,
  at_ms INTEGER NOT NULL,
  kind INTEGER NOT NULL,
  turn_id INTEGER,
  step INTEGER,
  key BLOB,
  body TEXT
);
CREATE TABLE journal_kinds (kind INTEGER PRIMARY KEY, name TEXT NOT NULL);

-- Not a fold: identity and high-water marks, which survive a reset.
CREATE TABLE state (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE fold (id INTEGER PRIMARY KEY CHECK (id = 1), applied_seq INTEGER NOT NULL);
INSERT INTO fold VALUES (1, 0);

CREATE TABLE sessions (
  id INTEGER PRIMARY KEY,
  key TEXT NOT NULL UNIQUE,
  title TEXT NOT NULL,
  agent TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  last_event_at INTEGER NOT NULL,
  last_event_seq INTEGER NOT NULL DEFAULT 0,
  last_is_message INTEGER NOT NULL DEFAULT 0,
  turn_count INTEGER NOT NULL DEFAULT 0,
  open_turn_count INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX sessions_by_use ON sessions (last_event_at);
CREATE INDEX sessions_unanswered ON sessions (id) WHERE last_is_message = 1;

CREATE TABLE session_events (
  session_id INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  kind INTEGER NOT NULL,
  turn_id INTEGER,
  text_seq INTEGER,
  PRIMARY KEY (session_id, seq)
) WITHOUT ROWID;

CREATE TABLE turns (
  id INTEGER PRIMARY KEY,
  session_id INTEGER NOT NULL,
  state TEXT NOT NULL,
  reason TEXT NOT NULL DEFAULT '',
  prompt_start TEXT NOT NULL,
  prompt_seq INTEGER NOT NULL,
  channel TEXT NOT NULL,
  peer TEXT NOT NULL,
  attempt INTEGER NOT NULL DEFAULT 0,
  crashes INTEGER NOT NULL DEFAULT 0,
  frame_id INTEGER,
  framed_at INTEGER,
  accepted_at INTEGER NOT NULL,
  started_at INTEGER,
  ended_at INTEGER,
  answer_step INTEGER,
  closed_seq INTEGER,
  limit_raises INTEGER NOT NULL DEFAULT 0,
  is_answered INTEGER NOT NULL DEFAULT 0,
  tokens_in INTEGER NOT NULL DEFAULT 0,
  tokens_out INTEGER NOT NULL DEFAULT 0,
  cost_usd REAL,
  reused INTEGER NOT NULL DEFAULT 0,
  saved_in INTEGER NOT NULL DEFAULT 0,
  saved_out INTEGER NOT NULL DEFAULT 0,
  saved_usd REAL,
  is_reply_pending INTEGER NOT NULL DEFAULT 0,
  is_closed INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX turns_open ON turns (id) WHERE is_closed = 0;
CREATE INDEX turns_by_session ON turns (session_id, id);
CREATE INDEX turns_closed ON turns (ended_at) WHERE is_closed = 1;
CREATE INDEX turns_reply ON turns (id) WHERE is_reply_pending = 1;

CREATE TABLE steps (
  turn_id INTEGER NOT NULL,
  step INTEGER NOT NULL,
  state INTEGER NOT NULL,
  started_seq INTEGER NOT NULL,
  ended_seq INTEGER,
  reused INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (turn_id, step)
) WITHOUT ROWID;

CREATE TABLE frames (id INTEGER PRIMARY KEY, hash BLOB NOT NULL UNIQUE, seq INTEGER NOT NULL);

CREATE TABLE inbox (
  id INTEGER PRIMARY KEY,
  item TEXT NOT NULL,
  turn_id INTEGER,
  session_id INTEGER,
  title TEXT NOT NULL,
  detail TEXT NOT NULL,
  facts TEXT,
  created_at INTEGER NOT NULL,
  settled_at INTEGER,
  outcome TEXT
);
CREATE INDEX inbox_open ON inbox (id) WHERE settled_at IS NULL;
CREATE INDEX inbox_by_turn ON inbox (turn_id) WHERE settled_at IS NULL;

CREATE TABLE starts (
  id INTEGER PRIMARY KEY,
  started_at INTEGER NOT NULL,
  reason TEXT NOT NULL,
  down_since INTEGER,
  stopped_at INTEGER,
  stop_reason TEXT,
  noticed_at INTEGER,
  boot_id TEXT NOT NULL,
  instance_id TEXT NOT NULL,
  machine_id TEXT NOT NULL,
  version TEXT NOT NULL
);
CREATE INDEX starts_by_time ON starts (started_at);

CREATE TABLE recoveries (
  start_id INTEGER NOT NULL,
  turn_id INTEGER NOT NULL,
  action TEXT NOT NULL,
  reason TEXT NOT NULL,
  at_ms INTEGER NOT NULL,
  PRIMARY KEY (start_id, turn_id)
) WITHOUT ROWID;

CREATE TABLE kept_hours (hour_ms INTEGER PRIMARY KEY, steps INTEGER NOT NULL, saved_usd REAL NOT NULL);

-- The documents' names, for people who read the file with the sqlite3 shell.
CREATE VIEW turn_journal AS
  SELECT t.id AS turn_id, t.agent_context AS context, t.session_ref, t.prompt, t.started_at,
         CASE t.is_closed WHEN 1 THEN 'closed' ELSE 'open' END AS status, t.state
  FROM (
    SELECT turns.*, sessions.agent AS agent_context, sessions.key AS session_ref,
           coalesce(json_extract(journal.body, '$.x'), turns.prompt_start) AS prompt
    FROM turns JOIN sessions ON sessions.id = turns.session_id
    LEFT JOIN journal ON journal.seq = turns.prompt_seq
  ) AS t;
CREATE VIEW turn_steps AS
  SELECT s.turn_id, s.step, json_extract(b.body, '$.t') AS tool,
         CASE s.state WHEN 0 THEN 'started' WHEN 1 THEN 'completed' WHEN 2 THEN 'failed'
                      WHEN 3 THEN 'ambiguous' WHEN 4 THEN 'skipped' ELSE 'confirmed' END AS state,
         b.at_ms AS started_at, e.at_ms AS ended_at, lower(hex(b.key)) AS memo_key
  FROM steps AS s JOIN journal AS b ON b.seq = s.started_seq
  LEFT JOIN journal AS e ON e.seq = s.ended_seq;
CREATE VIEW reeboot_state AS
  SELECT 'last_started_at' AS key, CAST(max(started_at) AS TEXT) AS value FROM starts
  UNION ALL SELECT 'last_clean_stop_at', CAST(max(stopped_at) AS TEXT) FROM starts
  UNION ALL SELECT 'boot_id', boot_id FROM (SELECT boot_id FROM starts ORDER BY id DESC LIMIT 1)
  UNION ALL SELECT 'version', version FROM (SELECT version FROM starts ORDER BY id DESC LIMIT 1);

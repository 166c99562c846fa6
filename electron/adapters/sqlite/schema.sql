-- The outcome of all migrations, which a new database takes at once.
-- Made from them by: UPDATE_DOCS=1 npx vitest run test/unit/docs

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
CREATE TABLE state (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE fold (id INTEGER PRIMARY KEY CHECK (id = 1), applied_seq INTEGER NOT NULL);
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
, parent_id INTEGER, pinned_at INTEGER, archived_at INTEGER, deleted_at INTEGER, fork_of INTEGER, fork_turn INTEGER);
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
, claim_id TEXT, lease_owner TEXT, leased_at INTEGER, streak INTEGER NOT NULL DEFAULT 0, due_at INTEGER, last_error TEXT, stalls INTEGER NOT NULL DEFAULT 0, is_outcome INTEGER NOT NULL DEFAULT 0, fallbacks TEXT);
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
, told_on TEXT, attempted_on TEXT);
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
CREATE INDEX turns_leased ON turns (session_id) WHERE lease_owner IS NOT NULL;
CREATE INDEX turns_due ON turns (due_at) WHERE due_at IS NOT NULL AND is_closed = 0;
CREATE TABLE wakes (
  id TEXT PRIMARY KEY,
  session_id INTEGER NOT NULL,
  dedupe_key TEXT NOT NULL,
  due_at INTEGER NOT NULL,
  note TEXT NOT NULL,
  priority TEXT NOT NULL,
  queued_at INTEGER NOT NULL,
  queued_by TEXT NOT NULL,
  queued_by_turn INTEGER,
  state TEXT NOT NULL DEFAULT 'pending',
  turn_id INTEGER
) WITHOUT ROWID;
CREATE INDEX wakes_due ON wakes (due_at) WHERE state = 'pending';
CREATE INDEX wakes_pending ON wakes (session_id, due_at) WHERE state = 'pending';
CREATE INDEX wakes_by_key ON wakes (session_id, dedupe_key);
CREATE INDEX wakes_by_turn ON wakes (turn_id) WHERE turn_id IS NOT NULL;
CREATE INDEX wakes_by_asker ON wakes (queued_by_turn) WHERE queued_by_turn IS NOT NULL;
CREATE TABLE activation_events (
  seq INTEGER NOT NULL,
  event INTEGER NOT NULL,
  session_id INTEGER NOT NULL,
  turn_id INTEGER,
  attempt INTEGER NOT NULL,
  claim BLOB,
  PRIMARY KEY (seq, event)
) WITHOUT ROWID;
CREATE INDEX activations_by_session ON activation_events (session_id, seq);
CREATE INDEX activations_by_claim ON activation_events (claim) WHERE claim IS NOT NULL;
CREATE TABLE runs (
  id INTEGER PRIMARY KEY,
  turn_id INTEGER NOT NULL,
  parent_id INTEGER,
  call_step INTEGER,
  skill TEXT NOT NULL,
  version TEXT NOT NULL,
  state TEXT NOT NULL,
  reason TEXT NOT NULL DEFAULT '',
  phase TEXT NOT NULL DEFAULT '',
  visit INTEGER NOT NULL DEFAULT 0,
  plan_key TEXT NOT NULL DEFAULT '',
  visits TEXT NOT NULL DEFAULT '{}',
  history TEXT NOT NULL DEFAULT '[]',
  input_seq INTEGER NOT NULL,
  artifact_seq INTEGER,
  awaiting INTEGER,
  action TEXT,
  action_reason TEXT NOT NULL DEFAULT '',
  started_at INTEGER NOT NULL,
  ended_at INTEGER,
  is_open INTEGER NOT NULL DEFAULT 1
);
CREATE INDEX runs_by_turn ON runs (turn_id, id);
CREATE INDEX runs_open ON runs (id) WHERE is_open = 1;
CREATE INDEX runs_awaiting ON runs (awaiting) WHERE awaiting IS NOT NULL;
CREATE TABLE drafts (
  id INTEGER PRIMARY KEY,
  session_id INTEGER NOT NULL,
  turn_id INTEGER NOT NULL,
  workspace TEXT NOT NULL,
  path TEXT NOT NULL,
  base_hash TEXT,
  content_hash TEXT NOT NULL,
  size_bytes INTEGER NOT NULL,
  stage TEXT NOT NULL,
  staged_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  from_hash TEXT,
  to_hash TEXT,
  decided_at INTEGER,
  decided_by TEXT,
  is_open INTEGER NOT NULL DEFAULT 1
);
CREATE UNIQUE INDEX drafts_open ON drafts (session_id, workspace, path) WHERE is_open = 1;
CREATE INDEX drafts_decided ON drafts (id) WHERE is_open = 0;
CREATE TABLE outside_sessions (
  session_id INTEGER NOT NULL,
  agent TEXT NOT NULL,
  ref TEXT NOT NULL,
  used_at INTEGER NOT NULL,
  -- Handed back: a terminal has the conversation until it is taken over again.
  is_in_terminal INTEGER NOT NULL DEFAULT 0, cost_usd REAL,
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
CREATE TABLE breakers (
  name TEXT NOT NULL PRIMARY KEY,
  dependency TEXT NOT NULL,
  state TEXT NOT NULL,
  failures INTEGER NOT NULL,
  successes INTEGER NOT NULL,
  backoff_ms INTEGER NOT NULL,
  opened_at INTEGER,
  cause TEXT NOT NULL,
  last_error TEXT,
  changed_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE call_tries (
  turn_id INTEGER NOT NULL,
  step INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  PRIMARY KEY (turn_id, step, seq)
) WITHOUT ROWID;
CREATE TABLE provider_health (
  provider TEXT PRIMARY KEY,
  state INTEGER NOT NULL,
  waiting INTEGER NOT NULL DEFAULT 0,
  record TEXT
) WITHOUT ROWID;
CREATE TABLE outages (
  id INTEGER PRIMARY KEY,
  provider TEXT NOT NULL,
  started_at INTEGER NOT NULL,
  resolved_at INTEGER,
  failed_turns INTEGER NOT NULL,
  reason TEXT NOT NULL,
  drained INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX outages_by_provider ON outages (provider, id);
CREATE TABLE held_work (
  turn_id INTEGER PRIMARY KEY,
  provider TEXT NOT NULL,
  cause TEXT NOT NULL,
  since INTEGER NOT NULL,
  until INTEGER,
  rank REAL NOT NULL,
  is_out INTEGER NOT NULL DEFAULT 0,
  outage_id INTEGER
, windows INTEGER NOT NULL DEFAULT 0, goes_now INTEGER NOT NULL DEFAULT 0);
CREATE INDEX held_by_provider ON held_work (provider, rank);
CREATE TABLE outage_plot (
  provider TEXT NOT NULL,
  seq INTEGER NOT NULL,
  what INTEGER NOT NULL,
  at_ms INTEGER NOT NULL,
  value INTEGER NOT NULL,
  PRIMARY KEY (provider, seq, what)
) WITHOUT ROWID;
CREATE INDEX outage_plot_by_time ON outage_plot (at_ms);
CREATE VIEW outage_events AS
  SELECT id, provider, started_at, resolved_at, failed_turns, reason, drained FROM outages;
CREATE TABLE event_queue (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  topic TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  enqueued_at INTEGER NOT NULL,
  attempts INTEGER NOT NULL DEFAULT 0,
  history TEXT NOT NULL DEFAULT '[]',
  payload TEXT NOT NULL
);
CREATE INDEX event_queue_topic ON event_queue (topic);
CREATE TABLE dead_letters (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  topic TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  enqueued_at INTEGER NOT NULL,
  failed_at INTEGER NOT NULL,
  reason TEXT NOT NULL,
  detail TEXT NOT NULL,
  attempts INTEGER NOT NULL,
  history TEXT NOT NULL,
  payload TEXT NOT NULL
);
CREATE INDEX dead_letters_reason ON dead_letters (reason);
CREATE INDEX dead_letters_topic ON dead_letters (topic);
CREATE TABLE delivery_counts (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE tasks (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  prompt TEXT NOT NULL,
  schedule TEXT NOT NULL,
  rule TEXT NOT NULL,
  zone TEXT NOT NULL,
  catchup TEXT NOT NULL,
  agent TEXT NOT NULL,
  channel TEXT NOT NULL,
  peer TEXT NOT NULL,
  made_by TEXT NOT NULL,
  state TEXT NOT NULL DEFAULT 'active',
  next_run_at INTEGER,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  run_count INTEGER NOT NULL DEFAULT 0,
  last_turn_id INTEGER,
  last_slot INTEGER,
  -- The call of an agent that made it.
  made_key TEXT,
  is_open INTEGER NOT NULL DEFAULT 1
, author TEXT, session_id INTEGER, gate TEXT, gate_by TEXT, gate_seen TEXT, event_seen TEXT, is_shared INTEGER NOT NULL DEFAULT 0);
CREATE INDEX tasks_due ON tasks (next_run_at) WHERE state = 'active' AND next_run_at IS NOT NULL;
CREATE INDEX tasks_key ON tasks (made_key) WHERE made_key IS NOT NULL;
CREATE INDEX tasks_open ON tasks (id) WHERE is_open = 1;
CREATE TABLE task_slots (
  task_id INTEGER NOT NULL,
  slot INTEGER NOT NULL,
  at_ms INTEGER NOT NULL,
  why TEXT NOT NULL,
  late_ms INTEGER NOT NULL,
  missed INTEGER NOT NULL,
  window_ms INTEGER,
  next_at INTEGER,
  turn_id INTEGER, oldest INTEGER, gate TEXT,
  PRIMARY KEY (task_id, slot)
) WITHOUT ROWID;
CREATE INDEX task_slots_time ON task_slots (at_ms);
CREATE INDEX task_slots_turn ON task_slots (turn_id) WHERE turn_id IS NOT NULL;
CREATE TABLE timers (
  session_id INTEGER NOT NULL,
  id TEXT NOT NULL,
  due_at INTEGER NOT NULL,
  seconds INTEGER NOT NULL,
  message TEXT NOT NULL,
  set_at INTEGER NOT NULL,
  turn_id INTEGER NOT NULL,
  -- The call that set it: made again after a crash, it sets nothing more.
  made_key TEXT,
  -- The turn that it became; set timers have none.
  fired_turn_id INTEGER,
  is_set INTEGER NOT NULL DEFAULT 1,
  PRIMARY KEY (session_id, id)
) WITHOUT ROWID;
CREATE INDEX timers_due ON timers (due_at) WHERE is_set = 1;
CREATE INDEX timers_turn ON timers (fired_turn_id) WHERE fired_turn_id IS NOT NULL;
CREATE TABLE heartbeats (
  session_id INTEGER PRIMARY KEY,
  rule TEXT NOT NULL,
  message TEXT NOT NULL,
  started_at INTEGER NOT NULL,
  next_at INTEGER NOT NULL,
  ticks INTEGER NOT NULL DEFAULT 0,
  skipped INTEGER NOT NULL DEFAULT 0,
  -- Of those, since its last turn was made.
  merged INTEGER NOT NULL DEFAULT 0,
  turn_id INTEGER,
  last_turn_id INTEGER,
  is_on INTEGER NOT NULL DEFAULT 1
, made_key TEXT);
CREATE INDEX heartbeats_due ON heartbeats (next_at) WHERE is_on = 1;
CREATE INDEX heartbeats_turn ON heartbeats (last_turn_id) WHERE last_turn_id IS NOT NULL;
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
CREATE INDEX journal_of_breakers ON journal (at_ms) WHERE kind = 60;
CREATE TABLE reply_attempts (
  turn_id INTEGER PRIMARY KEY,
  channel TEXT NOT NULL
, pieces INTEGER NOT NULL DEFAULT 0, is_open INTEGER NOT NULL DEFAULT 1) STRICT;
CREATE TABLE woken_turns (
  turn_id INTEGER PRIMARY KEY,
  made_by TEXT NOT NULL
) STRICT;
CREATE TABLE gateway_clients (
  name TEXT PRIMARY KEY,
  token_hash TEXT NOT NULL,
  added_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE gateway_usage (
  -- The local day on which the answer came: 2026-03-24.
  day TEXT NOT NULL,
  provider TEXT NOT NULL,
  client TEXT NOT NULL,
  requests INTEGER NOT NULL,
  remembered INTEGER NOT NULL,
  cut INTEGER NOT NULL,
  tokens_in INTEGER NOT NULL,
  tokens_out INTEGER NOT NULL,
  cost_usd REAL,
  last_at INTEGER NOT NULL,
  PRIMARY KEY (day, provider, client)
) WITHOUT ROWID;
CREATE INDEX turns_outcome ON turns (session_id, id) WHERE is_outcome = 1;
CREATE TABLE attempts (
  name TEXT PRIMARY KEY,
  streak INTEGER NOT NULL,
  last_error TEXT NOT NULL,
  next_try_at INTEGER,
  held_until INTEGER,
  starts_at TEXT,
  tried TEXT
) STRICT;
CREATE INDEX journal_of_outages ON journal (at_ms) WHERE kind BETWEEN 62 AND 70;
CREATE TABLE unsent (
  field TEXT PRIMARY KEY,
  rev INTEGER NOT NULL,
  kept_at INTEGER NOT NULL,
  text TEXT NOT NULL
);
CREATE INDEX sessions_pinned ON sessions (last_event_at) WHERE pinned_at IS NOT NULL;
CREATE INDEX sessions_deleted ON sessions (id) WHERE deleted_at IS NOT NULL;
CREATE TABLE sent_questions (
  channel TEXT NOT NULL,
  inbox_id INTEGER NOT NULL,
  is_open INTEGER NOT NULL,
  peer TEXT,
  ref TEXT,
  said TEXT,
  sent_at INTEGER, reminded_at INTEGER,
  PRIMARY KEY (channel, inbox_id)
) STRICT;
CREATE TABLE budget_periods (
  budget TEXT NOT NULL,
  key TEXT NOT NULL,
  from_ms INTEGER NOT NULL,
  allowed_usd REAL NOT NULL DEFAULT 0,
  told TEXT NOT NULL DEFAULT 'none',
  inbox_id INTEGER,
  PRIMARY KEY (budget, key, from_ms)
) WITHOUT ROWID;
CREATE TABLE budget_waits (
  turn_id INTEGER PRIMARY KEY,
  budget TEXT NOT NULL,
  key TEXT NOT NULL,
  from_ms INTEGER NOT NULL
);
CREATE TABLE digests (
  channel TEXT NOT NULL,
  day TEXT NOT NULL,
  from_ms INTEGER NOT NULL,
  to_ms INTEGER NOT NULL,
  is_open INTEGER NOT NULL,
  PRIMARY KEY (channel, day)
) STRICT;
CREATE TABLE task_events (
  task_id INTEGER NOT NULL,
  event_id TEXT NOT NULL,
  at_ms INTEGER NOT NULL,
  what TEXT NOT NULL,
  is_pending INTEGER NOT NULL DEFAULT 1,
  PRIMARY KEY (task_id, event_id)
) WITHOUT ROWID;
CREATE INDEX task_events_pending ON task_events (task_id, at_ms) WHERE is_pending = 1;
CREATE TABLE shared_turns (
  turn_id INTEGER PRIMARY KEY,
  uid TEXT NOT NULL UNIQUE,
  epoch INTEGER NOT NULL,
  state TEXT NOT NULL,
  machine TEXT NOT NULL,
  mark INTEGER NOT NULL,
  -- How its sender wants it to run, as JSON.
  ask TEXT,
  origin_db TEXT,
  origin_turn INTEGER
) STRICT;
CREATE INDEX shared_turns_open ON shared_turns (state) WHERE state <> 'over';
CREATE INDEX task_events_id ON task_events (event_id);
CREATE TABLE spend (
  slot_ms INTEGER NOT NULL,
  turn_id INTEGER NOT NULL,
  fallback INTEGER NOT NULL,
  tokens INTEGER NOT NULL,
  usd REAL, tokens_in INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (slot_ms, turn_id, fallback)
) WITHOUT ROWID;
CREATE INDEX spend_of_turn ON spend (turn_id);
INSERT INTO fold VALUES (1, 0);

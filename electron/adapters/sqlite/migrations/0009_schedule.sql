-- Tasks, the ledger of their slots, timers and heartbeats: folds of the journal like every other table.
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
);
CREATE INDEX tasks_due ON tasks (next_run_at) WHERE state = 'active' AND next_run_at IS NOT NULL;
CREATE INDEX tasks_key ON tasks (made_key) WHERE made_key IS NOT NULL;
CREATE INDEX tasks_open ON tasks (id) WHERE is_open = 1;

-- One row for each slot that was decided: with the task it is unique for ever.
CREATE TABLE task_slots (
  task_id INTEGER NOT NULL,
  slot INTEGER NOT NULL,
  at_ms INTEGER NOT NULL,
  why TEXT NOT NULL,
  late_ms INTEGER NOT NULL,
  missed INTEGER NOT NULL,
  window_ms INTEGER,
  next_at INTEGER,
  turn_id INTEGER,
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

-- Session 0 is the heartbeat of the settings.
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
);
CREATE INDEX heartbeats_due ON heartbeats (next_at) WHERE is_on = 1;
CREATE INDEX heartbeats_turn ON heartbeats (last_turn_id) WHERE last_turn_id IS NOT NULL;

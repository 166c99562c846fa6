-- Runs of skills: where each one is. A fold of the journal like every other table.
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

-- What turns have cost, by quarter of an hour, so that days of any time zone can be added up.
CREATE TABLE spend (
  slot_ms INTEGER NOT NULL,
  turn_id INTEGER NOT NULL,
  tokens INTEGER NOT NULL,
  usd REAL,
  PRIMARY KEY (slot_ms, turn_id)
) WITHOUT ROWID;

CREATE INDEX spend_of_turn ON spend (turn_id);

INSERT INTO spend (slot_ms, turn_id, tokens, usd)
SELECT coalesce(ended_at, started_at, accepted_at) / 900000 * 900000, id, tokens_in + tokens_out, cost_usd
FROM turns WHERE tokens_in + tokens_out > 0 OR cost_usd IS NOT NULL;

-- Of each budget in each period: what a person allowed on top, what was told, and its question.
CREATE TABLE budget_periods (
  budget TEXT NOT NULL,
  key TEXT NOT NULL,
  from_ms INTEGER NOT NULL,
  allowed_usd REAL NOT NULL DEFAULT 0,
  told TEXT NOT NULL DEFAULT 'none',
  inbox_id INTEGER,
  PRIMARY KEY (budget, key, from_ms)
) WITHOUT ROWID;

-- Turns that wait because a budget is spent.
CREATE TABLE budget_waits (
  turn_id INTEGER PRIMARY KEY,
  budget TEXT NOT NULL,
  key TEXT NOT NULL,
  from_ms INTEGER NOT NULL
);

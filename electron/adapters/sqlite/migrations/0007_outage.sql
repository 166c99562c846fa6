-- Breakers, retries, outages and the turns that wait for a provider.

-- Every breaker that ever left its first state.
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

-- Failed tries of calls that were repeated; what went wrong stands in the journal.
CREATE TABLE call_tries (
  turn_id INTEGER NOT NULL,
  step INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  PRIMARY KEY (turn_id, step, seq)
) WITHOUT ROWID;

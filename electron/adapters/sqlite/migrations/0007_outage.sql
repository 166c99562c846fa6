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
-- Providers, their outages, the waiting queue, and what the picture of them is drawn from.
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

-- A turn stays here until it is over, so that a canary that failed has its old place.
CREATE TABLE held_work (
  turn_id INTEGER PRIMARY KEY,
  provider TEXT NOT NULL,
  cause TEXT NOT NULL,
  since INTEGER NOT NULL,
  until INTEGER,
  rank REAL NOT NULL,
  is_out INTEGER NOT NULL DEFAULT 0,
  outage_id INTEGER
);
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

-- Contacts, probes and outages are found by their age, to be pruned.
CREATE INDEX journal_of_outages ON journal (at_ms) WHERE kind IN (62, 63, 64, 65, 66, 70);

-- The documents' name.
CREATE VIEW outage_events AS
  SELECT id, provider, started_at, resolved_at, failed_turns, reason, drained FROM outages;

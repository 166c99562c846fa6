-- Requeues, leases and queued wakes. What a turn waits for and who runs it stands in its row.
ALTER TABLE turns ADD COLUMN claim_id TEXT;
ALTER TABLE turns ADD COLUMN lease_owner TEXT;
ALTER TABLE turns ADD COLUMN leased_at INTEGER;
ALTER TABLE turns ADD COLUMN streak INTEGER NOT NULL DEFAULT 0;
ALTER TABLE turns ADD COLUMN due_at INTEGER;
ALTER TABLE turns ADD COLUMN last_error TEXT;
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

-- The history of activations: which journal rows it is made of. The rows themselves have the facts.
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

-- What the journal holds already is folded into the new tables by the start that migrates.
UPDATE fold SET applied_seq = 0;

-- Turns of the shared queue: who has them, and what their idempotency keys are made of.
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

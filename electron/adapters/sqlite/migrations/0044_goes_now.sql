-- A person wants this waiting turn to go now.
ALTER TABLE held_work ADD COLUMN goes_now INTEGER NOT NULL DEFAULT 0;

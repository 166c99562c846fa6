-- How many windows of a usage limit the waiting turn has used up; after a number of them it asks.
ALTER TABLE held_work ADD COLUMN windows INTEGER NOT NULL DEFAULT 0;

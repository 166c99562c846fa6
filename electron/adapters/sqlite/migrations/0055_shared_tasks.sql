-- Tasks that several computers have: each of their times is run once, by one of them.
ALTER TABLE tasks ADD COLUMN is_shared INTEGER NOT NULL DEFAULT 0;

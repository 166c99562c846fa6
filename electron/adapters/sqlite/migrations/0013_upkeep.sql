-- Of the ends without progress of a turn: those in which it gave no sign of life, so that Holdfast,
-- which lived on, took it from its run. The others are deaths of Holdfast.
ALTER TABLE turns ADD COLUMN stalls INTEGER NOT NULL DEFAULT 0;

-- What is old among the changes of breakers is found by its age, for retention.
CREATE INDEX journal_of_breakers ON journal (at_ms) WHERE kind = 60;

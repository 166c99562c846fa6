-- Every entry of the journal is held against this condition: a range costs nothing, a list built
-- anew in each statement cost a third of the insert. 67 and 68 lie in it and are few.
DROP INDEX journal_of_outages;
CREATE INDEX journal_of_outages ON journal (at_ms) WHERE kind BETWEEN 62 AND 70;

-- What was typed in a window and not sent yet, by its field. No fold of the journal: it was never
-- said to anybody. The text stands last: the others are read without its pages.
CREATE TABLE unsent (
  field TEXT PRIMARY KEY,
  rev INTEGER NOT NULL,
  kept_at INTEGER NOT NULL,
  text TEXT NOT NULL
);

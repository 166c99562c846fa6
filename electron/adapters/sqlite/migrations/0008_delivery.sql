-- Events on their way to the broker, and dead letters. Data on their way, no fold of the journal.
-- The payload stands last: sums and lists read the rows without its pages.
CREATE TABLE event_queue (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  topic TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  enqueued_at INTEGER NOT NULL,
  attempts INTEGER NOT NULL DEFAULT 0,
  history TEXT NOT NULL DEFAULT '[]',
  payload TEXT NOT NULL
);
CREATE INDEX event_queue_topic ON event_queue (topic);
CREATE TABLE dead_letters (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  topic TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  enqueued_at INTEGER NOT NULL,
  failed_at INTEGER NOT NULL,
  reason TEXT NOT NULL,
  detail TEXT NOT NULL,
  attempts INTEGER NOT NULL,
  history TEXT NOT NULL,
  payload TEXT NOT NULL
);
CREATE INDEX dead_letters_reason ON dead_letters (reason);
CREATE INDEX dead_letters_topic ON dead_letters (topic);
-- What the rows cannot say any more: how many were ever shed, how many of them only as a number.
CREATE TABLE delivery_counts (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;

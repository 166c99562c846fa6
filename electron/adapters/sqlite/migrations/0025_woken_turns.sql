-- What woke a session for a turn, for as long as the turn is known: the row of a timer or a heartbeat
-- names its newest turn only, and is another one when it is set again.
CREATE TABLE woken_turns (
  turn_id INTEGER PRIMARY KEY,
  made_by TEXT NOT NULL
) STRICT;
INSERT OR IGNORE INTO woken_turns
  SELECT fired_turn_id, 'timer' FROM timers WHERE fired_turn_id IS NOT NULL;
INSERT OR IGNORE INTO woken_turns
  SELECT last_turn_id, CASE session_id WHEN 0 THEN 'system' ELSE 'heartbeat' END
  FROM heartbeats WHERE last_turn_id IS NOT NULL;

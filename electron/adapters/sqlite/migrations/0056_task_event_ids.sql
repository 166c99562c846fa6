-- Which tasks had an event: a message that is sent again is looked up by its id alone.
CREATE INDEX task_events_id ON task_events (event_id);

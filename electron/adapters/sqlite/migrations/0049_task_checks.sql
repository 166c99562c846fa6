-- What a task looks at before it runs, who wrote that, and the hash of the output that last started a run.
ALTER TABLE tasks ADD COLUMN gate TEXT;
ALTER TABLE tasks ADD COLUMN gate_by TEXT;
ALTER TABLE tasks ADD COLUMN gate_seen TEXT;
-- What the check came to, for this slot: the reason of a run, or of a slot with nothing to do.
ALTER TABLE task_slots ADD COLUMN gate TEXT;

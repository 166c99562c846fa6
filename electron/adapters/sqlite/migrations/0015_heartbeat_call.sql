-- The call that set it: made again after a crash, it starts nothing that was stopped since.
ALTER TABLE heartbeats ADD COLUMN made_key TEXT;

-- What the agent's own count of its conversation stood at: the protocol tells the whole, not a turn.
-- Null where nobody knows: taken over, or with a terminal, which may spend more.
ALTER TABLE outside_sessions ADD COLUMN cost_usd REAL;

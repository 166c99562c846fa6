-- Who answered a turn in place of its own model or agent, in order: a JSON array; NULL for nobody.
ALTER TABLE turns ADD COLUMN fallbacks TEXT;

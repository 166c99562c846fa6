-- How many of the tokens went in, so that usage can name each one that answered a part of a turn.
ALTER TABLE spend ADD COLUMN tokens_in INTEGER NOT NULL DEFAULT 0;
-- What is there already has only the sum: the parts of a turn are taken to be like the whole of it.
UPDATE spend SET tokens_in = coalesce((
  SELECT CAST(round(1.0 * spend.tokens * tokens_in / (tokens_in + tokens_out)) AS INTEGER)
  FROM turns WHERE id = spend.turn_id AND tokens_in + tokens_out > 0), 0);

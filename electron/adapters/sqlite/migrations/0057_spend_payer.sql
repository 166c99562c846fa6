-- What turns have cost, by who answered, too: 0 for the turn's own model or agent, otherwise the place in its
-- list of fallbacks, from 1.
ALTER TABLE spend RENAME TO spend_before;
DROP INDEX spend_of_turn;
CREATE TABLE spend (
  slot_ms INTEGER NOT NULL,
  turn_id INTEGER NOT NULL,
  fallback INTEGER NOT NULL,
  tokens INTEGER NOT NULL,
  usd REAL,
  PRIMARY KEY (slot_ms, turn_id, fallback)
) WITHOUT ROWID;
INSERT INTO spend SELECT slot_ms, turn_id, 0, tokens, usd FROM spend_before ORDER BY slot_ms, turn_id;
DROP TABLE spend_before;
CREATE INDEX spend_of_turn ON spend (turn_id);

CREATE TEMP TABLE fell_back AS
SELECT id, json_array_length(fallbacks) AS fallback,
  (SELECT count(*) = max(step) FROM steps WHERE turn_id = turns.id) AS is_whole
FROM turns WHERE fallbacks IS NOT NULL AND json_valid(fallbacks);
-- Of some only the sum is known: it stays with the last one that answered, as it was counted.
UPDATE spend SET fallback = (SELECT fallback FROM fell_back WHERE id = turn_id)
WHERE turn_id IN (SELECT id FROM fell_back);
-- Those that still have all of their steps are counted again.
DELETE FROM spend WHERE turn_id IN (SELECT id FROM fell_back WHERE is_whole);
INSERT INTO spend (slot_ms, turn_id, fallback, tokens, usd)
SELECT at_ms / 900000 * 900000, turn_id, fallback, sum(body ->> '$.u[0]' + body ->> '$.u[1]'), sum(body ->> '$.u[2]')
FROM (
  SELECT j.at_ms, t.id AS turn_id,
    (SELECT count(*) FROM json_each(t.fallbacks) WHERE value ->> '$.afterStep' < s.step) AS fallback,
    CASE WHEN json_valid(j.body) THEN j.body ELSE '{}' END AS body
  FROM fell_back AS f JOIN turns AS t ON t.id = f.id JOIN steps AS s ON s.turn_id = t.id
    JOIN journal AS j ON j.seq = s.ended_seq
  WHERE f.is_whole
)
WHERE body ->> '$.u' IS NOT NULL AND body ->> '$.f' IS NULL
GROUP BY 1, 2, 3;
DROP TABLE fell_back;

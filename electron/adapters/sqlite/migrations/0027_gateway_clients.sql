-- Clients of the gateway with a token of their own, of which only the hash is kept.
CREATE TABLE gateway_clients (
  name TEXT PRIMARY KEY,
  token_hash TEXT NOT NULL,
  added_at INTEGER NOT NULL
) WITHOUT ROWID;

-- What was used, by client, too; with the answers that broke off, which nobody could count whole.
ALTER TABLE gateway_usage RENAME TO gateway_usage_of_all;
CREATE TABLE gateway_usage (
  -- The local day on which the answer came: 2026-03-24.
  day TEXT NOT NULL,
  provider TEXT NOT NULL,
  client TEXT NOT NULL,
  requests INTEGER NOT NULL,
  remembered INTEGER NOT NULL,
  cut INTEGER NOT NULL,
  tokens_in INTEGER NOT NULL,
  tokens_out INTEGER NOT NULL,
  cost_usd REAL,
  last_at INTEGER NOT NULL,
  PRIMARY KEY (day, provider, client)
) WITHOUT ROWID;
INSERT INTO gateway_usage
  SELECT day, provider, 'default', requests, remembered, 0, tokens_in, tokens_out, cost_usd,
    coalesce(told.last_at, 0)
  FROM gateway_usage_of_all LEFT JOIN (
    SELECT json_extract(body, '$.day') AS of_day, json_extract(body, '$.provider') AS of_provider,
      max(at_ms) AS last_at
    FROM journal WHERE kind = 95 GROUP BY 1, 2
  ) AS told ON told.of_day = day AND told.of_provider = provider;
DROP TABLE gateway_usage_of_all;

-- What the gateway's clients used, by day and provider.
CREATE TABLE gateway_usage (
  -- The local day on which the answer came: 2026-03-24.
  day TEXT NOT NULL,
  provider TEXT NOT NULL,
  requests INTEGER NOT NULL,
  remembered INTEGER NOT NULL,
  tokens_in INTEGER NOT NULL,
  tokens_out INTEGER NOT NULL,
  cost_usd REAL,
  PRIMARY KEY (day, provider)
) WITHOUT ROWID;

import type Database from 'better-sqlite3';
import type { GatewayEntry } from '../../ports/journal-gateway';

/** Adds one answer to the sums of its day. */
export function createGatewayFold(db: Database.Database): (entry: GatewayEntry) => void {
  const add = db.prepare(
    `INSERT INTO gateway_usage (day, provider, requests, remembered, tokens_in, tokens_out, cost_usd)
     VALUES (@day, @provider, 1, @remembered, @input, @output, @cost)
     ON CONFLICT (day, provider) DO UPDATE SET requests = requests + 1,
       remembered = remembered + excluded.remembered, tokens_in = tokens_in + excluded.tokens_in,
       tokens_out = tokens_out + excluded.tokens_out,
       cost_usd = CASE WHEN excluded.cost_usd IS NULL THEN cost_usd
         ELSE coalesce(cost_usd, 0) + excluded.cost_usd END`,
  );
  return (entry) => {
    add.run({
      day: entry.day,
      provider: entry.provider,
      remembered: entry.isRemembered ? 1 : 0,
      input: entry.inputTokens,
      output: entry.outputTokens,
      cost: entry.costUsd ?? null,
    });
  };
}

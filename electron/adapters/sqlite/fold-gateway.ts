import type Database from 'better-sqlite3';
import { DEFAULT_CLIENT } from '../../../shared/states';
import { unreachable } from '../../engine/kernel/unreachable';
import type { GatewayEntry } from '../../ports/journal-gateway';
import type { Applied } from './fold-table';

/** Adds one answer to the sums of its day; keeps who has a token. */
export function createGatewayFold(
  db: Database.Database,
): (entry: GatewayEntry, applied: Applied) => void {
  const add = db.prepare(
    `INSERT INTO gateway_usage (day, provider, client, requests, remembered, cut, tokens_in,
       tokens_out, cost_usd, last_at)
     VALUES (@day, @provider, @client, 1, @remembered, @cut, @input, @output, @cost, @at)
     ON CONFLICT (day, provider, client) DO UPDATE SET requests = requests + 1,
       remembered = remembered + excluded.remembered, cut = cut + excluded.cut,
       tokens_in = tokens_in + excluded.tokens_in, tokens_out = tokens_out + excluded.tokens_out,
       cost_usd = CASE WHEN excluded.cost_usd IS NULL THEN cost_usd
         ELSE coalesce(cost_usd, 0) + excluded.cost_usd END, last_at = excluded.last_at`,
  );
  const join = db.prepare(
    'INSERT OR REPLACE INTO gateway_clients (name, token_hash, added_at) VALUES (?, ?, ?)',
  );
  const revoke = db.prepare('DELETE FROM gateway_clients WHERE name = ?');
  return (entry, { atMs }) => {
    switch (entry.kind) {
      case 'gateway.used':
        add.run({
          day: entry.day,
          provider: entry.provider,
          client: entry.client ?? DEFAULT_CLIENT,
          remembered: entry.isRemembered ? 1 : 0,
          cut: entry.isCut === true ? 1 : 0,
          input: entry.inputTokens,
          output: entry.outputTokens,
          cost: entry.costUsd ?? null,
          at: atMs,
        });
        return;
      case 'gateway.joined':
        join.run(entry.client, entry.tokenHash, atMs);
        return;
      case 'gateway.revoked':
        revoke.run(entry.client);
        return;
      default:
        unreachable(entry);
    }
  };
}

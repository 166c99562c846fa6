import type Database from 'better-sqlite3';
import { DEFAULT_CLIENT } from '../../../../shared/states';
import { unreachable } from '../../../engine/kernel/unreachable';
import type { GatewayEntry, GatewayTaken, GatewayReads } from '../../../ports/journal/gateway';
import type { Applied } from './fold-table';
import { queries } from '../prepared';

/**
 * Adds an answer to the totals of its day from its start on: if a kill interrupts it, it counts as
 * far as it was reported. Also stores which clients have a token.
 */
export function createGatewayFold(
  db: Database.Database,
): (entry: GatewayEntry, applied: Applied) => void {
  const add = db.prepare(
    `INSERT INTO gateway_usage (day, provider, client, requests, remembered, cut, tokens_in,
       tokens_out, cost_usd, last_at)
     VALUES (@day, @provider, @client, @requests, @remembered, @cut, @input, @output, @cost, @at)
     ON CONFLICT (day, provider, client) DO UPDATE SET requests = requests + excluded.requests,
       remembered = remembered + excluded.remembered, cut = cut + excluded.cut,
       tokens_in = tokens_in + excluded.tokens_in, tokens_out = tokens_out + excluded.tokens_out,
       cost_usd = CASE WHEN excluded.cost_usd IS NULL THEN cost_usd
         ELSE coalesce(cost_usd, 0) + excluded.cost_usd END,
       last_at = max(last_at, excluded.last_at)`,
  );
  const join = db.prepare(
    'INSERT OR REPLACE INTO gateway_clients (name, token_hash, added_at) VALUES (?, ?, ?)',
  );
  const revoke = db.prepare('DELETE FROM gateway_clients WHERE name = ?');
  return (entry, { atMs }) => {
    switch (entry.kind) {
      case 'gateway.asked':
      case 'gateway.refused':
      case 'gateway.begun':
      case 'gateway.used': {
        const { day, provider, client = DEFAULT_CLIENT } = entry;
        const isAnswer = entry.kind === 'gateway.begun' || entry.kind === 'gateway.used';
        add.run({ day, provider, client, at: isAnswer ? atMs : 0, ...sumsOf(entry) });
        return;
      }
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

interface Sums {
  readonly requests: number;
  readonly remembered: number;
  readonly cut: number;
  readonly input: number;
  readonly output: number;
  readonly cost: number | null;
}

function sumsOf(entry: Extract<GatewayEntry, { readonly day: string }>): Sums {
  switch (entry.kind) {
    case 'gateway.asked':
      return broken(1, { inputTokens: 0, outputTokens: 0 });
    case 'gateway.refused':
      return broken(-1, { inputTokens: 0, outputTokens: 0 });
    case 'gateway.begun':
      return broken(1, entry);
    case 'gateway.used':
      return usedUp(entry);
  }
}

const broken = (count: 1 | -1, taken: GatewayTaken): Sums => ({
  requests: count,
  remembered: 0,
  cut: count,
  input: taken.inputTokens,
  output: taken.outputTokens,
  cost: taken.costUsd ?? null,
});

/** The usage since the start of the answer. */
function usedUp(entry: Extract<GatewayEntry, { kind: 'gateway.used' }>): Sums {
  const before = entry.begun;
  return {
    requests: before === undefined ? 1 : 0,
    remembered: entry.isRemembered ? 1 : 0,
    cut: (entry.isCut === true ? 1 : 0) - (before === undefined ? 0 : 1),
    input: entry.inputTokens - (before?.inputTokens ?? 0),
    output: entry.outputTokens - (before?.outputTokens ?? 0),
    cost: entry.costUsd === undefined ? null : entry.costUsd - (before?.costUsd ?? 0),
  };
}

export function createGatewayReads(db: Database.Database): GatewayReads {
  const { rows, count } = queries(db);
  return {
    gatewaySpentUsd: (provider, day) =>
      count(
        'SELECT sum(cost_usd) FROM gateway_usage WHERE day = ? AND provider = ?',
        day,
        provider,
      ),
    gatewaySpendSince: (fromMs) =>
      rows(
        `SELECT provider, sum(cost_usd) AS usd FROM gateway_usage
         WHERE day >= date(? / 1000, 'unixepoch', 'localtime') AND cost_usd > 0 GROUP BY provider`,
        fromMs,
      ).map((row) => ({ provider: String(row['provider']), usd: Number(row['usd']) })),
    gatewayClients: () =>
      rows('SELECT name, token_hash, added_at FROM gateway_clients ORDER BY name').map((row) => ({
        name: String(row['name']),
        tokenHash: String(row['token_hash']),
        addedAtMs: Number(row['added_at']),
      })),
    gatewayLastAnswersMs: () =>
      new Map(
        rows('SELECT client, max(last_at) AS at FROM gateway_usage GROUP BY client').map((row) => [
          String(row['client']),
          Number(row['at']),
        ]),
      ),
  };
}

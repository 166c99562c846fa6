import type Database from 'better-sqlite3';
import { DEFAULT_CLIENT } from '../../../../shared/states';
import { unreachable } from '../../../engine/kernel/unreachable';
import type {
  GatewayEntry,
  GatewayTaken,
  GatewayReads,
  UsageRow,
} from '../../../ports/journal/gateway';
import type { Applied } from './fold-table';
import type { Frame } from '../../../ports/journal/entries';
import { preparedOnce } from '../prepared';
import type { Row } from '../row';

/**
 * Adds one answer to the totals of its day, from its start on: interrupted by a kill, it is in them
 * as far as reported. Stores which clients have a token.
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

/** What is new since its start. */
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

/** Reads of what was used by day: of the gateway's table, and of the turns. */
export function createGatewayReads(
  db: Database.Database,
  frame: (id: number) => Frame | undefined,
): GatewayReads {
  const sql = preparedOnce(db);
  const usageOf = (row: Row, provider: string, source: UsageRow['source']): UsageRow => ({
    day: String(row['day']),
    provider,
    source,
    count: Number(row['count']),
    ...(typeof row['agent'] === 'string' ? { agent: row['agent'] } : {}),
    ...(typeof row['task_id'] === 'number' ? { taskId: row['task_id'] } : {}),
    ...(source === 'gateway' ? { client: String(row['client']) } : {}),
    remembered: Number(row['remembered'] ?? 0),
    cut: Number(row['cut'] ?? 0),
    inputTokens: Number(row['tokens_in']),
    outputTokens: Number(row['tokens_out']),
    ...(typeof row['cost_usd'] === 'number' ? { costUsd: row['cost_usd'] } : {}),
    savedInputTokens: Number(row['saved_in'] ?? 0),
    savedOutputTokens: Number(row['saved_out'] ?? 0),
    ...(typeof row['saved_usd'] === 'number' ? { savedUsd: row['saved_usd'] } : {}),
  });
  return {
    usageSince({ text, atMs }, by = []) {
      const clients = sql(
        `SELECT day, provider, client, requests AS count, remembered, cut, tokens_in, tokens_out,
           cost_usd FROM gateway_usage WHERE day >= ? AND requests > 0`,
      ).all(text) as Row[];
      const turns = sql(
        `WITH used AS (
           SELECT ended_at AS at_ms, * FROM turns
             WHERE is_closed = 1 AND ended_at >= @atMs AND frame_id IS NOT NULL
           UNION ALL SELECT started_at AS at_ms, * FROM turns
             WHERE is_closed = 0 AND started_at >= @atMs AND tokens_in + tokens_out > 0)
         SELECT date(at_ms / 1000, 'unixepoch', 'localtime') AS day, frame_id, count(*) AS count,
           ${by.includes('agent') ? '(SELECT agent FROM sessions WHERE id = used.session_id)' : 'NULL'} AS agent,
           ${by.includes('task') ? '(SELECT task_id FROM task_slots WHERE turn_id = used.id)' : 'NULL'} AS task_id,
           sum(tokens_in) AS tokens_in, sum(tokens_out) AS tokens_out, sum(cost_usd) AS cost_usd,
           sum(saved_in) AS saved_in, sum(saved_out) AS saved_out, sum(saved_usd) AS saved_usd
         FROM used GROUP BY 1, frame_id, 4, 5`,
      ).all({ atMs }) as Row[];
      const all = [
        ...clients.map((row) => usageOf(row, String(row['provider']), 'gateway')),
        ...turns.map((row) =>
          usageOf(row, frame(Number(row['frame_id']))?.provider ?? 'unknown', 'turns'),
        ),
      ];
      return merged(all).toSorted(
        (a, b) =>
          b.day.localeCompare(a.day) ||
          a.provider.localeCompare(b.provider) ||
          (a.client ?? '').localeCompare(b.client ?? '') ||
          (a.agent ?? '').localeCompare(b.agent ?? '') ||
          (a.taskId ?? 0) - (b.taskId ?? 0),
      );
    },
    gatewaySpentUsd: (provider, day) =>
      Number(
        sql('SELECT sum(cost_usd) FROM gateway_usage WHERE day = ? AND provider = ?')
          .pluck()
          .get(day, provider) ?? 0,
      ),
    gatewaySpendSince: (fromMs) =>
      (
        sql(
          `SELECT provider, sum(cost_usd) AS usd FROM gateway_usage
             WHERE day >= date(? / 1000, 'unixepoch', 'localtime') AND cost_usd > 0 GROUP BY provider`,
        ).all(fromMs) as Row[]
      ).map((row) => ({ provider: String(row['provider']), usd: Number(row['usd']) })),
    ...clientReads(sql),
  };
}

const clientReads = (
  sql: ReturnType<typeof preparedOnce>,
): Pick<GatewayReads, 'gatewayClients' | 'gatewayLastAnswersMs'> => ({
  gatewayClients: () =>
    (
      sql('SELECT name, token_hash, added_at FROM gateway_clients ORDER BY name').all() as Row[]
    ).map((row) => ({
      name: String(row['name']),
      tokenHash: String(row['token_hash']),
      addedAtMs: Number(row['added_at']),
    })),
  gatewayLastAnswersMs: () =>
    new Map(
      (
        sql('SELECT client, max(last_at) AS at FROM gateway_usage GROUP BY client').all() as Row[]
      ).map((row) => [String(row['client']), Number(row['at'])]),
    ),
});

/** Several frames of one provider on one day are one line. */
function merged(rows: readonly UsageRow[]): UsageRow[] {
  const sums = new Map<string, UsageRow>();
  for (const row of rows) {
    const key = `${row.day} ${row.source} ${row.provider} ${row.client ?? ''} ${row.agent ?? ''} ${String(row.taskId ?? '')}`;
    const known = sums.get(key);
    const costUsd = sumOf(known?.costUsd, row.costUsd);
    const savedUsd = sumOf(known?.savedUsd, row.savedUsd);
    sums.set(key, {
      ...row,
      count: row.count + (known?.count ?? 0),
      remembered: row.remembered + (known?.remembered ?? 0),
      cut: row.cut + (known?.cut ?? 0),
      inputTokens: row.inputTokens + (known?.inputTokens ?? 0),
      outputTokens: row.outputTokens + (known?.outputTokens ?? 0),
      ...(costUsd === undefined ? {} : { costUsd }),
      savedInputTokens: row.savedInputTokens + (known?.savedInputTokens ?? 0),
      savedOutputTokens: row.savedOutputTokens + (known?.savedOutputTokens ?? 0),
      ...(savedUsd === undefined ? {} : { savedUsd }),
    });
  }
  return [...sums.values()];
}

/** Known when one of them is. */
function sumOf(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined && other === undefined ? undefined : (one ?? 0) + (other ?? 0);
}

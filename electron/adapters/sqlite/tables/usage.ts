import type Database from 'better-sqlite3';
import type { Frame } from '../../../ports/journal/entries';
import type { UsageReads, UsageRow } from '../../../ports/journal/usage';
import { queries } from '../prepared';
import type { Row } from '../row';
import { fallbacksOf } from './outage';
import { slotOf } from './spend';

/** A turn counts on the day it ended; its usage counts on the day it was used. */
const COUNTED = `NULL AS fallback, 1 AS count, 0 AS tokens_in, 0 AS tokens_out, NULL AS cost_usd,
  saved_in, saved_out, saved_usd FROM turns`;

/** Reads usage by day: from the table of the gateway, and from turns. */
export function createUsageReads(
  db: Database.Database,
  frame: (id: number) => Frame | undefined,
): UsageReads {
  const { rows } = queries(db);
  const answererOf = (row: Row): Pick<UsageRow, 'provider' | 'agent'> => {
    const { fallbacks = [] } = fallbacksOf(row);
    const last = fallbacks.length;
    const other = fallbacks[Number(row['fallback'] ?? last) - 1];
    const ownAgent = typeof row['agent'] === 'string' ? { agent: row['agent'] } : {};
    if (other === undefined)
      return { provider: frame(Number(row['frame_id']))?.provider ?? 'unknown', ...ownAgent };
    const { provider, agent } = other;
    return { provider, ...(agent === undefined ? ownAgent : { agent }) };
  };
  return {
    usageSince({ text, atMs }, { isByTask }) {
      const clients = rows(
        `SELECT day, provider, client, requests AS count, remembered, cut, tokens_in, tokens_out,
           cost_usd FROM gateway_usage WHERE day >= ? AND requests > 0`,
        text,
      );
      const turns = rows(
        `WITH used AS (
           SELECT slot_ms AS at_ms, turn_id AS id, fallback, 0 AS count, tokens_in,
             tokens - tokens_in AS tokens_out, usd AS cost_usd, 0 AS saved_in, 0 AS saved_out,
             NULL AS saved_usd FROM spend WHERE slot_ms >= @slotMs
           UNION ALL SELECT ended_at, id, ${COUNTED}
             WHERE is_closed = 1 AND ended_at >= @atMs AND frame_id IS NOT NULL
           UNION ALL SELECT started_at, id, ${COUNTED}
             WHERE is_closed = 0 AND started_at >= @atMs
               AND (tokens_in + tokens_out > 0 OR cost_usd > 0))
         SELECT date(at_ms / 1000, 'unixepoch', 'localtime') AS day, frame_id, fallback, fallbacks,
           (SELECT agent FROM sessions WHERE id = turns.session_id) AS agent,
           ${isByTask ? '(SELECT task_id FROM task_slots WHERE turn_id = used.id)' : 'NULL'} AS task_id,
           sum(count) AS count, sum(used.tokens_in) AS tokens_in, sum(used.tokens_out) AS tokens_out,
           sum(used.cost_usd) AS cost_usd, sum(used.saved_in) AS saved_in,
           sum(used.saved_out) AS saved_out, sum(used.saved_usd) AS saved_usd
         FROM used JOIN turns ON turns.id = used.id
         GROUP BY 1, frame_id, iif(fallbacks IS NULL, 0, fallback), fallbacks, 5, 6`,
        { atMs, slotMs: slotOf(atMs) },
      );
      return [
        ...clients.map((row): UsageRow => {
          const [provider, client] = [String(row['provider']), String(row['client'])];
          return { source: 'gateway', provider, client, ...amountOf(row) };
        }),
        ...turns.map((row): UsageRow => ({
          source: 'turns',
          ...answererOf(row),
          ...(typeof row['task_id'] === 'number' ? { taskId: row['task_id'] } : {}),
          ...amountOf(row),
        })),
      ];
    },
  };
}

const amountOf = (row: Row): Omit<UsageRow, 'provider' | 'source'> => ({
  day: String(row['day']),
  count: Number(row['count']),
  remembered: Number(row['remembered'] ?? 0),
  cut: Number(row['cut'] ?? 0),
  inputTokens: Number(row['tokens_in']),
  outputTokens: Number(row['tokens_out']),
  ...(typeof row['cost_usd'] === 'number' ? { costUsd: row['cost_usd'] } : {}),
  savedInputTokens: Number(row['saved_in'] ?? 0),
  savedOutputTokens: Number(row['saved_out'] ?? 0),
  ...(typeof row['saved_usd'] === 'number' ? { savedUsd: row['saved_usd'] } : {}),
});

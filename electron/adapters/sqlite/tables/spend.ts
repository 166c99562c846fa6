import type Database from 'better-sqlite3';
import type { Usage } from '../../../../shared/types';
import type { SpendReads, Spender } from '../../../ports/journal/spend';
import { queries } from '../prepared';
import { numberOr, type Row } from '../row';
import type { FoldTable } from './fold-table';

/** In any time zone, a day consists of quarters of an hour. */
const SLOT_MS = 900_000;
export const slotOf = (atMs: number): number => Math.floor(atMs / SLOT_MS) * SLOT_MS;

type SpendKind =
  | 'step.ended'
  | 'call.retried'
  | 'turn.pruned'
  | 'turn.requeued'
  | 'turn.started'
  | 'turn.closed'
  | 'budget.allowed'
  | 'budget.told';

/** The cost of turns by time, and what users were told about budgets and have allowed. */
export function createSpendFold(db: Database.Database): FoldTable<SpendKind> {
  // The models that had taken over before the step: the last of them answered it. A damaged list
  // counts as empty.
  const add = db.prepare(
    `INSERT INTO spend (slot_ms, turn_id, fallback, tokens, tokens_in, usd)
     VALUES (@slotMs, @turnId, coalesce(@fallback, (SELECT iif(fallbacks IS NULL, 0,
         (SELECT count(*) FROM json_each(iif(json_valid(fallbacks), fallbacks, '[]'))
          WHERE value ->> '$.afterStep' < @beforeStep)) FROM turns WHERE id = @turnId), 0),
       @tokens, @inputTokens, @usd)
     ON CONFLICT (slot_ms, turn_id, fallback) DO UPDATE SET tokens = tokens + excluded.tokens,
       tokens_in = tokens_in + excluded.tokens_in,
       usd = CASE WHEN excluded.usd IS NULL THEN usd ELSE coalesce(usd, 0) + excluded.usd END`,
  );
  const clear = db.prepare('DELETE FROM spend WHERE turn_id = ?');
  const endOf = db
    .prepare('SELECT coalesce(ended_at, started_at, accepted_at) FROM turns WHERE id = ?')
    .pluck();
  const period = `INSERT INTO budget_periods (budget, key, from_ms, allowed_usd, told, inbox_id)
     VALUES (@budget, @key, @fromMs, @usd, @told, @inboxId)
     ON CONFLICT (budget, key, from_ms) DO UPDATE SET`;
  const allowed = db.prepare(`${period} allowed_usd = allowed_usd + excluded.allowed_usd,
       told = 'none', inbox_id = NULL`);
  const told = db.prepare(`${period} told = excluded.told, inbox_id = excluded.inbox_id`);
  const wait = db.prepare(
    'INSERT OR REPLACE INTO budget_waits (turn_id, budget, key, from_ms) VALUES (?, ?, ?, ?)',
  );
  const goOn = db.prepare('DELETE FROM budget_waits WHERE turn_id = ?');
  // Turns that waited at some time: all others have no row to delete.
  const waited = new Set(db.prepare('SELECT turn_id FROM budget_waits').pluck().all());
  const waitIsOver = ({ turnId }: { readonly turnId: number }): void => {
    if (waited.has(turnId)) goOn.run(turnId);
  };
  const used = (turnId: number, step: number, usage: Usage | undefined, atMs: number): void => {
    if (usage === undefined) return;
    const slotMs = slotOf(atMs);
    add.run({ slotMs, turnId, fallback: null, beforeStep: step, ...takenOf(usage) });
  };
  return {
    'turn.requeued': ({ turnId, budget }) => {
      if (budget === undefined) return;
      waited.add(turnId);
      wait.run(turnId, budget.budget, budget.key, budget.fromMs);
    },
    'turn.started': waitIsOver,
    'turn.closed': waitIsOver,
    'step.ended': ({ turnId, step, end, isElsewhere }, { atMs }) => {
      if (isElsewhere === true) return;
      if (end.state !== 'completed' && end.state !== 'failed') return;
      used(turnId, step, end.usage, atMs);
    },
    'call.retried': ({ turnId, step, usage }, { atMs }) => {
      used(turnId, step, usage, atMs);
    },
    // The steps are deleted, so the journal knows only the totals. The tables must not say more.
    'turn.pruned': ({ turnId, usage, shares }) => {
      clear.run(turnId);
      const endMs = slotOf(Number(endOf.get(turnId) ?? 0));
      if (shares !== undefined) {
        for (const { slotMs = endMs, usd = null, ...share } of shares)
          add.run({
            slotMs,
            turnId,
            beforeStep: 0,
            inputTokens: inputOf(share.tokens, usage),
            ...share,
            usd,
          });
        return;
      }
      const slotMs = endMs;
      const taken = takenOf(usage);
      if (taken.tokens === 0 && taken.usd === null) return;
      add.run({ slotMs, turnId, fallback: null, beforeStep: Infinity, ...taken });
    },
    'budget.allowed': ({ budget, key, fromMs, usd }) => {
      allowed.run({ budget, key, fromMs, usd, told: 'none', inboxId: null });
    },
    'budget.told': ({ budget, key, fromMs, told: what, inboxId }) => {
      told.run({ budget, key, fromMs, usd: 0, told: what, inboxId });
    },
  };
}

const takenOf = ({ inputTokens, outputTokens, costUsd }: Usage) => ({
  tokens: inputTokens + outputTokens,
  inputTokens,
  usd: costUsd ?? null,
});

/**
 * Input tokens of a share, if only the total of the turn was recorded: in the same proportion as
 * for the whole turn.
 */
const inputOf = (tokens: number, { inputTokens, outputTokens }: Usage): number =>
  Math.round((tokens * inputTokens) / Math.max(1, inputTokens + outputTokens));

const spenderOf = (row: Row): Spender => ({
  turnId: Number(row['turn_id']),
  fallback: Number(row['fallback']),
});

export function createSpendReads(db: Database.Database): SpendReads {
  const { rows, row } = queries(db);
  return {
    spendSince: (fromMs) =>
      rows(
        `SELECT turn_id, fallback, sum(usd) AS usd FROM spend
         WHERE slot_ms >= ? AND usd IS NOT NULL GROUP BY turn_id, fallback`,
        slotOf(fromMs),
      ).map((found) => ({ ...spenderOf(found), usd: Number(found['usd']) })),
    unpricedSince: (fromMs) =>
      rows(
        `SELECT DISTINCT turn_id, fallback FROM spend
         WHERE slot_ms >= ? AND usd IS NULL AND tokens > 0`,
        slotOf(fromMs),
      ).map(spenderOf),
    budgetPeriod({ budget, key, fromMs }) {
      const found = row(
        'SELECT allowed_usd, told, inbox_id FROM budget_periods WHERE budget = ? AND key = ? AND from_ms = ?',
        ...[budget, key, fromMs],
      );
      const said = found?.['told'];
      return {
        allowedUsd: Number(found?.['allowed_usd'] ?? 0),
        told: said === 'nearly' || said === 'spent' ? said : 'none',
        inboxId: numberOr(found?.['inbox_id']),
      };
    },
    waitingForBudget: () =>
      rows('SELECT turn_id, budget, key FROM budget_waits ORDER BY turn_id').map((found) => ({
        turnId: Number(found['turn_id']),
        budget: String(found['budget']),
        key: String(found['key']),
      })),
  };
}

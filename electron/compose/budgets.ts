import { mostCostUsd } from '../adapters/providers/price';
import { computerZone } from '../adapters/clock/system-clock';
import { createBudgets, type Budgets } from '../engine/budgets/budgets';
import { timeText } from '../engine/outage/views';
import type { TurnScheduler } from '../engine/turns/scheduler';
import type { ModelRequest } from '../ports/provider';
import type { Core } from './core';

/** Budgets over everything that turns cost; the scheduler exists later. */
export function createBudgetsPart(
  core: Core,
  scheduler: () => Pick<TurnScheduler, 'runNowIfWaiting' | 'enqueue'>,
): Budgets {
  const { clock, reads, scheduleReads } = core;
  return createBudgets({
    ...core,
    zone: computerZone,
    time: (atMs) => timeText(atMs, clock.nowMs()),
    taskOf(turnId) {
      const made = scheduleReads.madeBy(turnId);
      return made?.kind === 'task' ? String(made.taskId) : undefined;
    },
    goOn(turnId) {
      const turn = reads.turn(turnId);
      if (turn === undefined || turn.state !== 'waiting') return;
      if (!scheduler().runNowIfWaiting(turnId)) scheduler().enqueue(turn);
    },
    onChange: core.changed,
  });
}

/** What a request may cost at most, as the gateway reckons it, too; undefined without prices. */
export const mostCostOf =
  ({ settings }: Pick<Core, 'settings'>) =>
  (request: ModelRequest): number | undefined => {
    const prices = settings.get('providers')[request.provider];
    if (prices === undefined) return undefined;
    // Its answers cost nothing that Holdfast would know of: nothing to set aside.
    if (prices.price_output_per_million_usd === undefined) return 0;
    const bytes = Buffer.byteLength(JSON.stringify([request.system, request.messages]));
    return mostCostUsd({ bytes, json: {} }, prices);
  };

import { mostCostUsd } from '../adapters/providers/price';
import { pricesOf } from '../../shared/prices/prices';
import { computerZone } from '../adapters/clock/system-clock';
import type { UnpricedAgent } from '../engine/budgets/blind-caps';
import { createBudgets, type Budgets } from '../engine/budgets/budgets';
import { identifyAgent } from '../adapters/command/identify-agent';
import { accountsBySettings } from '../engine/outage/account';
import { breakerNames } from '../engine/breaker/names';
import { isLlmAgent } from '../../shared/settings';
import { timeText } from '../engine/outage/views';
import type { TurnScheduler } from '../engine/turns/scheduler';
import type { ModelRequest } from '../ports/provider';
import type { Core } from './core';

/** Budgets over everything that turns cost; the scheduler exists later. */
export function createBudgetsPart(
  core: Core,
  scheduler: () => Pick<TurnScheduler, 'runNowIfWaiting' | 'enqueue'>,
): Budgets {
  const { reads } = core.disk;
  const { clock } = core.world;
  return createBudgets({
    ...core.world,
    ...core.disk,
    ...core.records,
    settings: core.settings,
    zone: computerZone,
    time: (atMs) => timeText(atMs, clock.nowMs()),
    payers: payersOf(core),
    goOn(turnId) {
      const turn = reads.turn(turnId);
      if (turn === undefined || turn.state !== 'waiting') return;
      if (!scheduler().runNowIfWaiting(turnId)) scheduler().enqueue(turn);
    },
    onChange: core.told.changed,
  });
}

/** Who pays for what, and whose cost nobody will know, as the settings have it now. */
function payersOf({ settings, disk }: Pick<Core, 'settings' | 'disk'>) {
  const { members, accountOf } = accountsBySettings({ settings, identify: identifyAgent });
  return {
    taskOf(turnId: number): string | undefined {
      const made = disk.scheduleReads.madeBy(turnId);
      return made?.kind === 'task' ? String(made.taskId) : undefined;
    },
    accountOf,
    members,
    /**
     * Own agents of a provider without prices, Codex, which tells no cost, and commands of which
     * nothing but the output is known. BU-03
     */
    unpricedAgents: (): readonly UnpricedAgent[] =>
      Object.entries(settings.get('agents')).flatMap(([agent, spec]): UnpricedAgent[] => {
        if (!isLlmAgent(spec)) {
          const id = identifyAgent(spec.command, spec.args ?? []);
          const isBlind = id === 'codex' || (spec.executor === 'command' && id !== 'claude');
          const provider = breakerNames.agent(agent);
          return isBlind ? [{ agent, provider, canHavePrices: false }] : [];
        }
        const provider = settings.get('providers')[spec.provider];
        return provider !== undefined && pricesOf(provider, spec.model) === undefined
          ? [{ agent, provider: spec.provider, canHavePrices: true }]
          : [];
      }),
  };
}

/** What a request may cost at most, as the gateway reckons it, too; undefined without prices. */
export const mostCostOf =
  ({ settings }: Pick<Core, 'settings'>) =>
  (request: ModelRequest): number | undefined => {
    const provider = settings.get('providers')[request.provider];
    if (provider === undefined) return undefined;
    const prices = pricesOf(provider, request.model);
    // Its answers cost nothing that Holdfast would know of: nothing to set aside.
    if (prices === undefined) return 0;
    const bytes = Buffer.byteLength(JSON.stringify([request.system, request.messages]));
    return mostCostUsd({ bytes, json: {} }, prices);
  };

/** Who pays for what, and whose cost no one will know, as the settings have it now. */
import { isLlmAgent } from '../../../shared/settings';
import { pricesOf } from '../../../shared/prices/prices';
import type { ExternalAgentId } from '../../ports/external-agent';
import type { ScheduleReads } from '../../ports/journal/schedule';
import type { SettingsPort } from '../../ports/settings';
import { breakerNames } from '../breaker/names';
import type { UnpricedAgent } from './blind-caps';
import type { PayerFacts } from './ledgers';

interface PayersDeps {
  readonly accounts: Pick<PayerFacts, 'members' | 'accountOf'>;
  readonly settings: Pick<SettingsPort, 'get'>;
  readonly scheduleReads: Pick<ScheduleReads, 'madeBy'>;
  readonly identify: (command: string, args: readonly string[]) => ExternalAgentId;
}

export const createPayers = ({
  accounts,
  settings,
  scheduleReads,
  identify,
}: PayersDeps): PayerFacts => ({
  ...accounts,
  taskOf(turnId) {
    const made = scheduleReads.madeBy(turnId);
    return made?.kind === 'task' ? String(made.taskId) : undefined;
  },
  unpricedAgents: () => unpricedAgents(settings, identify),
});

/**
 * Built-in agents of a provider without prices, Codex, which reports no cost, and command-line agents of
 * which only the output is known. BU-03
 */
const unpricedAgents = (
  settings: PayersDeps['settings'],
  identify: PayersDeps['identify'],
): readonly UnpricedAgent[] =>
  Object.entries(settings.get('agents')).flatMap(([agent, spec]): UnpricedAgent[] => {
    if (!isLlmAgent(spec)) {
      const id = identify(spec.command, spec.args ?? []);
      const isBlind = id === 'codex' || (spec.executor === 'command' && id !== 'claude');
      const provider = breakerNames.agent(agent);
      return isBlind ? [{ agent, provider, canHavePrices: false }] : [];
    }
    const provider = settings.get('providers')[spec.provider];
    return provider !== undefined && pricesOf(provider, spec.model) === undefined
      ? [{ agent, provider: spec.provider, canHavePrices: true }]
      : [];
  });

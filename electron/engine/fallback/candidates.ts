/** The fallbacks of an agent according to the settings. Pure. FB-01, FB-02 */
import { isLlmAgent, type AgentSettings, type ProviderSettings } from '../../../shared/settings';
import { modelFallbacksOf } from '../../../shared/settings/agents';
import type { Answerer, Fallback } from '../../ports/journal/outage';
import type { ExternalAgentId } from '../../ports/external-agent';
import { breakerNames } from '../breaker/names';
import { entryOf } from '../../../shared/table';

/** An entry of an agent's list; the agent's own model comes first. */
export interface NamedAnswerer extends Answerer {
  /** Its name in outages and limits: a provider, or `agent.NAME`. */
  readonly place: string;
  readonly isSameVendor: boolean;
}

export interface CandidateFacts {
  readonly agents: Readonly<Record<string, AgentSettings>>;
  readonly providers: Readonly<Record<string, ProviderSettings>>;
  /** The known agent that a command starts. */
  readonly identify: (command: string, args: readonly string[]) => ExternalAgentId;
}

/** The agent's own model or itself, then its fallbacks in order; empty for one without any. */
export function candidatesOf(name: string, facts: CandidateFacts): readonly NamedAnswerer[] {
  const agent = entryOf(facts.agents, name);
  if (agent === undefined || agent.executor === 'command') return [];
  if ((agent.fallback ?? []).length === 0) return [];
  if (isLlmAgent(agent)) {
    const { provider, model } = agent;
    const vendor = vendorOf(facts.providers[provider]);
    return [{ provider, model }, ...modelFallbacksOf(agent)].map((one) => ({
      ...one,
      place: one.provider,
      isSameVendor: vendor !== undefined && vendorOf(facts.providers[one.provider]) === vendor,
    }));
  }
  const vendor = facts.identify(agent.command, agent.args ?? []);
  return [name, ...(agent.fallback ?? [])].flatMap((one): NamedAnswerer[] => {
    const other = facts.agents[one];
    if (other?.executor !== 'acp') return [];
    const id = facts.identify(other.command, other.args ?? []);
    return [
      {
        provider: 'acp',
        model: other.model ?? '',
        agent: one,
        place: breakerNames.agent(one),
        // The vendor of an unknown program is unknown.
        isSameVendor: id !== 'other' && id === vendor,
      },
    ];
  });
}

/** Providers of one kind at one address bill together; undefined for a provider that does not exist. */
function vendorOf(provider: ProviderSettings | undefined): string | undefined {
  return provider === undefined ? undefined : `${provider.kind} ${provider.base_url ?? ''}`;
}

/** Whether two providers bill together; false where one does not exist. */
export function isSameVendor(
  providers: CandidateFacts['providers'],
  one: string,
  other: string,
): boolean {
  const vendor = vendorOf(entryOf(providers, one));
  const second = entryOf(providers, other);
  return vendor !== undefined && vendorOf(second) === vendor;
}

/** Place of the one that answers a turn now; the first for one that the list has lost. */
export function currentOf(
  all: readonly NamedAnswerer[],
  fallbacks: readonly Fallback[] = [],
): number {
  const last = fallbacks.at(-1);
  if (last === undefined) return 0;
  const at = all.findIndex(
    (one) => one.agent === last.agent && one.provider === last.provider && one.model === last.model,
  );
  return Math.max(at, 0);
}

/** Display name: an agent's name, or `provider/model`. */
export const answererName = ({ agent, provider, model }: Answerer): string =>
  agent ?? `${provider}/${model}`;

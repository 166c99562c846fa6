import { agentTitleIn } from '../../../shared/agent-title';
import { isNamedIn } from '../../../shared/named-provider';
import type { StatusSnapshot } from '../../../shared/types';
import { PRACTICE_AGENT, PRACTICE_PROVIDER } from '../../../shared/practice';
import { isLlmAgent, type AgentSettings } from '../../../shared/settings';
import type { JournalReads } from '../../ports/journal/reads';
import type { TurnRow } from '../../ports/journal/rows';
import type { ProviderProbe, Providers } from '../../ports/provider';
import type { SettingsPort } from '../../ports/settings';
import { breakerNames } from '../breaker/names';
import { accountsBySettings, type AccountFacts } from './account';
import { toHoldfastError } from '../kernel/errors';
import { readOutagePolicy, type OutagesDeps } from './outage-deps';
import { createOutages, type Outages } from './outages';
import { providerOfBreaker } from './state';
import { outsideOf, timeText } from './views';
import { entryOf } from '../../../shared/table';

interface OutageDeps extends Omit<OutagesDeps, 'policy' | 'agents' | 'ask' | 'time' | 'on'> {
  readonly settings: SettingsPort;
  readonly providers: Providers;
  readonly isReadOnly: boolean;
  /** Providers that exist without a setting. */
  readonly extraProviders: readonly string[];
  /** Which known agent a command starts. */
  readonly identify: AccountFacts['identify'];
  /** Time zone of this computer. */
  readonly zone: () => string;
  readonly onFree: () => void;
  /** Displayed provider data changed; rate-limited. */
  readonly onChanged: () => void;
}

/** Outages by the settings: which provider an agent needs, and how long its turns wait. */
export interface Outage extends Omit<Outages, 'isFull' | 'limits'> {
  outside(): StatusSnapshot['outside'];
  limits(): StatusSnapshot['limits'];
  /** The waiting turns, as text in the sentence about a breaker. */
  waitingBehind(breaker: string): string;
  isFull(agent: string): boolean;
  /** Calls back at once when a provider's state may have changed. */
  onMoved(listener: () => void): () => void;
}

const CHANGED_EVERY_MS = 200;

export function createOutage(deps: OutageDeps): Outage {
  const { settings, clock } = deps;
  let isChangedSoon = false;
  const listeners = new Set<() => void>();
  const changed = (): void => {
    for (const listener of [...listeners]) listener();
    if (isChangedSoon || deps.isReadOnly) return;
    isChangedSoon = true;
    void clock.sleep(CHANGED_EVERY_MS).then(() => {
      isChangedSoon = false;
      deps.onChanged();
    });
  };
  const agents = {
    ...agentsOf(settings, deps.reads),
    accountOf: accountsBySettings(deps).sharedWith,
    isGone: (provider: string): boolean =>
      !deps.extraProviders.includes(provider) &&
      !isNamedIn(
        { providers: settings.get('providers'), agents: settings.get('agents') },
        provider,
      ),
  };
  const outages = createOutages({
    ...deps,
    policy: () => readOutagePolicy(settings, deps.zone),
    agents,
    ask: (provider, signal) => askProvider(deps.providers, provider, signal),
    time: (atMs) => timeText(atMs, clock.nowMs()),
    on: { free: deps.onFree, changed },
  });
  if (!deps.isReadOnly) {
    settings.onChange((keys) => {
      if (keys.includes('providers'))
        for (const name of Object.keys(settings.get('providers'))) outages.keyChanged(name);
      const isNew = keys.includes('providers') || keys.includes('agents');
      if (isNew || keys.some((key) => key.startsWith('resilience.'))) outages.probeSoon(false);
    });
  }

  return {
    ...outages,
    onMoved(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    isFull: (agent) => {
      const provider = agents.providerOfAgent(agent);
      return (
        provider !== undefined && outages.isFull(provider, settings.get('limits.max_waiting_turns'))
      );
    },
    waitingBehind(breaker) {
      const provider = providerOfBreaker(breaker);
      const count = provider === undefined ? 0 : outages.waiting(provider);
      return count === 0 ? '' : `${String(count)} ${count === 1 ? 'turn waits' : 'turns wait'}`;
    },
    outside: () => outsideOf(outages, deps.breakers),
    limits() {
      const all = outages.limits().slice(0, 50);
      return all.length === 0 ? undefined : all;
    },
  };
}

/** The provider whose answers an agent, or one of its turns, needs. */
function agentsOf(settings: SettingsPort, reads: Pick<JournalReads, 'frame'>) {
  const agentOf = (name: string): AgentSettings | undefined =>
    entryOf(settings.get('agents'), name);
  const providerOfAgent = (name: string): string | undefined => {
    const agent = agentOf(name);
    if (agent === undefined) return name === PRACTICE_AGENT ? PRACTICE_PROVIDER : undefined;
    return isLlmAgent(agent) ? agent.provider : breakerNames.agent(name);
  };
  return {
    providerOfAgent,
    providerOf(turn: TurnRow): string | undefined {
      const other = turn.fallbacks?.at(-1);
      if (other !== undefined)
        return other.agent === undefined ? other.provider : breakerNames.agent(other.agent);
      const agent = agentOf(turn.agent);
      if (agent !== undefined && !isLlmAgent(agent)) return breakerNames.agent(turn.agent);
      // A started turn stays with its provider.
      const frame = turn.frameId === undefined ? undefined : reads.frame(turn.frameId);
      return frame?.provider ?? providerOfAgent(turn.agent);
    },
    mayWait: (name: string): boolean => agentOf(name)?.wait !== false,
    titleOf: (name: string): string => agentTitleIn(settings.get('agents'), name),
  };
}

/** A provider that cannot be called at all has wrong settings: its key or its address. */
async function askProvider(
  providers: Providers,
  name: string,
  signal: AbortSignal,
): Promise<ProviderProbe> {
  try {
    return await (await providers.get(name)).probe(signal);
  } catch (error) {
    const known = toHoldfastError(error);
    return {
      kind: 'key',
      failure: {
        kind: 'config',
        message: known.message,
        hint: known.hint ?? '',
        status: 401,
        isRetryable: false,
      },
    };
  }
}

import { PRACTICE_PROVIDER } from './practice';
import type { Settings } from './settings';

/**
 * Whether the settings still contain it: a provider, or an external agent, which waits under its
 * own name.
 */
export function isNamedIn(
  { providers, agents }: Pick<Settings, 'providers' | 'agents'>,
  provider: string,
): boolean {
  if (provider.startsWith('agent.')) return Object.hasOwn(agents, provider.slice('agent.'.length));
  return provider === PRACTICE_PROVIDER || Object.hasOwn(providers, provider);
}

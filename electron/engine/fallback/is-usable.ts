import type { ProviderView } from '../../../shared/types';
import type { AgentFolders } from '../../ports/agent-folders';
import type { NamedAnswerer } from './candidates';

interface UsableFacts {
  readonly acpOf: (agent: string) => { readonly workspace: string } | undefined;
  readonly folders: Pick<AgentFolders, 'usable'>;
  readonly describe: (provider: string) => Promise<ProviderView | undefined>;
  /** Providers that exist without a setting. */
  readonly extraProviders: readonly string[];
}

/**
 * Whether a candidate can answer: an external agent exists and has its folder, a provider has its key.
 * A server that speaks as OpenAI does may need none. FB-01
 */
export const createIsUsable =
  ({ acpOf, folders, describe, extraProviders }: UsableFacts) =>
  async ({
    agent: name,
    provider,
  }: Pick<NamedAnswerer, 'agent' | 'provider'>): Promise<boolean> => {
    if (name !== undefined) {
      const agent = acpOf(name);
      return agent !== undefined && folders.usable(agent.workspace) !== undefined;
    }
    if (extraProviders.includes(provider)) return true;
    const view = await describe(provider);
    if (view === undefined || view.key.problem !== undefined) return false;
    return view.key.present || view.kind === 'openai-compatible';
  };

/** Which agents and providers share a login or key, and so a usage limit. Pure. LM-05 */
import { isLlmAgent, type AgentSettings, type ProviderSettings } from '../../../shared/settings';
import type { ExternalAgentId } from '../../ports/external-agent';
import { breakerNames } from '../breaker/names';

/** Variables that give a program another login than the one of its home folder. */
const LOGINS =
  /^(ANTHROPIC|CLAUDE|OPENAI|CODEX|GEMINI|GOOGLE|OPENROUTER|OPENCODE|XAI|MISTRAL|GROQ|DEEPSEEK|AWS|AZURE)_/;

export interface AccountFacts {
  readonly agents: Readonly<Record<string, AgentSettings>>;
  readonly providers: Readonly<Record<string, ProviderSettings>>;
  readonly identify: (command: string, args: readonly string[]) => ExternalAgentId;
}

/** The account of each provider and external agent by its name here, such as `agent.claude`. */
export function accountsOf({ agents, providers, identify }: AccountFacts): Map<string, string> {
  const accounts = new Map<string, string>();
  for (const [name, provider] of Object.entries(providers))
    accounts.set(name, provider.account ?? providerAccount(name, provider));
  for (const [name, agent] of Object.entries(agents)) {
    if (isLlmAgent(agent)) continue;
    const own = breakerNames.agent(name);
    const id = identify(agent.command, agent.args ?? []);
    accounts.set(own, agent.account ?? loginOf(id, agent) ?? own);
  }
  return accounts;
}

/** Only a key by name shows that two providers use the same one. */
function providerAccount(name: string, provider: ProviderSettings): string {
  const { api_key_env: env, api_key_file: file } = provider;
  if (env !== undefined) return `key $${env}`;
  return file === undefined ? name : `key ${file}`;
}

/**
 * A known program uses the login of its home folder, or of the variables that it is passed. Two
 * agents of one program with the same ones are one account; of an unknown program nothing is known.
 */
function loginOf(
  id: ExternalAgentId,
  agent: Exclude<AgentSettings, { executor?: 'llm' | undefined }>,
): string | undefined {
  if (id === 'other') return undefined;
  const logins = (agent.env ?? []).filter((name) => LOGINS.test(name)).toSorted();
  // The program serves many providers: those that it is told to use share a limit.
  const model = agent.executor === 'acp' ? (agent.model ?? '') : '';
  const provider = id === 'opencode' || id === 'goose' ? (model.split('/')[0] ?? '') : '';
  return ['login', id, provider, ...logins].join(' ');
}

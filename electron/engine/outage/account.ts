/** Which agents and providers share a login or key, and so a usage limit. LM-05 */
import { isLlmAgent, type AgentSettings, type ProviderSettings } from '../../../shared/settings';
import type { ExternalAgentId } from '../../ports/external-agent';
import type { AccountMember } from '../../ports/accounts';
import type { SettingsPort } from '../../ports/settings';
import { breakerNames } from '../breaker/names';

/** Variables that make a program use another login than the one in its home folder. */
const LOGINS =
  /^(ANTHROPIC|CLAUDE|OPENAI|CODEX|GEMINI|GOOGLE|OPENROUTER|OPENCODE|XAI|MISTRAL|GROQ|DEEPSEEK|COPILOT|GH|GITHUB|QWEN|DASHSCOPE|AWS|AZURE)_/;

export interface AccountFacts {
  readonly agents: Readonly<Record<string, AgentSettings>>;
  readonly providers: Readonly<Record<string, ProviderSettings>>;
  readonly identify: (command: string, args: readonly string[]) => ExternalAgentId;
}

/** Every provider and external agent with its account. BU-05 */
export function accountMembers({ agents, providers, identify }: AccountFacts): AccountMember[] {
  return [
    ...Object.entries(providers).map(([name, provider]): AccountMember => ({
      name,
      account: provider.account ?? providerAccount(name, provider),
      by:
        provider.api_key_env === undefined && provider.api_key_file === undefined
          ? 'unknown'
          : 'key',
    })),
    ...Object.entries(agents).flatMap(([agentName, agent]): AccountMember[] => {
      if (isLlmAgent(agent)) return [];
      const name = breakerNames.agent(agentName);
      const id = identify(agent.command, agent.args ?? []);
      const account = agent.account ?? loginOf(id, agent) ?? name;
      return [{ name, account, by: paysBy(id, agent.env ?? []) }];
    }),
  ];
}

/** The accounts as the settings have them now, by names such as `agent.claude`. LM-05, BU-05 */
export function accountsBySettings({
  settings,
  identify,
}: Pick<AccountFacts, 'identify'> & { readonly settings: SettingsPort }) {
  let known: readonly AccountMember[] | undefined;
  let byName: ReadonlyMap<string, AccountMember> | undefined;
  settings.onChange((keys) => {
    if (keys.includes('agents') || keys.includes('providers')) known = byName = undefined;
  });
  const members = (): readonly AccountMember[] =>
    (known ??= accountMembers({
      agents: settings.get('agents'),
      providers: settings.get('providers'),
      identify,
    }));
  const find = (name: string): AccountMember | undefined =>
    (byName ??= new Map(members().map((one) => [one.name, one]))).get(name);
  return {
    members,
    accountOf: (name: string): string => find(name)?.account ?? name,
    /** The names that share its account, including its own. */
    sharedWith: (name: string): readonly string[] => {
      const account = find(name)?.account;
      if (account === undefined) return [name];
      return members().flatMap((one) => (one.account === account ? [one.name] : []));
    },
  };
}

/** Programs that sign in to a plan of their own vendor, unless they are passed a key. */
const PLAN_PROGRAMS: ReadonlySet<ExternalAgentId> = new Set([
  'claude',
  'codex',
  'gemini',
  'copilot',
]);

function paysBy(id: ExternalAgentId, passed: readonly string[]): AccountMember['by'] {
  if (passed.some((name) => LOGINS.test(name) && name.endsWith('_API_KEY'))) return 'key';
  return PLAN_PROGRAMS.has(id) ? 'login' : 'unknown';
}

/** Only a key stored by name shows that two providers use the same one. */
function providerAccount(name: string, provider: ProviderSettings): string {
  const { api_key_env: env, api_key_file: file } = provider;
  if (env !== undefined) return `key $${env}`;
  return file === undefined ? name : `key ${file}`;
}

/**
 * A known program uses the login in its home folder, or of the variables that are passed to it. Two
 * agents of one program with the same ones share an account; for an unknown program nothing is
 * known.
 */
function loginOf(
  id: ExternalAgentId,
  agent: Exclude<AgentSettings, { executor?: 'llm' | undefined }>,
): string | undefined {
  if (id === 'other') return undefined;
  const logins = (agent.env ?? []).filter((name) => LOGINS.test(name)).toSorted();
  // The program supports many providers: agents with the same provider share a limit.
  const model = agent.executor === 'acp' ? (agent.model ?? '') : '';
  const provider = id === 'opencode' || id === 'goose' ? (model.split('/')[0] ?? '') : '';
  return ['login', id, provider, ...logins].join(' ');
}

import { describe, expect, it } from 'vitest';
import { identifyAgent } from '../../../electron/adapters/command/identify-agent';
import { accountMembers, accountsBySettings } from '../../../electron/engine/outage/account';
import type { AccountMember } from '../../../electron/ports/accounts';
import type { SettingsPort } from '../../../electron/ports/settings';
import type { AgentSettings, ProviderSettings } from '../../../shared/settings';

const acp = (command: string, extra: object = {}): AgentSettings => ({
  executor: 'acp',
  command,
  workspace: '/w',
  ...extra,
});
const key = (extra: object): ProviderSettings => ({ kind: 'anthropic', ...extra });

describe('the account of an agent or provider', () => {
  const all: Record<string, unknown> = {
    providers: {
      a: key({ api_key_env: 'KEY_A' }),
      b: key({ api_key_env: 'KEY_A' }),
      c: key({ api_key_env: 'KEY_C' }),
      d: key({}),
      e: key({ account: 'team' }),
    },
    agents: {
      claude: acp('claude-agent-acp'),
      terminal: { executor: 'command', command: 'claude', workspace: '/w' },
      paid: acp('claude-agent-acp', { env: ['ANTHROPIC_API_KEY'] }),
      codex: acp('codex-acp', { env: ['EDITOR'] }),
      codex2: acp('codex-acp'),
      open: acp('opencode', { model: 'anthropic/claude' }),
      open2: acp('opencode', { model: 'openai/gpt' }),
      mine: acp('my-agent'),
      mine2: acp('my-agent'),
      team: acp('my-agent', { account: 'team' }),
      parted: acp('codex-acp', { account: 'second login' }),
    },
  };
  const settings = { get: (name: string) => all[name], onChange: () => () => undefined };
  const accounts = accountsBySettings({
    identify: identifyAgent,
    settings: settings as unknown as SettingsPort,
  });

  it.each<[string, string, boolean]>([
    ['a', 'b', true],
    ['a', 'c', false],
    ['c', 'd', false],
    ['agent.claude', 'agent.terminal', true],
    ['agent.claude', 'agent.paid', false],
    ['agent.codex', 'agent.codex2', true],
    ['agent.open', 'agent.open2', false],
    ['agent.mine', 'agent.mine2', false],
    ['e', 'agent.team', true],
    ['agent.codex', 'agent.parted', false],
  ])('LM-05 %s and %s share it: %s', (x, y, isShared) => {
    expect(accounts.sharedWith(x)).toContain(x);
    expect(accounts.sharedWith(x).includes(y)).toBe(isShared);
    expect(accounts.accountOf(x) === accounts.accountOf(y)).toBe(isShared);
  });
});

describe('how a member of an account pays', () => {
  it.each<[AccountMember['by'], string, AgentSettings | ProviderSettings]>([
    ['key', 'a provider with a variable', key({ api_key_env: 'KEY' })],
    ['key', 'a provider with a file', key({ api_key_file: '/keys/a' })],
    ['unknown', 'a provider without both', key({})],
    ['login', 'Claude Code', acp('claude-agent-acp')],
    ['login', 'Claude Code in a terminal', acp('claude', { executor: 'command' })],
    ['login', 'Codex with another folder', acp('codex-acp', { env: ['CODEX_HOME'] })],
    ['login', 'a login that a token holds', acp('claude', { env: ['CLAUDE_CODE_OAUTH_TOKEN'] })],
    ['key', 'Claude Code with a key', acp('claude-agent-acp', { env: ['ANTHROPIC_API_KEY'] })],
    ['login', 'one with a key of something else', acp('codex-acp', { env: ['WEATHER_API_KEY'] })],
    ['unknown', 'opencode, which serves many providers', acp('opencode')],
    ['key', 'opencode with a key', acp('opencode', { env: ['OPENAI_API_KEY'] })],
    ['unknown', 'a program that is not known', acp('my-agent')],
  ])('BU-05 %s: %s', (by, _, spec) => {
    const isAgent = 'executor' in spec;
    const [member] = accountMembers({
      identify: identifyAgent,
      agents: isAgent ? { one: spec as AgentSettings } : {},
      providers: isAgent ? {} : { one: spec as ProviderSettings },
    });
    expect(member).toMatchObject({ name: isAgent ? 'agent.one' : 'one', by });
  });
});

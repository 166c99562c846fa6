import { describe, expect, it } from 'vitest';
import { identifyAgent } from '../../../electron/adapters/command/identify-agent';
import { accountsOf } from '../../../electron/engine/outage/account';
import type { AgentSettings, ProviderSettings } from '../../../shared/settings';

const acp = (command: string, extra: object = {}): AgentSettings => ({
  executor: 'acp',
  command,
  workspace: '/w',
  ...extra,
});
const key = (extra: object): ProviderSettings => ({ kind: 'anthropic', ...extra });

describe('the account of an agent or provider', () => {
  const accounts = accountsOf({
    identify: identifyAgent,
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
  });
  const isOne = (x: string, y: string): boolean => accounts.get(x) === accounts.get(y);

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
    expect(accounts.has(x) && accounts.has(y)).toBe(true);
    expect(isOne(x, y)).toBe(isShared);
  });
});

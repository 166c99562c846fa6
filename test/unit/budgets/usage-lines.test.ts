import { describe, expect, it } from 'vitest';
import { payingName } from '../../../electron/engine/budgets/paying-name';
import { usageLines } from '../../../electron/engine/budgets/usage-lines';
import type { UsageRow } from '../../../electron/ports/journal/usage';
import type { UsagePart } from '../../../shared/states';

const row = ({ source = 'turns', ...over }: Partial<UsageRow>): UsageRow => ({
  day: '2026-11-29',
  provider: 'anthropic',
  source,
  ...(source === 'turns' ? { agent: 'coder' } : {}),
  count: 1,
  remembered: 0,
  cut: 0,
  inputTokens: 100,
  outputTokens: 10,
  savedInputTokens: 0,
  savedOutputTokens: 0,
  ...over,
});
/** Provider (account), client or agent, count, tokens and cost. */
const read = (rows: readonly UsageRow[], by: readonly UsagePart[], providers: string[] = []) =>
  usageLines(rows, by, {
    payingName: (provider, agent) =>
      payingName(provider, agent, (name) => providers.includes(name)),
    accountOf: (name) => `${name}'s`,
  }).map((line) =>
    [
      line.provider,
      line.account,
      line.client ?? line.agent,
      line.count,
      line.inputTokens + line.outputTokens,
      line.costUsd,
    ]
      .filter((part) => part !== undefined)
      .join(' '),
  );

describe('usage', () => {
  it('BU-05 is one line for each provider and day, newest first; rows that are alike are added up', () => {
    const rows = [
      row({ day: '2026-11-28', costUsd: 0.25 }),
      row({ provider: 'openai' }),
      row({ agent: 'mender', costUsd: 0.5 }),
      row({ costUsd: 0.125 }),
    ];
    expect(read(rows, [])).toEqual([
      'anthropic 2 220 0.625',
      'openai 1 110',
      'anthropic 1 110 0.25',
    ]);
    expect(read(rows, ['agent']).slice(0, 2)).toEqual([
      'anthropic coder 1 110 0.125',
      'anthropic mender 1 110 0.5',
    ]);
  });

  it.each(['acp', 'command'])(
    'BU-05 of external agents that run over %s stands with each by its own name, and its account',
    (provider) => {
      const rows = [row({ provider, agent: 'claude' }), row({ provider, agent: 'codex' })];
      expect(read(rows, [])).toEqual(['agent.claude 1 110', 'agent.codex 1 110']);
      expect(read(rows, ['account', 'agent'])).toEqual([
        "agent.claude agent.claude's claude 1 110",
        "agent.codex agent.codex's codex 1 110",
      ]);
      // Somebody may call a provider so.
      expect(read(rows, [], [provider])).toEqual([`${provider} 2 220`]);
    },
  );

  it('BU-05 of clients of the gateway has no agent and keeps the name of its provider', () => {
    const rows = [
      row({ source: 'gateway', client: 'laptop', provider: 'acp' }),
      row({ source: 'gateway', client: 'ci' }),
      row({}),
    ];
    expect(read(rows, ['agent'])).toEqual([
      'acp laptop 1 110',
      'anthropic coder 1 110',
      'anthropic ci 1 110',
    ]);
  });
});

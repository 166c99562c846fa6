import { expect, it } from 'vitest';
import { inertLine } from '../../../electron/cli/render';
import { usageCsv } from '../../../shared/usage-csv';

const line = {
  day: '2026-11-26',
  provider: 'anthropic',
  source: 'turns',
  count: 2,
  remembered: 0,
  cut: 0,
  inputTokens: 10,
  outputTokens: 5,
  costUsd: 0.25,
  savedInputTokens: 3,
  savedOutputTokens: 1,
} as const;

it('BU-06 usage as CSV has a head, one line for each, empty fields where nothing is known, and no formulas', () => {
  expect(usageCsv([], inertLine)).toBe(
    'day,provider,source,client,agent,taskId,account,count,remembered,cut,inputTokens,outputTokens,costUsd,savedInputTokens,savedOutputTokens,savedUsd',
  );
  const hostile = { ...line, source: 'gateway', client: '=HYPERLINK("x"),1' } as const;
  expect(
    usageCsv([{ ...line, agent: 'coder', taskId: 3 }, hostile], inertLine)
      .split('\n')
      .slice(1),
  ).toEqual([
    '2026-11-26,anthropic,turns,,coder,3,,2,0,0,10,5,0.25,3,1,',
    '2026-11-26,anthropic,gateway,"\'=HYPERLINK(""x""),1",,,,2,0,0,10,5,0.25,3,1,',
  ]);
});

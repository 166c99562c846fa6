/** What a busy week has used, for tests of pages. */
import type { UsageLine } from '../../shared/types/gateway';

const dayOf = (nowMs: number, back: number): string => {
  const at = new Date(nowMs);
  at.setDate(at.getDate() - back);
  const two = (part: number): string => String(part).padStart(2, '0');
  return `${String(at.getFullYear())}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
};

const line = (day: string, given: Partial<UsageLine>): UsageLine => ({
  day,
  provider: 'anthropic',
  source: 'turns',
  agent: 'coder',
  count: 3,
  remembered: 0,
  cut: 0,
  inputTokens: 40_000,
  outputTokens: 2_000,
  costUsd: 1.25,
  savedInputTokens: 0,
  savedOutputTokens: 0,
  ...given,
});

export const fakeUsage = (nowMs: number): UsageLine[] => [
  line(dayOf(nowMs, 0), { savedInputTokens: 4_000, savedOutputTokens: 300, savedUsd: 0.1 }),
  line(dayOf(nowMs, 0), { agent: 'mender', costUsd: 0.5 }),
  line(dayOf(nowMs, 1), { agent: '<b>x</b>\u202e', costUsd: 0.25 }),
  line(dayOf(nowMs, 2), { source: 'gateway', agent: undefined, client: 'laptop', costUsd: 2 }),
];

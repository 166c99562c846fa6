import { describe, expect, it } from 'vitest';
import { providerDays } from '../../../renderer/outages/provider-days-view';
import { endedOutage } from '../../../renderer/outages/outages-view';
import type { UsageLine } from '../../../shared/types/gateway';
import type { OutageRecord } from '../../../shared/types/outage';

const NOW = new Date(2026, 2, 24, 14, 31).getTime();
const HOUR = 3_600_000;
const outage = (given: Partial<OutageRecord>): OutageRecord => ({
  outageId: 1,
  provider: 'anthropic',
  startedAtMs: NOW - HOUR,
  failedTurns: 3,
  reason: '',
  drained: 5,
  ...given,
});
const line = (given: Partial<UsageLine>): UsageLine => ({
  day: '2026-03-24',
  provider: 'anthropic',
  source: 'turns',
  count: 2,
  remembered: 0,
  cut: 0,
  inputTokens: 10,
  outputTokens: 5,
  savedInputTokens: 0,
  savedOutputTokens: 0,
  ...given,
});

describe('30 days of a provider', () => {
  it('a day is up only if it was used, down where an outage reached into it, else not used', () => {
    const facts = providerDays(
      'anthropic',
      [
        // Over midnight: an hour on each side.
        outage({
          startedAtMs: new Date(2026, 2, 22, 23).getTime(),
          resolvedAtMs: new Date(2026, 2, 23, 1).getTime(),
        }),
        outage({ provider: 'ollama' }),
        outage({ startedAtMs: NOW - 50 * 24 * HOUR, resolvedAtMs: NOW - 49 * 24 * HOUR }),
      ],
      [line({}), line({ day: '2026-03-23' }), line({ day: '2026-03-20', provider: 'ollama' })],
      NOW,
    );
    expect(facts.days).toHaveLength(30);
    expect(facts.days.slice(-4).map(({ kind }) => kind)).toEqual(['unused', 'down', 'down', 'up']);
    expect(facts.days.slice(-3).map(({ downMs }) => downMs / HOUR)).toEqual([1, 1, 0]);
    expect([facts.outages, facts.downMs / HOUR, facts.usedDays]).toEqual([1, 2, 2]);
  });

  it('counts one that is still in force up to now', () => {
    expect(providerDays('anthropic', [outage({})], [], NOW).downMs).toBe(HOUR);
  });

  it('has a cost only where a price is known', () => {
    const priced = [line({ costUsd: 0.25 }), line({ day: '2026-03-23', costUsd: 1 })];
    expect(providerDays('anthropic', [], priced, NOW).costUsd).toBe(1.25);
    const free = providerDays('anthropic', [], [line({})], NOW);
    expect([free.costUsd, free.tokens]).toEqual([undefined, 15]);
  });
});

describe('the outage that ended last', () => {
  const facts = { nowMs: NOW, closedId: 0 };
  const over = (outageId: number, hours: number, provider = 'anthropic'): OutageRecord =>
    outage({ outageId, provider, resolvedAtMs: NOW - hours * HOUR });

  it.each([
    ['the newest of any provider', [over(1, 3), over(2, 1, 'ollama')], facts, 2],
    ['of one provider', [over(1, 3), over(2, 1, 'ollama')], { ...facts, provider: 'anthropic' }, 1],
    ['none once it was closed', [over(1, 3), over(2, 1)], { ...facts, closedId: 2 }, undefined],
    ['none after 12 hours', [over(1, 13)], facts, undefined],
    ['none while it is in force', [outage({ outageId: 3 })], facts, undefined],
  ] as const)('%s', (_what, outages, given, id) => {
    expect(endedOutage(outages, given)?.outageId).toBe(id);
  });
});

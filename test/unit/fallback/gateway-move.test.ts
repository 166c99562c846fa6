import { describe, expect, it } from 'vitest';
import { gatewayMove } from '../../../electron/engine/fallback/gateway-move';
import type { HealthState } from '../../../electron/ports/journal/outage';

const NOW = 10_000_000;
const down: HealthState = { kind: 'down', outageId: 1, sinceMs: NOW - 120_000 };
const move = (
  others: readonly string[],
  facts: {
    mode?: 'by_vendor' | 'ask' | 'auto' | 'off';
    healthState?: HealthState;
    open?: boolean;
  } = {},
): ReturnType<typeof gatewayMove> => {
  const values: Readonly<Record<string, unknown>> = {
    'fallback.mode': facts.mode ?? 'by_vendor',
    'fallback.after': '2m',
    providers: {
      one: { kind: 'anthropic' },
      second: { kind: 'anthropic' },
      other: { kind: 'openai-compatible', base_url: 'http://127.0.0.1:1' },
    },
  };
  return gatewayMove(
    {
      settings: { get: (key: string) => values[key] } as never,
      outages: { healthState: () => facts.healthState ?? down, isOpen: () => facts.open ?? true },
      clock: { nowMs: () => NOW },
    },
    'one',
    others,
  );
};

describe('FB-05 FB-02 a request of the gateway', () => {
  it.each([
    ['goes to another key of one vendor', ['second'], {}, { kind: 'go', to: 0 }],
    [
      'goes to another vendor where the settings say so',
      ['other'],
      { mode: 'auto' },
      { kind: 'go', to: 0 },
    ],
    ['goes nowhere while it is off', ['second'], { mode: 'off' }, { kind: 'stay' }],
    ['goes nowhere where nothing answers', ['second'], { open: false }, { kind: 'stay' }],
    [
      'goes nowhere for what is no outage',
      ['second'],
      { healthState: { kind: 'key', sinceMs: 0 } },
      { kind: 'stay' },
    ],
    [
      'waits for fallback.after',
      ['second'],
      { healthState: { ...down, sinceMs: NOW - 60_000 } },
      { kind: 'later', atMs: NOW + 60_000 },
    ],
  ] as const)('%s', (_what, others, facts, expected) => {
    expect(move(others, facts)).toEqual(expected);
  });

  it.each(['by_vendor', 'ask'] as const)(
    'is told that nobody can be asked about it, in mode %s',
    (mode) => {
      expect(move(['other'], { mode })).toEqual({
        kind: 'stay',
        why: 'other could answer, but bills elsewhere, and fallback.mode is not "auto".',
      });
    },
  );
});

import { describe, expect, it } from 'vitest';
import { reconnectDelayMs, type ConnectEnd } from '../../../electron/adapters/nats/plan-reconnect';

describe('the wait before an event broker is tried again', () => {
  it.each<[ConnectEnd, readonly number[]]>([
    ['unreachable', [250, 500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000]],
    ['lost', [250]],
    // A cluster that is not complete yet: in 31 s it is asked 5 times, not once.
    ['incomplete', [500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]],
    ['unusable', [30_000, 30_000]],
  ])('S2-32 %s, after 0 failures and more: %j ms', (end, delaysMs) => {
    expect(delaysMs.map((_, failures) => reconnectDelayMs(end, failures))).toEqual(delaysMs);
  });

  it('S2-32 stays at its limit after 10,000 failures', () => {
    expect(reconnectDelayMs('unreachable', 10_000)).toBe(15_000);
    expect(reconnectDelayMs('incomplete', 10_000)).toBe(30_000);
  });
});

/** A provider that asks for a pause, has a limit, or is down, and a clock that is set back meanwhile. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Composition } from '../../../electron/compose/options';
import type { ProviderFailure } from '../../../electron/ports/provider';
import {
  composeIn,
  createWorld,
  turnIn,
  writeConfig,
  type World,
} from '../../helpers/compose-world';
import { createFakeProvider, linesOf } from '../../helpers/fake-world';
import { createVirtualClock } from '../../helpers/virtual-clock';

const DAY_MS = 86_400_000;
const PAUSE_MS = 120_000;
let world: World;
let app: Composition;
beforeEach(() => {
  world = createWorld();
  writeConfig(world, {});
});
afterEach(async () => {
  await app.lifecycle.stop('stop');
  world.remove();
});

/** A turn whose first calls end as `ends` says; the clock is set back while it waits. */
async function waitedMs(
  ends: readonly Partial<ProviderFailure>[],
  backMs: number,
  config: Record<string, unknown> = {},
): Promise<{ waitedMs: number; calls: number }> {
  writeConfig(world, config);
  const clock = createVirtualClock(Date.parse('2026-11-27T12:00:00Z'));
  let call = 0;
  const provider = createFakeProvider({
    dir: world.outside,
    script: () => ({ text: 'done' }),
    gate() {
      const end = ends[call];
      call += 1;
      if (end === undefined) return undefined;
      const failure = {
        kind: 'rate_limited',
        status: 429,
        message: 'slow down',
        hint: '',
        isRetryable: true,
        ...end,
      } as const;
      return { kind: 'failure', failure };
    },
  });
  app = composeIn(world, { providers: [provider], toolHosts: [], clock });
  await app.lifecycle.start();
  const input = { text: 'x', session: 'a', agent: 'fake' };
  const { turnId } = await app.holdfast.call('send', input, 'test');
  await turnIn(app, turnId, ['waiting']);
  clock.set(-backMs);
  const over = turnIn(app, turnId, ['completed']);
  let waited = 0;
  let isOver = false;
  void over.then(() => (isOver = true));
  while (!isOver && waited < 30 * PAUSE_MS) {
    await clock.advance(10_000);
    waited += 10_000;
    // What became due runs on the real clock.
    for (let n = 0; n < 20 && !isOver; n += 1)
      await new Promise((resolve) => setTimeout(resolve, 5));
  }
  return { waitedMs: isOver ? waited : Infinity, calls: linesOf(provider.log).length };
}

const CLOCKS = [
  ['is not set back', 0],
  ['is set back by a day', DAY_MS],
  ['is set back by 10 years', 3_650 * DAY_MS],
] as const;

describe('Retry-After of 2 minutes', () => {
  it.each(CLOCKS)(
    'S2-27 S0-22 is waited out, and not before, where the clock %s',
    async (_what, backMs) => {
      const found = await waitedMs([{ retryAfterMs: PAUSE_MS }], backMs);
      expect(found.calls).toBe(2);
      expect(found.waitedMs).toBeGreaterThanOrEqual(PAUSE_MS - 10_000);
      expect(found.waitedMs).toBeLessThanOrEqual(3 * PAUSE_MS);
    },
  );
});

describe('a usage limit', () => {
  const limit = { kind: 'quota', isRetryable: false } as const;
  it.each(CLOCKS)(
    'LM-03 S0-22 that ends in 2 minutes is waited out with its margin of 60 s, and not before, where the clock %s',
    async (_what, backMs) => {
      const found = await waitedMs([{ ...limit, retryAfterMs: PAUSE_MS }], backMs);
      expect(found.calls).toBe(2);
      expect(found.waitedMs).toBeGreaterThanOrEqual(PAUSE_MS + 50_000);
      expect(found.waitedMs).toBeLessThanOrEqual(4 * PAUSE_MS);
    },
  );

  it.each(CLOCKS)(
    'LM-04 S0-22 without a time is asked again after the first wait of 5 minutes where the clock %s',
    async (_what, backMs) => {
      const found = await waitedMs([limit], backMs, {});
      expect(found.calls).toBe(2);
      expect(found.waitedMs).toBeGreaterThanOrEqual(290_000);
      expect(found.waitedMs).toBeLessThanOrEqual(480_000);
    },
  );
});

describe('a provider that is down', () => {
  const down = { kind: 'server', status: 503, message: 'down' } as const;
  it.each(CLOCKS)(
    'S0-19 S0-22 is checked by the same rhythm, and its turn goes on, where the clock %s',
    async (_what, backMs) => {
      const found = await waitedMs([down], backMs, {
        resilience: { outage_threshold: 1 },
        retry: { server: { max_attempts: 1 } },
      });
      expect(found.calls).toBe(2);
      expect(found.waitedMs).toBeLessThanOrEqual(PAUSE_MS);
    },
  );
});

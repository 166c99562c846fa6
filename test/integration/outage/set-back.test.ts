/** A provider that asks for a pause, and a clock that is set back in it. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Composition } from '../../../electron/compose/options';
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

describe('Retry-After of 2 minutes', () => {
  it.each([
    ['is not set back', 0],
    ['is set back by a day', DAY_MS],
  ])('S2-27 S0-22 is waited out, and not before, where the clock %s', async (_what, backMs) => {
    const clock = createVirtualClock(Date.parse('2026-11-27T12:00:00Z'));
    let isFirst = true;
    const provider = createFakeProvider({
      dir: world.outside,
      script: () => ({ text: 'done' }),
      gate() {
        if (!isFirst) return undefined;
        isFirst = false;
        const failure = {
          kind: 'rate_limited',
          status: 429,
          retryAfterMs: PAUSE_MS,
          message: 'slow down',
          hint: '',
          isRetryable: true,
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
    let waitedMs = 0;
    let isOver = false;
    void over.then(() => (isOver = true));
    while (!isOver && waitedMs < 20 * PAUSE_MS) {
      await clock.advance(10_000);
      waitedMs += 10_000;
      // What became due runs on the real clock.
      for (let n = 0; n < 20 && !isOver; n += 1)
        await new Promise((resolve) => setTimeout(resolve, 5));
    }
    expect(isOver).toBe(true);
    expect(linesOf(provider.log)).toHaveLength(2);
    expect(waitedMs).toBeGreaterThanOrEqual(PAUSE_MS - 10_000);
    expect(waitedMs).toBeLessThanOrEqual(3 * PAUSE_MS);
  });
});

import { describe, expect, it } from 'vitest';
import { createLifecycle } from '../../../electron/lifecycle';
import type { LifecyclePart } from '../../../electron/lifecycle';
import type { Clock } from '../../../electron/ports/clock';
import { createVirtualClock } from '../../helpers/virtual-clock';

/** Time stands still: nothing that is waited for ever takes too long. */
const stillClock: Clock = {
  nowMs: () => 0,
  monotonicMs: () => 0,
  sleep: (_delayMs, signal) =>
    new Promise((_resolve, reject) => {
      signal?.addEventListener('abort', () => reject(new Error('aborted')));
    }),
};

function setUp(parts: (said: string[]) => readonly LifecyclePart[]) {
  const said: string[] = [];
  const lifecycle = createLifecycle({
    parts: parts(said),
    clock: stillClock,
    log: () => undefined,
    audit: () => undefined,
    graceMs: () => 5_000,
    beforeStop: () => said.push('before stop'),
  });
  return { lifecycle, said };
}

const part = (name: string, said: string[], start?: () => Promise<void>): LifecyclePart => ({
  name,
  async start() {
    await start?.();
    said.push(`${name} up`);
  },
  stop() {
    said.push(`${name} down`);
  },
});

describe('a stop while it starts', () => {
  it('S2-48 lets the part that is starting finish, starts no other, stops in the reverse order', async () => {
    let finish = (): void => undefined;
    const { lifecycle, said } = setUp((list) => [
      part('lock', list),
      part('database', list, () => new Promise<void>((resolve) => (finish = resolve))),
      part('rooms', list),
    ]);
    const outcome = lifecycle.start();
    await new Promise((resolve) => setImmediate(resolve));
    const stop = lifecycle.stop('stop');
    await new Promise((resolve) => setImmediate(resolve));
    expect(said).toEqual(['lock up', 'before stop']);
    finish();
    expect(await outcome).toEqual({ kind: 'stopped' });
    await stop;
    expect(said).toEqual(['lock up', 'before stop', 'database up', 'database down', 'lock down']);
    expect(await lifecycle.stopped).toBe('stop');
  });

  it.each([
    ['takeover', 5_000, 4_600],
    ['os_shutdown', 5_000, 4_600],
    ['os_shutdown', 60_000, 4_600],
    ['stop', 5_000, 11_000],
    ['stop', 1_000, 3_000],
  ] as const)(
    'S2-48 S2-49 R15 a stop for %s at a grace of %i ms, with two parts that never come back, is over after %i ms, the lock freed last',
    async (reason, graceMs, endMs) => {
      const clock = createVirtualClock(0);
      const said: string[] = [];
      const hangs = (name: string): LifecyclePart => ({
        name,
        stop: () => new Promise<void>(() => said.push(`${name} hangs`)),
      });
      const stages: unknown[] = [];
      const lifecycle = createLifecycle({
        parts: [part('lock', said), hangs('database'), hangs('runners')],
        clock,
        log: () => undefined,
        audit: () =>
          ({
            record: (event: string, { stage }: { stage: string }) => {
              if (event === 'stop_stage') stages.push(stage);
            },
          }) as never,
        graceMs: () => graceMs,
        beforeStop: () => undefined,
      });
      await lifecycle.start();
      let isOver = false;
      void lifecycle.stop(reason).then(() => (isOver = true));
      await clock.advance(0);
      await clock.advance(endMs - 1);
      expect(isOver).toBe(false);
      await clock.advance(1);
      expect(isOver).toBe(true);
      expect(said).toEqual(['lock up', 'runners hangs', 'database hangs', 'lock down']);
      expect(stages).toEqual(['runners', 'database', 'lock']);
    },
  );

  it('S0-+06 a part that fails stops what had begun and throws the cause', async () => {
    const { lifecycle, said } = setUp((list) => [
      part('lock', list),
      part('database', list, () => Promise.reject(new Error('newer than this program'))),
      part('rooms', list),
    ]);
    await expect(lifecycle.start()).rejects.toThrow('newer than this program');
    expect(said).toEqual(['lock up', 'before stop', 'database down', 'lock down']);
  });
});

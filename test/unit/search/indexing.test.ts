import { describe, expect, it } from 'vitest';
import { createIndexing } from '../../../electron/engine/search/indexing';
import type { SearchIndex } from '../../../electron/ports/search';

/** An index with so many batches left; each takes 10 ms of a clock that only work moves. */
function createWorld({ batches = 5, sweeps = 2 } = {}) {
  const world = {
    nowMs: 0,
    isIdle: true,
    isOver: false,
    left: batches,
    sweeps,
    running: 0,
    done: [] as string[],
  };
  const index = {
    behind: () => world.left,
    async fill() {
      expect(++world.running).toBe(1);
      await Promise.resolve();
      world.running -= 1;
      world.nowMs += 10;
      world.left -= 1;
      world.done.push('fill');
      return world.left > 0;
    },
    sweep() {
      world.sweeps -= 1;
      world.done.push('sweep');
      return world.sweeps > 0;
    },
  } as unknown as SearchIndex;
  const indexing = createIndexing({
    index: () => Promise.resolve(index),
    isIdle: () => world.isIdle,
    isOver: () => world.isOver,
    monotonicMs: () => world.nowMs,
    rest: () => Promise.resolve(),
  });
  return { world, indexing };
}

describe('when the index works', () => {
  it('SR-02 takes everything in while nothing runs, then drops what is gone', async () => {
    const { world, indexing } = createWorld();
    await indexing.work();
    expect(world.done).toEqual([...Array.from({ length: 5 }, () => 'fill'), 'sweep', 'sweep']);
  });

  it('SR-02 does nothing while a turn runs, and stops behind the batch in which one starts', async () => {
    const { world, indexing } = createWorld();
    world.isIdle = false;
    await indexing.work();
    expect(world.done).toEqual([]);
    world.isIdle = true;
    const working = indexing.work();
    await Promise.resolve();
    world.isIdle = false;
    await working;
    expect(world.done.length).toBeLessThanOrEqual(1);
  });

  it('SR-01 a search takes in what is new, for no longer than it may, whatever runs', async () => {
    const { world, indexing } = createWorld();
    world.isIdle = false;
    expect(await indexing.catchUp(25)).toBe(2);
    expect(await indexing.catchUp(1000)).toBe(0);
  });

  it('SR-02 two at once take in one batch at a time', async () => {
    const { world, indexing } = createWorld({ batches: 20 });
    await Promise.all([indexing.work(), indexing.work(), indexing.catchUp(10_000)]);
    expect(world.left).toBeLessThanOrEqual(0);
  });
});

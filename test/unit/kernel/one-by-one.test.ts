import { describe, expect, it } from 'vitest';
import { createKeyedMutex } from '../../../electron/engine/kernel/keyed-mutex';

describe('work of one key', () => {
  it('runs one after the other, other keys meanwhile, and a failure stops nothing', async () => {
    const oneByOne = createKeyedMutex<string>();
    const seen: string[] = [];
    const work = (name: string, ticks: number) => async (): Promise<string> => {
      seen.push(`${name} begins`);
      for (let tick = 0; tick < ticks; tick += 1) await Promise.resolve();
      seen.push(`${name} ends`);
      if (name === 'a1') throw new Error('a1 failed');
      return name;
    };
    const all = await Promise.allSettled([
      oneByOne('a', work('a1', 20)),
      oneByOne('a', work('a2', 1)),
      oneByOne('b', work('b1', 1)),
      oneByOne('a', work('a3', 1)),
    ]);
    expect(all.map((one) => one.status)).toEqual([
      'rejected',
      'fulfilled',
      'fulfilled',
      'fulfilled',
    ]);
    expect(seen.filter((one) => one.startsWith('a'))).toEqual([
      'a1 begins',
      'a1 ends',
      'a2 begins',
      'a2 ends',
      'a3 begins',
      'a3 ends',
    ]);
    expect(seen.indexOf('b1 ends')).toBeLessThan(seen.indexOf('a1 ends'));
  });
});

import { expect, it } from 'vitest';
import { eachAlone } from '../../../electron/engine/kernel/each-alone';

it('a list of 1,000 is made in order, 16 at once: its reads do not use up the open files of the process', async () => {
  let [open, most] = [0, 0];
  const items = Array.from({ length: 1_000 }, (_, at) => at);
  const made = await eachAlone(items, async (item) => {
    open += 1;
    most = Math.max(most, open);
    await new Promise((resolve) => setImmediate(resolve));
    open -= 1;
    if (item === 500) throw new Error('unreadable');
    return item % 2 === 0 ? item : undefined;
  });
  expect(most).toBe(16);
  expect(made).toEqual(items.filter((item) => item % 2 === 0 && item !== 500));
  await expect(eachAlone([1], () => Promise.reject(new Error('no')))).rejects.toThrow('no');
});

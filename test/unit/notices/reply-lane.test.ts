import { expect, it } from 'vitest';
import { createReplyLane } from '../../../electron/engine/notices/reply-lane';
import type { Clock } from '../../../electron/ports/clock';

const clock: Clock = {
  nowMs: () => 0,
  monotonicMs: () => 0,
  sleep: () => new Promise(() => undefined),
};

it.each(Array.from({ length: 12 }, (_, ticks) => ticks))(
  'S1-02 an answer that comes %i ticks after a walk began is found by a walk, never by none',
  async (ticks) => {
    let waiting = 0;
    const lane = createReplyLane({
      clock,
      signal: new AbortController().signal,
      walk: async () => {
        await Promise.resolve();
        waiting = 0;
        return { kind: 'done' };
      },
    });
    lane.visit();
    for (let tick = 0; tick < ticks; tick += 1) await Promise.resolve();
    waiting = 1;
    lane.visit();
    await new Promise((resolve) => setTimeout(resolve, 1));
    expect(waiting).toBe(0);
  },
);

it('S1-02 S2-25 a wait of 2 h that the other side asks for is kept for 1 h, whoever visits meanwhile', async () => {
  let nowMs = 0;
  const sleeps: number[] = [];
  let walks = 0;
  const lane = createReplyLane({
    clock: {
      nowMs: () => nowMs,
      monotonicMs: () => nowMs,
      sleep(delayMs) {
        sleeps.push(delayMs);
        return new Promise(() => undefined);
      },
    },
    signal: new AbortController().signal,
    walk() {
      walks += 1;
      return Promise.resolve({ kind: 'later', error: 'slow', afterMs: 7_200_000, isAsked: true });
    },
  });
  lane.visit();
  await new Promise(setImmediate);
  nowMs = 3_599_999;
  lane.visit();
  expect([walks, sleeps]).toEqual([1, [3_600_000]]);
  nowMs = 3_600_000;
  lane.visit();
  expect(walks).toBe(2);
});

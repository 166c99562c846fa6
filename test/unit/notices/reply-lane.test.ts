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

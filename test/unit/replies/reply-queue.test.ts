import { expect, it } from 'vitest';
import { createReplyQueue, type ReplyQueue } from '../../../electron/engine/replies/reply-queue';
import type { AttemptRecord, AttemptState } from '../../../electron/ports/attempts';
import type { Clock } from '../../../electron/ports/clock';

const clock: Clock = {
  nowMs: () => 0,
  monotonicMs: () => 0,
  sleep: () => new Promise(() => undefined),
};

it.each(Array.from({ length: 12 }, (_, ticks) => ticks))(
  'S1-02 an answer that comes %i ticks after a pass began is found by a pass, never by none',
  async (ticks) => {
    let waiting = 0;
    const queue = createReplyQueue({
      clock,
      signal: new AbortController().signal,
      sendDue: async () => {
        await Promise.resolve();
        waiting = 0;
        return { kind: 'done' };
      },
    });
    queue.visit();
    for (let tick = 0; tick < ticks; tick += 1) await Promise.resolve();
    waiting = 1;
    queue.visit();
    await new Promise((resolve) => setTimeout(resolve, 1));
    expect(waiting).toBe(0);
  },
);

it('S1-02 S2-25 a wait of 2 h that the other side asks for is kept for 1 h, whoever visits meanwhile', async () => {
  let nowMs = 0;
  const sleeps: number[] = [];
  let passes = 0;
  const queue: ReplyQueue = createReplyQueue({
    clock: {
      nowMs: () => nowMs,
      monotonicMs: () => nowMs,
      sleep(delayMs) {
        sleeps.push(delayMs);
        return new Promise(() => undefined);
      },
    },
    signal: new AbortController().signal,
    async sendDue() {
      passes += 1;
      await queue.hold(7_200_000, 'slow');
      return { kind: 'later', error: 'slow', afterMs: 7_200_000 };
    },
  });
  queue.visit();
  await new Promise(setImmediate);
  nowMs = 3_599_999;
  queue.visit();
  expect([passes, sleeps]).toEqual([1, [3_600_000]]);
  nowMs = 3_600_000;
  queue.visit();
  expect(passes).toBe(2);
});

/** One channel over several runs of Holdfast, in which every pass fails. */
function createRuns() {
  let nowMs = 1_000_000;
  let saved: AttemptState | undefined;
  const attempts: AttemptRecord = {
    saved: () => saved,
    keep: (state) => Promise.resolve(void (saved = state)),
    over: () => Promise.resolve(void (saved = undefined)),
  };
  return {
    saved: () => saved,
    wait: (ms: number) => void (nowMs += ms),
    start(isGood = false) {
      const sleeps: number[] = [];
      let passes = 0;
      const queue = createReplyQueue({
        clock: {
          nowMs: () => nowMs,
          // Begins anew with each run, as after a restart of the computer.
          monotonicMs: () => nowMs - 1_000_000,
          sleep(delayMs) {
            sleeps.push(delayMs);
            return new Promise(() => undefined);
          },
        },
        signal: new AbortController().signal,
        sendDue() {
          passes += 1;
          return Promise.resolve(isGood ? { kind: 'done' } : { kind: 'later', error: 'busy' });
        },
        attempts,
      });
      const visit = async (): Promise<void> => {
        queue.visit();
        await new Promise(setImmediate);
      };
      return { queue, visit, sleeps, passes: () => passes };
    },
  };
}

it('S2-51 S3-15 failures in a row go on over a restart: 2 before it, the third waits 4 s and no longer 1 s; one that goes well ends them', async () => {
  const runs = createRuns();
  const first = runs.start();
  await first.visit();
  await first.visit();
  expect(first.sleeps).toEqual([1_000, 2_000]);
  const second = runs.start();
  expect(second.queue.posture()).toEqual({ streak: 2, lastError: 'busy', nextTryAtMs: 1_002_000 });
  // A start is a visit: nobody asked for that wait.
  await second.visit();
  expect([second.passes(), second.sleeps]).toEqual([1, [4_000]]);
  await runs.start(true).visit();
  expect(runs.saved()).toBeUndefined();
  expect(runs.start().queue.posture()).toEqual({ streak: 0 });
});

it('S2-51 S2-25 a wait of 10 min that the other side asked for is kept over a restart after 4 min, whoever visits, and then tried', async () => {
  const runs = createRuns();
  await runs.start().queue.hold(600_000, 'slow');
  runs.wait(240_000);
  const next = runs.start();
  expect(next.sleeps).toEqual([360_000]);
  await next.visit();
  expect([next.passes(), next.queue.heldMs()]).toEqual([0, 360_000]);
  runs.wait(360_000);
  await next.visit();
  expect(next.passes()).toBe(1);
});

it('S2-25 a wait that was kept by a clock 3 days ahead is believed for 1 h at most', async () => {
  const runs = createRuns();
  runs.wait(3 * 86_400_000);
  await runs.start().queue.hold(600_000, 'slow');
  runs.wait(-3 * 86_400_000);
  expect(runs.start().queue.heldMs()).toBe(3_600_000);
});

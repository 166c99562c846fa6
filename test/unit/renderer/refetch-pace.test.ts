import { describe, expect, it } from 'vitest';
import { createPace, REST_MS } from '../../../renderer/refetch-pace';

/** Time that stands still until it is moved. */
function createTime() {
  let nowMs = 0;
  let waiting: { readonly atMs: number; readonly run: () => void } | undefined;
  const asked: number[] = [];
  const pace = createPace({
    nowMs: () => nowMs,
    later(run, delayMs) {
      const own = { atMs: nowMs + delayMs, run };
      waiting = own;
      return () => {
        if (waiting === own) waiting = undefined;
      };
    },
    ask: () => asked.push(nowMs),
  });
  return {
    pace,
    asked,
    move(toMs: number) {
      while (waiting !== undefined && waiting.atMs <= toMs) {
        const { atMs, run } = waiting;
        waiting = undefined;
        nowMs = atMs;
        run();
      }
      nowMs = toMs;
    },
  };
}

describe('the pace of a query', () => {
  it('asks at once after a single event, and after one that comes long after it', () => {
    const { pace, asked, move } = createTime();
    pace.onEvent();
    move(5_000);
    pace.onEvent();
    expect(asked).toEqual([0, 5_000]);
  });

  it('asks a few times a second while events keep coming, and once more for the last of them', () => {
    const { pace, asked, move } = createTime();
    for (let atMs = 0; atMs < 1_000; atMs += 10) {
      move(atMs);
      pace.onEvent();
    }
    move(3_000);
    expect(asked).toEqual([0, REST_MS, 2 * REST_MS, 3 * REST_MS]);
  });

  it('asks nothing any more when its page is gone', () => {
    const { pace, asked, move } = createTime();
    pace.onEvent();
    pace.onEvent();
    pace.stop();
    move(5_000);
    expect(asked).toEqual([0]);
  });
});

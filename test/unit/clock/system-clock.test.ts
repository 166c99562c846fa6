import { describe, expect, it } from 'vitest';
import { createSystemClock } from '../../../electron/adapters/clock/system-clock';
import { SLACK } from '../../helpers/slack';

describe('system clock', () => {
  const clock = createSystemClock();

  it('S0-21 sleeps no shorter than asked, and 0 or less resolves at once', async () => {
    for (const delayMs of [0, -5, 1, 30.5]) {
      const startMs = clock.monotonicMs();
      await clock.sleep(delayMs);
      const tookMs = clock.monotonicMs() - startMs;
      expect(tookMs).toBeGreaterThanOrEqual(delayMs);
      expect(tookMs).toBeLessThan((Math.max(0, delayMs) + 500) * SLACK);
    }
  });

  it('S0-40 a sleep of 30 days or for ever does not fire at once, and ends with its signal', async () => {
    for (const delayMs of [30 * 86_400_000, Number.POSITIVE_INFINITY]) {
      const abort = new AbortController();
      let isOver = false;
      const sleep = clock.sleep(delayMs, abort.signal).finally(() => {
        isOver = true;
      });
      await clock.sleep(40);
      expect(isOver).toBe(false);
      const reason = new Error('stopped');
      abort.abort(reason);
      await expect(sleep).rejects.toBe(reason);
    }
  });

  it('sleeps its whole time over many short timers', async () => {
    const chunked = createSystemClock({ longestTimerMs: 7 });
    const startMs = chunked.monotonicMs();
    await chunked.sleep(50);
    expect(chunked.monotonicMs() - startMs).toBeGreaterThanOrEqual(50);
  });

  it('rejects at once with the reason of a signal that has fired, and for NaN', async () => {
    const reason = new Error('already');
    await expect(clock.sleep(10_000, AbortSignal.abort(reason))).rejects.toBe(reason);
    await expect(clock.sleep(Number.NaN)).rejects.toThrow(RangeError);
  });

  it('leaves no listener on a signal that lives on', async () => {
    const abort = new AbortController();
    let listeners = 0;
    const { signal } = abort;
    const add = signal.addEventListener.bind(signal);
    const remove = signal.removeEventListener.bind(signal);
    signal.addEventListener = ((...args: Parameters<typeof add>) => {
      listeners += 1;
      add(...args);
    }) as typeof signal.addEventListener;
    signal.removeEventListener = ((...args: Parameters<typeof remove>) => {
      listeners -= 1;
      remove(...args);
    }) as typeof signal.removeEventListener;
    for (let n = 0; n < 20; n += 1) await clock.sleep(1, signal);
    expect(listeners).toBe(0);
  });

  it('gives wall time in ms since 1970', () => {
    expect(Math.abs(clock.nowMs() - Date.now())).toBeLessThan(1000);
  });
});

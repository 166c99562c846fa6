import { beforeEach, expect, it, vi } from 'vitest';
import { createAlarm } from '../../../electron/engine/kernel/alarm';

beforeEach(() => void vi.useFakeTimers());

/** Takes no notice of the signal once a wait is over, as a real timer that has fired. */
const clock = {
  sleep: (delayMs: number, signal: AbortSignal) =>
    new Promise<void>((resolve, reject) => {
      const timer = setTimeout(resolve, delayMs);
      signal.addEventListener('abort', () => {
        clearTimeout(timer);
        reject(new Error('aborted'));
      });
    }),
};

it('rings once, for the last of 3 waits, and not after it was cleared', async () => {
  let rings = 0;
  const alarm = createAlarm(clock, () => (rings += 1));
  for (const delayMs of [100, 5_000, 1_000]) alarm.set(delayMs);
  await vi.advanceTimersByTimeAsync(999);
  expect([rings, alarm.isSet]).toEqual([0, true]);
  await vi.advanceTimersByTimeAsync(10_000);
  expect([rings, alarm.isSet]).toEqual([1, false]);
  alarm.set(100);
  alarm.clear();
  await vi.advanceTimersByTimeAsync(10_000);
  expect([rings, alarm.isSet]).toEqual([1, false]);
});

it('does not ring for a wait that was replaced in the moment in which it was over, and may be set while it rings', async () => {
  const rings: number[] = [];
  const alarm = createAlarm(clock, () => {
    rings.push(Date.now());
    if (rings.length < 3) alarm.set(50);
  });
  const startMs = Date.now();
  alarm.set(100);
  vi.advanceTimersByTime(100); // the timer has fired, its promise has not been taken yet
  alarm.set(200);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(rings.map((atMs) => atMs - startMs)).toEqual([300, 350, 400]);
});

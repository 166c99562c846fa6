import { describe, expect, it, vi } from 'vitest';
import { every, idleTicks } from '../../../electron/adapters/cron/cron-ticks';
import { createDueLoop } from '../../../electron/engine/schedule/due-loop';
import type { Moment } from '../../../electron/engine/schedule/plan-catchup';
import type { Clock } from '../../../electron/ports/clock';
import { createVirtualClock } from '../../helpers/virtual-clock';

const HOUR = 3_600_000;

describe('the loop of what is due', () => {
  it('S0-22 sleep that begins while 1 slot is being decided is seen after it: what came meanwhile was missed', async () => {
    const clock = createVirtualClock(1_000_000);
    const due = [clock.nowMs() + 1_000, clock.nowMs() + HOUR];
    const moments: Moment[] = [];
    let decided = (): void => undefined;
    const loop = createDueLoop({
      clock,
      audit: { record: () => undefined } as never,
      log: { warn: () => undefined } as never,
      ticks: clock.ticker,
      nextDueMs: () => due[0],
      mendSetBack: () => Promise.resolve(),
      dueWakes: { fireDue: () => Promise.resolve(true) },
      dueTasks: {
        fireDue: (moment) =>
          new Promise((resolve) => {
            moments.push(moment);
            decided = () => {
              due.shift();
              resolve(true);
            };
          }),
      },
    });
    loop.start();
    await clock.advance(1_000);
    expect(moments).toEqual([{ nowMs: 1_001_000, isLive: true }]);
    clock.suspend(8 * HOUR);
    loop.resumed();
    decided();
    await clock.advance(0);
    expect(moments).toEqual([
      { nowMs: 1_001_000, isLive: true },
      { nowMs: 1_001_000 + 8 * HOUR, isLive: false },
    ]);
    loop.stop();
  });
});

describe('the loop of what is due, by node-cron', () => {
  it('S0-22 S1-+05 looks every 10 s; notices within 15 s that the clock was set back by an hour, within 25 s that it was set forward by 2, goes on every 10 s after each, and prints nothing', async () => {
    vi.useFakeTimers({
      now: Date.parse('2027-06-01T02:00:00.500Z'),
      toFake: ['Date', 'setTimeout', 'clearTimeout'],
    });
    const printed = vi.spyOn(console, 'warn');
    let setMs = 0;
    const setClock = (byMs: number): void => {
      setMs += byMs;
      vi.setSystemTime(Date.now() + byMs);
    };
    const clock: Clock = {
      nowMs: () => Date.now(),
      monotonicMs: () => Date.now() - setMs,
      sleep: (delayMs, signal) =>
        new Promise((resolve, reject) => {
          const timer = setTimeout(resolve, delayMs);
          signal?.addEventListener('abort', () => {
            clearTimeout(timer);
            reject(signal.reason as Error);
          });
        }),
    };
    const gaps: unknown[] = [];
    const moments: Moment[] = [];
    let ticks = 0;
    let mended = 0;
    let dueMs = clock.nowMs() + 100 * HOUR;
    const loop = createDueLoop({
      clock,
      audit: {
        record: (_event: string, facts: { kind: string }) => gaps.push(facts.kind),
      } as never,
      log: { warn: () => undefined } as never,
      ticks: (onTick) =>
        every('*/10 * * * * *', () => {
          ticks += 1;
          onTick();
        }),
      nextDueMs: () => dueMs,
      mendSetBack: () => {
        mended += 1;
        return Promise.resolve();
      },
      dueWakes: { fireDue: () => Promise.resolve(true) },
      dueTasks: {
        fireDue: (moment) => {
          moments.push(moment);
          dueMs += 100 * HOUR;
          return Promise.resolve(true);
        },
      },
    });
    const inAMinute = async (): Promise<number> => {
      const before = ticks;
      await vi.advanceTimersByTimeAsync(60_000);
      return ticks - before;
    };
    loop.start();
    await vi.dynamicImportSettled();
    expect(await inAMinute()).toBe(6);
    setClock(-HOUR);
    await vi.advanceTimersByTimeAsync(15_000);
    expect([gaps, mended]).toEqual([['set_back'], 1]);
    expect(await inAMinute()).toBe(6);
    dueMs = clock.nowMs() + 25_000;
    loop.changed();
    await vi.advanceTimersByTimeAsync(25_000);
    expect(moments).toEqual([{ nowMs: expect.any(Number) as number, isLive: true }]);
    setClock(2 * HOUR);
    await vi.advanceTimersByTimeAsync(25_000);
    expect(gaps).toEqual(['set_back', 'set_forward']);
    expect(await inAMinute()).toBe(6);
    expect([mended, moments.length, printed.mock.calls]).toEqual([1, 1, []]);
    loop.stop();
    expect(await inAMinute()).toBe(0);
  });
});

describe('work while idle', () => {
  it('SR-02 UP-02 is done 90 s after the start, then every minute, and never again once stopped', async () => {
    vi.useFakeTimers({
      now: Date.parse('2027-06-01T02:00:00.500Z'),
      toFake: ['Date', 'setTimeout', 'clearTimeout'],
    });
    const at: number[] = [];
    const startMs = Date.now();
    const idle = idleTicks(90_000, '* * * * *');
    const ticks = idle(() => void at.push(Date.now() - startMs));
    const stoppedEarly = idle(() => void at.push(-1));
    await vi.advanceTimersByTimeAsync(89_999);
    stoppedEarly.stop();
    expect(at).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(at).toEqual([90_000]);
    await vi.dynamicImportSettled();
    await vi.advanceTimersByTimeAsync(120_000);
    expect(at).toHaveLength(3);
    ticks.stop();
    await vi.advanceTimersByTimeAsync(600_000);
    expect(at).toHaveLength(3);
  });
});

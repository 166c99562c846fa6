import { describe, expect, it } from 'vitest';
import { createDueLoop, type Moment } from '../../../electron/engine/catchup/due-loop';
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
      ticks: clock.clockwork,
      nextDueMs: () => due[0],
      mendSetBack: () => Promise.resolve(),
      fireDue: (moment) =>
        new Promise((resolve) => {
          moments.push(moment);
          decided = () => {
            due.shift();
            resolve(true);
          };
        }),
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

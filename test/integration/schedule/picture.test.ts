import { afterEach, describe, expect, it } from 'vitest';
import { createScheduleWorld, untilNoonMs, type ScheduleWorld } from './schedule-world';

let site: ScheduleWorld;
afterEach(() => site.end());

const HOUR = 3_600_000;

describe('the picture of a day', () => {
  it('S0-23 S1-+02 has 10 missed slots as one decision with the first of them, what comes, and never more places than can be shown', async () => {
    site = createScheduleWorld();
    site.clock.shiftMs = untilNoonMs(site.clock.nowMs());
    const before = await site.start();
    const add = (schedule: string) =>
      before.holdfast.call('tasks.add', { prompt: 'look', schedule, agent: 'fake' }, 'test');
    const often = await add('every 6m');
    const second = await add('every 2h');
    const weekdays = await add('0 9 * * *');
    await before.holdfast.call('tasks.pause', { taskId: second.id }, 'test');
    await site.stop(before);
    site.clock.shiftMs += HOUR + 60_000;
    const life = await site.start();
    let heard = 0;
    life.holdfast.on('schedule.changed', () => (heard += 1));
    const fromMs = site.clock.nowMs() - 12 * HOUR;
    const toMs = fromMs + 24 * HOUR;
    const lines = (taskIds: number[]) =>
      life.holdfast.call('schedule.lines', { fromMs, toMs, taskIds }, 'test');
    await expect.poll(async () => (await lines([often.id])).slots[0]?.status).toBe('completed');
    const { slots, knownFromMs } = await lines([often.id]);
    expect(slots).toHaveLength(1);
    expect(slots[0]).toMatchObject({ why: 'in_window', slots: 10 });
    expect(slots[0]?.oldestMs).toBe((slots[0]?.slotMs ?? 0) - 9 * 360_000);
    expect(knownFromMs).toBe(fromMs);
    expect(heard).toBeGreaterThan(0);

    await life.holdfast.call('tasks.update', { taskId: often.id, schedule: 'every 1s' }, 'test');
    const { coming } = await lines([often.id, second.id, weekdays.id]);
    const [thin, paused, daily] = coming;
    expect(thin?.isThinned).toBe(true);
    expect(thin?.atMs.length).toBeGreaterThan(100);
    expect(thin?.atMs.length).toBeLessThanOrEqual(240);
    expect(paused).toMatchObject({ atMs: [], isThinned: false });
    expect(daily?.atMs.length).toBeLessThanOrEqual(1);
    await life.holdfast.call('tasks.pause', { taskId: often.id }, 'test');

    const { schedule } = life.holdfast.status();
    expect(schedule).toMatchObject({ active: 1, paused: 2, missed: 0 });
    expect(schedule?.next).toMatchObject([{ taskId: weekdays.id, isOnce: false }]);
  });
});

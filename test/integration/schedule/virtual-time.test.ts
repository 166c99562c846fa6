/** Schedules over hours and days, on a clock that only moves when it is told to. */
import { afterEach, describe, expect, it } from 'vitest';
import type { Composition } from '../../../electron/compose/options';
import { createFakeProvider, promptOf, resultsSoFar } from '../../helpers/fake-world';
import {
  DAY,
  HOUR,
  MINUTE,
  add,
  again,
  begin,
  goTo,
  history,
  quiet,
  slots,
  startLife,
  virtual,
} from './virtual-site';

afterEach(() => virtual.site.end());

describe('a change of the clocks', () => {
  it('S1-09 S0-35 02:30 on the day that has none runs once at 03:00, and the day after at 02:30 again', async () => {
    const life = await begin('2027-03-27T23:30:00Z');
    await add(life, { schedule: '30 2 * * *' });
    expect(slots(await goTo(life, '2027-03-28T02:00:00Z'))).toEqual(['2027-03-28T01:00 on_time']);
    const { next } = await life.holdfast.call('tasks.next', { taskId: 1, count: 1 }, 'test');
    expect(next).toEqual([Date.parse('2027-03-29T00:30:00Z')]);
  });

  it('S1-+05 S0-35 02:30 on the day that has two runs once; every half hour runs in both', async () => {
    const life = await begin('2027-10-30T23:45:00Z');
    await add(life, { schedule: '30 2 * * *' });
    await add(life, { schedule: '*/30 * * * *', name: 'often' });
    const runs = await goTo(life, '2027-10-31T02:05:00Z');
    expect(slots(runs.filter((run) => run.taskId === 1))).toEqual(['2027-10-31T00:30 on_time']);
    expect(runs.filter((run) => run.taskId === 2)).toHaveLength(5);
    expect(new Set(runs.map((run) => `${String(run.taskId)} ${String(run.slotMs)}`)).size).toBe(6);
  });
});

describe('a calendar', () => {
  it('S0-35 a task of the 29th of February runs in 2028 and next in 2032', async () => {
    const life = await begin('2028-02-28T22:59:00Z', {});
    await add(life, { schedule: '0 0 29 2 *' });
    expect(slots(await goTo(life, '2028-02-28T23:01:00Z'))).toEqual(['2028-02-28T23:00 on_time']);
    const { next } = await life.holdfast.call('tasks.next', { taskId: 1, count: 1 }, 'test');
    expect(next).toEqual([Date.parse('2032-02-28T23:00:00Z')]);
  });

  it('S1-09 a task of weekdays at 9 that was down for 30 days is one skip for all of them, says from when to when they were, and goes on', async () => {
    const life = await begin('2027-06-01T05:00:00Z');
    await add(life, { schedule: '0 9 * * 1-5' });
    await add(life, { schedule: 'every 7m', name: 'often', catchup: 'always' });
    const later = await again(life, 30 * DAY);
    const runs = await quiet(later);
    expect(runs.map((run) => [run.taskId, run.outcome, run.why, run.slots])).toEqual([
      [1, 'skipped', 'window', 22],
      [2, 'ran', 'always', Math.floor((30 * DAY) / (7 * MINUTE))],
    ]);
    expect(runs[0]?.oldestMs).toBe(Date.parse('2027-06-01T07:00:00Z'));
    expect(runs[0]?.words).toContain(
      '22 missed between Tue 1 Jun 2027, 09:00 and Wed 30 Jun 2027, 09:00.',
    );
    expect(new Date((await show(later, 1)).nextRunAtMs ?? 0).toISOString()).toBe(
      '2027-07-01T07:00:00.000Z',
    );
    expect(((await show(later, 2)).nextRunAtMs ?? 0) - virtual.clock.nowMs()).toBeLessThanOrEqual(
      7 * MINUTE,
    );
  });
});

const show = (life: Composition, taskId: number) =>
  life.holdfast.call('tasks.show', { taskId }, 'test');

describe('a clock that does not just go on', () => {
  it('S0-22 S0-23 eight hours with the lid shut are one run for eight slots, and then the old rhythm', async () => {
    const life = await begin('2027-06-01T00:00:30Z');
    await add(life, { schedule: 'every 1h' });
    virtual.clock.suspend(8 * HOUR + 5 * MINUTE);
    await virtual.clock.advance(10_000);
    const runs = await quiet(life);
    expect(runs.map((run) => [run.why, run.slots, run.lateMs < 6 * MINUTE])).toEqual([
      ['in_window', 8, true],
    ]);
    expect(slots(await goTo(life, '2027-06-01T09:00:30Z')).at(-1)).toBe('2027-06-01T09:00 on_time');
  });

  it('S0-22 S0-24 a clock that is set forward by a day decides by the window, as after sleep', async () => {
    const life = await begin('2027-06-01T00:00:00Z');
    await add(life, { schedule: 'in 30m' });
    await add(life, { schedule: 'every 1h', name: 'often' });
    virtual.clock.set(DAY);
    await virtual.clock.advance(10_000);
    const runs = await quiet(life);
    expect(runs.map((run) => [run.taskId, run.outcome, run.why])).toEqual([
      [1, 'missed', 'window'],
      [2, 'ran', 'in_window'],
    ]);
  });

  it('S1-+05 S1-06 a clock that is set back by an hour, twice: every 10 min goes on within 10 min and keeps its rhythm, 02:00 does not come again, and no slot is in the history twice', async () => {
    const life = await begin('2027-06-01T00:00:00Z');
    await add(life, { schedule: 'every 10m' });
    await add(life, { schedule: '*/10 * * * *', name: 'cron' });
    await add(life, { schedule: '0 2 * * *', name: 'at two', zone: 'UTC' });
    expect(await goTo(life, '2027-06-01T02:30:05Z')).toHaveLength(15 + 15 + 1);
    for (const _time of ['once', 'again']) {
      virtual.clock.set(-HOUR);
      await virtual.clock.advance(10_000);
      for (const taskId of [1, 2]) {
        await expect
          .poll(async () => (await show(life, taskId)).nextRunAtMs)
          .toBe(Date.parse('2027-06-01T01:40:00Z'));
      }
      await goTo(life, '2027-06-01T02:30:05Z');
    }
    const runs = await goTo(life, '2027-06-01T02:50:05Z');
    const ofTask = (taskId: number) => runs.filter((run) => run.taskId === taskId);
    // 15 before, 6 in each hour that came again, 2 after.
    expect([1, 2, 3].map((taskId) => ofTask(taskId).length)).toEqual([29, 29, 1]);
    expect(runs.every((run) => run.outcome === 'ran' && run.lateMs === 0)).toBe(true);
    expect(new Set(runs.map((run) => `${String(run.taskId)} ${String(run.slotMs)}`)).size).toBe(59);
    expect((await show(life, 3)).nextRunAtMs).toBe(Date.parse('2027-06-02T02:00:00Z'));
  });

  it('S1-10 a clock that is set back and forth around a one-shot runs it once', async () => {
    const life = await begin('2027-06-01T00:00:00Z');
    await add(life, { schedule: 'in 30m' });
    for (const by of [29 * MINUTE, -29 * MINUTE, 31 * MINUTE, -HOUR, 2 * HOUR]) {
      virtual.clock.set(by);
      await virtual.clock.advance(10_000);
      await quiet(life);
    }
    expect(slots(await history(life))).toEqual(['2027-06-01T00:30 in_window']);
    expect(virtual.site.asked).toHaveLength(1);
  });

  it('S1-+01 3 tasks that are paused together keep their rules for 5 hours, and go on from now without a run for what passed', async () => {
    const life = await begin('2027-06-01T00:00:30Z');
    await add(life, { schedule: 'every 1h', catchup: 'always' });
    await add(life, { schedule: '30 2 * * *' });
    await add(life, { schedule: 'in 30m' });
    const rules = async () =>
      (await life.holdfast.call('tasks.list', {}, 'test')).tasks.map((task) => task.words);
    const before = await rules();
    const all = (verb: 'tasks.pauseAll' | 'tasks.resumeAll') =>
      life.holdfast.call(verb, {}, 'test');
    expect(await all('tasks.pauseAll')).toEqual({ changed: 3 });
    expect(await all('tasks.pauseAll')).toEqual({ changed: 0 });
    expect(virtual.clock.pending.ticks).toBe(0);
    expect(await goTo(life, '2027-06-01T05:00:30Z')).toEqual([]);
    expect(await all('tasks.resumeAll')).toEqual({ changed: 2, missed: 1 });
    expect(await rules()).toEqual(before);
    expect((await show(life, 3)).state).toBe('missed');
    expect(slots(await goTo(life, '2027-06-01T06:00:30Z'))).toEqual(['2027-06-01T06:00 on_time']);
  });

  it('S1-14 a timer of 2 s wakes its session after 2 s, not after 1.9 s', async () => {
    const life = await begin('2027-06-01T00:00:00Z', {}, (request) =>
      promptOf(request) === 'go' && resultsSoFar(request) === 0
        ? { calls: [{ tool: 'timer', args: { seconds: 2, message: 'look' } }] }
        : { text: 'ok' },
    );
    await life.holdfast.call('send', { text: 'go', session: 's', agent: 'fake' }, 'test');
    await quiet(life);
    const woken = () => virtual.site.asked.filter((text) => text.startsWith('[timer ')).length;
    await virtual.clock.advance(1_900);
    await quiet(life);
    expect(woken()).toBe(0);
    await virtual.clock.advance(100);
    await expect.poll(woken).toBe(1);
  });

  it('S1-15 nothing that is due leaves nothing behind: no tick and no wait of the schedule', async () => {
    const life = await begin('2027-06-01T00:00:00Z');
    const { ticks } = virtual.clock.pending;
    const task = await add(life, { schedule: 'every 1h' });
    expect([ticks, virtual.clock.pending.ticks]).toEqual([0, 1]);
    await life.holdfast.call('tasks.cancel', { taskId: task.id }, 'test');
    expect(virtual.clock.pending.ticks).toBe(0);
  });
});

describe('a heartbeat', () => {
  it('S1-38 S1-24 of the settings every 20 s and one of a conversation every 30 s tick beside each other for 2 min, each with its own count; the first names what is overdue and what comes', async () => {
    const wish = { action: 'start', interval_seconds: 30, message: 'own' };
    const life = await begin(
      '2027-06-01T00:00:00Z',
      { heartbeat: { enabled: true, interval: 'every 20s' } },
      (request) =>
        promptOf(request) === 'start' && resultsSoFar(request) === 0
          ? { calls: [{ tool: 'heartbeat', args: wish }] }
          : { text: 'IDLE' },
    );
    await add(life, { name: 'Soon', schedule: 'every 1h' });
    await add(life, { name: 'Far', schedule: 'every 25h' });
    await life.holdfast.call('send', { text: 'start', session: 's', agent: 'fake' }, 'test');
    await quiet(life);
    for (let tens = 0; tens < 12; tens += 1) {
      await virtual.clock.advance(10_000);
      await quiet(life);
    }
    const { heartbeats } = await life.holdfast.call('heartbeat.status', {}, 'test');
    expect(
      heartbeats.map(({ session, isSystem, ticks, every }) => [session, isSystem, ticks, every]),
    ).toEqual([
      ['main', true, 6, 'Every 20 s'],
      ['s', false, 4, 'Every 30 s'],
    ]);
    const asked = (start: string) => virtual.site.asked.filter((text) => text.startsWith(start));
    expect(asked('[heartbeat ')).toEqual(
      [1, 2, 3, 4].map((n) => `[heartbeat ${String(n)}]\n\nown`),
    );
    expect(asked('[system heartbeat')).toHaveLength(6);
    const last = asked('[system heartbeat').at(-1);
    expect(last).toMatch(
      /Overdue tasks:\n- none\n\nTasks of the next 24 hours:\n- task 1, .*: Soon\n\n/,
    );
    expect(last).not.toContain('Far');
  });

  it('S1-23 every 10 s with a model that takes 25 s has at most 1 waiting tick, counts the others, and is 1 tick after sleep', async () => {
    const life = await begin('2027-06-01T00:00:00Z');
    await virtual.site.stop(life);
    let thinking = 0;
    let isSlow = true;
    const slow = createFakeProvider({
      dir: virtual.site.world.outside,
      script: (request) =>
        resultsSoFar(request) === 0 && promptOf(request) === 'start'
          ? {
              calls: [
                {
                  tool: 'heartbeat',
                  args: { action: 'start', interval_seconds: 10, message: 'look' },
                },
              ],
            }
          : { text: 'IDLE' },
      async gate(request) {
        if (!promptOf(request).startsWith('[heartbeat')) return undefined;
        thinking += 1;
        if (isSlow) await virtual.clock.sleep(25_000);
        thinking -= 1;
        return undefined;
      },
    });
    const next = await startLife({ providers: [slow] });
    await next.holdfast.call('send', { text: 'start', session: 's', agent: 'fake' }, 'test');
    await quiet(next);
    const beats = async () => {
      const { turns } = await next.holdfast.call('turns.list', { limit: 100 }, 'test');
      const ticks = turns.filter((turn) => turn.promptStart === 'look');
      return { all: ticks.length, open: ticks.filter((one) => one.endedAtMs === undefined).length };
    };
    const status = async () =>
      (await next.holdfast.call('heartbeat.status', {}, 'test')).heartbeats[0];
    const pass = async (ms: number): Promise<void> => {
      for (let at = 0; at < ms; at += 5_000) {
        await virtual.clock.advance(5_000);
        // Each turn has come to its model, or to its end.
        await expect.poll(async () => (await beats()).open === thinking).toBe(true);
        expect(thinking).toBeLessThanOrEqual(1);
      }
    };
    await pass(80_000);
    // Ticks at 10, 40 and 70 s; those at 20, 30, 50, 60 and 80 found one that was not answered yet.
    expect(await beats()).toEqual({ all: 3, open: 1 });
    expect(await status()).toMatchObject({ ticks: 3, skipped: 5 });
    await pass(15_000);
    expect(await beats()).toEqual({ all: 3, open: 0 });
    const before = (await status())?.skipped ?? 0;
    virtual.clock.suspend(HOUR);
    await pass(10_000);
    expect(await beats()).toEqual({ all: 4, open: 1 });
    expect(await status()).toMatchObject({ ticks: 4 });
    expect((await status())?.skipped).toBeGreaterThan(before + 300);
    isSlow = false;
    await pass(25_000);
  });
});

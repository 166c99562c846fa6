/** Tasks while nothing runs: what a person decides is on disk, and the next start goes by it. */
import { afterEach, describe, expect, it } from 'vitest';
import { openForDecision } from '../../../electron/offline/open-data';
import type { Holdfast } from '../../../electron/engine/api/facade';
import type { TaskView } from '../../../shared/schedule/model';
import { dailyFarAway } from '../../helpers/far-away';
import { createScheduleWorld, type ScheduleWorld } from './schedule-world';

const MINUTE = 60_000;
let site: ScheduleWorld;
afterEach(() => site.end());

const wish = { prompt: 'look', agent: 'fake', zone: 'UTC' } as const;

/** As a command does it: the lock is held for the one change. */
async function decided<T>(what: (holdfast: Holdfast) => Promise<T>): Promise<T> {
  const opened = await openForDecision(site.world.dataDir);
  try {
    return await what(opened.holdfast);
  } finally {
    await opened.close();
  }
}

describe('a task that is changed while nothing runs', () => {
  it('S1-+01 S0-22 paused, edited, canceled, made and gone on with: the start catches up only what is still wanted', async () => {
    site = createScheduleWorld();
    const first = await site.start();
    const add = (name: string, schedule = 'every 1m'): Promise<TaskView> =>
      first.holdfast.call('tasks.add', { ...wish, name, schedule }, 'test');
    const [paused, edited, named, over, again] = [
      await add('paused'),
      await add('edited'),
      await add('named'),
      await add('over'),
      await add('again'),
    ].map(({ id }) => id);
    await first.holdfast.call('tasks.pause', { taskId: again ?? 0 }, 'test');
    await expect(decided(() => Promise.resolve())).rejects.toMatchObject({ code: 'LOCK_HELD' });
    await site.stop(first);

    await decided(async ({ call }) => {
      await call('tasks.pause', { taskId: paused ?? 0 }, 'cli');
      await call('tasks.update', { taskId: edited ?? 0, schedule: dailyFarAway() }, 'cli');
      await call('tasks.update', { taskId: named ?? 0, name: 'other' }, 'cli');
      await call('tasks.cancel', { taskId: over ?? 0 }, 'cli');
      await call('tasks.resume', { taskId: again ?? 0 }, 'cli');
      const made = await call('tasks.add', { ...wish, schedule: 'in 1m' }, 'cli');
      expect([made.id, made.state, made.madeBy]).toEqual([6, 'active', 'user']);
      await expect(call('tasks.pause', { taskId: 99 }, 'cli')).rejects.toMatchObject({
        code: 'TASK_UNKNOWN',
      });
    });
    site.clock.shiftMs += 10 * MINUTE;

    const second = await site.start();
    const runs = async () =>
      (await second.holdfast.call('tasks.history', { limit: 50 }, 'test')).runs;
    await expect.poll(async () => (await runs()).length).toBe(3);
    expect((await runs()).map(({ taskId, why }) => [taskId, why]).toSorted()).toEqual([
      [named, 'in_window'],
      [again, 'in_window'],
      [6, 'in_window'],
    ]);
    const { tasks } = await second.holdfast.call('tasks.list', { includeOver: true }, 'test');
    expect(tasks.map(({ id, state }) => [id, state]).toSorted()).toEqual([
      [paused, 'paused'],
      [edited, 'active'],
      [named, 'active'],
      [over, 'cancelled'],
      [again, 'active'],
      [6, 'completed'],
    ]);
  });

  it('S1-+01 all are paused and gone on with in one step, and a start runs nothing of what passed meanwhile', async () => {
    site = createScheduleWorld();
    const first = await site.start();
    for (const name of ['a', 'b', 'c'])
      await first.holdfast.call('tasks.add', { ...wish, name, schedule: 'every 1m' }, 'test');
    await site.stop(first);
    const all = (verb: 'tasks.pauseAll' | 'tasks.resumeAll') =>
      decided((holdfast) => holdfast.call(verb, {}, 'cli'));
    expect(await all('tasks.pauseAll')).toEqual({ changed: 3 });
    expect(await all('tasks.resumeAll')).toEqual({ changed: 3, missed: 0 });
    expect(await all('tasks.pauseAll')).toEqual({ changed: 3 });
    site.clock.shiftMs += 10 * MINUTE;
    const second = await site.start();
    expect((await second.holdfast.call('tasks.history', {}, 'test')).runs).toEqual([]);
    const { tasks } = await second.holdfast.call('tasks.list', {}, 'test');
    expect(tasks.map(({ state }) => state)).toEqual(['paused', 'paused', 'paused']);
  });
});

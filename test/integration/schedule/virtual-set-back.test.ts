/** A clock that was years ahead and is set right: nothing waits for the date that it had. */
import path from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, describe, expect, it } from 'vitest';
import { FOLD_TABLES } from '../../../electron/adapters/sqlite/tables/fold';
import type { Composition } from '../../../electron/compose/options';
import { promptOf, resultsSoFar, type Script } from '../../helpers/fake-world';
import {
  DAY,
  HOUR,
  MINUTE,
  add,
  again,
  begin,
  goTo,
  quiet,
  slots,
  startLife,
  virtual,
} from './virtual-site';

afterEach(() => virtual.site.end());

const YEARS = 3 * 365 * DAY;

const waker: Script = (request) => {
  if (promptOf(request) !== 'wake me' || resultsSoFar(request) > 0) return { text: 'ok' };
  return {
    calls: [
      { tool: 'timer', args: { seconds: 600, message: 'tick', id: 'a' } },
      { tool: 'heartbeat', args: { action: 'start', interval_seconds: 600, message: 'beat' } },
    ],
  };
};
const show = (life: Composition, taskId: number) =>
  life.holdfast.call('tasks.show', { taskId }, 'test');
const next = async (life: Composition, taskId: number): Promise<string> =>
  new Date((await show(life, taskId)).nextRunAtMs ?? 0).toISOString();
const inbox = async (life: Composition) =>
  (await life.holdfast.call('inbox.list', {}, 'test')).items.map(({ title }) => title);

/** Four tasks, of which a clock that is years ahead makes something each. */
const fourTasks = async (life: Composition): Promise<void> => {
  await add(life, { schedule: 'every 1h' });
  await add(life, { schedule: 'daily at 09:00', zone: 'UTC' });
  await add(life, { schedule: '2027-06-01T02:30Z', name: 'once' });
  await add(life, { schedule: 'every 1h', name: 'paused' });
  await life.holdfast.call('tasks.pause', { taskId: 4 }, 'test');
};
const areRight = async (life: Composition): Promise<void> => {
  await expect.poll(() => next(life, 1)).toBe('2027-06-01T01:00:00.000Z');
  expect(await next(life, 2)).toBe('2027-06-01T09:00:00.000Z');
  expect(await show(life, 3)).toMatchObject({ state: 'active' });
  expect(await next(life, 3)).toBe('2027-06-01T02:30:00.001Z');
  expect(await show(life, 4)).toMatchObject({ state: 'paused' });
  expect(await inbox(life)).toEqual([]);
};

describe('a clock that was 3 years ahead', () => {
  it('S0-35 S1-+05 set right while it runs: each task has its next run by the right time, and every slot once', async () => {
    const life = await begin('2027-06-01T00:00:00Z');
    await fourTasks(life);
    virtual.clock.set(YEARS);
    await virtual.clock.advance(10_000);
    await expect.poll(() => inbox(life)).toEqual(['Missed: once']);
    await quiet(life);
    expect(await next(life, 1)).toMatch(/^2030-/);
    virtual.clock.set(-YEARS);
    await virtual.clock.advance(10_000);
    await areRight(life);
    const runs = await goTo(life, '2027-06-01T03:00:05Z');
    const real = slots(runs.filter((run) => run.slotMs < Date.parse('2028-01-01Z')));
    expect(real.filter((run) => run.endsWith('on_time'))).toHaveLength(3 + 1);
    expect(new Set(runs.map((run) => `${String(run.taskId)} ${String(run.slotMs)}`)).size).toBe(
      runs.length,
    );
    expect(await show(life, 3)).toMatchObject({ state: 'completed', runs: 1 });
  });

  it('S0-35 S1-+05 set right while nothing runs, the start finds the same, also where nothing was due', async () => {
    const life = await begin('2027-06-01T00:00:00Z');
    await fourTasks(life);
    const ahead = await again(life, YEARS);
    await quiet(ahead);
    const right = await again(ahead, -YEARS);
    await areRight(right);
    const later = await again(right, 0);
    await areRight(later);
    expect(virtual.site.rows('SELECT count(*) AS n FROM journal WHERE kind = 129')).toEqual([
      { n: 2 },
    ]);
  });

  it('S1-10 S1-14 S1-23 what was set by it, "in 30m", a timer and a heartbeat of 10 min, is that far away', async () => {
    const life = await begin('2030-06-01T00:00:00Z', {}, waker);
    await add(life, { schedule: 'in 30m' });
    await life.holdfast.call('send', { text: 'wake me', session: 's', agent: 'fake' }, 'test');
    await quiet(life);
    virtual.clock.set(-YEARS);
    await virtual.clock.advance(10_000);
    const nowMs = virtual.clock.nowMs();
    await expect.poll(async () => (await show(life, 1)).nextRunAtMs).toBe(nowMs + 30 * MINUTE);
    const { timers } = await life.holdfast.call('timers.list', {}, 'test');
    expect(timers.map(({ dueAtMs }) => dueAtMs)).toEqual([nowMs + 10 * MINUTE]);
    const beat = async () =>
      (await life.holdfast.call('heartbeat.status', {}, 'test')).heartbeats[0];
    expect(((await beat())?.nextAtMs ?? 0) - nowMs).toBeLessThanOrEqual(10 * MINUTE);
    for (let tens = 0; tens < 3; tens += 1) {
      await virtual.clock.advance(10 * MINUTE + 20_000);
      await quiet(life);
    }
    expect(virtual.site.asked.filter((text) => text.startsWith('[timer a'))).toHaveLength(1);
    expect((await beat())?.ticks).toBe(3);
    expect(slots((await life.holdfast.call('tasks.history', {}, 'test')).runs)).toHaveLength(1);
  });

  it('S0-35 R12 the tables are the same when they are made again from the journal', async () => {
    const life = await begin('2027-06-01T00:00:00Z');
    await fourTasks(life);
    const ahead = await again(life, YEARS + 5 * HOUR);
    await quiet(ahead);
    const right = await again(ahead, -YEARS);
    await expect.poll(() => next(right, 1)).toBe('2027-06-01T06:00:00.000Z');
    const before = virtual.site.rows('SELECT * FROM tasks');
    await virtual.site.stop(right);
    // Emptied tables are noticed by the start, which makes them again.
    const db = new Database(path.join(virtual.site.world.dataDir, 'holdfast.db'));
    for (const table of FOLD_TABLES) db.exec(`DELETE FROM ${table}`);
    db.close();
    await startLife();
    expect(virtual.site.rows('SELECT * FROM tasks')).toEqual(before);
  });
});

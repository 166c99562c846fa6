/** Tasks that something starts: real files, real git, a channel; each event is one run's, once. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { Composition } from '../../../electron/compose/options';
import type { VerbInput } from '../../../shared/contract';
import { createFakeProvider } from '../../helpers/fake-world';
import { createScheduleWorld, type ScheduleWorld } from './schedule-world';

let site: ScheduleWorld;
afterEach(() => site.end());

const add = (life: Composition, wish: Partial<VerbInput<'tasks.add'>>) =>
  life.holdfast.call(
    'tasks.add',
    { prompt: 'look', schedule: 'every 1h', agent: 'fake', ...wish },
    'test',
  );
const history = async (life: Composition, taskId = 1) =>
  (await life.holdfast.call('tasks.history', { taskId, limit: 200 }, 'test')).runs.toReversed();
const asked = (count: number) =>
  expect.poll(() => site.asked.length, { interval: 20, timeout: 120_000 }).toBe(count);
const still = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

describe('GT-02 a task that something starts', () => {
  it('GT-03 a flood of 10,000 new files in a folder is one run, which is told so, and nothing runs before', async () => {
    site = createScheduleWorld();
    const life = await site.start();
    const folder = path.join(site.world.outside, 'in box');
    mkdirSync(folder);
    const task = await add(life, { schedule: `on file "${folder}" debounce 8s` });
    expect(task).toMatchObject({ kind: 'event', state: 'active' });
    expect(task.nextRunAtMs).toBeUndefined();
    expect(task.words).toContain('changes, 8 s after the first change');
    await still(1_500);
    expect(site.asked).toEqual([]);
    for (let file = 0; file < 10_000; file += 1)
      writeFileSync(path.join(folder, `f${String(file)}`), 'x');
    await asked(1);
    expect(site.asked[0]).toMatch(/that started this run.*data, not instructions/);
    expect(site.asked[0]).toMatch(/The system reported \d{2,} changes\./);
    await still(2_000);
    expect(
      (await life.holdfast.call('tasks.show', { taskId: 1 }, 'test')).nextRunAtMs,
    ).toBeUndefined();
    const [run] = await history(life);
    expect(run?.words).toMatch(/^Ran on time\. \d+ events?\.$/);
    expect(await life.holdfast.call('tasks.show', { taskId: 1 }, 'test')).toMatchObject({
      state: 'active',
    });
    writeFileSync(path.join(folder, 'f0'), 'longer');
    await asked(2);
  });

  it.each([
    ['default', 1, 'in_window'],
    ['always', 1, 'always'],
    ['never', 0, 'never'],
  ] as const)(
    'a file that changed while nothing ran: with catch-up %s, %i runs',
    async (catchup, runs, why) => {
      site = createScheduleWorld();
      const life = await site.start();
      const file = path.join(site.world.outside, 'list');
      await add(life, { schedule: `on file ${file} debounce 1s`, catchup });
      await site.stop(life);
      writeFileSync(file, 'new');
      const again = await site.start();
      await expect
        .poll(async () => (await history(again))[0]?.why, { interval: 20, timeout: 120_000 })
        .toBe(why);
      await still(1_500);
      expect(site.asked).toHaveLength(runs);
      await site.stop(again);
      const third = await site.start();
      await still(1_500);
      expect(await history(third)).toHaveLength(1);
    },
  );

  it('a git branch that moves is one run for each move', async () => {
    site = createScheduleWorld();
    const life = await site.start();
    const repository = path.join(site.world.outside, 'project');
    mkdirSync(repository);
    const git = (...args: string[]): void => {
      execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.org', ...args], {
        cwd: repository,
        stdio: 'ignore',
      });
    };
    git('init', '-b', 'main');
    git('commit', '--allow-empty', '-m', 'one');
    await add(life, { schedule: `on git ${repository} main debounce 1s` });
    await site.stop(life);
    git('commit', '--allow-empty', '-m', 'two');
    const again = await site.start();
    await asked(1);
    expect(site.asked[0]).toContain(`${repository} main has changed.`);
    await site.stop(again);
    await site.start();
    await still(1_500);
    expect(site.asked).toHaveLength(1);
  });

  it('the end of a run of another task starts it, once for each, also where the end came just before a stop', async () => {
    site = createScheduleWorld();
    const life = await site.start();
    await add(life, { prompt: 'first' });
    await add(life, { prompt: 'second', schedule: 'on task 1 debounce 1s' });
    await expect(add(life, { schedule: 'on task 9' })).rejects.toThrow(/not found/);
    // Round in a circle they would never stop.
    for (const schedule of ['on task 1', 'on task 2'])
      await expect(
        life.holdfast.call('tasks.update', { taskId: 1, schedule }, 'test'),
      ).rejects.toThrow(/cannot be started by its own end/);
    await life.holdfast.call('tasks.run', { taskId: 1 }, 'test');
    await asked(2);
    expect(site.asked[1]).toMatch(/second[\s\S]*Turn \d+ of task 1 ended: completed\./);
    await life.holdfast.call('tasks.run', { taskId: 1 }, 'test');
    await asked(4);
    await site.stop(life);
    await site.start();
    await still(1_500);
    expect(site.asked).toHaveLength(4);
  });

  it('an end that comes just before the task that waits for it is edited starts it with what it says now; one that comes while it is paused does not', async () => {
    site = createScheduleWorld();
    const life = await site.start();
    await add(life, { prompt: 'first' });
    await add(life, { prompt: 'second', schedule: 'on task 1 debounce 1s' });
    const ended = async (turns: number) => {
      await life.holdfast.call('tasks.run', { taskId: 1 }, 'test');
      await expect
        .poll(
          async () =>
            (await life.holdfast.call('turns.list', { limit: 50 }, 'test')).turns.map(
              ({ state }) => state,
            ),
          { interval: 5, timeout: 120_000 },
        )
        .toEqual(Array.from({ length: turns }, () => 'completed'));
    };
    // It is looked at after its making, and after the first end.
    await still(1_000);
    await ended(1);
    await life.holdfast.call('tasks.update', { taskId: 2, prompt: 'third' }, 'test');
    await asked(2);
    expect(site.asked[1]).toMatch(/third[\s\S]*Turn 1 of task 1 ended: completed\./);
    await life.holdfast.call('tasks.pause', { taskId: 2 }, 'test');
    await ended(3);
    await life.holdfast.call('tasks.resume', { taskId: 2 }, 'test');
    await still(2_500);
    expect(site.asked).toHaveLength(3);
  });

  it('an event while the last run is in progress is not lost: the next run has it, and the two are never at work together', async () => {
    site = createScheduleWorld();
    const gates: (() => void)[] = [];
    const life = await site.start({
      providers: [
        createFakeProvider({
          dir: site.world.outside,
          script: () => ({ text: 'ok' }),
          gate: async () => {
            await new Promise<void>((resolve) => gates.push(resolve));
            return undefined;
          },
        }),
      ],
    });
    const file = path.join(site.world.outside, 'list');
    await add(life, { schedule: `on file ${file} debounce 1s`, prompt: 'slow' });
    writeFileSync(file, 'a');
    await expect.poll(() => gates.length, { interval: 20 }).toBe(1);
    writeFileSync(file, 'ab');
    await expect
      .poll(() => site.rows('SELECT 1 FROM task_events WHERE is_pending = 1').length, {
        interval: 20,
      })
      .toBe(1);
    await still(2_500);
    expect(gates).toHaveLength(1);
    gates[0]?.();
    await expect.poll(() => gates.length, { interval: 20, timeout: 120_000 }).toBe(2);
    gates[1]?.();
    await expect
      .poll(async () => (await history(life)).map(({ status }) => status), { interval: 20 })
      .toEqual(['completed', 'completed']);
    expect(site.rows('SELECT 1 FROM task_events WHERE is_pending = 1')).toEqual([]);
  });

  it.each([
    'on',
    'on file',
    'on pipe x',
    'on webhook a b',
    'on task zero',
    'on file x debounce',
    'on file x debounce 0s',
    'on git --x',
  ])('GT-04 %j is refused with what is accepted', async (schedule) => {
    site = createScheduleWorld();
    const life = await site.start();
    await expect(add(life, { schedule })).rejects.toThrow(/is not a schedule: ./);
    expect(await life.holdfast.call('schedule.parse', { expr: schedule }, 'test')).toMatchObject({
      ok: false,
    });
  });
});

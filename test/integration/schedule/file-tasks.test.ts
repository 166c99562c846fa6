/** One grammar for tasks in config.json, on the command line, in the window and in the tool of agents. */
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { Composition } from '../../../electron/compose/options';
import { createScheduleWorld, type ScheduleWorld } from './schedule-world';

let site: ScheduleWorld;
afterEach(() => site.end());

const SCHEDULES = [
  'every 5m',
  'daily at 09:00',
  '0 9 * * 1-5',
  '2027-06-01T09:00',
  'on webhook ci where failed debounce 1m',
  'on nats orders.*.new where paid',
];
const BASE = {
  nats: { url: 'nats://127.0.0.1:1' },
  channels: { port: 0, own: { ci: { kind: 'webhook', inbound: true } } },
};
const list = async (life: Composition) =>
  (await life.holdfast.call('tasks.list', {}, 'test')).tasks.map(
    ({ id, name, schedule, words, kind, state, check }) => ({
      id,
      name,
      schedule,
      words,
      kind,
      state,
      ...(check === undefined ? {} : { check }),
    }),
  );

describe('GT-04 a task', () => {
  it('has the same meaning from config.json, from a verb and from the tool of an agent, for each kind of schedule', async () => {
    const own = Object.fromEntries(
      SCHEDULES.map((schedule, at) => [
        `f${String(at)}`,
        { schedule, prompt: 'look', agent: 'fake' },
      ]),
    );
    let at = 0;
    site = createScheduleWorld({ ...BASE, tasks: { own } }, ({ messages }) => {
      const last = messages.at(-1);
      const schedule = SCHEDULES[at];
      if (last?.role !== 'user' || schedule === undefined) return { text: 'done' };
      at += 1;
      return {
        calls: [
          { tool: 'schedule_task', args: { prompt: 'look', schedule, name: `t${String(at - 1)}` } },
        ],
      };
    });
    const life = await site.start();
    for (const [number, schedule] of SCHEDULES.entries()) {
      const wish = { prompt: 'look', schedule, agent: 'fake', name: `v${String(number)}` };
      await life.holdfast.call('tasks.add', wish, 'test');
      const { turnId } = await life.holdfast.call(
        'send',
        { text: `make ${String(number)}`, agent: 'fake' },
        'test',
      );
      expect(turnId).toBeGreaterThan(0);
      await expect
        .poll(async () => (await list(life)).length)
        .toBe(SCHEDULES.length + 2 * (number + 1));
    }
    const all = await list(life);
    for (const [number, schedule] of SCHEDULES.entries()) {
      const [first, ...others] = ['f', 'v', 't'].map((from) =>
        all.find(({ name }) => name === `${from}${String(number)}`),
      );
      const meaning = (one: typeof first) => [one?.schedule, one?.words, one?.kind, one?.state];
      expect(first?.schedule).toBe(schedule);
      for (const other of others) expect(meaning(other)).toEqual(meaning(first));
    }
  });

  it('of config.json is added once over restarts, follows its entry, and one that cannot be set stops no other', async () => {
    const first = { tidy: { schedule: 'every 1h', prompt: 'Tidy up', agent: 'fake' } };
    site = createScheduleWorld({ ...BASE, tasks: { own: first } });
    let life = await site.start();
    expect(await list(life)).toMatchObject([{ id: 1, name: 'tidy', state: 'active' }]);
    await site.stop(life);
    life = await site.start();
    expect(await list(life)).toHaveLength(1);
    const set = (value: Record<string, unknown>) =>
      life.holdfast.call('config.set', { key: 'tasks.own', value: value as never }, 'test');
    await set({
      bad: { schedule: 'every 1h', prompt: 'x', agent: 'nobody' },
      tidy: { ...first.tidy, schedule: 'every 2h' },
      feed: {
        schedule: 'every 3h',
        prompt: 'Read',
        agent: 'fake',
        check: `git: ${path.resolve('.')} main`,
      },
    });
    await expect
      .poll(async () => (await list(life)).map(({ name, schedule }) => `${name} ${schedule}`))
      .toEqual(['tidy every 2h', 'feed every 3h']);
    await set({});
    await expect
      .poll(async () => (await list(life)).filter(({ state }) => state === 'active'))
      .toEqual([]);
    await expect(set({ tidy: { schedule: 'soon', prompt: 'x' } })).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
    });
  });
});

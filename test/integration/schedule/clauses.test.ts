/** What agents and settings of schedules come to, clause by clause: origins, caps, switches, beats. */
import { afterEach, describe, expect, it } from 'vitest';
import type { Composition } from '../../../electron/compose/options';
import { ENDED, turnIn } from '../../helpers/compose-world';
import {
  createFakeChannel,
  createFakeProvider,
  promptOf,
  resultsSoFar,
  type Script,
} from '../../helpers/fake-world';
import { createScheduleWorld, type ScheduleWorld } from './schedule-world';

let site: ScheduleWorld;
afterEach(() => site.end());

/** Makes the call that the last line of its message spells, `tool {json}`, and tells what it was told. */
const caller: Script = (request) => {
  const found = /^([a-z_]+) (\{.*\})$/.exec(promptOf(request).split('\n').at(-1) ?? '');
  if (found !== null && resultsSoFar(request) === 0)
    return { calls: [{ tool: found[1] ?? '', args: JSON.parse(found[2] ?? '{}') as unknown }] };
  const last = request.messages.at(-1);
  return { text: last?.role === 'tool' ? last.content : `re: ${promptOf(request)}` };
};
const ask = async (life: Composition, text: string): Promise<string> => {
  const { turnId } = await life.holdfast.call(
    'send',
    { text, session: 's', agent: 'fake' },
    'test',
  );
  await turnIn(life, turnId, [...ENDED]);
  return (await life.holdfast.call('turns.show', { turnId }, 'test')).answer ?? '';
};
const tasksOf = async (life: Composition) =>
  (await life.holdfast.call('tasks.list', {}, 'test')).tasks;

describe('a task that an agent makes', () => {
  it('S1-04 S1-11 schedule_task(prompt, schedule, origin_channel, origin_peer) makes one task as its row says, and returns its number and next run', async () => {
    site = createScheduleWorld({}, caller);
    const chanA = createFakeChannel({ dir: site.world.outside, name: 'chanA' });
    const life = await site.start({ channels: [chanA] });
    const args = {
      prompt: 'Check my email',
      schedule: 'every 30m',
      origin_channel: 'chanA',
      origin_peer: 'anna',
    };
    const told = await ask(life, `schedule_task ${JSON.stringify(args)}`);
    const rows = site.rows<{ next_run_at: number }>('SELECT * FROM tasks');
    expect(rows).toMatchObject([
      {
        id: 1,
        prompt: args.prompt,
        schedule: args.schedule,
        channel: 'chanA',
        peer: 'anna',
        made_by: 'agent',
        state: 'active',
      },
    ]);
    const next = new Date(rows[0]?.next_run_at ?? 0).toISOString();
    expect(told).toBe(`Task 1 "Check my email" is active: Every 30 min. Next run ${next}.`);
  });

  it('S1-12 in a turn of a task answers where that task does', async () => {
    site = createScheduleWorld({}, caller);
    const channels = ['chanA', 'chanB'].map((name) =>
      createFakeChannel({ dir: site.world.outside, name }),
    );
    const life = await site.start({ channels });
    const inner = 'schedule_task {"prompt":"more","schedule":"every 1h"}';
    await life.holdfast.call(
      'tasks.add',
      { prompt: inner, schedule: 'in 1s', agent: 'fake', channel: 'chanB', peer: 'bob' },
      'test',
    );
    await expect
      .poll(async () => (await tasksOf(life)).filter(({ madeBy }) => madeBy === 'agent'))
      .toMatchObject([{ prompt: 'more', channel: 'chanB', peer: 'bob' }]);
  });

  it.each([
    [undefined, 50],
    [3, 3],
  ])(
    'S1-03 with max_tasks_per_agent %s an agent has %i tasks at most: the next is refused with the number, leaves no row, and a person may go on',
    async (setting, most) => {
      const settings = {
        limits: { turn_steps: 10_000 },
        ...(setting === undefined
          ? {}
          : { resilience: { scheduler: { max_tasks_per_agent: setting } } }),
      };
      site = createScheduleWorld(settings, (request) =>
        promptOf(request) === 'fill' && resultsSoFar(request) === 0
          ? {
              calls: Array.from({ length: most + 1 }, (_, n) => ({
                tool: 'schedule_task',
                args: { prompt: `p${String(n)}`, schedule: 'every 1h' },
              })),
            }
          : caller(request),
      );
      const life = await site.start();
      const told = await ask(life, 'fill');
      expect(told).toContain('TASK_LIMIT');
      expect(told).toContain(`has ${String(most)} tasks`);
      const count = (): unknown => site.rows('SELECT count(*) AS n FROM tasks');
      expect(count()).toEqual([{ n: most }]);
      const own = { prompt: 'mine', schedule: 'every 1h', agent: 'fake' };
      await life.holdfast.call('tasks.add', own, 'test');
      expect(count()).toEqual([{ n: most + 1 }]);
    },
  );
});

describe('the switch of the tools', () => {
  it('S1-39 true by default: the model is offered all 8; false takes them from the next request, and a task runs on', async () => {
    const offered: (readonly string[])[] = [];
    site = createScheduleWorld({}, (request) => {
      offered.push(request.tools.map(({ name }) => name));
      return { text: 'ok' };
    });
    const life = await site.start();
    const all = [
      ...['schedule_task', 'list_tasks', 'pause_task', 'resume_task', 'update_task'],
      ...['cancel_task', 'timer', 'heartbeat'],
    ];
    const found = (): readonly string[] => all.filter((name) => offered.at(-1)?.includes(name));
    const key = 'extensions.core.scheduler_tool';
    expect((await life.holdfast.call('config.get', { key }, 'test')).value).toBe(true);
    await ask(life, 'hello');
    expect(found()).toEqual(all);
    await life.holdfast.call(
      'tasks.add',
      { prompt: 'goes on', schedule: 'in 1s', agent: 'fake' },
      'test',
    );
    await life.holdfast.call('config.set', { key, value: false }, 'test');
    await ask(life, 'again');
    expect(found()).toEqual([]);
    await expect.poll(() => site.asked.some((text) => text.endsWith('goes on'))).toBe(true);
    expect(found()).toEqual([]);
  });

  it('S1-31 shell.sleep_guard: true by default, and false lets sleep 0.1 run from the next call on', async () => {
    site = createScheduleWorld({}, caller);
    const life = await site.start();
    const key = 'shell.sleep_guard';
    expect((await life.holdfast.call('config.get', { key }, 'test')).value).toBe(true);
    expect(await ask(life, 'shell {"command":"sleep 0.1"}')).toContain('timer(');
    await life.holdfast.call('config.set', { key, value: false }, 'test');
    expect(await ask(life, 'shell {"command":"sleep 0.1"}')).toContain('[exit code 0]');
  });
});

describe('a task that was missed', () => {
  it('S0-24 R11 is told of, found and put away by a run also behind 1,200 notices that nobody has put away', async () => {
    site = createScheduleWorld({ resilience: { scheduler: { catchup_window: 'off' } } });
    const chanA = createFakeChannel({ dir: site.world.outside, name: 'chanA' });
    const life = await site.start({ channels: [chanA] });
    const wish = { prompt: 'look', schedule: 'in 1h', agent: 'fake', channel: 'chanA', peer: 'a' };
    for (let n = 0; n < 1_201; n += 1) await life.holdfast.call('tasks.add', wish, 'test');
    await site.stop(life);
    site.clock.shiftMs += 3_720_000;
    const again = await site.start({ channels: [chanA] });
    const missed = () => chanA.received().filter(({ kind }) => kind === 'missed');
    await expect.poll(() => missed().length).toBe(1_201);
    const open = () => site.rows('SELECT 1 FROM inbox WHERE settled_at IS NULL').length;
    expect(open()).toBe(1_201);
    const { turnId } = await again.holdfast.call('tasks.run', { taskId: 1_201 }, 'test');
    await turnIn(again, turnId, [...ENDED]);
    expect(open()).toBe(1_200);
  });
});

describe('a slot that a start finds while the provider is down', () => {
  it('S0-23 waits with the outage, one for 10 slots, and runs once when the provider is back', async () => {
    const failure = { kind: 'network', message: 'No.', hint: '', isRetryable: true } as const;
    site = createScheduleWorld({
      resilience: { outage_threshold: 1, early_probe: false, probe_interval: '200ms' },
      retry: { server: { max_attempts: 1 } },
    });
    let isDown = true;
    let answered = 0;
    const away = createFakeProvider({
      dir: site.world.outside,
      script: () => ({ text: `ok ${String((answered += 1))}` }),
      gate: () => (isDown ? { kind: 'failure', failure } : undefined),
      probe: () => (isDown ? { kind: 'failed', failure } : { kind: 'ok' }),
    });
    const life = await site.start({ providers: [away] });
    await life.holdfast.call(
      'tasks.add',
      { prompt: 'look', schedule: 'every 1m', agent: 'fake' },
      'test',
    );
    const { turnId } = await life.holdfast.call('send', { text: 'me', agent: 'fake' }, 'test');
    await turnIn(life, turnId, ['waiting']);
    await site.stop(life);
    site.clock.shiftMs += 600_000;
    const again = await site.start({ providers: [away] });
    const sources = async () =>
      (await again.holdfast.call('outage.queue', {}, 'test')).items.map(({ source }) => source);
    await expect.poll(sources).toEqual(['user', 'schedule']);
    expect(answered).toBe(0);
    isDown = false;
    const runs = async () => (await again.holdfast.call('tasks.history', {}, 'test')).runs;
    await expect
      .poll(runs)
      .toMatchObject([{ why: 'in_window', slots: 10, outcome: 'ran', status: 'completed' }]);
    expect(answered).toBe(2);
  });
});

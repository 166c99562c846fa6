import path from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, describe, expect, it } from 'vitest';
import type { Composition } from '../../../electron/compose/options';
import type { VerbInput } from '../../../shared/contract';
import { ENDED, turnIn } from '../../helpers/compose-world';
import { createVirtualClock } from '../../helpers/virtual-clock';
import { createFakeChannel, createFakeProvider, promptOf } from '../../helpers/fake-world';
import { createScheduleWorld, desktopWith, type ScheduleWorld } from './schedule-world';
import { SLACK } from '../../helpers/slack';

let site: ScheduleWorld;
afterEach(() => site.end());

const add = (life: Composition, wish: Partial<VerbInput<'tasks.add'>> = {}) =>
  life.holdfast.call(
    'tasks.add',
    { prompt: 'look', schedule: 'every 1h', agent: 'fake', ...wish },
    'test',
  );
const history = async (life: Composition, taskId: number) =>
  (await life.holdfast.call('tasks.history', { taskId }, 'test')).runs;
const ran = async (life: Composition, taskId: number, count = 1) => {
  await expect
    .poll(
      async () =>
        (await history(life, taskId)).filter(
          (run) => run.outcome === 'ran' && run.status === 'completed',
        ).length,
      { interval: 20 },
    )
    .toBe(count);
  return history(life, taskId);
};
const show = (life: Composition, taskId: number) =>
  life.holdfast.call('tasks.show', { taskId }, 'test');

/** Dates that never come, lengths that are none, and what only wants to do harm. */
const BAD_SCHEDULES = [
  'every 0m',
  'every -5m',
  'every 0.0001s',
  'every 1e9d',
  'every 99999999999999999999d',
  'every NaNm',
  'every Infinityh',
  'in 0s',
  'in -1h',
  'every now and then',
  '0 0 30 2 *',
  '0 0 31 4,6,9,11 *',
  '61 * * * *',
  '* * * * * * *',
  '2020-01-01T00:00Z',
  '2027-02-29T00:00',
  '2027-13-01T00:00Z',
  '2027-06-01T25:00',
  'daily at 24:30',
  '',
  '\u0000',
  "'; DROP TABLE tasks; --",
  '${process.exit(1)}',
  '<img src=x onerror=alert(1)>',
  `every ${'9'.repeat(150)}s`,
  '*/0 * * * *',
  '5-1 * * * *',
];

describe('a task', () => {
  it('S1-01 S1-06 is on disk when add returns, with its first run 1 h ahead, and the same after a restart', async () => {
    site = createScheduleWorld();
    const life = await site.start();
    const before = site.clock.nowMs();
    const task = await add(life, { schedule: 'every 1h', name: 'Look around' });
    expect(task).toMatchObject({ id: 1, name: 'Look around', state: 'active', runs: 0 });
    expect(task.nextRunAtMs).toBeGreaterThanOrEqual(before + 3_600_000);
    expect(site.rows('SELECT name FROM tasks')).toEqual([{ name: 'Look around' }]);
    await site.stop(life);
    const again = await site.start();
    expect(await show(again, 1)).toEqual(task);
  });

  it('S1-10 S1-+02 in 1s runs once, is completed, has a row with the outcome of the finished turn, and does not run again after a restart', async () => {
    site = createScheduleWorld();
    const life = await site.start();
    const task = await add(life, { schedule: 'in 1s', prompt: 'check the build' });
    const [run] = await ran(life, task.id);
    expect(run).toMatchObject({ outcome: 'ran', why: 'on_time', slots: 1, status: 'completed' });
    expect(run?.result).toContain('check the build');
    expect(run?.lateMs).toBeLessThan(1_000 * SLACK);
    expect(site.asked).toHaveLength(1);
    expect(site.asked[0]).toMatch(/^\[scheduled task 1, due .*Z\]\n\ncheck the build$/);
    expect(await show(life, task.id)).toMatchObject({ state: 'completed', runs: 1 });
    await site.stop(life);
    const again = await site.start();
    expect(await history(again, task.id)).toHaveLength(1);
  });

  it('S1-+03 ten tasks of the same second start together; one whose agent fails does not stop the others', async () => {
    site = createScheduleWorld();
    const failure = { kind: 'config', message: 'No.', hint: '', isRetryable: false } as const;
    const asked = new Set<string>();
    const picky = createFakeProvider({
      dir: site.world.outside,
      script: () => ({ text: 'ok' }),
      gate(request) {
        asked.add(promptOf(request));
        return promptOf(request).endsWith('job 0') ? { kind: 'failure', failure } : undefined;
      },
    });
    const life = await site.start({ providers: [picky] });
    const ids: number[] = [];
    for (let n = 0; n < 10; n += 1) {
      const task = await add(life, { schedule: 'in 2s', prompt: `job ${String(n)}` });
      ids.push(task.id);
    }
    for (const id of ids.slice(1)) await ran(life, id);
    await expect.poll(() => asked.size).toBe(10);
    const failed = async () => (await history(life, ids[0] ?? 0))[0];
    await expect.poll(async () => (await failed())?.error).toBeTruthy();
    expect((await failed())?.status).not.toBe('completed');
  });

  it('S1-+03 R13 never overlaps itself: while its run goes on, 1 run and every other slot is skipped with that reason', async () => {
    let release: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => (release = resolve));
    site = createScheduleWorld();
    let asked = 0;
    const slow = createFakeProvider({
      dir: site.world.outside,
      script: () => ({ text: 'ok' }),
      gate: async () => {
        asked += 1;
        await gate;
        return undefined;
      },
    });
    const life = await site.start({ providers: [slow] });
    const task = await add(life, { schedule: 'every 1s' });
    await expect
      .poll(
        async () => (await history(life, task.id)).filter((run) => run.why === 'overlap').length,
        { interval: 50 },
      )
      .toBeGreaterThanOrEqual(2);
    expect(asked).toBe(1);
    const [skipped] = await history(life, task.id);
    expect(skipped?.words).toContain('previous run still in progress');
    await life.holdfast.call('tasks.pause', { taskId: task.id }, 'test');
    release();
  });

  it('S1-02 S1-11 S1-12 answers on the channel and to the peer of its origin, and on no other', async () => {
    site = createScheduleWorld();
    const a = createFakeChannel({ dir: site.world.outside, name: 'chanA' });
    const b = createFakeChannel({ dir: site.world.outside, name: 'chanB' });
    const life = await site.start({ channels: [a, b] });
    const task = await add(life, { schedule: 'in 1s', channel: 'chanA', peer: 'anna' });
    await ran(life, task.id);
    await expect.poll(() => a.received().length).toBe(1);
    expect(a.received()[0]).toMatchObject({ peer: 'anna' });
    expect(b.received()).toEqual([]);
  });

  it('S1-02 S1-11 S1-38 desktop as origin is the window: its end and a heartbeat with words are told to the desktop once each, an IDLE and an answer elsewhere are not', async () => {
    const beats = ['idle', 'The disk is full.'];
    site = createScheduleWorld(
      { heartbeat: { enabled: true, interval: 'every 1s' }, channels: { default: 'desktop' } },
      (request) => ({
        text: promptOf(request).startsWith('[system heartbeat') ? (beats.shift() ?? 'IDLE') : 'ok',
      }),
    );
    const chanA = createFakeChannel({ dir: site.world.outside, name: 'chanA' });
    const { outside: dir } = site.world;
    const window = createFakeChannel({ dir, name: 'window', isQuiet: () => false });
    const life = await site.start({
      channels: [chanA],
      desktop: desktopWith(window),
    });
    const away = await add(life, { schedule: 'in 1s', channel: 'chanA', peer: 'anna' });
    const here = await add(life, { schedule: 'in 1s', channel: 'desktop', peer: '', name: 'Tidy' });
    expect(here.channel).toBe('window');
    await ran(life, away.id);
    const [run] = await ran(life, here.id);
    await expect.poll(() => site.asked.length).toBeGreaterThanOrEqual(5);
    await expect.poll(() => window.told().length).toBeGreaterThanOrEqual(2);
    const told = window.told().flat();
    expect(told.filter(({ by }) => by.kind === 'task')).toEqual([
      {
        turnId: run?.turnId,
        sessionId: expect.any(Number) as number,
        agent: 'fake',
        isFailed: false,
        by: { kind: 'task', taskId: here.id, name: 'Tidy' },
        mayBeSecond: false,
      },
    ]);
    expect(told.filter(({ by }) => by.kind === 'heartbeat')).toHaveLength(1);
    expect(told).toHaveLength(2);
    await expect
      .poll(() => site.rows('SELECT 1 FROM turns WHERE is_reply_pending = 1'))
      .toEqual([]);
  });

  it('S1-04 S1-11 S1-09 refuses an empty prompt, one of two origin fields, an unknown channel, agent, zone and bad schedules, and leaves no row', async () => {
    site = createScheduleWorld();
    const life = await site.start();
    const bad: Partial<VerbInput<'tasks.add'>>[] = [
      { prompt: '  ' },
      { prompt: 'x'.repeat(20_001) },
      { channel: 'window' },
      { peer: 'x' },
      { channel: 'nowhere', peer: 'x' },
      { agent: 'nobody' },
      { zone: 'Mars/Olympus' },
      { zone: '../../etc' },
      ...BAD_SCHEDULES.map((schedule) => ({ schedule })),
    ];
    for (const wish of bad)
      await expect(add(life, wish), JSON.stringify(wish)).rejects.toThrow(/./);
    expect(site.rows('SELECT * FROM tasks')).toEqual([]);
    await expect(add(life, { schedule: 'every 5 fortnights' })).rejects.toMatchObject({
      code: 'SCHEDULE_INVALID',
      message: expect.stringContaining('"every 5 fortnights"') as string,
    });
  });

  it('S1-+01 pause, resume, update, run and cancel work after 3 runs; an unknown id says "Task not found"', async () => {
    site = createScheduleWorld();
    const life = await site.start();
    const call = life.holdfast.call.bind(life.holdfast);
    const task = await add(life, { schedule: 'every 1s' });
    await expect.poll(async () => (await show(life, task.id)).runs).toBeGreaterThanOrEqual(3);
    const paused = await call('tasks.pause', { taskId: task.id }, 'test');
    expect(paused).toMatchObject({ state: 'paused' });
    expect(paused.nextRunAtMs).toBeUndefined();
    const before = site.clock.nowMs();
    const resumed = await call('tasks.resume', { taskId: task.id }, 'test');
    expect(resumed.nextRunAtMs).toBeGreaterThan(before);
    const changed = await call(
      'tasks.update',
      { taskId: task.id, schedule: 'daily at 09:00', zone: 'Europe/Berlin' },
      'test',
    );
    expect(changed).toMatchObject({ words: 'Daily at 09:00, Europe/Berlin time', kind: 'cron' });
    const { next } = await call('tasks.next', { taskId: task.id, count: 3 }, 'test');
    expect(next).toHaveLength(3);
    await expect
      .poll(() =>
        call('tasks.run', { taskId: task.id }, 'test').then(
          () => true,
          () => false,
        ),
      )
      .toBe(true);
    expect(await call('tasks.cancel', { taskId: task.id }, 'test')).toMatchObject({
      state: 'cancelled',
    });
    expect((await call('tasks.list', {}, 'test')).tasks).toEqual([]);
    await expect(show(life, 99)).rejects.toThrow('Task not found: 99');
  });
});

const inChat = async (life: Composition, text: string): Promise<string> => {
  const { turnId } = await life.holdfast.call('send', { text, agent: 'fake' }, 'test');
  await turnIn(life, turnId, [...ENDED]);
  return (await life.holdfast.call('turns.show', { turnId }, 'test')).answer ?? '';
};

describe('a turn that time makes while the provider is down', () => {
  it('S0-18 S0-20 R13 waits as 1 of a schedule and 1 of a heartbeat; later slots queue no second and are counted', async () => {
    const failure = { kind: 'network', message: 'No.', hint: '', isRetryable: true } as const;
    site = createScheduleWorld({
      resilience: { outage_threshold: 1, early_probe: false },
      heartbeat: { enabled: true, interval: 'every 1s' },
      retry: { server: { max_attempts: 1 } },
    });
    const away = createFakeProvider({
      dir: site.world.outside,
      script: () => ({ text: 'ok' }),
      gate: () => ({ kind: 'failure', failure }),
      probe: () => ({ kind: 'failed', failure }),
    });
    const life = await site.start({ providers: [away] });
    await add(life, { schedule: 'every 1s' });
    const { turnId } = await life.holdfast.call('send', { text: 'me too', agent: 'fake' }, 'test');
    const queue = async () =>
      (await life.holdfast.call('outage.queue', {}, 'test')).items.toSorted((a, b) =>
        a.source.localeCompare(b.source),
      );
    const sources = async () => (await queue()).map((item) => item.source);
    const all = ['heartbeat', 'schedule', 'user'];
    await expect.poll(sources).toEqual(all);
    const overlaps = async () => (await history(life, 1)).filter((run) => run.why === 'overlap');
    const beat = async () =>
      (await life.holdfast.call('heartbeat.status', {}, 'test')).heartbeats[0];
    await expect
      .poll(async () => Math.min((await overlaps()).length, (await beat())?.skipped ?? 0))
      .toBeGreaterThanOrEqual(2);
    expect(await sources()).toEqual(all);
    expect((await beat())?.ticks).toBe(1);
    const [ofHeartbeat, ofSchedule, ofUser] = (await queue()).map((item) => item.merged);
    expect(ofHeartbeat).toBeGreaterThanOrEqual(2);
    expect(ofSchedule).toBeGreaterThanOrEqual(2);
    expect(ofUser).toBe(0);
    expect(turnId).toBeGreaterThan(0);
  });
});

describe('a start after time has passed', () => {
  const missed = async (
    wish: Partial<VerbInput<'tasks.add'>>,
    downMs: number,
    settings: Record<string, unknown> = {},
  ) => {
    site = createScheduleWorld(settings);
    const life = await site.start();
    const task = await add(life, wish);
    await site.stop(life);
    site.clock.shiftMs += downMs;
    return { life: await site.start(), task };
  };

  it('S0-22 S0-23 a task every 1m that was down 10 m gets exactly 1 run for 10 slots, said in words, then its normal cadence', async () => {
    const { life, task } = await missed({ schedule: 'every 1m' }, 600_000);
    const [run] = await ran(life, task.id);
    expect(run).toMatchObject({ why: 'in_window', slots: 10, outcome: 'ran' });
    expect(run?.words).toMatch(/10 missed between .* and .*, caught up with one run\./);
    const { nextRunAtMs = 0 } = await show(life, task.id);
    expect((nextRunAtMs - (task.nextRunAtMs ?? 0)) % 60_000).toBe(0);
    expect(nextRunAtMs).toBeGreaterThan(site.clock.nowMs() - 1_000);
    expect(site.asked).toHaveLength(1);
  });

  it('S0-24 S0-25 older than the window of 1m: no run, the next slot, and the reason in the ledger', async () => {
    const { life, task } = await missed({ schedule: 'every 6m' }, 500_000, {
      resilience: { scheduler: { catchup_window: '1m' } },
    });
    const [run] = await history(life, task.id);
    expect(run).toMatchObject({ outcome: 'skipped', why: 'window', slots: 1 });
    expect(run?.words).toMatch(
      /^Skipped: 2 min [2-5]\d s late, catch-up window is 1 min\. Next run /,
    );
    expect(site.asked).toEqual([]);
    expect((await show(life, task.id)).nextRunAtMs).toBeGreaterThan(site.clock.nowMs());
  });

  it('S0-24 R11 a one-shot outside the window is missed, waits in the inbox, and runs by hand once', async () => {
    const { life, task } = await missed({ schedule: 'in 1m' }, 300_000, {
      resilience: { scheduler: { catchup_window: '1m' } },
    });
    expect(await show(life, task.id)).toMatchObject({ state: 'missed', runs: 0 });
    const { items } = await life.holdfast.call('inbox.list', {}, 'test');
    expect(items.map((item) => item.title)).toContain('Missed: look');
    const { turnId } = await life.holdfast.call('tasks.run', { taskId: task.id }, 'test');
    await turnIn(life, turnId, [...ENDED]);
    expect(await show(life, task.id)).toMatchObject({ state: 'completed', runs: 1 });
    // Whoever has run it has not to be told again that it was missed.
    const { items: after } = await life.holdfast.call(
      'inbox.list',
      { includeSettled: true },
      'test',
    );
    expect(after.find((item) => item.taskId === task.id)).toMatchObject({ outcome: 'run now' });
  });

  it.each([
    ['resilience', 55, 'ran'],
    ['resilience', 65, 'skipped'],
    ['resilience', 65, 'ran', '70m'],
    ['resilience', 55, 'skipped', '50m'],
    ['resilience', 55, 'skipped', 'off'],
    ['resilience', 55, 'skipped', '0'],
    ['resilience', 65, 'ran', '3650d'],
    ['flat', 65, 'ran', '70m'],
  ] as const)(
    'S0-25 S0-40 S1-40 catchup_window written in the %s form: a slot that is %d min late has %s',
    async (form, lateMin, outcome, window?: string) => {
      const settings =
        window === undefined
          ? {}
          : form === 'flat'
            ? { 'resilience.scheduler.catchup_window': window }
            : { resilience: { scheduler: { catchup_window: window } } };
      const { life, task } = await missed(
        { schedule: 'every 2h' },
        (120 + lateMin) * 60_000,
        settings,
      );
      if (outcome === 'ran') await ran(life, task.id);
      expect(await history(life, task.id)).toMatchObject([{ outcome, slots: 1 }]);
      const key = 'resilience.scheduler.catchup_window';
      const { value } = await life.holdfast.call('config.get', { key }, 'test');
      expect(value).toBe(window ?? '1h');
    },
  );

  it('S0-40 S1-40 catchup_window set while it runs counts for what is missed next, without a restart', async () => {
    site = createScheduleWorld();
    const life = await site.start();
    const task = await add(life, { schedule: 'every 2h' });
    const key = 'resilience.scheduler.catchup_window';
    await life.holdfast.call('config.set', { key, value: '70m' }, 'test');
    await site.stop(life);
    site.clock.shiftMs += 185 * 60_000;
    const again = await site.start();
    await ran(again, task.id);
    await expect(
      again.holdfast.call('config.set', { key, value: 'soon' }, 'test'),
    ).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  });

  it('S0-26 S0-27 catchup always runs once after 48 h', async () => {
    const { life, task } = await missed({ schedule: 'every 1h', catchup: 'always' }, 172_800_000);
    expect(await show(life, task.id)).toMatchObject({ catchup: 'always' });
    const [run] = await ran(life, task.id);
    expect(run).toMatchObject({ why: 'always', slots: 48 });
  });

  it('S0-28 catchup never does not run after 5 s late and goes on to its next slot', async () => {
    const { life, task } = await missed({ schedule: 'every 10m', catchup: 'never' }, 605_000);
    expect(await history(life, task.id)).toMatchObject([{ outcome: 'skipped', why: 'never' }]);
    expect((await show(life, task.id)).nextRunAtMs).toBeGreaterThan(site.clock.nowMs());
    expect(site.asked).toEqual([]);
  });

  it('S0-28 S0-24 a one-shot that is never caught up is missed 5 s after its time, inside the window', async () => {
    const { life, task } = await missed({ schedule: 'in 1m', catchup: 'never' }, 65_000);
    expect(await history(life, task.id)).toMatchObject([{ outcome: 'missed', why: 'never' }]);
    expect(await show(life, task.id)).toMatchObject({ state: 'missed', runs: 0 });
    expect(site.asked).toEqual([]);
  });

  it('S1-+01 finds tasks that have all words of a search, in name, rule, prompt or agent; % and _ are only signs', async () => {
    site = createScheduleWorld();
    const life = await site.start();
    await add(life, { name: 'Water the plants', prompt: 'all 100% of them', schedule: 'daily' });
    await add(life, { name: 'Watch prices', prompt: 'of plants', schedule: 'every 6m' });
    const found = async (search: string) =>
      (await life.holdfast.call('tasks.list', { search }, 'test')).tasks.map(({ id }) => id);
    expect(await found('plants')).toEqual([1, 2]);
    expect(await found(' WAT  6m ')).toEqual([2]);
    expect(await found('100%')).toEqual([1]);
    expect(await found('1%0')).toEqual([]);
    expect(await found('w_ter')).toEqual([]);
  });

  it('S1-34 S0-22 tasks due says number, 60 characters of the prompt, schedule and how late, running, stopped and in a conversation', async () => {
    site = createScheduleWorld();
    const life = await site.start();
    const call = life.holdfast.call.bind(life.holdfast);
    const prompt = `${'p'.repeat(60)}not shown`;
    const task = await add(life, { schedule: 'every 10m', prompt });
    expect(await inChat(life, '/tasks due')).toBe('No overdue tasks.');
    expect((await call('tasks.due', {}, 'test')).tasks).toEqual([]);
    await site.stop(life);
    // Overdue by the clock of the computer, which is all that somebody who reads has.
    const { nextRunAtMs = 0 } = task;
    const late = nextRunAtMs - 700_000;
    const db = new Database(path.join(site.world.dataDir, 'holdfast.db'));
    db.prepare('UPDATE tasks SET next_run_at = ?').run(late);
    db.close();
    const { openReadOnly } = await import('../../../electron/offline/open-data');
    const stopped = await openReadOnly(site.world.dataDir);
    const { tasks } = await stopped.holdfast.call('tasks.due', { explain: true }, 'test');
    expect(tasks).toMatchObject([
      { id: 1, prompt: 'p'.repeat(60), schedule: 'every 10m', dueAtMs: late },
    ]);
    expect(tasks[0]?.overdueMs).toBeGreaterThanOrEqual(99_000);
    expect(tasks[0]?.plan).toMatchObject({ action: 'fire', why: 'in_window', slots: 1 });
    const before = site.rows('SELECT count(*) AS n FROM journal');
    await stopped.close();
    expect(site.rows('SELECT count(*) AS n FROM journal')).toEqual(before);
    const again = await site.start();
    const [run] = await ran(again, task.id);
    expect(run).toMatchObject({ why: 'in_window', slots: 1 });
    // How late it is goes on while it is looked at.
    const known = (words = 'nothing'): string => words.replace(/, [^.]* late/, '');
    expect(known(tasks[0]?.plan?.words)).toContain(known(run?.words));
  });

  it('S1-34 /tasks due in a conversation names what is overdue and asks no model; while it runs, --explain says of each that it would fire or is missed, and decides nothing', async () => {
    const clock = createVirtualClock(Date.parse('2027-06-01T00:00:00Z'));
    site = createScheduleWorld({ resilience: { scheduler: { catchup_window: '30m' } } });
    const life = await site.start({ clock, ticker: () => ({ stop: () => undefined }) });
    await add(life, { schedule: 'every 10m', prompt: `${'p'.repeat(60)}not shown` });
    await add(life, { schedule: 'in 30m' });
    clock.set(11 * 60_000);
    expect(await inChat(life, '/tasks due')).toBe(
      `Task 1, overdue 1 min, Every 10 min: ${'p'.repeat(60)}`,
    );
    expect(await inChat(life, ' /tasks list ')).toContain('Task 1, next 2027-06-01T00:10:00.000Z');
    expect(await inChat(life, '/tasks away')).toContain('Say "/tasks due"');
    expect(site.asked).toEqual([]);
    expect(await inChat(life, 'what about /tasks due')).toContain('done: what about');
    clock.set(60 * 60_000);
    const { tasks } = await life.holdfast.call('tasks.due', { explain: true }, 'test');
    expect(tasks.map(({ plan }) => [plan?.action, plan?.why, plan?.slots])).toEqual([
      ['fire', 'in_window', 7],
      ['missed', 'window', 1],
    ]);
    expect(tasks[1]?.plan?.words).toBe(
      '41 min late, catch-up window is 30 min. It runs only if you choose Run now.',
    );
    expect(site.rows('SELECT 1 FROM task_slots')).toEqual([]);
  });

  it('R21 without restore, what was missed is caught up all the same', async () => {
    site = createScheduleWorld();
    const life = await site.start();
    const task = await add(life, { schedule: 'every 1m' });
    await site.stop(life);
    site.clock.shiftMs += 90_000;
    const again = await site.start({
      flags: { noRestore: true, hidden: true, takeover: false, afterCrash: false },
    });
    await ran(again, task.id);
  });
});

import { describe, expect, it } from 'vitest';
import { createSystemClock } from '../../../electron/adapters/clock/system-clock';
import { createFakeChannel } from '../../helpers/fake-world';
import { charging, type createComputers, type Computer } from '../../helpers/shared-computers';
import { NO_POSTGRES, type Postgres } from '../../helpers/postgres';
import { eachOnAnEmptyStore } from '../../helpers/shared-store-hooks';
import { isLeftOut } from '../../helpers/skips';

let postgres: Postgres;
let computers: ReturnType<typeof createComputers>;
/** What the clocks of both computers are ahead, and their ticks. */
let aheadMs = 0;
let ticks: (() => void)[] = [];

const LIMIT = { timeout: 120_000, interval: 30 };
const DAY_MS = 86_400_000;

/** The clock of this computer, ahead; sleeps last as long as they do. */
const clock = () => {
  const real = createSystemClock();
  return { ...real, nowMs: () => real.nowMs() + aheadMs };
};
const ticker = (tick: () => void) => {
  ticks.push(tick);
  return { stop: () => (ticks = ticks.filter((one) => one !== tick)) };
};
/** Both sleep until then, and wake in the same moment. */
const wakeAt = (atMs: number): void => {
  aheadMs = atMs - Date.now();
  for (const tick of ticks) tick();
};
/** 09:00 UTC, so many days from today. */
const nine = (days: number): number =>
  Math.floor(Date.now() / DAY_MS) * DAY_MS + days * DAY_MS + 9 * 3_600_000;

describe.skipIf(isLeftOut('shared tasks', NO_POSTGRES))('a task of several computers', () => {
  eachOnAnEmptyStore((store, fresh) => {
    postgres = store;
    computers = fresh;
    told = [];
    ticks = [];
    aheadMs = nine(0) + 3_600_000 - Date.now();
  });

  /** What the channels of both have been told. */
  let told: (() => number)[] = [];
  const start = (name: string): Promise<Computer> =>
    computers.start({
      name,
      script: charging(1),
      extra: ({ outside }) => {
        const chat = createFakeChannel({ dir: outside, name: 'chat' });
        told.push(() => chat.received().length);
        return { clock: clock(), ticker, channels: [chat] };
      },
    });
  const add = (computer: Computer, more: Record<string, unknown> = {}) =>
    computer.app.holdfast.call(
      'tasks.add',
      {
        prompt: 'charge',
        name: 'standup',
        agent: 'fake',
        schedule: 'daily at 09:00',
        zone: 'UTC',
        channel: 'chat',
        peer: '7',
        shared: true,
        ...more,
      },
      'test',
    );
  const turns = () =>
    postgres.sql<{ state: string; dedupe: string }>(
      'SELECT state, dedupe FROM holdfast.turn ORDER BY n',
    );

  it('DW-24 two computers that wake at 09:00 after 3 days run it once, the day after once more, whichever runs it; each knows how it ended, and the answer is delivered once', async () => {
    const all = [await start('desk-1'), await start('desk-2')];
    const tasks = [await add(all[0]!), await add(all[1]!)];
    expect(tasks.map(({ shared, session }) => [shared, session])).toEqual([
      [true, 'shared-task standup'],
      [true, 'shared-task standup'],
    ]);
    const effects = () => all.flatMap((one) => one.effects()).length;
    for (const [days, runs] of [
      [4, 1],
      [5, 2],
    ] as const) {
      wakeAt(nine(days) + 1_000);
      for (const one of all)
        await expect
          .poll(async () => {
            const { runs: past } = await one.app.holdfast.call(
              'tasks.history',
              { limit: 50 },
              'test',
            );
            return past.filter(({ status }) => status === 'completed').length;
          }, LIMIT)
          .toBe(runs);
      expect(await turns()).toHaveLength(runs);
      expect(effects()).toBe(runs);
      // Whoever runs it answers, and nobody else.
      await expect.poll(() => told.reduce((sum, count) => sum + count(), 0), LIMIT).toBe(runs);
    }
    expect(told.reduce((sum, count) => sum + count(), 0)).toBe(2);
    expect((await turns()).every(({ state }) => state === 'done')).toBe(true);
  });

  const runsOn = async (computer: Computer, place: string): Promise<void> => {
    const { call } = computer.app.holdfast;
    const { value } = await call('config.get', { key: 'agents' }, 'test');
    const { fake } = value as Readonly<Record<string, object>>;
    const agent = { ...fake, runs_on: place } as never;
    await call('agents.edit', { name: 'fake', agent }, 'test');
  };
  const lastTurn = (computer: Computer) => computer.turnOf('shared-task standup');

  it('DW-22 DW-24 a run goes where runs_on puts its agent: to the label, though another computer comes to the time first, or to the computer that comes to it first alone', async () => {
    const all = [await start('desk-1'), await start('desk-2')];
    for (const one of all) await add(one);
    const [first] = ticks;
    const rows = () =>
      postgres.sql<{ needs: readonly string[]; place: string; on: string }>(
        `SELECT t.needs, p.name AS place, o.name AS on FROM holdfast.turn t
         LEFT JOIN holdfast.machine p ON p.id = t.place LEFT JOIN holdfast.machine o ON o.id = t.owner ORDER BY t.n`,
      );
    for (const [days, place] of [
      [4, 'label:desk-2'],
      [5, 'this'],
    ] as const) {
      for (const one of all) await runsOn(one, place);
      // Only desk-1 is woken. desk-2, which ends its run of the day before, may still look at the time, too.
      ticks = [first!];
      wakeAt(nine(days) + 1_000);
      await expect
        .poll(async () => (await turns()).map(({ state }) => state), LIMIT)
        .toEqual(days === 4 ? ['done'] : ['done', 'done']);
    }
    const [labelled, alone] = await rows();
    expect(labelled).toEqual({
      needs: ['agent:fake', 'task:standup', 'label:desk-2'],
      place: null,
      on: 'desk-2',
    });
    expect(alone).toMatchObject({ needs: ['agent:fake', 'task:standup'], place: alone?.on });
    expect(all.map(({ name }) => name)).toContain(alone?.place);
    expect(all.flatMap((one) => one.effects())).toHaveLength(2);
  });

  it('DW-20 DW-24 with an agent that takes its files along it is refused; where the agent was changed since, the run stays, sends nothing and says why', async () => {
    const one = await start('desk-1');
    await runsOn(one, 'repository');
    await expect(add(one)).rejects.toMatchObject({
      message: expect.stringMatching(/moves its files .* A task cannot/) as unknown,
    });
    await runsOn(one, 'any');
    await add(one);
    await runsOn(one, 'repository');
    wakeAt(nine(4) + 1_000);
    await expect
      .poll(async () => (await lastTurn(one))?.reason, LIMIT)
      .toMatch(/moves its files .* Nothing was sent\./);
    expect((await lastTurn(one))?.state).toBe('waiting');
    expect([await turns(), one.effects()]).toEqual([[], []]);
  });

  it('DW-22 a turn that names only its session runs as runs_on of the agent of that session says, and another agent is refused', async () => {
    const one = await start('desk-1');
    const { call } = one.app.holdfast;
    const { value } = await call('config.get', { key: 'agents' }, 'test');
    const { fake } = value as Readonly<Record<string, object>>;
    const agent = { ...fake, runs_on: 'label:nowhere' } as never;
    await call('agents.add', { name: 'other', agent }, 'test');
    await one.send('charge', { session: 'work', agent: 'other' });
    await call('share.send', { text: 'charge', session: 'work' }, 'test');
    await expect(one.send('charge', { session: 'work', agent: 'fake' })).rejects.toMatchObject({
      message: 'Session "work" belongs to the agent "other".',
    });
    expect(await postgres.sql('SELECT needs FROM holdfast.turn')).toEqual(
      Array.from({ length: 2 }, () => ({ needs: ['agent:other', 'label:nowhere'] })),
    );
  });

  it('DW-24 is refused where it could not be one task: an interval, an event, a time that counts from now, a second one of its name, and without a shared store', async () => {
    const one = await start('desk-1');
    await expect(add(one, { schedule: 'every 2h' })).rejects.toMatchObject({
      message: expect.stringMatching(/a time of day/) as unknown,
    });
    for (const schedule of ['in 30m', 'daily'])
      await expect(add(one, { schedule })).rejects.toMatchObject({
        message: `A shared task needs a time that is the same on each computer: "${schedule}" counts from the moment at which it is set.`,
      });
    const once = await add(one, { name: 'once', schedule: '2099-06-01T09:00' });
    expect(once.shared).toBe(true);
    const task = await add(one);
    await expect(add(one)).rejects.toMatchObject({
      message: expect.stringMatching(/shared task with this name/) as unknown,
    });
    await one.app.holdfast.call('share.leave', {}, 'test');
    await expect(add(one, { name: 'other' })).rejects.toMatchObject({
      message: expect.stringMatching(/does not share work/) as unknown,
    });
    const changed = await one.app.holdfast.call(
      'tasks.update',
      { taskId: task.id, shared: false },
      'test',
    );
    expect([changed.shared, changed.session]).toEqual([undefined, `task-${String(task.id)}`]);
  });
});

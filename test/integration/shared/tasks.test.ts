import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createSystemClock } from '../../../electron/adapters/clock/system-clock';
import { createFakeChannel } from '../../helpers/fake-world';
import { charging, createComputers, type Computer } from '../../helpers/shared-computers';
import { createPostgres, endPostgres, NO_POSTGRES, type Postgres } from '../../helpers/postgres';
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
const clockwork = (tick: () => void) => {
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
  beforeAll(async () => {
    postgres = await createPostgres();
  }, 60_000);
  afterAll(async () => {
    await postgres?.remove();
    endPostgres();
  });
  beforeEach(async () => {
    await postgres.sql(
      'TRUNCATE holdfast.question, holdfast.entry, holdfast.turn, holdfast.fact, holdfast.machine',
    );
    told = [];
    ticks = [];
    computers = createComputers(postgres);
    aheadMs = nine(0) + 3_600_000 - Date.now();
  });
  afterEach(async () => {
    await computers.end();
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
        return { clock: clock(), clockwork, channels: [chat] };
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

  it('DW-24 is refused where it could not be one task: an interval, an event, a second one of its name, and without a shared store', async () => {
    const one = await start('desk-1');
    await expect(add(one, { schedule: 'every 2h' })).rejects.toMatchObject({
      message: expect.stringMatching(/times of the clock/) as unknown,
    });
    const task = await add(one);
    await expect(add(one)).rejects.toMatchObject({
      message: expect.stringMatching(/of the same name/) as unknown,
    });
    await one.app.holdfast.call('share.leave', {}, 'test');
    await expect(add(one, { name: 'other' })).rejects.toMatchObject({
      message: expect.stringMatching(/shares no work/) as unknown,
    });
    const changed = await one.app.holdfast.call(
      'tasks.update',
      { taskId: task.id, shared: false },
      'test',
    );
    expect([changed.shared, changed.session]).toEqual([undefined, `task-${String(task.id)}`]);
  });
});

/** What waits, for how long, and who may say that it does not: the settings of waiting, over real HTTP. */
import path from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, describe, expect, it } from 'vitest';
import type { Composition } from '../../../electron/compose/options';
import { ENDED, turnIn } from '../../helpers/compose-world';
import { send } from '../work/work-world';
import {
  createOutageWorld,
  healthOf,
  queueOf,
  QUICK,
  until,
  type OutageWorld,
} from './outage-world';

let world: OutageWorld;
afterEach(() => world.end());

const HOUR_S = '3600';
const limited = { status: 429, headers: { 'retry-after': HOUR_S } } as const;
const resilience = (more: Record<string, unknown>) => ({
  resilience: { ...QUICK.resilience, ...more },
});
const down = async (life: Composition): Promise<number> => {
  await world.fp.down();
  const turnId = await send(life, 'first', 's1');
  await until(async () => expect((await healthOf(life)).state).toBe('down'));
  return turnId;
};

describe('a wait that the provider names', () => {
  it('S0-+07 S2-25 an hour of Retry-After is 1 request: the turn waits on disk until then, and so does the next one, over a restart', async () => {
    world = await createOutageWorld();
    const { fp, site } = world;
    fp.setScript(() => limited);
    let life = await site.start();
    const beforeMs = Date.now();
    const first = await send(life, 'hello', 's1');
    await until(async () => expect(await queueOf(life)).toHaveLength(1));
    const second = await send(life, 'hello again', 's2');
    await until(async () => expect(await queueOf(life)).toHaveLength(2));
    expect(fp.calls()).toHaveLength(1);
    const [item] = await queueOf(life);
    expect(item).toMatchObject({ turnId: first, cause: 'retry_after' });
    expect(item?.untilMs).toBeGreaterThanOrEqual(beforeMs + 3_600_000);
    expect(await healthOf(life)).toMatchObject({ state: 'quota', failedTurns: 0, waiting: 2 });
    await life.lifecycle.stop('stop');
    life = await site.start();
    expect((await queueOf(life)).map((one) => one.turnId)).toEqual([first, second]);
    expect(fp.calls()).toHaveLength(1);
  });

  it('S0-+07 is called off by a person who asks the provider: the first turn asks it, and the others wait again where it says so again', async () => {
    world = await createOutageWorld();
    const { fp, site } = world;
    fp.setScript(() => limited);
    const life = await site.start();
    const first = await send(life, 'hello', 's1');
    await until(async () => expect(await queueOf(life)).toHaveLength(1));
    const second = await send(life, 'hello again', 's2');
    await until(async () => expect(await queueOf(life)).toHaveLength(2));
    const ask = (verb: 'outage.probe' | 'provider.ping') =>
      life.holdfast.call(verb, { provider: 'fp' }, 'test');
    await ask('provider.ping');
    expect((await healthOf(life)).state).toBe('quota');
    await ask('outage.probe');
    await fp.waitForRequests(2);
    await until(async () => expect((await healthOf(life)).state).toBe('quota'));
    expect((await queueOf(life)).map((one) => one.turnId)).toEqual([first, second]);
    expect(fp.calls()).toHaveLength(2);
    fp.setScript(() => ({ text: 'ok' }));
    await ask('outage.probe');
    for (const turnId of [first, second])
      expect((await turnIn(life, turnId, [...ENDED])).state).toBe('completed');
    expect(fp.calls()).toHaveLength(4);
    await until(async () => expect((await healthOf(life)).state).toBe('answering'));
  });

  it('S0-+07 2 s of Retry-After are waited inside the call: 2 requests, and the turn is done', async () => {
    world = await createOutageWorld();
    const { fp, site } = world;
    let asked = 0;
    fp.setScript(() =>
      (asked += 1) === 1 ? { status: 429, headers: { 'retry-after': '2' } } : { text: 'ok' },
    );
    const life = await site.start();
    const turn = await turnIn(life, await send(life, 'hello', 's1'), [...ENDED]);
    expect(turn.state).toBe('completed');
    const [before, after] = fp.calls();
    expect(fp.calls()).toHaveLength(2);
    expect((after?.atMs ?? 0) - (before?.atMs ?? 0)).toBeGreaterThanOrEqual(2_000);
  });

  it('S0-+07 2 s of Retry-After to one turn are 2 s in which no other is sent either', async () => {
    world = await createOutageWorld();
    const { fp, site } = world;
    let asked = 0;
    fp.setScript(() =>
      (asked += 1) === 1 ? { status: 429, headers: { 'retry-after': '2' } } : { text: 'ok' },
    );
    const life = await site.start();
    const first = await send(life, 'hello', 's1');
    await until(async () => expect((await healthOf(life)).state).toBe('quota'));
    const second = await send(life, 'hello again', 's2');
    await until(async () => expect(await queueOf(life)).toMatchObject([{ turnId: second }]));
    for (const turnId of [first, second])
      expect((await turnIn(life, turnId, [...ENDED])).state).toBe('completed');
    const [before, ...after] = fp.calls();
    expect(after).toHaveLength(2);
    for (const one of after) expect(one.atMs - (before?.atMs ?? 0)).toBeGreaterThanOrEqual(2_000);
    await until(async () => expect((await healthOf(life)).state).toBe('answering'));
  });

  it('S0-+07 with resilience.wait_for_quota off it is put to a person instead', async () => {
    world = await createOutageWorld(resilience({ wait_for_quota: false }));
    world.fp.setScript(() => limited);
    const life = await world.site.start();
    const turn = await turnIn(life, await send(life, 'hello', 's1'), ['parked']);
    expect(turn.reason).toContain('Automatic waiting is off');
    expect(await queueOf(life)).toEqual([]);
  });

  it('S0-+07 a wait beyond resilience.max_wait is put to a person, who reads the limit', async () => {
    world = await createOutageWorld(resilience({ max_wait: '30m' }));
    world.fp.setScript(() => limited);
    const life = await world.site.start();
    const turn = await turnIn(life, await send(life, 'hello', 's1'), ['parked']);
    expect(turn.reason).toContain('resilience.max_wait allows (30m)');
    expect(turn.reason).toContain('choose Check now under Outages');
  });
});

describe('a limit for which the provider names no time', () => {
  const used = {
    status: 429,
    error: { message: 'You exceeded your current quota', code: 'insufficient_quota' },
  } as const;

  it('LM-04 is waited for on disk, over a restart: one turn asks again and the others go when it is answered, each once', async () => {
    world = await createOutageWorld(resilience({ limit_first_wait: '2s' }));
    const { fp, site } = world;
    fp.setScript(() => used);
    let life = await site.start();
    const beforeMs = Date.now();
    const first = await send(life, 'hello', 's1');
    await until(async () => expect(await queueOf(life)).toHaveLength(1));
    const second = await send(life, 'hello again', 's2');
    await until(async () => expect(await queueOf(life)).toHaveLength(2));
    expect(fp.calls()).toHaveLength(1);
    const [item] = await queueOf(life);
    expect(item).toMatchObject({ turnId: first, cause: 'quota' });
    expect(item?.untilMs).toBeGreaterThanOrEqual(beforeMs + 2_000);
    const health = await healthOf(life);
    expect(health).toMatchObject({ state: 'quota', failedTurns: 0, waiting: 2 });
    expect(health.sentence).toContain('no reset time was given, so it is retried at');
    expect(health.quotaUntilMs).toBeUndefined();
    expect(health.nextTryAtMs).toBe(item?.untilMs);
    await life.lifecycle.stop('stop');
    life = await site.start();
    expect((await queueOf(life)).map((one) => one.turnId)).toEqual([first, second]);
    await fp.waitForRequests(2);
    // Once more, and for twice as long.
    await until(async () =>
      expect((await healthOf(life)).nextTryAtMs).toBeGreaterThan((item?.untilMs ?? 0) + 4_000),
    );
    expect(fp.calls()).toHaveLength(2);
    expect((await queueOf(life)).map((one) => one.turnId)).toEqual([first, second]);
    fp.setScript(() => ({ text: 'ok' }));
    await life.holdfast.call('outage.probe', { provider: 'fp' }, 'test');
    for (const turnId of [first, second])
      expect((await turnIn(life, turnId, [...ENDED])).state).toBe('completed');
    expect(fp.calls()).toHaveLength(4);
    await until(async () => expect((await healthOf(life)).state).toBe('answering'));
  });

  it.each(['wait_for_quota', 'auto_wait'])(
    'LM-04 with resilience.%s off it is put to a person, with what the provider said',
    async (name) => {
      world = await createOutageWorld(resilience({ [name]: false }));
      world.fp.setScript(() => used);
      const life = await world.site.start();
      const turn = await turnIn(life, await send(life, 'hello', 's1'), ['parked']);
      expect(turn.reason).toContain('The usage limit or credit at fp is used up');
      expect(await queueOf(life)).toEqual([]);
      expect(world.fp.calls()).toHaveLength(1);
    },
  );
});

describe('waiting for a provider that is down', () => {
  it('R9 with resilience.auto_wait off a turn is put to a person and none waits', async () => {
    world = await createOutageWorld(resilience({ auto_wait: false }));
    const life = await world.site.start();
    const first = await down(life);
    await turnIn(life, first, ['parked']);
    await turnIn(life, await send(life, 'next', 's2'), ['parked']);
    expect(await queueOf(life)).toEqual([]);
  });

  it('R9 an agent with wait: false does not wait either', async () => {
    world = await createOutageWorld({}, { wait: false });
    const life = await world.site.start();
    await turnIn(life, await down(life), ['parked']);
    expect(await queueOf(life)).toEqual([]);
  });

  it('S0-18 waits at most resilience.max_wait, then a person is asked', async () => {
    world = await createOutageWorld(resilience({ max_wait: '1s' }));
    const life = await world.site.start();
    const first = await down(life);
    const turn = await turnIn(life, first, ['parked']);
    expect(turn.reason).toContain('resilience.max_wait allows (1s)');
  });

  it('R13 S0-18 at limits.max_waiting_turns 2 a third message is refused with the reason and leaves nothing behind; what waits stays, a task waits all the same, the other provider is asked, and 4 counts at once', async () => {
    world = await createOutageWorld({ limits: { max_waiting_turns: 2 } });
    const { fp, site } = world;
    const life = await site.start();
    const first = await down(life);
    const second = await send(life, 'two', 's2');
    await until(async () => expect(await queueOf(life)).toHaveLength(2));
    await expect(send(life, 'three', 's3')).rejects.toMatchObject({
      code: 'OUTAGE_QUEUE_FULL',
      retryable: true,
      hint: expect.stringMatching(
        /^The waiting turns are saved\..*limits\.max_waiting_turns/,
      ) as string,
    });
    const { sessions } = await life.holdfast.call('sessions.list', {}, 'test');
    expect(sessions.map(({ key }) => key)).not.toContain('s3');
    const well = { text: 'hello', session: 'o', agent: 'second' };
    const { turnId: other } = await life.holdfast.call('send', well, 'test');
    expect((await turnIn(life, other, [...ENDED])).state).toBe('completed');
    const task = { prompt: 'look', schedule: 'every 1h', agent: 'third' };
    const { id: taskId } = await life.holdfast.call('tasks.add', task, 'test');
    const { turnId: due } = await life.holdfast.call('tasks.run', { taskId }, 'test');
    await life.holdfast.call('config.set', { key: 'limits.max_waiting_turns', value: 4 }, 'test');
    const third = await send(life, 'three', 's3');
    const waiting = [first, second, due, third];
    await until(async () =>
      expect((await queueOf(life)).map(({ turnId }) => turnId)).toEqual(waiting),
    );
    await fp.up();
    for (const turnId of waiting)
      expect((await turnIn(life, turnId, [...ENDED])).state).toBe('completed');
    expect(fp.calls()).toHaveLength(waiting.length);
  });

  it('S2-16 the other provider goes on, for schedules too: 5 turns and a task wait for one, which the 2nd agent on it knows of, and 5 turns and a task of the other are answered', async () => {
    world = await createOutageWorld();
    const { site } = world;
    const life = await site.start();
    const first = await down(life);
    for (let n = 2; n <= 5; n += 1) await send(life, 'hello', `s${String(n)}`);
    await until(async () => expect(await queueOf(life)).toHaveLength(5));
    for (let n = 1; n <= 5; n += 1) {
      const { turnId } = await life.holdfast.call(
        'send',
        { text: 'hello', session: `o${String(n)}`, agent: 'second' },
        'test',
      );
      expect((await turnIn(life, turnId, [...ENDED])).state).toBe('completed');
    }
    const run = async (agent: string): Promise<number> => {
      const { id } = await life.holdfast.call(
        'tasks.add',
        { prompt: 'look', schedule: 'every 1h', agent },
        'test',
      );
      return (await life.holdfast.call('tasks.run', { taskId: id }, 'test')).turnId;
    };
    expect((await turnIn(life, await run('second'), [...ENDED])).state).toBe('completed');
    const scheduled = await run('third');
    await until(async () => expect(await queueOf(life)).toHaveLength(6));
    const queue = (await queueOf(life)).map((one) => one.turnId);
    expect([queue[0], queue[5]]).toEqual([first, scheduled]);
    expect(world.fp.calls()).toHaveLength(0);
    expect(await healthOf(life, 'other')).toMatchObject({ state: 'answering', waiting: 0 });
    // It is tried lightly now and then, and is down again after it.
    await until(async () => expect((await healthOf(life)).state).toBe('down'));
  });

  it('S0-17 S2-+04 damaged rows of its standing, its breaker and its queue hold up no start: the outage goes on with the turn that waits, ends as 1, and the breaker is named in the audit', async () => {
    world = await createOutageWorld();
    const { fp, site } = world;
    let life = await site.start();
    const first = await down(life);
    await life.lifecycle.stop('stop');
    const db = new Database(path.join(site.world.dataDir, 'holdfast.db'));
    db.exec("UPDATE provider_health SET record = '{broken'; UPDATE breakers SET failures = 'x'");
    db.exec("UPDATE held_work SET cause = 'odd', since = 'x', rank = 'x'");
    db.close();
    life = await site.start();
    expect(await healthOf(life)).toMatchObject({ waiting: 1, breaker: { state: 'closed' } });
    const { acceptedAtMs } = (await life.holdfast.call('turns.show', { turnId: first }, 'test'))
      .turn;
    expect(await queueOf(life)).toMatchObject([{ cause: 'outage', sinceMs: acceptedAtMs }]);
    await fp.up();
    expect((await turnIn(life, first, [...ENDED])).state).toBe('completed');
    await until(async () => {
      const { outages } = await life.holdfast.call('outage.list', {}, 'test');
      expect(outages).toMatchObject([{ drained: 1, resolvedAtMs: expect.any(Number) as number }]);
    });
    await life.lifecycle.stop('stop');
    const named = site.audit().filter(({ event }) => event === 'breaker_damaged');
    expect(named).toMatchObject([{ facts: { name: 'provider.fp' } }]);
  });

  it('S0-20 R3 a provider that fails again while 6 turns drain loses and doubles none', async () => {
    world = await createOutageWorld();
    const { fp, site } = world;
    const life = await site.start();
    const first = await down(life);
    for (let n = 2; n <= 6; n += 1) await send(life, `hello ${String(n)}`, `s${String(n)}`);
    await until(async () => expect(await queueOf(life)).toHaveLength(6));
    let answered = 0;
    let failures = 0;
    // Two answers, then it fails again for a while.
    fp.setScript(() => {
      if (answered === 2 && failures < 8) {
        failures += 1;
        return { status: 503 };
      }
      answered += 1;
      return { text: 'ok' };
    });
    await fp.up();
    for (let n = 0; n < 6; n += 1) {
      expect((await turnIn(life, first + n, [...ENDED])).state).toBe('completed');
    }
    expect(answered).toBe(6);
    expect(failures).toBe(8);
    await until(async () => expect((await healthOf(life)).state).toBe('answering'));
    expect(await queueOf(life)).toEqual([]);
  });
});

/** What a start finds when more has changed than the time: settings, the clock, runs that went on. */
import { afterEach, describe, expect, it } from 'vitest';
import type { Composition } from '../../../electron/compose/options';
import {
  createFakeChannel,
  createFakeProvider,
  promptOf,
  resultsSoFar,
  type Script,
} from '../../helpers/fake-world';
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

const beatOf = async (life: Composition) =>
  (await life.holdfast.call('heartbeat.status', {}, 'test')).heartbeats[0];

describe('settings that are changed while nothing runs', () => {
  it('S1-35 a system heartbeat that is switched off does not tick for the 3 h that it was down', async () => {
    const life = await begin('2027-06-01T00:00:00Z', {
      heartbeat: { enabled: true, interval: 'every 10m' },
    });
    await expect.poll(() => beatOf(life)).toBeDefined();
    const later = await again(life, 3 * HOUR, () => {
      virtual.site.config({ heartbeat: { enabled: false } });
    });
    await quiet(later);
    expect(virtual.site.asked).toEqual([]);
    await expect.poll(() => beatOf(later)).toBeUndefined();
  });

  it('S1-36 a system heartbeat has its new rhythm from the start: no tick for what the old one missed', async () => {
    const life = await begin('2027-06-01T00:00:00Z', {
      heartbeat: { enabled: true, interval: 'every 10m' },
    });
    await expect.poll(() => beatOf(life)).toBeDefined();
    const later = await again(life, 3 * HOUR, () => {
      virtual.site.config({ heartbeat: { enabled: true, interval: 'every 6h' } });
    });
    await expect.poll(async () => (await beatOf(later))?.every).toBe('Every 6 h');
    await quiet(later);
    expect(virtual.site.asked).toEqual([]);
    expect((await beatOf(later))?.nextAtMs).toBe(virtual.clock.nowMs() + 6 * HOUR);
  });

  it('S1-09 S1-36 another time zone moves no task, whose zone is its own, and the system heartbeat at once', async () => {
    const zone = (time_zone: string) => ({
      resilience: { scheduler: { time_zone } },
      heartbeat: { enabled: true, interval: '0 9 * * *' },
    });
    const life = await begin('2027-06-01T00:00:00Z', zone('Europe/Berlin'));
    await add(life, { schedule: 'daily at 09:00', zone: undefined });
    await expect
      .poll(async () => (await beatOf(life))?.nextAtMs)
      .toBe(Date.parse('2027-06-01T07:00:00Z'));
    const later = await again(life, HOUR, () => {
      virtual.site.config(zone('America/New_York'));
    });
    const [task] = (await later.holdfast.call('tasks.list', {}, 'test')).tasks;
    expect([task?.zone, task?.nextRunAtMs]).toEqual([
      'Europe/Berlin',
      Date.parse('2027-06-01T07:00:00Z'),
    ]);
    const beatAt = async () => (await beatOf(later))?.nextAtMs;
    await expect.poll(beatAt).toBe(Date.parse('2027-06-01T13:00:00Z'));
    const key = 'resilience.scheduler.time_zone';
    await later.holdfast.call('config.set', { key, value: 'Asia/Tokyo' }, 'test');
    await expect.poll(beatAt).toBe(Date.parse('2027-06-02T00:00:00Z'));
  });
});

describe('the default heartbeat on a new folder', () => {
  it.each([
    [{}, undefined, [], 15],
    [{ heartbeat: { enabled: true } }, 'Every 5 min', [5, 10, 15], 15],
    [{ heartbeat: { enabled: true, interval: 'every 20m' } }, 'Every 20 min', [20, 40], 45],
    [{ heartbeat: { enabled: true, interval: '7-59/30 * * * *' } }, undefined, [7, 37], 45],
  ] as const)(
    'S1-35 S1-36 S1-37 with the settings %j it is %s, for the session main, and beats after %j of %i min',
    async (settings, every, minutes, forMin) => {
      const life = await begin('2027-06-01T00:00:00Z', settings);
      if (minutes.length > 0) {
        await expect.poll(() => beatOf(life)).toMatchObject({ session: 'main', isSystem: true });
        if (every !== undefined) expect((await beatOf(life))?.every).toBe(every);
      }
      const beaten: number[] = [];
      for (let minute = 1; minute <= forMin; minute += 1) {
        const before = virtual.site.asked.length;
        await virtual.clock.advance(MINUTE);
        await quiet(life);
        const asked = virtual.site.asked.slice(before);
        if (asked.length > 0) beaten.push(minute);
        expect(asked.every((text) => text.startsWith('[system heartbeat'))).toBe(true);
      }
      expect(beaten).toEqual(minutes);
      const { turns } = await life.holdfast.call('turns.list', { limit: 200 }, 'test');
      expect(turns.map(({ sessionKey }) => sessionKey)).toEqual(minutes.map(() => 'main'));
    },
  );
});

describe('a clock that is another one at the next start', () => {
  it('S1-+05 S0-22 set back by an hour: what says how often goes on at once, what says when where it had been, and no slot is there twice', async () => {
    const life = await begin('2027-06-01T02:00:00Z');
    await add(life, { schedule: 'every 10m' });
    await add(life, { schedule: '*/30 * * * *', name: 'cron' });
    await add(life, { schedule: '20 2,3 * * *', name: 'at 20 past', zone: 'UTC' });
    expect(await goTo(life, '2027-06-01T02:30:05Z')).toHaveLength(3 + 1 + 1);
    const later = await again(life, -HOUR);
    expect(await quiet(later)).toHaveLength(5);
    const runs = await goTo(later, '2027-06-01T02:30:05Z');
    expect(runs.every(({ outcome }) => outcome === 'ran')).toBe(true);
    const times = (taskId: number) =>
      slots(runs.filter((run) => run.taskId === taskId)).map((slot) => slot.slice(11, 16));
    // What came by once more stands beside the first.
    const twice = (...each: readonly string[]) => each.flatMap((time) => [time, time]);
    expect(times(1)).toEqual(['01:40', '01:50', ...twice('02:10', '02:20', '02:30')]);
    expect(times(2)).toEqual(['02:00', ...twice('02:30')]);
    expect(times(3)).toEqual(['02:20']);
    expect(new Set(runs.map((run) => `${String(run.taskId)} ${String(run.slotMs)}`)).size).toBe(
      runs.length,
    );
    const after = await goTo(later, '2027-06-01T03:20:05Z');
    expect(slots(after.filter((run) => run.taskId === 3))).toEqual([
      '2027-06-01T02:20 on_time',
      '2027-06-01T03:20 on_time',
    ]);
  });
});

describe('what was missed', () => {
  const waker: Script = (request) =>
    promptOf(request) === 'wake me' && resultsSoFar(request) === 0
      ? { calls: [{ tool: 'timer', args: { seconds: 600, message: 'look', id: 'a' } }] }
      : { text: 'ok' };

  it('S0-24 R11 R12 a task and a timer are told of where they were asked, once over 3 starts, with what runs them; where that is away, when it is back', async () => {
    await begin('2027-06-01T00:00:00Z', {}, waker).then((life) => virtual.site.stop(life));
    const dir = virtual.site.world.outside;
    let isBack = true;
    const chanA = createFakeChannel({ dir, name: 'chanA' });
    const chanB = createFakeChannel({ dir, name: 'chanB', isReady: () => isBack });
    const channels = [chanA, chanB];
    const life = await startLife({ channels });
    const once = { schedule: 'in 1h', channel: 'chanA', peer: 'anna', name: 'Look' };
    await add(life, once);
    await add(life, { ...once, channel: 'chanB', name: 'Two' });
    await add(life, { ...once, channel: 'window', peer: '', name: 'Three' });
    await add(life, { ...once, schedule: 'every 1h', name: 'Often' });
    await chanA.intake().accept({ peer: 'bob', text: 'wake me', agent: 'fake' });
    await quiet(life);
    await virtual.site.stop(life);
    isBack = false;
    virtual.clock.suspend(5 * HOUR + 30 * MINUTE);
    const later = await startLife({ channels });
    const missed = (channel: typeof chanA) =>
      channel.received().filter(({ kind }) => kind === 'missed');
    await expect.poll(() => missed(chanA)).toHaveLength(2);
    expect(missed(chanA)).toEqual([
      expect.objectContaining({
        peer: 'bob',
        text: expect.stringMatching(/^Missed: timer a\n\n.*holdfast timers run/s) as string,
      }),
      expect.objectContaining({
        peer: 'anna',
        text: expect.stringMatching(/^Missed: Look\n\n.*"holdfast tasks run 1"/s) as string,
      }),
    ]);
    expect(missed(chanB)).toEqual([]);
    isBack = true;
    await virtual.clock.advance(MINUTE);
    await expect.poll(() => missed(chanB).map(({ peer }) => peer)).toEqual(['anna']);
    await expect
      .poll(() => virtual.site.rows('SELECT told_on FROM inbox WHERE told_on IS NOT NULL'))
      .toHaveLength(3);
    await virtual.site.stop(later);
    const third = await startLife({ channels });
    await quiet(third);
    await virtual.clock.advance(2 * MINUTE);
    expect([...missed(chanA), ...missed(chanB)]).toHaveLength(3);
  });
});

describe('what an agent sets', () => {
  it('S1-02 S1-12 S1-14 S1-23 a timer and a heartbeat of 10 min are answered where they were set; what a command line has set, and what of it was missed, on the default channel as its own', async () => {
    const sets: Readonly<Record<string, { tool: string; args: Record<string, unknown> }>> = {
      'wake me': { tool: 'timer', args: { seconds: 600, message: 'look', id: 'a' } },
      'beat me': {
        tool: 'heartbeat',
        args: { action: 'start', interval_seconds: 600, message: 'look' },
      },
    };
    const setter: Script = (request) => {
      const call = resultsSoFar(request) === 0 ? sets[promptOf(request)] : undefined;
      return call === undefined ? { text: `re: ${promptOf(request)}` } : { calls: [call] };
    };
    const settings = { channels: { default: 'chanB' } };
    await begin('2027-06-01T00:00:00Z', settings, setter).then((life) => virtual.site.stop(life));
    const dir = virtual.site.world.outside;
    const chanA = createFakeChannel({ dir, name: 'chanA' });
    const chanB = createFakeChannel({ dir, name: 'chanB' });
    const channels = [chanA, chanB];
    const life = await startLife({ channels });
    for (const [text, peer] of [
      ['wake me', 'bob'],
      ['beat me', 'anna'],
    ] as const) {
      await chanA.intake().accept({ peer, text, agent: 'fake' });
      await life.holdfast.call('send', { text, session: `of-${peer}`, agent: 'fake' }, 'test');
    }
    await quiet(life);
    await virtual.clock.advance(10 * MINUTE);
    await quiet(life);
    const woken = (channel: typeof chanA) =>
      channel
        .received()
        .map(({ peer, text }) => [peer, /^re: \[(\S+)/.exec(text)?.[1]])
        .filter(([, what]) => what !== undefined)
        .toSorted();
    await expect
      .poll(() => woken(chanA))
      .toEqual([
        ['anna', 'heartbeat'],
        ['bob', 'timer'],
      ]);
    await expect
      .poll(() => woken(chanB))
      .toEqual([
        ['', 'heartbeat'],
        ['', 'timer'],
      ]);
    await life.holdfast.call('send', { text: 'wake me', session: 'x', agent: 'fake' }, 'test');
    await quiet(life);
    await virtual.site.stop(life);
    virtual.clock.suspend(5 * HOUR);
    await startLife({ channels });
    const missed = () => chanB.received().filter(({ kind }) => kind === 'missed');
    await expect
      .poll(() => missed().map(({ text }) => text.split('\n')[0]))
      .toEqual(['Missed: timer a']);
  });
});

describe('runs that a start finds', () => {
  it('S1-+03 a run that was cut off and goes on belongs to the journal: the slot that it covered is skipped, not run beside it', async () => {
    await begin('2027-06-01T00:00:00Z').then((life) => virtual.site.stop(life));
    let isStuck = true;
    const asked: string[] = [];
    const gated = createFakeProvider({
      dir: virtual.site.world.outside,
      script: () => ({ text: 'ok' }),
      async gate(request) {
        asked.push(promptOf(request));
        if (isStuck) await virtual.clock.sleep(10 * DAY);
        return undefined;
      },
    });
    const life = await startLife({ providers: [gated] });
    await add(life, { schedule: 'every 10m' });
    await virtual.clock.advance(10 * MINUTE);
    await expect.poll(() => asked).toHaveLength(1);
    let isStopped = false;
    void virtual.site.stop(life).then(() => (isStopped = true));
    // What goes on gets its grace, and is cut off.
    await expect
      .poll(async () => {
        await virtual.clock.advance(1_000);
        return isStopped;
      })
      .toBe(true);
    virtual.clock.set(Date.parse('2027-06-01T00:25:30Z') - virtual.clock.nowMs());
    isStuck = false;
    const later = await startLife({ providers: [gated] });
    const runs = await quiet(later);
    expect(runs.map(({ outcome, why, slots: count }) => [outcome, why, count])).toEqual([
      ['ran', 'on_time', 1],
      ['skipped', 'overlap', 1],
    ]);
    expect(new Set(asked).size).toBe(1);
    expect(slots(await goTo(later, '2027-06-01T00:30:05Z')).at(-1)).toBe(
      '2027-06-01T00:30 on_time',
    );
  });

  it.each([2, 7])(
    'S0-23 S1-+03 12 tasks of the same missed slot run once each, in their order, %d s apart as catchup_spacing says',
    async (seconds) => {
      const life = await begin('2027-06-01T00:00:00Z', {
        resilience: { scheduler: { catchup_spacing: `${String(seconds)}s` } },
      });
      for (let n = 1; n <= 12; n += 1)
        await add(life, { schedule: '0 9 * * *', prompt: `job ${String(n)}` });
      const later = await again(life, Date.parse('2027-06-01T07:20:00Z') - virtual.clock.nowMs());
      expect(await history(later)).toHaveLength(12);
      for (let done = 1; done <= 12; done += 1) {
        await expect.poll(() => virtual.site.asked.length).toBe(done);
        await virtual.clock.advance(seconds * 1_000 - 1);
        expect(virtual.site.asked).toHaveLength(done);
        await virtual.clock.advance(1);
      }
      const runs = await quiet(later);
      expect(new Set(runs.map((run) => run.taskId)).size).toBe(12);
      const order = virtual.site.asked.map((prompt) => Number(/job (\d+)$/.exec(prompt)?.[1]));
      expect(order).toEqual(order.toSorted((a, b) => a - b));
    },
  );

  it('S1-+03 12 tasks that are caught up together run 3 at once where max_running_turns is 3, 5 as soon as it is set to 5, and each once', async () => {
    const first = await begin('2027-06-01T00:00:00Z', {
      limits: { max_running_turns: 3 },
      resilience: { scheduler: { catchup_spacing: '1ms' } },
    });
    for (let n = 1; n <= 12; n += 1) await add(first, { schedule: '0 9 * * *' });
    await virtual.site.stop(first);
    virtual.clock.set(Date.parse('2027-06-01T07:20:00Z') - virtual.clock.nowMs());
    const going: (() => void)[] = [];
    let asked = 0;
    const slow = createFakeProvider({
      dir: virtual.site.world.outside,
      script: () => ({ text: 'ok' }),
      gate: () => {
        asked += 1;
        return new Promise((resolve) => going.push(() => resolve(undefined)));
      },
    });
    const life = await startLife({ providers: [slow] });
    await virtual.clock.advance(1_000);
    await expect.poll(() => going.length).toBe(3);
    await virtual.clock.advance(MINUTE);
    expect(asked).toBe(3);
    await life.holdfast.call('config.set', { key: 'limits.max_running_turns', value: 5 }, 'test');
    await expect.poll(() => asked).toBe(5);
    for (const wanted of [10, 12]) {
      for (const end of going.splice(0)) end();
      await expect.poll(() => asked).toBe(wanted);
      expect(going.length).toBeLessThanOrEqual(5);
    }
    for (const end of going.splice(0)) end();
    const runs = await quiet(life);
    expect(runs.map((run) => run.status)).toEqual(Array(12).fill('completed'));
    expect(asked).toBe(12);
  });

  it('S0-19 R13 an outage that lasts over a restart has 1 queued run of a task, and every slot that came meanwhile is counted with it', async () => {
    await begin('2027-06-01T00:00:00Z').then((life) => virtual.site.stop(life));
    const failure = { kind: 'network', message: 'No.', hint: '', isRetryable: true } as const;
    let isAway = true;
    const asked: string[] = [];
    virtual.site.config({
      resilience: { outage_threshold: 1, early_probe: false },
      retry: { server: { max_attempts: 1 } },
    });
    const away = createFakeProvider({
      dir: virtual.site.world.outside,
      script(request) {
        asked.push(promptOf(request));
        return { text: 'ok' };
      },
      gate: () => (isAway ? { kind: 'failure', failure } : undefined),
      probe: () => (isAway ? { kind: 'failed', failure } : { kind: 'ok' }),
    });
    const life = await startLife({ providers: [away] });
    await add(life, { schedule: 'every 10m' });
    await virtual.clock.advance(10 * MINUTE);
    const queue = async (of: Composition) =>
      (await of.holdfast.call('outage.queue', {}, 'test')).items.map((item) => [
        item.source,
        item.merged,
      ]);
    await expect.poll(() => queue(life)).toEqual([['schedule', 0]]);
    await virtual.site.stop(life);
    virtual.clock.suspend(35 * MINUTE);
    const later = await startLife({ providers: [away] });
    expect((await history(later)).map(({ why, slots: count }) => [why, count])).toEqual([
      ['on_time', 1],
      ['overlap', 3],
    ]);
    await expect.poll(() => queue(later)).toEqual([['schedule', 3]]);
    isAway = false;
    await later.holdfast.call('outage.probe', { provider: 'fake' }, 'test');
    await quiet(later);
    expect(asked).toHaveLength(1);
  });
});

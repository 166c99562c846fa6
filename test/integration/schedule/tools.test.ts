import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { createSystemClock } from '../../../electron/adapters/clock/system-clock';
import { createGroupCommit } from '../../../electron/adapters/sqlite/journal/group-commit';
import { openDatabase } from '../../../electron/adapters/sqlite/open-database';
import { createScheduleReads } from '../../../electron/adapters/sqlite/tables/schedule';
import type { Composition } from '../../../electron/compose/options';
import { noCrashPoints } from '../../../electron/engine/kernel/crash-points';
import { createHeartbeats } from '../../../electron/engine/schedule/heartbeats';
import { ENDED, turnIn } from '../../helpers/compose-world';
import {
  createFakeChannel,
  createFakeProvider,
  promptOf,
  resultsSoFar,
  type Script,
} from '../../helpers/fake-world';
import { createScheduleWorld, desktopWith, type ScheduleWorld } from './schedule-world';

let site: ScheduleWorld;
afterEach(() => site.end());

/** Makes the call that its message spells, `tool {json}`, and answers with what it was told. */
const caller: Script = (request) => {
  const found = /^([a-z_]+) (\{.*\})$/s.exec(promptOf(request));
  if (found !== null && resultsSoFar(request) === 0)
    return { calls: [{ tool: found[1] ?? '', args: JSON.parse(found[2] ?? '{}') as unknown }] };
  const last = request.messages.at(-1);
  return { text: last?.role === 'tool' ? last.content : `re: ${promptOf(request)}` };
};

async function ask(life: Composition, text: string, session = 's'): Promise<string> {
  const { turnId } = await life.holdfast.call('send', { text, session, agent: 'fake' }, 'test');
  await turnIn(life, turnId, [...ENDED]);
  return (await life.holdfast.call('turns.show', { turnId }, 'test')).answer ?? '';
}
const start = async (settings: Record<string, unknown> = {}, env?: Record<string, string>) => {
  site = createScheduleWorld(settings, caller);
  return site.start(
    env === undefined
      ? {}
      : { env: { PATH: process.env['PATH'], HOME: site.world.outside, ...env } },
  );
};

describe('the scheduling tools of an agent', () => {
  it('S1-03 S1-04 S1-12 schedule_task makes one task with the origin of the turn, and the other tools manage it', async () => {
    site = createScheduleWorld({}, caller);
    const chanA = createFakeChannel({ dir: site.world.outside, name: 'chanA' });
    const life = await site.start({ channels: [chanA] });
    const { turnId } = await chanA.intake().accept({
      peer: 'anna',
      text: 'schedule_task {"prompt":"check","schedule":"every 30m"}',
      agent: 'fake',
    });
    await turnIn(life, turnId, [...ENDED]);
    const { tasks } = await life.holdfast.call('tasks.list', {}, 'test');
    expect(tasks).toMatchObject([
      { id: 1, prompt: 'check', channel: 'chanA', peer: 'anna', agent: 'fake', madeBy: 'agent' },
    ]);
    expect(await ask(life, 'list_tasks {}')).toContain('Task 1 "check" is active: Every 30 min.');
    expect(await ask(life, 'pause_task {"task_id":1}')).toContain('is paused');
    expect(await ask(life, 'resume_task {"task_id":1}')).toContain('Next run ');
    expect(await ask(life, 'update_task {"task_id":1,"schedule":"every 1h"}')).toContain(
      'Every 1 h',
    );
    expect(await ask(life, 'cancel_task {"task_id":1}')).toContain('is cancelled');
    expect(await ask(life, 'cancel_task {"task_id":9}')).toContain('Task not found: 9');
    expect(await ask(life, 'schedule_task {"prompt":"x","schedule":"every 5s"}')).toContain(
      '10 sec',
    );
    expect(await ask(life, 'schedule_task {"prompt":"","schedule":"every 5m"}')).toContain(
      'prompt',
    );
  });

  it.each([
    ['"catchup":"sometimes"', 'one of default, always, never'],
    ['"catchup":5', '"catchup" must be a text'],
    ['"timezone":["UTC"]', '"timezone" must be a text'],
    ['"timezone":"Mars/Olympus"', 'not a time zone'],
    ['"origin_channel":"cli"', 'both the channel and the recipient'],
    ['"origin_peer":"x"', 'both the channel and the recipient'],
    ['"origin_channel":"nowhere","origin_peer":"x"', 'no channel "nowhere"'],
  ])(
    'S0-26 S1-04 S1-11 an agent that asks for %s is told what is accepted; no task is made or changed',
    async (field, words) => {
      const life = await start();
      expect(
        await ask(life, `schedule_task {"prompt":"x","schedule":"every 5m",${field}}`),
      ).toContain(words);
      expect((await life.holdfast.call('tasks.list', {}, 'test')).tasks).toEqual([]);
      await ask(
        life,
        'schedule_task {"prompt":"x","schedule":"every 5m","catchup":"never","name":null}',
      );
      expect(await ask(life, `update_task {"task_id":1,"prompt":"y",${field}}`)).toContain(words);
      expect((await life.holdfast.call('tasks.list', {}, 'test')).tasks).toMatchObject([
        { prompt: 'x', catchup: 'never' },
      ]);
    },
  );

  it('S1-18 S1-24 the same id in 2 sessions is 2 timers, one without an id has one that is told, and each session has its heartbeat of 60 s', async () => {
    const life = await start();
    for (const session of ['s', 't']) {
      await ask(life, 'timer {"seconds":3600,"message":"m","id":"a"}', session);
      await ask(life, 'heartbeat {"action":"start","message":"m"}', session);
    }
    const told = await ask(life, 'timer {"seconds":3600,"message":"m"}');
    const { timers } = await life.holdfast.call('timers.list', {}, 'test');
    expect(timers.map(({ id, session }) => `${session} ${id}`).toSorted()).toEqual(
      ['s a', 't a', `s ${/Timer (t-\S+) wakes/.exec(told)?.[1] ?? 'none'}`].toSorted(),
    );
    const { heartbeats } = await life.holdfast.call('heartbeat.status', {}, 'test');
    expect(heartbeats.map(({ session, every }) => [session, every])).toEqual([
      ['s', 'Every 1 min'],
      ['t', 'Every 1 min'],
    ]);
  });

  it('S1-14 S1-17 a timer that comes while its session is busy is the next turn of it, with a long message as it was', async () => {
    let release: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => (release = resolve));
    site = createScheduleWorld();
    const asked: string[] = [];
    const slow = createFakeProvider({
      dir: site.world.outside,
      script: caller,
      async gate(request) {
        asked.push(promptOf(request));
        if (promptOf(request) === 'busy') await gate;
        return undefined;
      },
    });
    const life = await site.start({ providers: [slow] });
    const message = `{{x}} %s \u202e ${'ü'.repeat(1_500)}`;
    await ask(life, `timer ${JSON.stringify({ seconds: 5, message })}`);
    const busy = ask(life, 'busy');
    await expect
      .poll(async () => (await life.holdfast.call('timers.list', {}, 'test')).timers)
      .toEqual([]);
    expect(asked.at(-1)).toBe('busy');
    release();
    await busy;
    await expect.poll(() => asked.at(-1)?.split('\n\n')[1]).toBe(message);
  });

  it('S1-13 S1-14 S1-17 S1-18 S1-19 timer(300, "Check build status", "build-check") lets its turn end while it waits, is listed, can be canceled and replaced, and its message wakes the session once', async () => {
    const life = await start();
    const build = 'timer {"seconds":300,"message":"Check build status","id":"build-check"}';
    const askedMs = site.clock.nowMs();
    expect(await ask(life, build)).toContain('Timer build-check wakes you at');
    const { timers } = await life.holdfast.call('timers.list', {}, 'test');
    expect(timers).toMatchObject([{ id: 'build-check', session: 's', seconds: 300 }]);
    const dueAtMs = timers[0]?.dueAtMs ?? 0;
    expect(dueAtMs).toBeGreaterThanOrEqual(askedMs + 300_000);
    expect(dueAtMs).toBeLessThanOrEqual(site.clock.nowMs() + 300_000);
    const made = { session: 's', id: 'build-check' };
    await life.holdfast.call('timers.cancel', made, 'test');
    await expect(life.holdfast.call('timers.cancel', made, 'test')).rejects.toMatchObject({
      code: 'TIMER_UNKNOWN',
    });
    await ask(life, build);
    await ask(life, 'timer {"seconds":1,"message":"second ${x}","id":"build-check"}');
    await expect.poll(() => site.asked.filter((text) => text.startsWith('[timer ')).length).toBe(1);
    expect(site.asked.find((text) => text.startsWith('[timer '))).toMatch(
      /^\[timer build-check, due .*\]\n\nsecond \$\{x\}$/,
    );
    expect((await life.holdfast.call('timers.list', {}, 'test')).timers).toEqual([]);
  });

  it.each([
    ['63 s', 63_000, /^\[timer build, due \S+, \d+ s late\]\n\nlook$/],
    ['2 h', 7_200_000, undefined],
  ] as const)(
    'S1-+04 R11 a timer of 60 s is there after a start %s later: once and marked late, or missed and in the inbox',
    async (_how, downMs, prompt) => {
      const life = await start();
      await ask(life, 'timer {"seconds":60,"message":"look","id":"build"}');
      await site.stop(life);
      site.clock.shiftMs += downMs;
      const again = await site.start();
      await expect
        .poll(async () => (await again.holdfast.call('timers.list', {}, 'test')).timers)
        .toEqual([]);
      const fired = (): string[] => site.asked.filter((text) => text.startsWith('[timer '));
      const { items } = await again.holdfast.call('inbox.list', {}, 'test');
      if (prompt === undefined) {
        expect(fired()).toEqual([]);
        expect(items).toMatchObject([
          { title: 'Missed: timer build', detail: expect.stringContaining('look') as string },
        ]);
        expect(items[0]).toMatchObject({ timerId: 'build' });
        return;
      }
      await expect.poll(fired).toHaveLength(1);
      expect(fired()[0]).toMatch(prompt);
      expect(items).toEqual([]);
      await site.stop(again);
      await site.start();
      expect(fired()).toHaveLength(1);
    },
  );

  it('R11 S1-+04 a missed timer is run by hand once, late, over a restart; one that has its id by now goes on', async () => {
    const life = await start();
    await ask(life, 'timer {"seconds":60,"message":"look","id":"build"}');
    await site.stop(life);
    site.clock.shiftMs += 7_200_000;
    const again = await site.start();
    const missed = async (): Promise<unknown[]> =>
      (await again.holdfast.call('inbox.list', {}, 'test')).items;
    await expect.poll(missed).toMatchObject([{ timerId: 'build' }]);
    await ask(again, 'timer {"seconds":3000,"message":"new","id":"build"}');
    const run = () => again.holdfast.call('timers.run', { session: 's', id: 'build' }, 'test');
    const [first, second] = await Promise.allSettled([run(), run()]);
    expect(second).toMatchObject({ status: 'rejected', reason: { code: 'TIMER_UNKNOWN' } });
    if (first.status !== 'fulfilled') throw first.reason;
    await turnIn(again, first.value.turnId, [...ENDED]);
    const woken = (): string[] => site.asked.filter((text) => text.startsWith('[timer '));
    expect(woken()).toHaveLength(1);
    expect(woken()[0]).toMatch(/^\[timer build, due \S+, 1 h 59 min late\]\n\nlook$|2 h late/);
    expect(await missed()).toEqual([]);
    await site.stop(again);
    const last = await site.start();
    expect((await last.holdfast.call('timers.list', {}, 'test')).timers).toMatchObject([
      { id: 'build', message: 'new' },
    ]);
    expect(woken()).toHaveLength(1);
    await expect(
      last.holdfast.call('timers.run', { session: 's', id: 'build' }, 'test'),
    ).rejects.toMatchObject({ code: 'TIMER_UNKNOWN' });
  });

  it.each([0, 3601, -1, 1.5, '"5"'])(
    'S1-16 timer refuses %s seconds and names the range 1 to 3600',
    async (seconds) => {
      const life = await start();
      const told = await ask(life, `timer {"seconds":${String(seconds)},"message":"m"}`);
      expect(told).toContain('from 1 to 3600');
    },
  );

  it('S1-20 S1-21 S1-22 S1-24 heartbeat starts once per session, tells its state, also after a restart, and stops; a second stop is friendly', async () => {
    const first = await start();
    expect(await ask(first, 'heartbeat {"action":"status"}')).toBe('No active heartbeat.');
    await ask(first, 'heartbeat {"action":"start","message":"first","interval_seconds":3600}');
    const told = await ask(first, 'heartbeat {"action":"status"}');
    expect(told).toMatch(/Every 1 h: "first"\. 0 wake-ups, 0 skipped, on since \S+Z, next \S+Z\./);
    await site.stop(first);
    const life = await site.start();
    expect(await ask(life, 'heartbeat {"action":"status"}')).toBe(told);
    expect(await ask(life, 'heartbeat {"action":"start"}')).toContain('"message"');
    expect(
      await ask(life, 'heartbeat {"action":"start","message":"m","interval_seconds":5}'),
    ).toContain('from 10 to 3600');
    await ask(life, 'heartbeat {"action":"start","message":"first"}');
    await ask(life, 'heartbeat {"action":"start","message":"second","interval_seconds":3600}');
    expect(await ask(life, 'heartbeat {"action":"status"}')).toContain(
      'Every 1 h: "second". 0 wake-ups',
    );
    const { heartbeats } = await life.holdfast.call('heartbeat.status', {}, 'test');
    expect(heartbeats).toHaveLength(1);
    expect(await ask(life, 'heartbeat {"action":"stop"}')).toContain('stopped');
    expect(await ask(life, 'heartbeat {"action":"stop"}')).toContain('no active heartbeat');
  });

  it('S1-05 S1-32 a task that the tool made is caught up after a restart like any other', async () => {
    const life = await start();
    await ask(life, 'schedule_task {"prompt":"check","schedule":"every 10m"}');
    await site.stop(life);
    site.clock.shiftMs += 1_500_000;
    const again = await site.start();
    const runs = async () => (await again.holdfast.call('tasks.history', {}, 'test')).runs;
    await expect.poll(async () => (await runs())[0]?.status).toBe('completed');
    expect(await runs()).toMatchObject([{ taskId: 1, why: 'in_window', slots: 2 }]);
    await site.stop(again);
    site.clock.shiftMs += 4_500_000 + 240_000;
    site.config({ resilience: { scheduler: { catchup_window: '1m' } } });
    const last = await site.start();
    const { runs: all } = await last.holdfast.call('tasks.history', {}, 'test');
    expect(all[0]).toMatchObject({ outcome: 'skipped', why: 'window' });
    expect(all).toHaveLength(2);
  });

  it('S1-15 500 timers that wait hold up nothing: /live answers, another turn goes on, the 501st is refused', async () => {
    site = createScheduleWorld(
      { observability: { health_port: 0, metrics_port: 0 } },
      (request) => {
        if (promptOf(request) !== 'set them' || resultsSoFar(request) > 0) return caller(request);
        const args = (n: number) => ({
          seconds: 3600,
          message: `m${String(n)}`,
          id: `t${String(n)}`,
        });
        return { calls: Array.from({ length: 501 }, (_, n) => ({ tool: 'timer', args: args(n) })) };
      },
    );
    site.config({
      observability: { health_port: 0, metrics_port: 0 },
      limits: { turn_steps: 10_000 },
    });
    const life = await site.start();
    const told = await ask(life, 'set them');
    expect(told).toContain('TASK_LIMIT');
    const { timers } = await life.holdfast.call('timers.list', {}, 'test');
    expect(timers).toHaveLength(500);
    expect(await ask(life, 'hello', 'other')).toBe('re: hello');
    const portFile = path.join(site.world.dataDir, 'run/health.port');
    await expect.poll(() => fs.existsSync(portFile)).toBe(true);
    const port = fs.readFileSync(portFile, 'utf8').trim();
    expect((await fetch(`http://127.0.0.1:${port}/live`)).status).toBe(200);
  });

  it('S1-39 switched off while timers wait, the tools go from the list and the timers fire all the same', async () => {
    const life = await start();
    await ask(life, 'timer {"seconds":2,"message":"still here","id":"a"}');
    await ask(life, 'schedule_task {"prompt":"goes on","schedule":"every 10s"}');
    const key = 'extensions.core.scheduler_tool';
    await life.holdfast.call('config.set', { key, value: false }, 'test');
    expect(await ask(life, 'timer {"seconds":1,"message":"m"}')).toBe(
      'There is no tool named "timer".',
    );
    await expect
      .poll(() => site.asked.filter((text) => text.includes('still here')).length)
      .toBeGreaterThanOrEqual(1);
    expect((await life.holdfast.call('tasks.list', {}, 'test')).tasks).toMatchObject([
      { id: 1, state: 'active' },
    ]);
  });

  it('S1-39 switched off they are gone from the list', async () => {
    const life = await start({ extensions: { core: { scheduler_tool: false } } });
    expect(await ask(life, 'timer {"seconds":1,"message":"m"}')).toBe(
      'There is no tool named "timer".',
    );
  });
});

describe('the system heartbeat', () => {
  it('S1-35 S1-36 S1-38 ticks at its interval with overdue and coming tasks; its IDLE goes to nobody', async () => {
    site = createScheduleWorld(
      { heartbeat: { enabled: true, interval: 'every 1s' }, channels: { default: 'chanA' } },
      (request) => ({ text: promptOf(request).startsWith('[system heartbeat') ? ' idle\n' : 'x' }),
    );
    const chanA = createFakeChannel({ dir: site.world.outside, name: 'chanA' });
    await site.start({ channels: [chanA] });
    await expect.poll(() => site.asked.length).toBeGreaterThanOrEqual(2);
    expect(site.asked[0]).toContain('Tasks of the next 24 hours:');
    await expect
      .poll(
        () => site.rows('SELECT 1 FROM turns WHERE is_closed = 1 AND is_reply_pending = 0').length,
      )
      .toBeGreaterThanOrEqual(1);
    expect(chanA.received()).toEqual([]);
  });
});

describe('a heartbeat on a channel', () => {
  it('S1-38 3 IDLEs that had to wait for their channel, and one of a heartbeat that was set again meanwhile, go to nobody', async () => {
    let isUp = false;
    site = createScheduleWorld(
      { heartbeat: { enabled: true, interval: 'every 1s' }, channels: { default: 'chanA' } },
      () => ({ text: 'IDLE' }),
    );
    const chanA = createFakeChannel({
      dir: site.world.outside,
      name: 'chanA',
      isReady: () => isUp,
    });
    const life = await site.start({ channels: [chanA] });
    const closed = (pending: number): number =>
      site.rows(`SELECT 1 FROM turns WHERE is_closed = 1 AND is_reply_pending = ${String(pending)}`)
        .length;
    await expect.poll(() => closed(1)).toBeGreaterThanOrEqual(3);
    await life.holdfast.call(
      'config.set',
      { key: 'heartbeat.interval', value: 'every 1h' },
      'test',
    );
    await expect
      .poll(
        async () => (await life.holdfast.call('heartbeat.status', {}, 'test')).heartbeats[0]?.every,
      )
      .toBe('Every 1 h');
    await site.stop(life);
    isUp = true;
    await site.start({ channels: [chanA] });
    await expect.poll(() => closed(1)).toBe(0);
    expect(closed(0)).toBeGreaterThanOrEqual(3);
    expect(chanA.received().filter(({ kind }) => kind === 'answer')).toEqual([]);
  });

  it('S1-38 errors of the system heartbeat are asked about and told nowhere, are in the audit, and the next tick comes', async () => {
    const failure = { kind: 'malformed', message: 'Gone.', hint: '', isRetryable: false } as const;
    site = createScheduleWorld({
      heartbeat: { enabled: true, interval: 'every 1s' },
      channels: { default: 'chanA' },
    });
    const chanA = createFakeChannel({ dir: site.world.outside, name: 'chanA' });
    const away = createFakeProvider({
      dir: site.world.outside,
      script: caller,
      gate: () => ({ kind: 'failure', failure }),
    });
    const life = await site.start({ channels: [chanA], providers: [away] });
    await expect
      .poll(() => (audit().match(/"reply_swallowed".*Gone\./g) ?? []).length)
      .toBeGreaterThanOrEqual(2);
    expect((await life.holdfast.call('inbox.list', {}, 'test')).items).toEqual([]);
    expect(chanA.received()).toEqual([]);
  });
});

const audit = (): string => {
  const dir = path.join(site.world.dataDir, 'audit');
  return fs
    .readdirSync(dir)
    .map((file) => fs.readFileSync(path.join(dir, file), 'utf8'))
    .join('');
};

describe('a timer on the window', () => {
  it('S1-14 S1-18 an answer after the agent has set the same timer again is still told as one of a timer', async () => {
    site = createScheduleWorld({}, (request) => {
      const prompt = promptOf(request);
      if (!prompt.startsWith('[timer ') || resultsSoFar(request) > 0) return caller(request);
      return { calls: [{ tool: 'timer', args: { seconds: 3600, message: 'more', id: 'a' } }] };
    });
    const { outside: dir } = site.world;
    const window = createFakeChannel({ dir, name: 'window', isQuiet: () => false });
    const life = await site.start({ desktop: desktopWith(window) });
    const text = 'timer {"seconds":1,"message":"look","id":"a"}';
    await life.holdfast.call('send', { text, agent: 'fake' }, 'window');
    await expect.poll(() => window.told().flat()).toHaveLength(1);
    expect(window.told().flat()[0]?.by).toEqual({ kind: 'timer' });
  });
});

describe('a heartbeat on the window', () => {
  it('S1-38 an IDLE of one whose channel is the window is told nowhere, and is in the audit', async () => {
    site = createScheduleWorld(
      { heartbeat: { enabled: true, interval: 'every 1s' }, channels: { default: 'window' } },
      () => ({ text: ' idle\n' }),
    );
    await site.start();
    await expect.poll(audit).toMatch(/reply_swallowed.*idle/);
  });
});

describe('a call that is made again', () => {
  it('S1-21 S1-24 starts no heartbeat that was stopped since; the next call does', async () => {
    const dataDir = fs.mkdtempSync(path.join(os.tmpdir(), 'holdfast-beat-'));
    const clock = createSystemClock();
    const crashPoints = noCrashPoints;
    const db = await openDatabase({
      dataDir,
      isReadOnly: false,
      newId: () => 'db-1',
      nowMs: clock.nowMs(),
      crashPoints,
    });
    const beats = createHeartbeats({
      journal: createGroupCommit({ db, clock, crashPoints, assertOwner: () => undefined }),
      reads: createScheduleReads(db),
      clock,
      crashPoints,
      audit: { record: () => undefined, flush: () => Promise.resolve() },
      dates: () => Promise.reject(new Error('not asked')),
      system: () => ({ isEnabled: false, interval: '', contextId: 'main', zone: 'UTC' }),
      hasSession: () => true,
      edits: { inTurn: (work) => work(), changed: () => undefined },
    });
    const wish = { sessionId: 1, turnId: 1, seconds: 60, message: 'm' };
    const first = await beats.start({ ...wish, key: 'a' });
    expect(await beats.start({ ...wish, key: 'a' })).toEqual(first);
    await beats.stop(1, 'agent');
    expect(await beats.start({ ...wish, key: 'a' })).toBeUndefined();
    expect(await beats.start({ ...wish, key: 'b' })).toMatchObject({ message: 'm', ticks: 0 });
    db.close();
    fs.rmSync(dataDir, { recursive: true, force: true });
  });
});

describe('the sleep-command guard', () => {
  it('S1-25 S1-29 S1-30 refuses a shell call that only waits: no step, and the ready timer call', async () => {
    const life = await start();
    const told = await ask(life, 'shell {"command":"touch made && sleep 60"}');
    expect(told).toContain('timer(60, "');
    expect(await ask(life, 'shell {"command":"ls"}')).not.toContain('made');
  });

  it('S1-27 S1-28 a wait that something follows, or that only a failure comes to, runs with its exit code', async () => {
    const life = await start();
    expect(await ask(life, 'shell {"command":"sleep 0.1 && exit 3"}')).toContain('[exit code 3]');
    expect(await ask(life, 'shell {"command":"false || sleep 0.1"}')).toContain('[exit code 0]');
  });

  it.each(['HOLDFAST_SLEEP_INTERCEPTOR', 'REEBOOT_SLEEP_INTERCEPTOR'])(
    'S1-31 X-06 %s=0 lets sleep 1 run',
    async (name) => {
      const life = await start({}, { [name]: '0' });
      expect(await ask(life, 'shell {"command":"sleep 1"}')).toContain('[exit code 0]');
    },
  );
});

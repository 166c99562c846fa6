/**
 * A process that is killed around the durable writes of schedules: tasks, their slots, timers and
 * heartbeats. Whatever the point and the mode: each slot is decided once, and what it became is there
 * once. Most of the time of these processes is waiting: they wait together.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { afterAll, describe, expect, it } from 'vitest';
import { openForDecision } from '../../electron/offline/open-data';
import type { CrashPointName } from '../../electron/engine/kernel/crash-points';
import type { TaskRun } from '../../shared/schedule/model';
import { createNats, endNats, NO_NATS } from '../helpers/nats-server';
import { databaseProblems, rowsOf } from './evidence';
import { createRealm, decideAll, endRealms, inEveryMode, type Mode, startLife } from './lives';
import type { Life, Realm } from './realm';
import { isPortOpened, sendToWebhook } from './inbound';
import { SCHEDULE_POINTS } from './own-workloads';

afterAll(endRealms);
afterAll(endNats);

/** In `safe_only` the tools that set something are listed: a person is asked. */
function realmFor(mode: Mode, config: Record<string, unknown> = {}): Realm {
  const listed = mode === 'safe_only' ? ['timer', 'heartbeat'] : [];
  return createRealm(mode, { 'resilience.recovery.side_effect_tools': listed, ...config });
}
const points = (start: string): readonly CrashPointName[] =>
  SCHEDULE_POINTS.filter((point) => point.startsWith(start));
const task = (schedule: string) => ({ prompt: 'talk t', schedule, agent: 'fake' });

async function runsOf(life: Life): Promise<readonly TaskRun[]> {
  return (await life.call('tasks.history', { limit: 1000 })).runs;
}

async function until(what: () => Promise<boolean>): Promise<void> {
  for (let round = 0; round < 3_000; round += 1) {
    if (await what()) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error('it did not come to that');
}

/** Turns that have ended, when everything that is asked has been answered. */
const endedTurns = async (realm: Realm, life: Life): Promise<readonly string[]> => {
  await life.ask({ kind: 'quiet' });
  await decideAll(realm, life);
  const { turns } = await life.call('turns.list', {});
  return turns.filter((turn) => turn.state === 'completed').map((turn) => turn.promptStart);
};

/** A broker with a stream, and a realm that takes messages from it. */
async function ordersIn(mode: Mode) {
  const dir = mkdtempSync(path.join(os.tmpdir(), 'holdfast-orders-'));
  const nats = await createNats(dir);
  await nats.start();
  const connection = await nats.connect();
  const manager = await jetstreamManager(connection);
  await manager.streams.add({ name: 'ORDERS', subjects: ['orders.>'] });
  return {
    realm: realmFor(mode, { 'nats.url': nats.url }),
    send: (text: string) => jetstream(connection).publish('orders.new', text),
    async waiting(): Promise<number> {
      let count = 0;
      for await (const one of manager.consumers.list('ORDERS'))
        count += one.num_pending + one.num_ack_pending;
      return count;
    },
    async close() {
      await connection.close();
      await nats.kill();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

/** The events on disk, by the sequence that the stream gave them. */
const eventsOf = (realm: Realm): readonly string[] =>
  rowsOf<{ event_id: string }>(realm, 'SELECT event_id FROM task_events ORDER BY event_id').map(
    ({ event_id: id }) => id.slice(0, id.lastIndexOf('-')),
  );

/** A repository whose branch moves in one write: git itself takes longer than a look at it. */
function commitsIn(repository: string): () => void {
  mkdirSync(repository);
  const git = (...args: string[]): string =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.org', ...args], {
      cwd: repository,
      encoding: 'utf8',
    }).trim();
  git('init', '-q', '-b', 'main');
  git('commit', '-q', '--allow-empty', '-m', 'first');
  const second = git('commit-tree', '-p', 'HEAD', '-m', 'second', 'HEAD^{tree}');
  return () => {
    writeFileSync(path.join(repository, '.git', 'refs', 'heads', 'main'), `${second}\n`);
  };
}

/** A life in which the events of a task come to one run that ends well, and nothing more of them. */
async function startsOnce(
  realm: Realm,
  taskId: number,
  meanwhile: () => Promise<void> = () => Promise.resolve(),
): Promise<void> {
  const life = startLife(realm);
  await life.ready();
  await meanwhile();
  const ran = async (): Promise<readonly TaskRun[]> =>
    (await runsOf(life)).filter((run) => run.taskId === taskId);
  await until(async () => {
    await endedTurns(realm, life);
    return (await ran()).some(({ status }) => status === 'completed');
  });
  // Longer than its debounce and a look at what it waits for.
  await new Promise((resolve) => setTimeout(resolve, 2_500));
  expect(await ran()).toMatchObject([{ outcome: 'ran', status: 'completed' }]);
  expect(await life.call('tasks.show', { taskId })).toMatchObject({ state: 'active' });
  await life.stop();
  expect(databaseProblems(realm)).toEqual([]);
}

describe.concurrent('a process that is killed, in 3 modes, at', () => {
  it.each(points('task.set.'))('S1-01 %s has the task whole or not at all', (point) =>
    inEveryMode(async (mode) => {
      const realm = realmFor(mode);
      const first = startLife(realm, { crash: { point, hit: 1 } });
      await first.ready();
      void first.ask({ kind: 'call', verb: 'tasks.add', input: task('every 1h') });
      expect(await first.ended).toBe('SIGKILL');
      const life = startLife(realm);
      await life.ready();
      const { tasks } = await life.call('tasks.list', {});
      expect(tasks).toHaveLength(point === 'task.set.before' ? 0 : 1);
      await life.stop();
      expect(databaseProblems(realm)).toEqual([]);
    }),
  );

  it.each(points('task.set.'))(
    'GT-04 %s of a task of config.json has it once after the next start',
    (point) =>
      inEveryMode(async (mode) => {
        const realm = realmFor(mode, { 'tasks.own': { tidy: task('every 1h') } });
        const first = startLife(realm, { crash: { point, hit: 1 } });
        expect(await first.ended).toBe('SIGKILL');
        for (let start = 0; start < 2; start += 1) {
          const life = startLife(realm);
          await life.ready();
          const { tasks } = await life.call('tasks.list', {});
          expect(tasks.map(({ name }) => name)).toEqual(['tidy']);
          await life.stop();
        }
        expect(databaseProblems(realm)).toEqual([]);
      }),
  );

  it.each(points('task.set.'))(
    'S1-01 S1-03 %s of an agent that makes a task: made again by the resumed turn, it is the same one',
    (point) =>
      inEveryMode(async (mode) => {
        const realm = realmFor(mode);
        const first = startLife(realm, { crash: { point, hit: 1 } });
        await first.ready();
        void first.ask({ kind: 'accept', text: 'schedule s', channel: 'cli', peer: 'main' });
        expect(await first.ended).toBe('SIGKILL');
        const life = startLife(realm);
        await life.ready();
        await until(async () => (await endedTurns(realm, life)).length === 1);
        const { tasks } = await life.call('tasks.list', {});
        expect(tasks).toMatchObject([{ prompt: 'one s', madeBy: 'agent', state: 'active' }]);
        await life.stop();
        expect(databaseProblems(realm)).toEqual([]);
      }),
  );

  it.each(['journal.commit.inside', 'task.set.after'] as const)(
    'S1-+01 %s has all 3 tasks paused or none, and resumed or none: one commit',
    async (point) => {
      const realm = realmFor('always');
      const states = async (life: Life): Promise<readonly string[]> =>
        (await life.call('tasks.list', {})).tasks.map(({ state }) => state);
      const made = startLife(realm);
      await made.ready();
      for (let count = 0; count < 3; count += 1) await made.call('tasks.add', task('every 1h'));
      await made.stop();
      for (const [verb, from, to] of [
        ['tasks.pauseAll', 'active', 'paused'],
        ['tasks.resumeAll', 'paused', 'active'],
      ] as const) {
        const first = startLife(realm);
        await first.ready();
        // How many commits a start makes depends on which of them go together: not to be counted.
        await first.ask({ kind: 'quiet' });
        await first.ask({ kind: 'arm', point });
        void first.ask({ kind: 'call', verb, input: {} });
        expect(await first.ended).toBe('SIGKILL');
        const life = startLife(realm);
        await life.ready();
        const kept = point === 'task.set.after' ? to : from;
        expect(await states(life)).toEqual([kept, kept, kept]);
        await life.call(verb, {});
        expect(await states(life)).toEqual([to, to, to]);
        await life.stop();
      }
      expect(databaseProblems(realm)).toEqual([]);
    },
  );

  it.each(points('task.fire.'))('S1-+05 S1-10 %s runs the slot once', (point) =>
    inEveryMode(async (mode) => {
      const realm = realmFor(mode);
      const first = startLife(realm, { crash: { point, hit: 1 } });
      await first.ready();
      await first.call('tasks.add', task('in 1s'));
      expect(await first.ended).toBe('SIGKILL');
      const life = startLife(realm);
      await life.ready();
      await until(async () => (await endedTurns(realm, life)).length === 1);
      expect(await runsOf(life)).toMatchObject([{ outcome: 'ran', status: 'completed' }]);
      expect((await life.call('tasks.show', { taskId: 1 })).state).toBe('completed');
      await life.stop();
      expect(databaseProblems(realm)).toEqual([]);
    }),
  );

  it.each(points('task.skip.'))('S0-24 %s skips the slot once, with its reason', (point) =>
    inEveryMode(async (mode) => {
      const realm = realmFor(mode, { 'resilience.scheduler.catchup_window': 'off' });
      const first = startLife(realm);
      await first.ready();
      // Killed before the slot on a slow machine, too: one that has run is not there to be skipped.
      await first.call('tasks.add', task('in 5s'));
      await first.kill();
      await new Promise((resolve) => setTimeout(resolve, 5_200));
      const second = startLife(realm, { crash: { point, hit: 1 } });
      expect(await second.ended).toBe('SIGKILL');
      const life = startLife(realm);
      await life.ready();
      expect(await runsOf(life)).toMatchObject([{ outcome: 'missed', why: 'window' }]);
      expect(await endedTurns(realm, life)).toEqual([]);
      const { items } = await life.call('inbox.list', {});
      expect(items.filter((item) => item.title.startsWith('Missed: '))).toHaveLength(1);
      await life.stop();
    }),
  );

  it.each(points('task.fire.'))('GT-01 %s of a slot whose check found news runs it once', (point) =>
    inEveryMode(async (mode) => {
      const realm = realmFor(mode);
      const first = startLife(realm, { crash: { point, hit: 1 } });
      await first.ready();
      await first.call('tasks.add', { ...task('in 1s'), check: 'command: echo news' });
      expect(await first.ended).toBe('SIGKILL');
      const life = startLife(realm);
      await life.ready();
      await until(async () => (await endedTurns(realm, life)).length === 1);
      const runs = await runsOf(life);
      expect(runs).toMatchObject([{ outcome: 'ran', status: 'completed' }]);
      expect(runs[0]?.words).toContain('First output of its check.');
      await life.stop();
      expect(databaseProblems(realm)).toEqual([]);
    }),
  );

  it.each(points('task.skip.'))(
    'GT-01 %s of a slot whose check found nothing to do has it on record once, without a turn',
    (point) =>
      inEveryMode(async (mode) => {
        const realm = realmFor(mode);
        const first = startLife(realm, { crash: { point, hit: 1 } });
        await first.ready();
        await first.call('tasks.add', { ...task('in 1s'), check: 'command: false' });
        expect(await first.ended).toBe('SIGKILL');
        const life = startLife(realm);
        await life.ready();
        await until(async () => (await runsOf(life)).length === 1);
        expect(await runsOf(life)).toMatchObject([{ outcome: 'skipped', why: 'nothing' }]);
        expect((await life.call('tasks.show', { taskId: 1 })).state).toBe('completed');
        expect(await endedTurns(realm, life)).toEqual([]);
        await life.stop();
        expect(databaseProblems(realm)).toEqual([]);
      }),
  );

  it.each(points('task.event.'))(
    'GT-02 %s of a changed file that a task waits for starts it once',
    (point) =>
      inEveryMode(async (mode) => {
        const realm = realmFor(mode);
        const file = path.join(realm.outside, 'waited-for');
        const first = startLife(realm, { crash: { point, hit: 1 } });
        await first.ready();
        await first.call('tasks.add', task(`on file ${file} debounce 1s`));
        writeFileSync(file, 'changed');
        expect(await first.ended).toBe('SIGKILL');
        const life = startLife(realm);
        await life.ready();
        await until(async () => (await endedTurns(realm, life)).length === 1);
        // Longer than its debounce: nothing more comes of the same change.
        await new Promise((resolve) => setTimeout(resolve, 2_500));
        expect(await runsOf(life)).toMatchObject([{ outcome: 'ran', status: 'completed' }]);
        expect(await life.call('tasks.show', { taskId: 1 })).toMatchObject({ state: 'active' });
        await life.stop();
        expect(databaseProblems(realm)).toEqual([]);
      }),
  );

  it.each([...points('task.event.'), ...points('task.fire.')])(
    'GT-02 %s of a git branch that has moved starts what waits for it once',
    (point) =>
      inEveryMode(async (mode) => {
        const realm = realmFor(mode);
        const repository = path.join(realm.outside, 'project');
        const moveOn = commitsIn(repository);
        const first = startLife(realm, { crash: { point, hit: 1 } });
        await first.ready();
        await first.call('tasks.add', task(`on git ${repository} main debounce 1s`));
        moveOn();
        expect(await first.ended).toBe('SIGKILL');
        await startsOnce(realm, 1);
        // Nothing has moved since: a start that looks again finds no event.
        await startsOnce(realm, 1);
        expect(eventsOf(realm)).toHaveLength(1);
      }),
  );

  it.each([...points('task.event.'), ...points('task.fire.')])(
    'GT-02 %s of a message of a webhook starts what waits for it once: its sender sends it again until it is told that it is there',
    (point) =>
      inEveryMode(async (mode) => {
        const realm = realmFor(mode, {
          'channels.own': { ci: { kind: 'webhook', inbound: true, agent: 'fake' } },
          'channels.port': 0,
        });
        const first = startLife(realm, { crash: { point, hit: 1 } });
        await first.ready();
        await first.call('tasks.add', task('on webhook ci where red debounce 1s'));
        const message = { id: 'build-7', text: 'main is red' };
        await until(() => Promise.resolve(isPortOpened(realm)));
        const told = sendToWebhook(realm, 'ci', message).catch(() => 'cut off');
        expect(await first.ended).toBe('SIGKILL');
        // Its sender knows of it when it is on disk with its run still to come, and not before.
        expect(await told).toBe(point.startsWith('task.fire') ? 200 : 'cut off');
        const again = async (): Promise<void> => {
          await until(
            async () => (await sendToWebhook(realm, 'ci', message).catch(() => 0)) === 200,
          );
        };
        await startsOnce(realm, 1, again);
        await startsOnce(realm, 1, again);
        expect(eventsOf(realm)).toHaveLength(1);
      }),
  );

  it.each([...points('task.event.'), ...points('task.fire.')])(
    'GT-02 %s of the end of another task starts what waits for it once',
    (point) =>
      inEveryMode(async (mode) => {
        const realm = realmFor(mode);
        // The first run is that of the other task.
        const hit = point.startsWith('task.fire') ? 2 : 1;
        const first = startLife(realm, { crash: { point, hit } });
        await first.ready();
        const { id: taskId } = await first.call('tasks.add', {
          ...task('every 1h'),
          prompt: 'talk a',
        });
        const wish = { ...task(`on task ${String(taskId)} debounce 1s`), prompt: 'talk b' };
        const waiting = await first.call('tasks.add', wish);
        void first.ask({ kind: 'call', verb: 'tasks.run', input: { taskId } });
        expect(await first.ended).toBe('SIGKILL');
        await startsOnce(realm, waiting.id);
        await startsOnce(realm, waiting.id);
        expect(eventsOf(realm)).toHaveLength(1);
      }),
  );

  it.skipIf(NO_NATS !== undefined).each(points('task.event.'))(
    'GT-02 %s of a message of a real nats-server that a task waits for starts it once: it is acknowledged only when it is on disk',
    (point) =>
      inEveryMode(async (mode) => {
        const broker = await ordersIn(mode);
        const { realm, send, waiting } = broker;
        const first = startLife(realm, { crash: { point, hit: 1 } });
        await first.ready();
        await first.call('tasks.add', task('on nats orders.new debounce 1s'));
        await send('m1');
        expect(await first.ended).toBe('SIGKILL');
        expect(await waiting()).toBe(1);
        await send('m2');
        const life = startLife(realm);
        await life.ready();
        await until(async () => (await waiting()) === 0);
        await until(async () => (await runsOf(life)).length > 0);
        await until(async () => (await endedTurns(realm, life)).length > 0);
        // Both came while nothing ran or within one debounce; neither is in a run twice.
        expect(eventsOf(realm)).toEqual(['ORDERS-1', 'ORDERS-2']);
        const runs = await runsOf(life);
        expect(runs.filter(({ outcome }) => outcome === 'ran')).toHaveLength(runs.length);
        await life.stop();
        expect(databaseProblems(realm)).toEqual([]);
        await broker.close();
      }),
  );

  it.each(points('timer.'))('S1-+04 S1-14 %s wakes the session once', (point) =>
    inEveryMode(async (mode) => {
      const realm = realmFor(mode);
      const first = startLife(realm, { crash: { point, hit: 1 } });
      await first.ready();
      void first.ask({ kind: 'accept', text: 'timer t', channel: 'cli', peer: 'main' });
      expect(await first.ended).toBe('SIGKILL');
      const life = startLife(realm);
      await life.ready();
      await until(async () => (await endedTurns(realm, life)).length >= 2);
      expect((await endedTurns(realm, life)).toSorted()).toEqual(['one t', 'timer t']);
      expect((await life.call('timers.list', {})).timers).toEqual([]);
      await life.stop();
      expect(databaseProblems(realm)).toEqual([]);
    }),
  );

  it.each(points('heartbeat.'))('S1-+04 S1-23 %s goes on with one heartbeat', (point) =>
    inEveryMode(async (mode) => {
      const realm = realmFor(mode);
      const first = startLife(realm, { crash: { point, hit: 1 } });
      await first.ready();
      void first.ask({ kind: 'accept', text: 'beat b', channel: 'cli', peer: 'main' });
      expect(await first.ended).toBe('SIGKILL');
      const life = startLife(realm);
      await life.ready();
      await until(
        async () => (await endedTurns(realm, life)).filter((text) => text === 'one b').length === 1,
      );
      const { heartbeats } = await life.call('heartbeat.status', {});
      expect(heartbeats).toMatchObject([{ isSystem: false, ticks: 1 }]);
      await life.stop();
    }),
  );

  it('S0-30 S1-+01 any instant: commands that write afterward do not move the instant of the death', async () => {
    const realm = realmFor('always');
    const first = startLife(realm);
    await first.ready();
    await first.call('tasks.add', task('every 1h'));
    await first.kill();
    const cameAtMs = Date.now();
    for (const verb of ['tasks.pause', 'tasks.resume'] as const) {
      const command = await openForDecision(realm.dataDir);
      await command.holdfast.call(verb, { taskId: 1 }, 'cli');
      await command.close();
    }
    const life = startLife(realm);
    await life.ready();
    const { restart } = await life.call('status.get', {});
    expect(restart?.reason).toBe('kill');
    expect(restart?.downSinceMs).toBeLessThan(cameAtMs);
    await life.stop();
  });

  it('S1-+05 any instant: over 4 kills of a task every 2s, slots in the history are unique and each became one turn', async () => {
    const realm = realmFor('always');
    for (let kill = 0; kill < 4; kill += 1) {
      const life = startLife(realm);
      await life.ready();
      if (kill === 0) await life.call('tasks.add', task('every 2s'));
      await new Promise((resolve) => setTimeout(resolve, 1_700 + kill * 170));
      await life.kill();
    }
    const life = startLife(realm);
    await life.ready();
    await life.call('tasks.pause', { taskId: 1 });
    await life.ask({ kind: 'quiet' });
    const runs = await runsOf(life);
    const ran = runs.filter((run) => run.outcome === 'ran');
    expect(new Set(runs.map((run) => run.slotMs)).size).toBe(runs.length);
    const { turns } = await life.call('turns.list', { session: 'task-1', limit: 1000 });
    expect(turns.map((turn) => turn.id).toSorted()).toEqual(
      ran.map((run) => run.turnId ?? 0).toSorted(),
    );
    expect(ran.length).toBeGreaterThanOrEqual(2);
    await life.stop();
    expect(databaseProblems(realm)).toEqual([]);
  });
});

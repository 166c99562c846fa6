/**
 * A process that is killed around the durable writes of schedules: tasks, their slots, timers and
 * heartbeats. Whatever the point: each slot is decided once, and what it became is there once.
 */
import { afterEach, describe, expect, it } from 'vitest';
import type { CrashPointName } from '../../electron/engine/kernel/crash-points';
import type { TaskRun } from '../../shared/schedule/model';
import { databaseProblems } from './evidence';
import { createRealm, endLives, startLife, type Life, type Realm } from './lives';
import { SCHEDULE_POINTS } from './own-workloads';

const realms: Realm[] = [];
afterEach(() => {
  endLives();
  for (const realm of realms.splice(0)) realm.remove();
});

function realmWith(config: Record<string, unknown> = {}): Realm {
  const realm = createRealm('always', config);
  realms.push(realm);
  return realm;
}
const points = (start: string): readonly CrashPointName[] =>
  SCHEDULE_POINTS.filter((point) => point.startsWith(start));
const task = (schedule: string) => ({ prompt: 'talk t', schedule, agent: 'fake' });

async function runsOf(life: Life): Promise<readonly TaskRun[]> {
  return (await life.call('tasks.history', { limit: 1000 })).runs;
}

async function until(what: () => Promise<boolean>): Promise<void> {
  for (let round = 0; round < 600; round += 1) {
    if (await what()) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error('it did not come to that');
}

const endedTurns = async (life: Life): Promise<readonly string[]> => {
  await life.ask({ kind: 'quiet' });
  const { turns } = await life.call('turns.list', {});
  return turns.filter((turn) => turn.state === 'completed').map((turn) => turn.promptStart);
};

describe('a process that is killed at', () => {
  it.each(points('task.set.'))('S1-01 %s has the task whole or not at all', async (point) => {
    const realm = realmWith();
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
  });

  it.each(points('task.fire.'))('S1-+05 S1-10 %s runs the slot once', async (point) => {
    const realm = realmWith();
    const first = startLife(realm, { crash: { point, hit: 1 } });
    await first.ready();
    await first.call('tasks.add', task('in 1s'));
    expect(await first.ended).toBe('SIGKILL');
    const life = startLife(realm);
    await life.ready();
    await until(async () => (await endedTurns(life)).length === 1);
    expect(await runsOf(life)).toMatchObject([{ outcome: 'ran', status: 'completed' }]);
    expect((await life.call('tasks.show', { taskId: 1 })).state).toBe('completed');
    await life.stop();
    expect(databaseProblems(realm)).toEqual([]);
  });

  it.each(points('task.skip.'))('S0-24 %s skips the slot once, with its reason', async (point) => {
    const realm = realmWith({ 'resilience.scheduler.catchup_window': 'off' });
    const first = startLife(realm);
    await first.ready();
    await first.call('tasks.add', task('in 1s'));
    await first.kill();
    await new Promise((resolve) => setTimeout(resolve, 1_200));
    const second = startLife(realm, { crash: { point, hit: 1 } });
    expect(await second.ended).toBe('SIGKILL');
    const life = startLife(realm);
    await life.ready();
    expect(await runsOf(life)).toMatchObject([{ outcome: 'missed', why: 'window' }]);
    expect(await endedTurns(life)).toEqual([]);
    const { items } = await life.call('inbox.list', {});
    expect(items.filter((item) => item.title.startsWith('Missed: '))).toHaveLength(1);
    await life.stop();
  });

  it.each(points('timer.'))('S1-+04 S1-14 %s wakes the session once', async (point) => {
    const realm = realmWith();
    const first = startLife(realm, { crash: { point, hit: 1 } });
    await first.ready();
    void first.ask({ kind: 'accept', text: 'timer t', channel: 'cli', peer: 'main' });
    expect(await first.ended).toBe('SIGKILL');
    const life = startLife(realm);
    await life.ready();
    await until(async () => (await endedTurns(life)).length >= 2);
    expect((await endedTurns(life)).toSorted()).toEqual(['one t', 'timer t']);
    expect((await life.call('timers.list', {})).timers).toEqual([]);
    await life.stop();
    expect(databaseProblems(realm)).toEqual([]);
  });

  it.each(points('heartbeat.'))('S1-+04 S1-23 %s goes on with one heartbeat', async (point) => {
    const realm = realmWith();
    const first = startLife(realm, { crash: { point, hit: 1 } });
    await first.ready();
    void first.ask({ kind: 'accept', text: 'beat b', channel: 'cli', peer: 'main' });
    expect(await first.ended).toBe('SIGKILL');
    const life = startLife(realm);
    await life.ready();
    await until(
      async () => (await endedTurns(life)).filter((text) => text === 'one b').length === 1,
    );
    const { heartbeats } = await life.call('heartbeat.status', {});
    expect(heartbeats).toMatchObject([{ isSystem: false, ticks: 1 }]);
    await life.stop();
  });

  it('S1-+05 any instant: over 6 kills of a task every 1s, slots in the history are unique and each became one turn', async () => {
    const realm = realmWith();
    for (let kill = 0; kill < 6; kill += 1) {
      const life = startLife(realm);
      await life.ready();
      if (kill === 0) await life.call('tasks.add', task('every 1s'));
      await new Promise((resolve) => setTimeout(resolve, 900 + kill * 170));
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
    expect(ran.length).toBeGreaterThanOrEqual(3);
    await life.stop();
    expect(databaseProblems(realm)).toEqual([]);
  });
});

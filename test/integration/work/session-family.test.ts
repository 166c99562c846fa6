/** The outcome that a session is to reach, and sessions that were begun in another one. */
import fs from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, describe, expect, it } from 'vitest';
import { openReadOnly } from '../../../electron/offline/open-data';
import type { Composition } from '../../../electron/compose/options';
import type { ModelRequest } from '../../../electron/ports/provider';
import { ENDED, turnIn } from '../../helpers/compose-world';
import { createFakeProvider, promptOf, resultsSoFar, type Script } from '../../helpers/fake-world';
import { createWorkWorld, send, statusOf, type WorkWorld } from './work-world';

let site: WorkWorld;
afterEach(() => site.end());

const eventsOf = async (life: Pick<Composition, 'holdfast'>, session: string) =>
  (await life.holdfast.call('session.events', { session, life: false }, 'test')).events;

describe('the outcome of a session', () => {
  it('S3-32 S3-13 user.define_outcome is worked on as it was said, pending until its turn is over, and stands before each later turn, the last one defined, also after a restart', async () => {
    site = createWorkWorld();
    const asked: ModelRequest[] = [];
    let open: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (open = resolve));
    const provider = createFakeProvider({
      dir: site.world.outside,
      script: () => ({ text: 'done' }),
      gate: async (request) => {
        asked.push(request);
        if (promptOf(request) === 'All tests pass') await held;
        return undefined;
      },
    });
    const first = await site.start({ providers: [provider] });
    await turnIn(first, await send(first, 'hello'), [...ENDED]);
    expect((await statusOf(first)).outcome).toBeNull();
    const { turnId } = await first.holdfast.call(
      'session.defineOutcome',
      { session: 's', outcome: 'All tests pass' },
      'test',
    );
    await expect.poll(() => asked.length).toBe(2);
    const before = (await eventsOf(first, 's')).at(-1);
    expect(before).toMatchObject({
      type: 'user.define_outcome',
      text: 'All tests pass',
      turnId,
      isPending: true,
    });
    open();
    await turnIn(first, turnId, [...ENDED]);
    const types = (await eventsOf(first, 's')).map(({ type, isPending }) => [type, isPending]);
    expect(types).toEqual([
      ['user.message', false],
      ['agent.message', false],
      ['user.define_outcome', false],
      ['agent.message', false],
    ]);
    await first.lifecycle.stop('stop');
    const stopped = await openReadOnly(site.world.dataDir);
    expect((await stopped.holdfast.call('session.status', { session: 's' }, 'cli')).outcome).toBe(
      'All tests pass',
    );
    await stopped.close();
    const second = await site.start({ providers: [provider] });
    await turnIn(second, await send(second, 'and now?'), [...ENDED]);
    await turnIn(second, await send(second, 'elsewhere', 'other'), [...ENDED]);
    const again = { session: 's', outcome: 'Nothing is slow' };
    const next = await second.holdfast.call('session.defineOutcome', again, 'test');
    await turnIn(second, next.turnId, [...ENDED]);
    await turnIn(second, await send(second, 'and then?'), [...ENDED]);
    const told = asked.map(({ system }) => /Goal of this session: (.*)/.exec(system)?.[1]);
    expect(told).toEqual([
      ...[undefined, undefined, 'All tests pass', undefined],
      ...['All tests pass', 'Nothing is slow'],
    ]);
    expect((await statusOf(second)).outcome).toBe('Nothing is slow');
  });

  it('S3-32 an outcome for a session that is not there begins none, and an empty one is refused', async () => {
    site = createWorkWorld();
    const life = await site.start();
    const ask = (input: { session: string; outcome: string }) =>
      life.holdfast.call('session.defineOutcome', input, 'test');
    await expect(ask({ session: 'nobody', outcome: 'x' })).rejects.toMatchObject({
      code: 'SESSION_UNKNOWN',
    });
    await expect(ask({ session: 'nobody', outcome: '' })).rejects.toMatchObject({
      code: 'INPUT_INVALID',
    });
    const { sessions } = await life.holdfast.call('sessions.list', {}, 'test');
    expect(sessions).toEqual([]);
  });
});

it('S4-31 a database from before has its sessions and messages as they were, without a parent and an outcome, and takes both', async () => {
  site = createWorkWorld();
  const folder = 'electron/adapters/sqlite/migrations';
  const files = fs.readdirSync(folder).sort();
  const mine = files.findIndex((name) => name.includes('session_family'));
  const older = new Database(path.join(site.world.dataDir, 'holdfast.db'));
  for (const name of files.slice(0, mine))
    older.exec(fs.readFileSync(path.join(folder, name), 'utf8'));
  older.exec(`
    INSERT INTO journal (seq, at_ms, kind, turn_id, body) VALUES
      (1, 1000, 1, NULL, '{"sessionId":1,"key":"s","title":"S","agent":"fake"}'),
      (2, 1000, 2, 1, '{"sessionId":1,"promptStart":"p","channel":"cli","peer":"","x":"p"}'),
      (3, 2000, 12, 1, '{"sessionId":1,"state":"cancelled","reason":"","hasReply":false}');
    PRAGMA user_version = ${String(mine)};
    PRAGMA application_id = ${String(0x48667374)};`);
  older.close();
  const provider = createFakeProvider({
    dir: site.world.outside,
    script: () => ({ text: 'done' }),
  });
  const life = await site.start({ providers: [provider] });
  expect((await statusOf(life)).outcome).toBeNull();
  expect((await eventsOf(life, 's')).map(({ type }) => type)).toEqual([
    ...['user.message', 'agent.message'],
  ]);
  const input = { key: 'c', agent: 'fake', parent: 's' };
  await life.holdfast.call('session.create', input, 'test');
  const wish = { session: 'c', outcome: 'Green' };
  const { turnId } = await life.holdfast.call('session.defineOutcome', wish, 'test');
  await turnIn(life, turnId, [...ENDED]);
  expect((await eventsOf(life, 's')).map(({ type }) => type).slice(2)).toEqual([
    ...['session.child_created', 'session.child_idle'],
  ]);
});

describe('a session that was begun in another one', () => {
  const scheduler: Script = (request) =>
    promptOf(request) === 'plan' && resultsSoFar(request) === 0
      ? { calls: [{ tool: 'schedule_task', args: { prompt: 'look', schedule: 'every 1h' } }] }
      : { text: `re: ${promptOf(request).split('\n').at(-1) ?? ''}` };

  it('S3-32 the log of the session in which an agent made a task tells that the session of the task was created, and each time that it is idle, with the answer; after a restart the same', async () => {
    site = createWorkWorld();
    const provider = createFakeProvider({ dir: site.world.outside, script: scheduler });
    const life = await site.start({ providers: [provider] });
    await turnIn(life, await send(life, 'plan'), [...ENDED]);
    const children = async (of: Pick<Composition, 'holdfast'>) =>
      (await eventsOf(of, 's'))
        .filter(({ type }) => type.startsWith('session.child_'))
        .map(({ type, text, child }) => [type, text, child?.key]);
    expect(await children(life)).toEqual([]);
    for (let runs = 1; runs <= 2; runs += 1) {
      const { turnId } = await life.holdfast.call('tasks.run', { taskId: 1 }, 'test');
      await turnIn(life, turnId, [...ENDED]);
    }
    const idle = ['session.child_idle', 'task-1: completed: re: look', 'task-1'];
    const expected = [['session.child_created', 'task-1', 'task-1'], idle, idle];
    expect(await children(life)).toEqual(expected);
    expect((await statusOf(life, 'task-1')).session.parent).toBe('s');
    expect((await statusOf(life)).session).not.toHaveProperty('parent');
    // Its own log is as every other one.
    expect((await eventsOf(life, 'task-1')).map(({ type }) => type)).toEqual([
      ...['user.message', 'agent.message', 'user.message', 'agent.message'],
    ]);
    await life.lifecycle.stop('stop');
    const stopped = await openReadOnly(site.world.dataDir);
    expect(await children(stopped)).toEqual(expected);
    await stopped.close();
  });

  it('S3-32 a session created with a parent is its child: idle once when two turns are over, not after the first; an unknown parent is refused and nothing is created', async () => {
    site = createWorkWorld();
    let open: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (open = resolve));
    const provider = createFakeProvider({
      dir: site.world.outside,
      script: (request) => ({ text: `re: ${promptOf(request)}` }),
      gate: async (request) => {
        if (promptOf(request) === 'one') await held;
        return undefined;
      },
    });
    const life = await site.start({ providers: [provider] });
    const create = (key: string, parent: string) =>
      life.holdfast.call('session.create', { key, agent: 'fake', parent }, 'test');
    await expect(create('c', 'nobody')).rejects.toMatchObject({ code: 'SESSION_UNKNOWN' });
    await life.holdfast.call('session.create', { key: 'p', agent: 'fake' }, 'test');
    expect(await create('c', 'p')).toMatchObject({ key: 'c', parent: 'p' });
    const one = await send(life, 'one', 'c');
    const two = await send(life, 'two', 'c');
    open();
    for (const turnId of [one, two]) await turnIn(life, turnId, [...ENDED]);
    expect((await eventsOf(life, 'p')).map(({ type, text }) => [type, text])).toEqual([
      ['session.child_created', 'c'],
      ['session.child_idle', 'c: completed: re: two'],
    ]);
  });
});

/** Tasks that a person asks for in a conversation, by a command, and which conversation is meant. */
import { afterEach, describe, expect, it } from 'vitest';
import { ENDED, turnIn } from '../../helpers/compose-world';
import { createFakeChannel } from '../../helpers/fake-world';
import { createScheduleWorld, type ScheduleWorld } from './schedule-world';

let site: ScheduleWorld;
afterEach(() => site.end());

describe('a command in a conversation', () => {
  it('S1-03 /tasks add in a conversation makes one task of the person, answered where it was asked for, and asks no model', async () => {
    site = createScheduleWorld();
    const chanA = createFakeChannel({ dir: site.world.outside, name: 'chanA' });
    const life = await site.start({ channels: [chanA] });
    const say = async (text: string): Promise<string> => {
      const { turnId } = await chanA.intake().accept({ peer: 'anna', text, agent: 'fake' });
      await turnIn(life, turnId, [...ENDED]);
      return (await life.holdfast.call('turns.show', { turnId }, 'test')).answer ?? '';
    };
    expect(await say('/tasks add "every 30m" check: "the build"')).toMatch(
      /^Task 1 was created, next \S+Z, Every 30 min: check: "the build"$/,
    );
    expect(await say('/tasks add “in 2h” von unterwegs')).toContain('Task 2 was created');
    expect((await life.holdfast.call('tasks.list', {}, 'test')).tasks).toMatchObject([
      {
        id: 1,
        prompt: 'check: "the build"',
        schedule: 'every 30m',
        channel: 'chanA',
        peer: 'anna',
        agent: 'fake',
        madeBy: 'user',
      },
      { id: 2, schedule: 'in 2h' },
    ]);
    expect(await say('/tasks add "every 0m" x')).toContain('"every 0m"');
    expect(await say('/tasks add "" x')).toContain('Nothing was changed.');
    expect(await say('/tasks add every 5m x')).toContain('Nothing was done.');
    expect(await say('/tasks add "every 5m"')).toContain('Nothing was done.');
    expect(site.rows('SELECT id FROM tasks')).toHaveLength(2);
    expect(site.asked).toEqual([]);
    expect(chanA.received().filter(({ peer }) => peer === 'anna').length).toBeGreaterThan(0);
  });

  it('S1-34 /tasks list is answered in the conversation of a program, too, and starts none', async () => {
    site = createScheduleWorld();
    const prog = {
      executor: 'command',
      command: '/no/such/program',
      workspace: site.world.outside,
    };
    site.config({ agents: { prog } });
    const life = await site.start();
    const sent = { text: '/tasks list', session: 'p', agent: 'prog' };
    const { turnId } = await life.holdfast.call('send', sent, 'test');
    await turnIn(life, turnId, [...ENDED]);
    const shown = await life.holdfast.call('turns.show', { turnId }, 'test');
    expect([shown.turn.state, shown.answer]).toEqual(['completed', 'No tasks yet.']);
  });
});

describe('a number in place of the name of a session', () => {
  it('S3-02 S1-37 is always the number: none is made under such a name, by a message, a person or the settings', async () => {
    site = createScheduleWorld({
      heartbeat: { enabled: true, interval: 'every 1s', contextId: '1' },
    });
    const life = await site.start();
    await life.holdfast.call('send', { text: 'hello', session: 'first', agent: 'fake' }, 'test');
    const of = { agent: 'fake', key: '2' };
    await expect(life.holdfast.call('session.create', of, 'test')).rejects.toMatchObject({
      code: 'SESSION_EXISTS',
    });
    const unknown = { text: 'hello', session: '2', agent: 'fake' };
    await expect(life.holdfast.call('send', unknown, 'test')).rejects.toMatchObject({
      code: 'SESSION_UNKNOWN',
    });
    const { problem, heartbeats } = await life.holdfast.call('heartbeat.status', {}, 'test');
    expect([problem, heartbeats]).toEqual([expect.stringContaining('no session "1"'), []]);
    expect(site.rows('SELECT key FROM sessions')).toEqual([{ key: 'first' }]);
  });
});

describe('the context of the system heartbeat', () => {
  it('S1-37 one that does not exist is a warning and no tick; one that does gets the ticks', async () => {
    site = createScheduleWorld({
      heartbeat: { enabled: true, interval: 'every 1s', contextId: 'team' },
    });
    const life = await site.start();
    const status = () => life.holdfast.call('heartbeat.status', {}, 'test');
    await expect.poll(async () => (await status()).problem).toContain('no session "team"');
    expect((await status()).heartbeats).toEqual([]);
    await life.holdfast.call('send', { text: 'hello', session: 'team', agent: 'fake' }, 'test');
    const set = { key: 'heartbeat.interval', value: 'every 2s' };
    await life.holdfast.call('config.set', set, 'test');
    await expect.poll(async () => (await status()).heartbeats[0]?.session).toBe('team');
    expect((await status()).problem).toBeUndefined();
    const ticks = async () =>
      (await life.holdfast.call('turns.list', { session: 'team' }, 'test')).turns.filter(
        (turn) => turn.promptStart === 'System heartbeat',
      );
    await expect.poll(async () => (await ticks()).length).toBeGreaterThanOrEqual(1);
  });
});

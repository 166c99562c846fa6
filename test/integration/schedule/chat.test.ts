/** Tasks that a person asks for in a conversation, by a command. */
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
      /^Task 1 is made, next \S+Z, Every 30 min: check: "the build"$/,
    );
    expect(await say('/tasks add “in 2h” von unterwegs')).toContain('Task 2 is made');
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
});

/** What a person decides about one turn that waits for a usage limit. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { turnIn } from '../../helpers/compose-world';
import { createLimitWorld, HOUR, MINUTE, waiting, type LimitWorld } from './limit-world';

const AT = '2026-10-07T18:00:00Z';
const LIMIT = { message: 'Usage limit reached. Resets in 3h.' };

let world: LimitWorld;
const ask = async (life: Awaited<ReturnType<LimitWorld['start']>>): Promise<number> =>
  (await life.holdfast.call('send', { text: 'do: say a', session: 'a', agent: 'fake' }, 'test'))
    .turnId;
afterEach(() => world.site.end());

describe('one waiting turn', () => {
  it('LM-10 "continue now" sends that turn alone before the reset; refused again, it waits for the same window and counts no other', async () => {
    world = createLimitWorld(AT, { limits: { max_windows: 1 } });
    const life = await world.start();
    world.limit(LIMIT);
    const turnId = await ask(life);
    await waiting(life, 1);
    for (const prompts of [2, 3]) {
      await life.holdfast.call('outage.now', { turnId }, 'test');
      await expect.poll(() => world.prompts()).toBe(prompts);
      await waiting(life, 1);
    }
    world.lift();
    await life.holdfast.call('outage.now', { turnId }, 'test');
    expect((await turnIn(life, turnId, ['completed', 'parked', 'failed'])).state).toBe('completed');
    expect(world.prompts()).toBe(4);
    await expect(life.holdfast.call('outage.now', { turnId }, 'test')).rejects.toMatchObject({
      code: 'TURN_STATE',
    });
  });

  it('LM-10 "not automatically" asks instead: nothing is sent at the reset, and Resume continues it once', async () => {
    world = createLimitWorld(AT);
    const life = await world.start();
    world.limit(LIMIT);
    const turnId = await ask(life);
    await waiting(life, 1);
    // Until the run that met the limit has ended.
    await vi.waitFor(() => life.holdfast.call('outage.hold', { turnId }, 'test'), 60_000);
    const held = await turnIn(life, turnId, ['parked']);
    expect(held.reason).toContain('You chose not to continue it automatically.');
    world.lift();
    await world.advance(3 * HOUR + 2 * MINUTE);
    expect(world.prompts()).toBe(1);
    const { decisions } = await life.holdfast.call('recovery.list', {}, 'test');
    const { requestHash = '' } = decisions.find((one) => one.turnId === turnId) ?? {};
    await life.holdfast.call('recovery.resume', { turnId, requestHash }, 'test');
    expect((await turnIn(life, turnId, ['completed', 'parked', 'failed'])).state).toBe('completed');
    expect(world.prompts()).toBe(2);
  });
});

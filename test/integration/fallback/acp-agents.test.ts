/** Fallbacks of ACP agents: real agent processes, the real engine, a virtual clock. */
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { ENDED, turnIn } from '../../helpers/compose-world';
import {
  createLimitWorld,
  HOUR,
  MINUTE,
  soon,
  waiting,
  type LimitWorld,
} from '../limits/limit-world';
import { ACP_AGENT } from '../../helpers/acp-agent-program';

const AT = '2026-10-07T18:00:00Z';
const UNTIL = Date.parse(AT) / 1_000 + 3 * 3_600;

let world: LimitWorld;
afterEach(() => world.site.end());

const createFallbackWorld = (mode: string): LimitWorld =>
  createLimitWorld(
    AT,
    { fallback: { mode }, approvals: { mode: 'off' } },
    { main: { fallback: ['other'] }, other: { args: [ACP_AGENT, 'spare'] } },
  );
const send = async (
  life: Awaited<ReturnType<LimitWorld['start']>>,
  text: string,
): Promise<number> =>
  (await life.holdfast.call('send', { text, session: 's', agent: 'main' }, 'test')).turnId;
const effects = (): readonly string[] =>
  fs.readFileSync(path.join(world.site.world.workspace, 'effects.log'), 'utf8').trim().split('\n');
const prompt = (at: number): string => JSON.parse((world.asked()[at] ?? '').slice(7)) as string;

describe('an ACP agent at its limit in the middle of a turn', () => {
  it('FB-03 FB-04 FB-06 another agent takes over with what is done; a repeat asks first; the first one gets the next turn and is told what it missed', async () => {
    world = createFallbackWorld('auto');
    const life = await world.start();
    const turnId = await send(
      life,
      ['do: run one', `do: halt ${String(UNTIL)}`, 'do: run two', 'do: say by another'].join('\n'),
    );
    await waiting(life, 1);
    expect(effects()).toEqual(['one']);
    await world.advance(2 * MINUTE);
    // The other agent wants to do what is done once more: that is asked about, whatever the rules.
    const [request] = await soon(async () => {
      const { requests } = await life.holdfast.call('approvals.list', {}, 'test');
      expect(requests).toHaveLength(1);
      return requests;
    });
    const { requestId = 0, requestHash = '' } = request ?? {};
    await life.holdfast.call('approvals.deny', { requestId, requestHash }, 'test');
    expect((await turnIn(life, turnId, [...ENDED])).state).toBe('completed');
    expect(effects()).toEqual(['one', 'two']);
    const { lines } = await life.holdfast.call('usage.list', { by: ['agent'], days: 30 }, 'test');
    expect(lines.map(({ provider, agent, count }) => [provider, agent, count])).toEqual([
      ['agent.other', 'other', 1],
    ]);
    expect(prompt(1)).toContain('Another agent worked on the request below');
    expect(prompt(1)).toMatch(/Already done\. Do not do these again:\n.*one/);
    const { turn } = await life.holdfast.call('turns.show', { turnId }, 'test');
    expect(turn.fallbacks).toMatchObject([
      { agent: 'other', instead: { agent: 'main' }, cause: 'limit', by: 'auto' },
    ]);
    await world.advance(3 * HOUR);
    const next = await send(life, 'do: say back');
    await turnIn(life, next, [...ENDED]);
    expect(prompt(2)).toContain('by another');
    const shown = await life.holdfast.call('turns.show', { turnId: next }, 'test');
    expect(shown.turn).toMatchObject({ backFrom: { agent: 'other' } });
    // Nothing is missing any more: the turn after that gets its prompt alone.
    await turnIn(life, await send(life, 'do: say last'), [...ENDED]);
    expect(prompt(3)).toBe('do: say last');
  });

  it('FB-02 two agents of an unknown program are not of one vendor: the user is asked, and a turn that has not begun starts with the other one', async () => {
    world = createFallbackWorld('by_vendor');
    world.limit({ message: 'usage limit reached', data: { resets_at: UNTIL }, only: 'plain' });
    const life = await world.start();
    const turnId = await send(life, 'do: run one');
    await waiting(life, 1);
    await world.advance(2 * MINUTE);
    await soon(async () => {
      const { items } = await life.holdfast.call('inbox.list', {}, 'test');
      expect(items.map(({ fallback }) => fallback)).toEqual([{ agent: 'main', to: 'other' }]);
    });
    // Virtual minutes pass faster than the last run ends.
    await soon(() => life.holdfast.call('outage.fallback', { agent: 'main' }, 'test'));
    expect((await turnIn(life, turnId, [...ENDED])).state).toBe('completed');
    expect(effects()).toEqual(['one']);
  });
});

/** What was paid before a usage limit is not paid again behind it. */
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { ENDED, turnIn } from '../../helpers/compose-world';
import { createFakeTools, linesOf } from '../../helpers/fake-world';
import type { FakeReply } from '../../helpers/fake-provider-types';
import { createVirtualClock } from '../../helpers/virtual-clock';
import { createOutageWorld, queueOf, until, type OutageWorld } from '../outage/outage-world';
import { createLimitWorld, HOUR, MINUTE, waiting, type LimitWorld } from './limit-world';

const AT = '2026-10-07T18:00:00Z';

describe('a turn that meets its limit in the middle', () => {
  let own: OutageWorld | undefined;
  let world: LimitWorld | undefined;
  afterEach(async () => {
    await own?.end();
    await world?.site.end();
    own = undefined;
    world = undefined;
  });

  it('LM-07 of a built-in agent continues from its records over a restart: each request that was answered was sent once, each action ran once', async () => {
    own = await createOutageWorld();
    const { fp, site } = own;
    const clock = createVirtualClock(Date.parse(AT));
    const tools = createFakeTools({ dir: site.world.outside });
    const start = () => site.start({ clock, ticker: clock.ticker, toolHosts: [tools] });
    let isLimited = true;
    const answered: string[] = [];
    fp.setScript(({ body, bodySha256, json }): FakeReply => {
      const { messages } = json as { messages: readonly { readonly role: string }[] };
      const done = messages.filter(({ role }) => role === 'tool').length;
      if (done === 2 && isLimited)
        return {
          status: 429,
          error: { message: 'You exceeded your current quota', code: 'insufficient_quota' },
        };
      answered.push(`${bodySha256} ${String(body.length)}`);
      if (done === 3) return { text: 'done' };
      return { toolCalls: [{ name: ['put', 'charge', 'send_email'][done] ?? '', args: { done } }] };
    });
    let life = await start();
    const { turnId } = await life.holdfast.call(
      'send',
      { text: 'work', session: 's', agent: 'fake' },
      'test',
    );
    await until(async () => expect(await queueOf(life)).toHaveLength(1));
    expect([answered.length, fp.calls().length]).toEqual([2, 3]);
    await life.lifecycle.stop('stop');
    life = await start();
    isLimited = false;
    await clock.advance(6 * MINUTE);
    expect((await turnIn(life, turnId, [...ENDED])).state).toBe('completed');
    expect([answered.length, new Set(answered).size, fp.calls().length]).toEqual([4, 4, 5]);
    const effects = linesOf(tools.log).map((line) => (JSON.parse(line) as { tool: string }).tool);
    expect(effects).toEqual(['put', 'charge', 'send_email']);
  });

  it('LM-07 of an external agent continues in its loaded session, which is told what has run: one session, each action once, over a restart', async () => {
    world = createLimitWorld(AT);
    const { site } = world;
    const limited = path.join(site.world.outside, 'limited');
    fs.writeFileSync(limited, JSON.stringify({ message: 'Usage limit reached. Resets in 3h.' }));
    let life = await world.start();
    const text = 'do: sure before\ndo: limited\ndo: sure behind';
    const { turnId } = await life.holdfast.call(
      'send',
      { text, session: 's', agent: 'fake' },
      'test',
    );
    await waiting(life, 1);
    const effects = (): readonly string[] =>
      linesOf(path.join(site.world.workspace, 'effects.log'));
    expect(effects()).toEqual(['before']);
    await life.lifecycle.stop('stop');
    life = await world.start();
    fs.rmSync(limited);
    await world.advance(3 * HOUR + 2 * MINUTE);
    expect((await turnIn(life, turnId, [...ENDED])).state).toBe('completed');
    expect(effects()).toEqual(['before', 'behind']);
    const sessions = linesOf(path.join(site.world.outside, 'agent.log')).filter((line) =>
      line.startsWith('in '),
    );
    expect([sessions.length, new Set(sessions).size]).toEqual([2, 1]);
    // It is told, too: not each agent knows what it has done.
    expect(world.asked()[1]).toContain('Do not do these again:\\n- shell: before');
  });
});

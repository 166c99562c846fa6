/** Usage limits are waited out: real agent processes, the real engine and database, a virtual clock. */
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { limitEnd, readLimit } from '../../../shared/limits/read-limit';
import { computerZone } from '../../../electron/adapters/clock/system-clock';
import { ENDED, turnIn } from '../../helpers/compose-world';
import { NOW_MS, SENTENCES } from '../../unit/limits/limit-sentences';
import { statusOf } from '../work/work-world';
import {
  createLimitWorld,
  HOUR,
  MINUTE,
  queue,
  soon,
  waiting,
  type LimitWorld,
} from './limit-world';

let world: LimitWorld;
afterEach(() => world.site.end());

const AT = new Date(NOW_MS).toISOString();
const ask = async (
  life: Awaited<ReturnType<LimitWorld['start']>>,
  agent = 'fake',
  session = agent,
): Promise<number> =>
  (await life.holdfast.call('send', { text: `do: say ${session}`, session, agent }, 'test')).turnId;

describe('each sentence of a usage limit', () => {
  it('LM-03 the turn waits with its time and is not tried again: none is refused, parked or retried', async () => {
    const agent = path.resolve('test/helpers/limit-agent.mjs');
    const says = SENTENCES.map(([text]) => ({ args: [agent, `Internal error: ${text}`] }));
    world = createLimitWorld(
      AT,
      { limits: { max_wait: '60d' } },
      Object.fromEntries(says.map((extra, at) => [`agent-${String(at)}`, extra])),
    );
    const life = await world.start();
    const turnIds = await Promise.all(says.map((_one, at) => ask(life, `agent-${String(at)}`)));
    const items = await waiting(life, SENTENCES.length);
    for (const [at, [text]] of SENTENCES.entries()) {
      const end = limitEnd(readLimit(text)?.resets, { nowMs: NOW_MS, zone: computerZone() });
      const item = items.find((one) => one.turnId === turnIds[at]);
      expect(item, text).toMatchObject({ cause: 'quota' });
      expect(item?.untilMs, text).toBe(
        end === undefined ? NOW_MS + 5 * MINUTE + 1_000 : end.atMs + MINUTE,
      );
    }
    await world.advance(MINUTE - 1);
    expect(world.prompts()).toBe(SENTENCES.length);
  });
});

describe('one limit, waited out', () => {
  it('LM-02 LM-03 LM-06 nothing is asked until the time plus the margin, then the turn continues once', async () => {
    world = createLimitWorld(AT);
    const life = await world.start();
    world.limit({ message: "You've hit your session limit · resets 8pm (America/New_York)" });
    const turnId = await ask(life);
    const [item] = await waiting(life, 1);
    const untilMs = Date.parse('2026-10-08T00:01:00Z');
    expect(item).toMatchObject({ turnId, untilMs });
    expect((await statusOf(life, 'fake')).retryStreak ?? 0).toBe(0);
    world.lift();
    await world.advance(untilMs - NOW_MS - 1);
    expect(world.prompts()).toBe(1);
    await world.advance(1);
    expect((await turnIn(life, turnId, [...ENDED])).state).toBe('completed');
    expect(world.prompts()).toBe(2);
  });

  it('LM-03 LM-10 a weekly limit is waited out however long resilience.max_wait is, without a write while it waits', async () => {
    world = createLimitWorld(AT, { resilience: { max_wait: '1h' } });
    const life = await world.start();
    world.limit({ message: "You've hit your weekly limit · resets Mon 9am (UTC)" });
    const turnId = await ask(life);
    await waiting(life, 1);
    const before = (await life.holdfast.call('events.list', {}, 'test')).events.length;
    await world.advance(3 * HOUR);
    expect((await queue(life))[0]?.turnId).toBe(turnId);
    const after = (await life.holdfast.call('events.list', {}, 'test')).events.length;
    expect(after).toBe(before);
    expect(world.prompts()).toBe(1);
  });

  it('LM-02 a reset more than 8 days away is said and asked about', async () => {
    world = createLimitWorld(AT);
    const life = await world.start();
    world.limit({ message: "You've hit your usage limit, try again at Nov 5th, 2026 8:19 PM." });
    const turn = await turnIn(life, await ask(life), ['parked']);
    expect(turn.reason).toContain('later than limits.max_wait allows (8d)');
  });

  it('LM-04 without a time it is asked again after 5, 10, 20, 40, 60, 60 min by one turn, and says that none was given', async () => {
    world = createLimitWorld(AT, { resilience: { max_wait: '7d' } });
    const life = await world.start();
    world.limit({ message: 'The usage limit has been reached' });
    const turnId = await ask(life);
    await waiting(life, 1);
    await ask(life, 'fake', 'second');
    let asked = 1;
    for (const minutes of [5, 10, 20, 40, 60, 60]) {
      const items = await waiting(life, 2);
      const untilMs = items.find((one) => one.turnId === turnId)?.untilMs ?? 0;
      expect((untilMs - 1_000 - world.clock.nowMs()) / MINUTE).toBe(minutes);
      await world.advance(untilMs - world.clock.nowMs() - 1);
      expect(world.prompts()).toBe(asked);
      await world.advance(1);
      asked += 1;
      await expect.poll(() => world.prompts()).toBe(asked);
    }
    const turn = await turnIn(life, turnId, ['waiting', 'queued']);
    expect(turn.reason).toContain('No reset time was given');
    world.lift();
    await waiting(life, 2);
    await world.advance(61 * MINUTE);
    expect((await turnIn(life, turnId, [...ENDED])).state).toBe('completed');
  });

  it('LM-10 after limits.max_windows windows the turn asks; Resume begins to count anew', async () => {
    world = createLimitWorld(AT, { limits: { max_windows: 2 } });
    const life = await world.start();
    world.limit({ message: 'Usage limit reached. Resets in 3h.' });
    const turnId = await ask(life);
    for (const asked of [1, 2]) {
      await waiting(life, 1);
      expect(world.prompts()).toBe(asked);
      await world.advance(3 * HOUR + MINUTE);
      await expect.poll(() => world.prompts()).toBe(asked + 1);
    }
    const turn = await turnIn(life, turnId, ['parked']);
    expect(turn.reason).toContain('2 windows of this limit (limits.max_windows)');
    const { decisions } = await life.holdfast.call('recovery.list', {}, 'test');
    const { requestHash = '' } = decisions.find((one) => one.turnId === turnId) ?? {};
    await life.holdfast.call('recovery.resume', { turnId, requestHash }, 'test');
    await waiting(life, 1);
  });
});

describe('eleven sessions at one limit', () => {
  const SESSIONS = Array.from({ length: 11 }, (_one, at) => `s${String(at + 1)}`);
  const LIMIT = { message: "You've hit your session limit · resets 8pm (America/New_York)" };
  const UNTIL_MS = Date.parse('2026-10-08T00:01:00Z');

  const begin = async () => {
    world = createLimitWorld(AT);
    const life = await world.start();
    world.limit(LIMIT);
    const ids: number[] = [];
    for (const session of SESSIONS) ids.push(await ask(life, 'fake', session));
    await waiting(life, 11);
    return { life, ids };
  };
  /** How often the prompt of each session reached the agent after the limit. */
  const continued = (before: number): Record<string, number> => {
    const counts: Record<string, number> = {};
    for (const line of world.asked().slice(before)) {
      const session = /say (s\d+)/.exec(line)?.[1] ?? line;
      counts[session] = (counts[session] ?? 0) + 1;
    }
    return counts;
  };
  const once = Object.fromEntries(SESSIONS.map((session) => [session, 1]));

  it('LM-06 LM-11 all continue once and in order after the reset, one first and then 2 and 4 at a time, without a window or a selected session', async () => {
    const { life, ids } = await begin();
    const before = world.prompts();
    expect((await queue(life)).map((one) => one.turnId)).toEqual(ids);
    world.lift();
    await world.advance(UNTIL_MS - world.clock.nowMs() - 1);
    expect(world.prompts()).toBe(before);
    await world.advance(1);
    await expect.poll(() => world.prompts()).toBe(before + 1);
    expect(world.asked()[before]).toContain('say s1');
    for (const turnId of ids)
      expect((await turnIn(life, turnId, [...ENDED])).state).toBe('completed');
    expect(continued(before)).toEqual(once);
    const { providers } = await life.holdfast.call(
      'provider.status',
      { provider: 'agent.fake' },
      'test',
    );
    expect(providers[0]?.state).toBe('answering');
  });

  it('LM-06 over two restarts and a clock that is set in the wait, each continues once', async () => {
    const { life, ids } = await begin();
    const before = world.prompts();
    await life.lifecycle.stop('stop');
    world.clock.suspend(HOUR);
    let next = await world.start();
    await waiting(next, 11);
    // Set back by 2 hours and forward again: the time on the wall is what counts.
    world.clock.set(-2 * HOUR);
    await world.advance(30 * MINUTE);
    world.clock.set(2 * HOUR);
    await world.advance(MINUTE);
    expect(world.prompts()).toBe(before);
    await next.lifecycle.stop('stop');
    next = await world.start();
    world.lift();
    // Asleep until an hour after the reset: seen within half a minute of being awake.
    world.clock.suspend(UNTIL_MS + HOUR - world.clock.nowMs());
    await world.advance(30_000);
    for (const turnId of ids)
      expect((await turnIn(next, turnId, [...ENDED])).state).toBe('completed');
    expect(continued(before)).toEqual(once);
  });

  it('LM-06 a limit that is not over yet sends one turn to find out, and the 11 wait for the next window', async () => {
    const { life, ids } = await begin();
    const before = world.prompts();
    world.limit({ message: "You've hit your session limit · resets 1am (America/New_York)" });
    await world.advance(UNTIL_MS - world.clock.nowMs());
    await expect.poll(() => world.prompts()).toBe(before + 1);
    // Hours that pass at once while it is still asked would end it.
    const nextMs = await soon(async () => {
      const items = await queue(life);
      expect(items).toHaveLength(11);
      const [untilMs = 0] = new Set(items.map((item) => item.untilMs));
      expect(untilMs).toBeGreaterThan(UNTIL_MS);
      return untilMs;
    });
    await world.advance(HOUR);
    expect(world.prompts()).toBe(before + 1);
    world.lift();
    await world.advance(nextMs - world.clock.nowMs());
    for (const turnId of ids)
      expect((await turnIn(life, turnId, [...ENDED])).state).toBe('completed');
  });

  it('LM-08 a greeting, a check of the agent and an answer to a turn that still ran end no wait', async () => {
    world = createLimitWorld(AT);
    const life = await world.start();
    // Its answer comes while the limit of the other is in force.
    const gate = `${world.site.world.outside}/gate`;
    const { turnId: early } = await life.holdfast.call(
      'send',
      { text: `do: until ${gate}`, session: 'early', agent: 'fake' },
      'test',
    );
    await expect.poll(() => world.prompts()).toBe(1);
    world.limit(LIMIT);
    const turnId = await ask(life);
    await waiting(life, 1);
    world.lift();
    fs.writeFileSync(gate, '');
    expect((await turnIn(life, early, [...ENDED])).state).toBe('completed');
    await life.holdfast.call('agents.test', { name: 'fake' }, 'test');
    await life.holdfast
      .call('provider.ping', { provider: 'agent.fake' }, 'test')
      .catch(() => undefined);
    await world.advance(2 * HOUR);
    expect(world.prompts()).toBe(2);
    expect((await waiting(life, 1))[0]).toMatchObject({
      turnId,
      cause: 'quota',
      untilMs: UNTIL_MS,
    });
  });

  it('LM-11 a task that is due in the wait is queued behind it, one run for all its times', async () => {
    world = createLimitWorld(AT);
    const life = await world.start();
    world.limit(LIMIT);
    const first = await ask(life);
    await waiting(life, 1);
    await life.holdfast.call(
      'tasks.add',
      { name: 'hourly', prompt: 'do: say task', schedule: 'every 1h', agent: 'fake' },
      'test',
    );
    await world.advance(4 * HOUR);
    const items = await waiting(life, 2);
    expect(items[0]?.turnId).toBe(first);
    expect(items[1]).toMatchObject({ source: 'schedule', cause: 'quota', untilMs: UNTIL_MS });
    expect(world.prompts()).toBe(1);
    world.lift();
    await world.advance(UNTIL_MS - world.clock.nowMs());
    for (const { turnId } of items)
      expect((await turnIn(life, turnId, [...ENDED])).state).toBe('completed');
    expect(
      world
        .asked()
        .slice(1)
        .map((line) => /say (\w+)/.exec(line)?.[1]),
    ).toEqual(['fake', 'task']);
  });
});

describe('agents that share an account', () => {
  const LIMIT = { message: "You've hit your session limit · resets 8pm (America/New_York)" };
  const UNTIL_MS = Date.parse('2026-10-08T00:01:00Z');

  it('LM-05 LM-06 two agents of one account wait together: the second sends nothing, one goes first, all continue; another account goes on', async () => {
    world = createLimitWorld(
      AT,
      {},
      { one: { account: 'mine' }, two: { account: 'mine' }, other: {} },
    );
    const life = await world.start();
    world.limit(LIMIT);
    const first = await ask(life, 'one');
    await waiting(life, 1);
    const second = await ask(life, 'two');
    const items = await waiting(life, 2);
    expect(items.find((one) => one.turnId === second)).toMatchObject({
      cause: 'quota',
      untilMs: UNTIL_MS,
    });
    expect(world.prompts()).toBe(1);
    world.lift();
    expect((await turnIn(life, await ask(life, 'other'), [...ENDED])).state).toBe('completed');
    expect(world.prompts()).toBe(2);
    await world.advance(UNTIL_MS - NOW_MS);
    for (const turnId of [first, second])
      expect((await turnIn(life, turnId, [...ENDED])).state).toBe('completed');
    expect(world.prompts()).toBe(4);
    expect(world.asked()[2]).toContain('say one');
    for (const provider of ['agent.one', 'agent.two']) {
      const { providers } = await life.holdfast.call('provider.status', { provider }, 'test');
      expect(providers[0]?.state).toBe('answering');
    }
  });

  it('LM-05 the wait of an account holds only its other agent, too, when that one alone has turns', async () => {
    world = createLimitWorld(AT, {}, { one: { account: 'mine' }, two: { account: 'mine' } });
    let life = await world.start();
    world.limit(LIMIT);
    const first = await ask(life, 'one');
    await waiting(life, 1);
    await life.holdfast.call('turns.cancel', { turnId: first }, 'test');
    const second = await ask(life, 'two');
    await waiting(life, 1);
    await life.lifecycle.stop('stop');
    life = await world.start();
    world.lift();
    await world.advance(UNTIL_MS - world.clock.nowMs() - 1);
    expect(world.prompts()).toBe(1);
    await world.advance(1);
    expect((await turnIn(life, second, [...ENDED])).state).toBe('completed');
  });
});

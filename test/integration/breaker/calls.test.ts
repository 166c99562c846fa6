import { afterEach, describe, expect, it } from 'vitest';
import type { Composition } from '../../../electron/compose/options';
import type { BreakerView } from '../../../shared/types/outage';
import {
  composeIn,
  createWorld,
  ENDED,
  turnIn,
  writeConfig,
  type World,
} from '../../helpers/compose-world';
import { startFakeProvider, type FakeProvider } from '../../helpers/fake-provider';
import type { FakeReply } from '../../helpers/fake-provider-types';

let world: World;
let fp: FakeProvider;
const lives: Composition[] = [];
afterEach(async () => {
  for (const life of lives.splice(0)) await life.lifecycle.stop('stop');
  await fp.stop();
  world.remove();
});

const QUICK = {
  retry: { rate_limited: { first_wait: '2ms' }, server: { first_wait: '2ms' } },
  work: { requeue_delay: '1h', requeue_max_delay: '1h' },
};

async function start(
  replies: readonly FakeReply[] | (() => FakeReply),
  config: Record<string, unknown> = {},
): Promise<Composition> {
  fp = await startFakeProvider();
  fp.setScript(typeof replies === 'function' ? replies : [...replies]);
  world = createWorld();
  configure(config);
  return again();
}

function configure(config: Record<string, unknown>): void {
  const agents = { a: { provider: 'local', model: 'm', workspace: world.workspace, tools: [] } };
  const providers = {
    local: { kind: 'openai-compatible', base_url: fp.baseUrl('openai-compatible') },
  };
  writeConfig(world, { ...QUICK, ...config, agents, providers });
}

async function again(): Promise<Composition> {
  const life = composeIn(world);
  lives.push(life);
  expect(await life.lifecycle.start()).toEqual({ kind: 'started' });
  return life;
}

async function send(life: Composition, session = 's'): Promise<number> {
  const { turnId } = await life.holdfast.call(
    'send',
    { text: 'hello', agent: 'a', session },
    'test',
  );
  return turnId;
}

const breakerOf = (life: Composition): Promise<BreakerView> =>
  life.holdfast.call('breakers.show', { name: 'provider.local' }, 'test');

describe('one call to a provider', () => {
  it('S2-23 503, 503, then an answer: 3 requests, 0 failures, and the step shows 2 failed tries', async () => {
    const life = await start([{ status: 503 }, { status: 503 }, { text: 'back' }]);
    const turnId = await send(life);
    expect(await turnIn(life, turnId, [...ENDED])).toMatchObject({ state: 'completed' });
    expect(fp.calls()).toHaveLength(3);
    expect(await breakerOf(life)).toMatchObject({ state: 'closed', failures: 0 });
    const { steps } = await life.holdfast.call('turns.show', { turnId }, 'test');
    expect(steps[0]?.tries?.map((one) => [one.failure, one.status])).toEqual([
      ['server', 503],
      ['server', 503],
    ]);
  });

  it('S2-26 S2-02 a chain of 3 that is cut off in its first wait has 2 calls left after a restart, and is one chain', async () => {
    const ends = { shutdown: { grace: '20ms' }, resilience: { recovery: { resume_delay: '0s' } } };
    const far = { server: { first_wait: '1h', max_wait: '2h' } };
    const life = await start(() => ({ status: 503 }), { ...ends, retry: far });
    const turnId = await send(life);
    await expect
      .poll(async () => {
        const { steps } = await life.holdfast.call('turns.show', { turnId }, 'test');
        return steps.flatMap(({ tries = [] }) => tries);
      })
      .toHaveLength(1);
    await life.lifecycle.stop('stop');
    expect(fp.calls()).toHaveLength(1);
    const near = { first_wait: '1ms', max_wait: '5ms' };
    configure({ ...ends, retry: { rate_limited: near, server: near } });
    const second = await again();
    const { retry } = await turnIn(second, turnId, ['waiting']);
    expect(retry).toMatchObject({ streak: 1 });
    expect(fp.calls()).toHaveLength(3);
    expect(await breakerOf(second)).toMatchObject({ state: 'closed', failures: 1 });
  });

  it.each<[string, FakeReply, number]>([
    ['S2-26 503', { status: 503 }, 3],
    ['S2-25 429', { status: 429 }, 5],
    ['S2-26 reset', { fault: 'reset' }, 3],
    ['S2-26 a cut stream', { text: 'half an answer', fault: 'cut' }, 3],
    ['S2-26 a malformed event', { text: 'half an answer', fault: 'malformed_event' }, 3],
  ])(
    '%s for ever: %# ends after its attempts and is one failure',
    async (_title, reply, requests) => {
      const life = await start(() => reply);
      await turnIn(life, await send(life), ['waiting', 'parked', 'held']);
      expect(fp.calls()).toHaveLength(requests);
      expect(await breakerOf(life)).toMatchObject({ state: 'closed', failures: 1 });
    },
  );

  it.each([400, 401, 403, 404, 422])(
    'S2-29 S0-15 %d: 1 request, 0 failures, the turn says what is wrong',
    async (status) => {
      const life = await start(() => ({ status }));
      const turn = await turnIn(life, await send(life), ['parked', 'waiting', 'held']);
      expect(fp.calls()).toHaveLength(1);
      expect(turn.reason).toContain('local');
      expect(await breakerOf(life)).toMatchObject({ state: 'closed', failures: 0 });
    },
  );

  it('S2-25 429 with Retry-After: 3600 is one request; the turn waits on disk, not in the call', async () => {
    const life = await start(() => ({ status: 429, headers: { 'retry-after': '3600' } }));
    await turnIn(life, await send(life), ['waiting']);
    expect(fp.calls()).toHaveLength(1);
    expect(await breakerOf(life)).toMatchObject({ state: 'closed', failures: 0 });
  });

  it('S2-06 S2-08 S2-+04 opens at the 5th failed chain, refuses without a request, also after a restart, and flows after a reset', async () => {
    let isDown = true;
    const one = { retry: { server: { max_attempts: 1 } } };
    const life = await start(() => (isDown ? { status: 500 } : { text: 'back' }), one);
    for (let n = 0; n < 5; n++) {
      expect((await breakerOf(life)).state).toBe('closed');
      await life.holdfast.call('provider.test', { name: 'local', model: 'm' }, 'test');
    }
    expect(await breakerOf(life)).toMatchObject({ state: 'open', failures: 5 });
    expect(fp.calls()).toHaveLength(5);
    const refused = await life.holdfast.call(
      'provider.test',
      { name: 'local', model: 'm' },
      'test',
    );
    expect(refused).toMatchObject({
      ok: false,
      message: expect.stringContaining('The circuit provider.local is open') as string,
    });
    await life.lifecycle.stop('stop');
    const second = await again();
    const restored = await breakerOf(second);
    expect(restored.state).toBe('open');
    const turnId = await send(second);
    await turnIn(second, turnId, ['waiting']);
    expect(fp.calls()).toHaveLength(5);
    isDown = false;
    const after = await second.holdfast.call('breakers.reset', { name: 'provider.local' }, 'test');
    expect(after).toMatchObject({ state: 'closed', failures: 0 });
    expect(
      await second.holdfast.call('provider.test', { name: 'local', model: 'm' }, 'test'),
    ).toMatchObject({ ok: true });
  });

  it('S2-05 S2-21 a trip opens at once with its reason, in the audit and in the list; an unknown name is refused', async () => {
    const life = await start([{ text: 'ok' }]);
    const { holdfast } = life;
    const tripped = await holdfast.call(
      'breakers.trip',
      { name: 'provider.local', reason: 'maintenance' },
      'test',
    );
    expect(tripped).toMatchObject({ state: 'open', backoffMs: 10_000 });
    expect(tripped.explanation).toContain('opened manually (test): maintenance');
    const { breakers } = await holdfast.call('breakers.list', {}, 'test');
    expect(breakers.map(({ name, state }) => [name, state])).toContainEqual([
      'provider.local',
      'open',
    ]);
    const { events } = await holdfast.call('events.list', { source: 'audit' }, 'test');
    expect(events.map(({ kind }) => kind)).toContain('breaker_moved');
    await expect(holdfast.call('breakers.show', { name: 'none' }, 'test')).rejects.toMatchObject({
      code: 'BREAKER_UNKNOWN',
    });
  });

  it('S2-15 a longest wait below the first is refused, and one in the file is named and not used', async () => {
    const life = await start([{ text: 'ok' }], { breakers: { max_backoff: '5s' } });
    const { holdfast } = life;
    expect(holdfast.status().configProblems.map(({ key }) => key)).toContain(
      'breakers.max_backoff',
    );
    expect((await breakerOf(life)).maxBackoffMs).toBe(120_000);
    await expect(
      holdfast.call('config.set', { key: 'breakers.max_backoff', value: '9s' }, 'test'),
    ).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
    await holdfast.call('config.set', { key: 'failure_threshold', value: 2 }, 'test');
    expect((await breakerOf(life)).failureThreshold).toBe(2);
  });
});

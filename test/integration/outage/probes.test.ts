/** How a provider that fails is counted, tried and believed again, without a person. Real HTTP. */
import { afterEach, describe, expect, it } from 'vitest';
import type { Composition } from '../../../electron/compose/options';
import { ENDED, turnIn, writeConfig } from '../../helpers/compose-world';
import { send } from '../work/work-world';
import {
  createOutageWorld,
  healthOf,
  probesOf,
  queueOf,
  QUICK,
  until,
  type OutageWorld,
} from './outage-world';

let world: OutageWorld;
afterEach(() => world.end());

const ping = (life: Composition): Promise<{ ok: boolean }> =>
  life.holdfast.call('provider.ping', { provider: 'fp' }, 'test');
const FAR = '1h';

describe('a provider that answers 503 for ever', () => {
  it('S2-02 one turn is 3 runs of 4 calls and then put to a person: 12 requests, tries and next times shown', async () => {
    world = await createOutageWorld({
      work: { ...QUICK.work, max_requeues: 2 },
      retry: { server: { max_attempts: 4, first_wait: '1ms', max_wait: '5ms' } },
      resilience: { ...QUICK.resilience, outage_threshold: 1000 },
      breakers: { ...QUICK.breakers, failure_threshold: 1000 },
    });
    const { fp, site } = world;
    fp.setScript(() => ({ status: 503 }));
    const life = await site.start();
    const turnId = await send(life, 'hello');
    const parked = await turnIn(life, turnId, ['parked']);
    expect(fp.calls()).toHaveLength(12);
    expect(parked.retry).toMatchObject({ streak: 2 });
    const { steps } = await life.holdfast.call('turns.show', { turnId }, 'test');
    const tries = steps.flatMap((step) => step.tries ?? []);
    expect(tries.map(({ status }) => status)).toEqual(Array.from({ length: 9 }, () => 503));
    for (const one of tries) expect(one.nextAtMs).toBeGreaterThanOrEqual(one.atMs);
    // Nothing is left that would call again: no time of a next try, no turn that waits.
    expect(parked.retry?.dueAtMs).toBeUndefined();
    expect(await queueOf(life)).toEqual([]);
  });

  it('S2-02 while a turn waits, its count and the time of the next run are shown', async () => {
    world = await createOutageWorld({ work: { requeue_delay: FAR, requeue_max_delay: FAR } });
    world.fp.setScript(() => ({ status: 503 }));
    const life = await world.site.start();
    const waiting = await turnIn(life, await send(life, 'hello'), ['waiting']);
    expect(world.fp.calls()).toHaveLength(3);
    expect(waiting.retry).toMatchObject({ streak: 1, dueAtMs: expect.any(Number) as number });
    expect(await healthOf(life)).toMatchObject({ failedTurns: 1, breaker: { failures: 1 } });
  });

  it('X-01 3 failed turns declare the outage and the breaker stays closed until its 5th failed call; both counts stand at each step', async () => {
    world = await createOutageWorld({
      work: { requeue_delay: FAR, requeue_max_delay: FAR },
      retry: { server: { max_attempts: 1 } },
      breakers: { initial_backoff: FAR, max_backoff: FAR },
      resilience: { probe_interval: FAR, early_probe: false },
    });
    const { fp, site } = world;
    fp.setScript(() => ({ status: 503 }));
    const life = await site.start();
    const counts = async (): Promise<unknown[]> => {
      const { failedTurns, state, breaker } = await healthOf(life);
      return [failedTurns, state, breaker.failures, breaker.state];
    };
    const seen = [await counts()];
    for (let n = 1; n <= 3; n += 1) {
      await turnIn(life, await send(life, `hello ${String(n)}`, `s${String(n)}`), ['waiting']);
      seen.push(await counts());
    }
    const held = await send(life, 'held', 's4');
    await until(async () =>
      expect((await queueOf(life)).map(({ turnId }) => turnId)).toContain(held),
    );
    expect(fp.calls()).toHaveLength(3);
    await fp.down();
    for (let n = 4; n <= 5; n += 1) {
      await ping(life);
      seen.push(await counts());
    }
    expect(seen).toEqual([
      [0, 'answering', 0, 'closed'],
      [1, 'failing', 1, 'closed'],
      [2, 'failing', 2, 'closed'],
      [3, 'down', 3, 'closed'],
      [4, 'down', 4, 'closed'],
      [5, 'down', 5, 'open'],
    ]);
  });

  it('X-01 at a threshold of 10 the breaker opens at its 5th call and turns wait behind it; the outage is declared and noticed once, at the 10th', async () => {
    world = await createOutageWorld({
      work: { requeue_delay: FAR, requeue_max_delay: FAR },
      retry: { server: { max_attempts: 1 } },
      breakers: { initial_backoff: FAR, max_backoff: FAR },
      resilience: { ...QUICK.resilience, outage_threshold: 10 },
    });
    const { fp, site } = world;
    fp.setScript(() => ({ status: 503 }));
    const life = await site.start();
    for (let n = 1; n <= 5; n += 1)
      await turnIn(life, await send(life, `hello ${String(n)}`, `s${String(n)}`), ['waiting']);
    expect(await healthOf(life)).toMatchObject({
      failedTurns: 5,
      outageThreshold: 10,
      breaker: { state: 'open', failures: 5 },
    });
    const held = await send(life, 'held', 's6');
    await until(async () =>
      expect((await queueOf(life)).find(({ turnId }) => turnId === held)).toMatchObject({
        cause: 'breaker',
      }),
    );
    expect(fp.calls()).toHaveLength(5);
    const told = async (): Promise<unknown[]> => {
      const { outages } = await life.holdfast.call('outage.list', {}, 'test');
      const { items } = await life.holdfast.call('inbox.list', {}, 'test');
      const { failedTurns } = await healthOf(life);
      return [failedTurns, outages.length, items.map(({ title }) => title)];
    };
    // Turns wait: from here on light requests that fail move the count on.
    await fp.down();
    const probe = () => life.holdfast.call('outage.probe', { provider: 'fp' }, 'test');
    for (let n = 5; n <= 9; n += 1) {
      expect(await told()).toEqual([n, 0, []]);
      await probe();
    }
    // From the outage on the provider is also tried without being asked.
    const toldFrom = async (least: number): Promise<void> => {
      const [failedTurns, ...rest] = await told();
      expect(failedTurns).toBeGreaterThanOrEqual(least);
      expect(rest).toEqual([1, ['Fp is down']]);
    };
    await until(() => toldFrom(10));
    await probe();
    await toldFrom(11);
    expect(fp.calls()).toHaveLength(5);
  });
});

describe('a provider that comes back and goes again', () => {
  it('X-03 R3 a light request answered, the canary 503: back in the same outage with the turn kept; both answered: the queue drains', async () => {
    world = await createOutageWorld({
      retry: { server: { max_attempts: 1 } },
      breakers: { failure_threshold: 1000 },
    });
    const { fp, site } = world;
    const life = await site.start();
    await fp.down();
    const first = await send(life, 'turn-one', 's1');
    await until(async () => expect((await healthOf(life)).state).toBe('down'));
    const second = await send(life, 'turn-two', 's2');
    await until(async () => expect(await queueOf(life)).toHaveLength(2));
    const seen: string[] = [];
    fp.setScript(({ body }) => {
      seen.push(/turn-(one|two)/.exec(body)?.[1] ?? '');
      return seen.length === 1 ? { status: 503 } : { text: 'back' };
    });
    await fp.up();
    for (const turnId of [first, second])
      expect((await turnIn(life, turnId, [...ENDED])).state).toBe('completed');
    await until(async () => expect((await healthOf(life)).state).toBe('answering'));
    expect(seen).toEqual(['one', 'one', 'two']);
    expect((await life.holdfast.call('outage.list', {}, 'test')).outages).toMatchObject([
      { drained: 2 },
    ]);
  });
});

describe('an open breaker', () => {
  it('S2-06 S2-09 while its trial is out 50 calls at once are told so, and the provider sees that 1 request', async () => {
    world = await createOutageWorld({
      resilience: { ...QUICK.resilience, outage_threshold: 1000 },
    });
    const { fp, site } = world;
    const life = await site.start();
    await fp.down();
    for (let n = 0; n < 5; n += 1) await ping(life);
    const probes = probesOf(fp);
    fp.answerProbes({ fault: 'stall_first_byte' });
    await fp.up();
    await until(() => expect(probesOf(fp) - probes).toBe(1));
    const told = await Promise.all(
      Array.from({ length: 50 }, () =>
        life.holdfast.call('provider.test', { name: 'fp', model: 'm' }, 'test'),
      ),
    );
    for (const one of told)
      expect(one).toMatchObject({
        ok: false,
        message: expect.stringContaining('The circuit provider.fp') as string,
      });
    expect([probesOf(fp) - probes, fp.calls()]).toEqual([1, []]);
  });

  it('S2-07 without a turn is tried until it closes: 2 light requests, nobody asks', async () => {
    world = await createOutageWorld({
      resilience: { ...QUICK.resilience, outage_threshold: 1000 },
    });
    const { fp, site } = world;
    const life = await site.start();
    await fp.down();
    for (let n = 0; n < 5; n += 1) await ping(life);
    await until(async () => expect((await healthOf(life)).breaker.state).toBe('open'));
    const probes = probesOf(fp);
    await fp.up();
    await until(async () => expect((await healthOf(life)).breaker.state).toBe('closed'));
    expect(probesOf(fp) - probes).toBe(2);
    expect(fp.calls()).toEqual([]);
    expect((await life.holdfast.call('outage.list', {}, 'test')).outages).toEqual([]);
  });

  it('S2-11 S2-12 S2-13 S2-14 S2-15 S2-16 S2-20 changed values count, single breakers have their own, and two keys of one address are two breakers', async () => {
    world = await createOutageWorld();
    const { fp, other, site } = world;
    const at = (where: typeof fp): object => ({
      kind: 'openai-compatible',
      base_url: where.baseUrl('openai-compatible'),
    });
    writeConfig(site.world, {
      ...QUICK,
      resilience: { ...QUICK.resilience, outage_threshold: 1000 },
      providers: { fp: at(fp), twin: at(fp), other: at(other) },
      breakers: {
        failure_threshold: 3,
        success_threshold: 3,
        // Each wait is long enough to be seen by who looks now and then.
        initial_backoff: '1s',
        max_backoff: '3s',
        per_dependency: {
          'provider.twin': { failure_threshold: 2, success_threshold: 1, initial_backoff: '2s' },
        },
      },
    });
    const life = await site.start();
    const show = (name: string) =>
      life.holdfast.call('breakers.show', { name: `provider.${name}` }, 'test');
    const pinged = async (name: string): Promise<unknown[]> => {
      const { ok } = await life.holdfast.call('provider.ping', { provider: name }, 'test');
      const { state, failures, counters } = await show(name);
      return [ok, state, failures, counters.failed];
    };
    expect(await pinged('twin')).toEqual([true, 'closed', 0, 0]);
    await fp.down();
    expect(await pinged('twin')).toEqual([false, 'closed', 1, 1]);
    expect(await pinged('twin')).toEqual([false, 'open', 2, 2]);
    const { openedAtMs = 0, nextTrialAtMs = 0 } = await show('twin');
    // Of two clocks, one read after the other: never too early.
    expect(nextTrialAtMs - openedAtMs).toBeGreaterThanOrEqual(2_000);
    expect(nextTrialAtMs - openedAtMs).toBeLessThan(3_000);
    for (let n = 1; n <= 3; n += 1)
      expect(await pinged('fp')).toEqual([false, n < 3 ? 'closed' : 'open', n, n]);
    expect(await pinged('other')).toEqual([true, 'closed', 0, 0]);
    const waits = new Set<number>();
    await until(async () => {
      waits.add((await show('fp')).backoffMs);
      expect([...waits]).toEqual([1_000, 2_000, 3_000]);
    });
    await fp.up();
    const before = probesOf(fp);
    await until(async () =>
      expect([(await show('fp')).state, (await show('twin')).state]).toEqual(['closed', 'closed']),
    );
    expect(probesOf(fp) - before).toBe(3 + 1);
    expect((await show('fp')).backoffMs).toBe(1_000);
  });

  it('S2-07 S2-10 in an outage closes at the 2nd answer, also where the 1st is to a probe that did not wait for it', async () => {
    world = await createOutageWorld({ breakers: { initial_backoff: FAR, max_backoff: FAR } });
    const { fp, site } = world;
    const life = await site.start();
    await fp.down();
    for (let n = 0; n < 5; n += 1) await ping(life);
    expect(await healthOf(life)).toMatchObject({ state: 'down', breaker: { state: 'open' } });
    await fp.up();
    await until(async () => expect((await healthOf(life)).state).toBe('answering'));
    expect((await healthOf(life)).breaker.state).toBe('closed');
    expect([probesOf(fp), fp.calls().length]).toEqual([2, 0]);
    await life.lifecycle.stop('stop');
    const moves = site
      .audit()
      .filter(({ event }) => event === 'breaker_moved')
      .map(({ facts }) => (facts as { to: string }).to);
    expect(moves).toEqual(['open', 'half_open', 'closed']);
  });

  it('S2-10 stays half-open after 1 success, opens again when the 2nd call fails, counts from 0 and closes after 2 in a row', async () => {
    world = await createOutageWorld({
      work: { requeue_delay: FAR, requeue_max_delay: FAR },
      retry: { server: { max_attempts: 1 } },
      resilience: { ...QUICK.resilience, outage_threshold: 1000 },
    });
    const { fp, site } = world;
    await fp.down();
    const life = await site.start();
    // The turn that waits gives the second call of each round; its answers are let go one by one.
    const answers: ((status: number) => void)[] = [];
    fp.setScript(async () => {
      const status = await new Promise<number>((resolve) => answers.push(resolve));
      return status === 200 ? { text: 'back' } : { status };
    });
    for (let n = 0; n < 5; n += 1) await ping(life);
    const turnId = await send(life, 'hello');
    await until(async () => expect(await queueOf(life)).toHaveLength(1));
    await fp.up();
    const breaker = async (): Promise<unknown> => {
      const { state, successes } = (await healthOf(life)).breaker;
      return [state, successes];
    };
    await until(() => expect(answers).toHaveLength(1));
    expect(await breaker()).toEqual(['half_open', 1]);
    answers[0]?.(503);
    await until(async () => expect((await breaker()) as unknown[]).toEqual(['open', 0]));
    await until(() => expect(answers).toHaveLength(2));
    expect(await breaker()).toEqual(['half_open', 1]);
    answers[1]?.(200);
    await turnIn(life, turnId, [...ENDED]);
    expect(await breaker()).toEqual(['closed', 0]);
    expect(fp.calls()).toHaveLength(2);
  });
});

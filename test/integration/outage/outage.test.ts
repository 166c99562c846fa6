/** The plug is pulled and put back: through the whole composition, with real HTTP. */
import { afterEach, describe, expect, it } from 'vitest';
import { ENDED, turnIn } from '../../helpers/compose-world';
import type { ConfigEntry } from '../../../shared/types';
import { send } from '../work/work-world';
import {
  createOutageWorld,
  healthOf,
  queueOf,
  QUICK,
  until,
  type OutageWorld,
} from './outage-world';

let world: OutageWorld;
afterEach(() => world.end());

describe('an outage', () => {
  it('S0-18 S0-20 S3-28 keeps 31 turns in the order of their arrival and answers each once when the provider is back', async () => {
    world = await createOutageWorld();
    const { fp, site } = world;
    const life = await site.start();
    await fp.down();
    const first = await send(life, 'hello 0', 's0');
    await until(async () => expect((await healthOf(life)).state).toBe('down'));
    for (let n = 1; n <= 30; n += 1) await send(life, `hello ${String(n)}`, `s${String(n % 5)}`);
    await until(async () => expect(await queueOf(life)).toHaveLength(31));
    const queue = await queueOf(life);
    expect(queue.map((item) => item.turnId)).toEqual(
      Array.from({ length: 31 }, (_, n) => first + n),
    );
    expect(queue.map((item) => item.position)).toEqual(Array.from({ length: 31 }, (_, n) => n + 1));
    // S3-28: said once, however often the provider is looked at while it is down.
    const standing = await life.holdfast.call(
      'activations.events',
      { session: 's0', kinds: ['blocked'] },
      'test',
    );
    expect(standing.events.map(({ turnId, blockedReason }) => [turnId, blockedReason])).toEqual(
      expect.arrayContaining([[first, 'outage']]),
    );
    expect(new Set(standing.events.map(({ turnId }) => turnId)).size).toBe(standing.events.length);
    // Nobody has to do anything about it: the session asks for no action.
    const session = await life.holdfast.call('session.status', { session: 's0' }, 'test');
    expect(session.status).toBe('rescheduling');
    const status = await life.holdfast.call('status.get', {}, 'test');
    expect([status.tray, status.counts.needsYou, status.counts.waiting]).toEqual(['outage', 0, 31]);
    expect(status.outside?.providers[0]).toMatchObject({ provider: 'fp', waiting: 31 });
    const asked = fp.calls().length;
    await fp.up();
    // The sessions drain beside each other: the last turn that came need not be the last that ends.
    for (let n = 0; n <= 30; n += 1)
      expect((await turnIn(life, first + n, [...ENDED])).state).toBe('completed');
    await until(async () => expect((await healthOf(life)).state).toBe('answering'));
    expect(fp.calls().slice(asked)).toHaveLength(31);
    await until(async () => {
      const { outages } = await life.holdfast.call('outage.list', {}, 'test');
      expect(outages).toHaveLength(1);
      expect(outages[0]).toMatchObject({ failedTurns: 3, drained: 31 });
      expect(outages[0]?.resolvedAtMs).toBeGreaterThan(outages[0]?.startedAtMs ?? Infinity);
    });
    await until(async () => {
      const { items } = await life.holdfast.call('inbox.list', { includeSettled: true }, 'test');
      expect(items.map((item) => item.title).toSorted()).toEqual(['Fp is back', 'Fp is down']);
    });
  });

  it('S0-09 S0-20 of 5 turns the canary is stopped while it asks and another while the rest drain: the next ones go, that other asks nobody, and the outage ends', async () => {
    world = await createOutageWorld();
    const { fp, site } = world;
    const life = await site.start();
    await fp.down();
    const [a, b, c, d, e] = [
      await send(life, 'wait-a', 's1'),
      await send(life, 'wait-b', 's2'),
      await send(life, 'wait-c', 's3'),
      await send(life, 'wait-d', 's4'),
      await send(life, 'wait-e', 's5'),
    ];
    await until(async () => expect(await queueOf(life)).toHaveLength(5));
    let drainOn = (): void => undefined;
    const isStopped = new Promise<void>((resolve) => {
      drainOn = resolve;
    });
    fp.setScript(async ({ body }) => {
      if (body.includes('wait-a')) return { fault: 'stall_first_byte' };
      if (body.includes('wait-c')) await isStopped;
      return { text: 'ok' };
    });
    await fp.up();
    await fp.waitForRequests(1);
    await life.holdfast.call('turns.cancel', { turnId: a }, 'test');
    await fp.waitForRequests(3);
    expect((await healthOf(life)).ramp).toBe(1);
    await life.holdfast.call('turns.cancel', { turnId: d }, 'test');
    drainOn();
    for (const turnId of [b, c, e])
      expect((await turnIn(life, turnId, [...ENDED])).state).toBe('completed');
    for (const turnId of [a, d])
      expect((await turnIn(life, turnId, [...ENDED])).state).toBe('cancelled');
    await until(async () =>
      expect(await healthOf(life)).toMatchObject({ state: 'answering', waiting: 0 }),
    );
    expect(fp.calls().map(({ body }) => /wait-[a-e]/.exec(body)?.[0])).toEqual([
      'wait-a',
      'wait-b',
      'wait-c',
      'wait-e',
    ]);
    await until(async () => {
      const { outages } = await life.holdfast.call('outage.list', {}, 'test');
      expect(outages).toMatchObject([{ provider: 'fp', drained: 3 }]);
    });
  });

  it('S0-20 a provider that leaves the settings while it is down is not down any more once no turn waits for it, in the status, the list and the inbox, and is not told to be back', async () => {
    world = await createOutageWorld({
      resilience: { ...QUICK.resilience, outage_threshold: 1, probe_interval: '1h' },
    });
    const { fp, site } = world;
    const life = await site.start();
    await fp.down();
    const turnId = await send(life, 'hello', 's');
    await until(async () => expect((await healthOf(life)).state).toBe('down'));
    await until(async () => expect(await queueOf(life)).toHaveLength(1));
    const set = (key: string, value: ConfigEntry['value']) =>
      life.holdfast.call('config.set', { key, value }, 'test');
    const { value } = await life.holdfast.call('config.get', { key: 'providers' }, 'test');
    const { fp: _gone, ...others } = value as Record<string, ConfigEntry['value']>;
    await set('agents', {});
    await set('providers', others);
    // As long as a turn waits for it, it is told what that turn waits for.
    const told = async () =>
      (await life.holdfast.call('status.get', {}, 'test')).outside?.providers.map(
        ({ provider }) => provider,
      );
    expect(await told()).toEqual(['fp']);
    await life.holdfast.call('turns.cancel', { turnId }, 'test');
    await until(async () => expect(await told()).toBeUndefined());
    const { providers } = await life.holdfast.call('provider.status', {}, 'test');
    expect(providers.map(({ provider }) => provider)).not.toContain('fp');
    await until(async () => {
      const { outages } = await life.holdfast.call('outage.list', {}, 'test');
      expect(outages.map(({ resolvedAtMs }) => resolvedAtMs !== undefined)).toEqual([true]);
    });
    await until(async () => {
      const { items } = await life.holdfast.call('inbox.list', { includeSettled: true }, 'test');
      expect(items.map(({ title, outcome }) => [title, outcome])).toEqual([
        ['Fp is down', 'was removed'],
      ]);
    });
  });
});

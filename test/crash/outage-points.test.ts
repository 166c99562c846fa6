/** A process that is killed around the durable writes of an outage: nothing is lost, nothing twice. */
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { CrashPointName } from '../../electron/engine/kernel/crash-points';
import { changeDatabase, databaseProblems } from './evidence';
import {
  createRealm,
  decideAll,
  effectsOf,
  endRealms,
  inEveryMode,
  type Mode,
  startLife,
} from './lives';
import type { Life, Realm } from './realm';
import { OUTAGE_POINTS } from './own-workloads';

afterEach(endRealms);

const plug = (realm: Realm): string => path.join(realm.outside, 'provider-down');
const pull = (realm: Realm): void => {
  fs.writeFileSync(plug(realm), '');
};
const putBack = (realm: Realm): void => {
  fs.rmSync(plug(realm), { force: true });
};
const waiting = async (life: Life): Promise<number> =>
  (await life.call('outage.queue', {})).items.length;

/** Runs an outage to its end: the point is on the way. */
async function outage(realm: Realm, life: Life, point: CrashPointName): Promise<void> {
  const send = (text: string): unknown =>
    life.ask({ kind: 'accept', text, channel: 'cli', peer: text }).catch(() => undefined);
  void send('one a');
  void send('one b');
  await vi.waitFor(async () => expect(await waiting(life)).toBe(2), { timeout: 120_000 });
  const { items } = await life.call('outage.queue', {});
  const [first, second] = items;
  if (point.startsWith('turn.move') && first !== undefined && second !== undefined)
    await life.call('outage.move', { turnId: second.turnId, beforeTurnId: first.turnId });
  // A probe that fails is on the way only while it is down.
  if (!point.startsWith('provider.probe')) putBack(realm);
}

const QUICK = {
  'work.requeue_delay': '10ms',
  'work.requeue_max_delay': '20ms',
  'retry.server.first_wait': '1ms',
  'retry.server.max_wait': '2ms',
  'breakers.initial_backoff': '50ms',
  'breakers.max_backoff': '100ms',
  'resilience.outage_threshold': 2,
  'resilience.probe_interval': '100ms',
};

it('S0-+01 S0-18 R10 a turn that waited for 23 hours, over a kill, and is cut off as the first one out is not too old at 1 hour: it goes on by itself, with 1 effect', async () => {
  const realm = createRealm('always', { ...QUICK, 'resilience.recovery.max_age': '1h' });
  pull(realm);
  const life = startLife(realm);
  await life.ready();
  await life.ask({ kind: 'accept', text: 'one a', channel: 'cli', peer: 'a' });
  await vi.waitFor(async () => expect(await waiting(life)).toBe(1), { timeout: 120_000 });
  await life.kill();
  const ago = String(23 * 3_600_000);
  changeDatabase(
    realm,
    `UPDATE turns SET accepted_at = accepted_at - ${ago}, started_at = started_at - ${ago};
     UPDATE held_work SET since = since - ${ago}; UPDATE journal SET at_ms = at_ms - ${ago}`,
  );
  putBack(realm);
  const second = startLife(realm, { crash: { point: 'provider.answer.after', hit: 1 } });
  expect(await second.ended).toBe('SIGKILL');
  const third = startLife(realm);
  await third.ready();
  await vi.waitFor(
    async () => {
      const { turns } = await third.call('turns.list', {});
      expect(turns.map((turn) => turn.state)).toEqual(['completed']);
    },
    { timeout: 120_000 },
  );
  expect((await third.call('recovery.list', {})).decisions).toEqual([]);
  expect(effectsOf(realm)).toHaveLength(1);
  await third.stop();
});

/** Killed at the point in the middle of an outage; then the provider is back, and a person decides where one is asked. */
async function killedInOutage(mode: Mode, point: CrashPointName): Promise<void> {
  const realm = createRealm(mode, QUICK);
  pull(realm);
  const life = startLife(realm, { crash: { point, hit: 1 } });
  await life.ready();
  outage(realm, life, point).catch(() => undefined); // it dies on the way
  expect(await life.ended).toBe('SIGKILL');
  expect(realm.killedAt).toEqual([point]);
  putBack(realm);
  const next = startLife(realm);
  await next.ready();
  const { turns } = await next.call('turns.list', {});
  await vi.waitFor(
    async () => {
      await decideAll(realm, next);
      const now = (await next.call('turns.list', {})).turns;
      expect(now.map((turn) => turn.state)).toEqual(turns.map(() => 'completed'));
      const { providers } = await next.call('provider.status', { provider: 'fake' });
      expect(providers[0]?.state).toBe('answering');
    },
    { timeout: 120_000, interval: 50 },
  );
  expect(turns.length).toBeGreaterThanOrEqual(1);
  expect(effectsOf(realm)).toHaveLength(turns.length);
  const { outages } = await next.call('outage.list', {});
  expect(outages.every((one) => one.resolvedAtMs !== undefined)).toBe(true);
  expect(outages.length).toBeLessThanOrEqual(2);
  await next.stop();
  expect(databaseProblems(realm)).toEqual([]);
}

describe('a process that is killed at', () => {
  it.each(OUTAGE_POINTS)(
    'S0-17 S0-18 S0-20 %s completes both turns with 1 effect each when the provider is back, in 3 modes',
    async (point) => {
      await inEveryMode((mode) => killedInOutage(mode, point));
    },
  );
});

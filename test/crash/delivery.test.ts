/**
 * Events and SIGKILL: a process that is killed around each durable write of the queue, and a thousand
 * events while application and broker are killed again and again.
 */
import { afterEach, describe, expect, it } from 'vitest';
import type { CrashPointName } from '../../electron/engine/kernel/crash-points';
import { createNats, endNats, NO_NATS, until, type NatsServer } from '../helpers/nats-server';
import { databaseProblems } from './evidence';
import { createRealm, endRealms, MODES, startLife, type Mode } from './lives';
import type { Life, Realm } from './realm';
import { EVENT_POINTS } from './own-workloads';
import { isLeftOut } from '../helpers/skips';

afterEach(() => {
  endNats();
  endRealms();
});

/** A data directory with a broker of its own, which is off. */
async function place(
  config: Record<string, unknown> = {},
  mode: Mode = 'safe_only',
): Promise<{ readonly realm: Realm; readonly nats: NatsServer }> {
  const root = createRealm(mode);
  const nats = await createNats(root.root);
  root.remove();
  const realm = createRealm(mode, {
    'nats.url': nats.url,
    'nats.subjects': ['holdfast.>', 'test.>'],
    ...config,
  });
  return { realm, nats };
}

async function start(realm: Realm, point?: CrashPointName, hit = 1): Promise<Life> {
  const life = startLife(realm, point === undefined ? {} : { crash: { point, hit } });
  await life.ready();
  return life;
}

/** The answer of the engine, or nothing where the process died over it. */
async function publish(life: Life, id: string): Promise<'accepted' | 'refused' | 'unknown'> {
  const input = { topic: 'test.a', payload: JSON.stringify({ id }), id };
  const line = await life
    .ask({ kind: 'call', verb: 'events.publish', input })
    .catch(() => undefined);
  if (line === undefined) return 'unknown';
  return 'result' in line ? 'accepted' : 'refused';
}

const drained = (life: Life): Promise<void> =>
  until(async () => (await life.call('queue.status', {})).depth === 0, 'an empty queue');

const testIds = async (nats: NatsServer): Promise<string[]> =>
  (await nats.stored()).filter((one) => one.topic === 'test.a').map((one) => one.id);

const deadIds = async (life: Life): Promise<string[]> =>
  (await life.call('dlq.list', {})).letters.map((letter) => letter.id).toReversed();

/** As many as the table of the room says; the events of Holdfast itself are among them. */
const depthOf = async (life: Life): Promise<number> => (await life.call('queue.status', {})).depth;

describe.skipIf(isLeftOut('kills while events are delivered', NO_NATS))(
  'a process that is killed at',
  () => {
    it('S2-31 event.accept.before has accepted nothing, at event.accept.after it delivers once', async () => {
      for (const [point, arrives] of [
        ['event.accept.before', []],
        ['event.accept.after', ['k']],
      ] as const) {
        const { realm, nats } = await place();
        const life = await start(realm, point);
        expect(await publish(life, 'k')).toBe('unknown');
        expect(await life.ended).toBe('SIGKILL');
        expect(realm.killedAt).toEqual([point]);
        await nats.start();
        const next = await start(realm);
        await drained(next);
        expect(await testIds(nats)).toEqual(arrives);
        await next.stop();
        expect(databaseProblems(realm)).toEqual([]);
      }
    });

    it('S2-38 event.shed.after keeps the shed event as a dead letter, counted, listed and announced once by the next start', async () => {
      const { realm } = await place({ 'limits.max_pending': 3 });
      const life = await start(realm, 'event.shed.after');
      for (const id of ['a', 'b', 'c', 'd']) await publish(life, id);
      expect(await life.ended).toBe('SIGKILL');
      const next = await start(realm);
      const status = await next.call('queue.status', {});
      const dead = await deadIds(next);
      expect(status.depth).toBe(3);
      expect(dead).toHaveLength(status.shed.total);
      expect(status.shed.total).toBeGreaterThan(0);
      const told = async (later: Life): Promise<number> =>
        (await later.call('inbox.list', {})).items.filter(
          (item) => item.title === 'Events were dropped: the event queue is full',
        ).length;
      await expect.poll(() => told(next)).toBe(1);
      await next.stop();
      const third = await start(realm);
      expect(await told(third)).toBe(1);
      await third.stop();
      expect(databaseProblems(realm)).toEqual([]);
    });

    it.each(['event.send.before', 'event.send.after', 'event.settle.after'] as const)(
      'S2-31 S2-34 %s has every event at the broker once, in order',
      async (point) => {
        const { realm, nats } = await place();
        const first = await start(realm);
        const ids = Array.from({ length: 5 }, (_, n) => `e${String(n)}`);
        for (const id of ids) expect(await publish(first, id)).toBe('accepted');
        await first.stop();
        await nats.start();
        const killed = startLife(realm, { crash: { point, hit: 1 } });
        expect(await killed.ended).toBe('SIGKILL');
        const next = await start(realm);
        await drained(next);
        expect(await testIds(nats)).toEqual(ids);
        await next.stop();
        expect(databaseProblems(realm)).toEqual([]);
      },
    );

    it.each(EVENT_POINTS.filter((point) => point.startsWith('letter.')))(
      'S2-36 S2-+02 %s leaves each dead letter in exactly one place',
      async (point) => {
        const { realm, nats } = await place({ 'limits.max_pending': 6 });
        const first = await start(realm);
        for (const id of 'abcdefgh') await publish(first, id);
        // The event of the start was before them.
        expect((await deadIds(first)).slice(1)).toEqual(['a', 'b']);
        await nats.start();
        await drained(first);
        await first.stop();
        await nats.kill();
        const killed = await start(realm, point);
        const isPurge = point.startsWith('letter.purge');
        const verb = isPurge ? 'dlq.purge' : 'dlq.replay';
        await killed.ask({ kind: 'call', verb, input: { all: true } });
        expect(await killed.ended).toBe('SIGKILL');
        const next = await start(realm);
        expect(await deadIds(next)).toHaveLength(point === 'letter.replay.before' ? 3 : 0);
        if (!isPurge) await next.call('dlq.replay', { topic: 'test.a' });
        await nats.start();
        await drained(next);
        expect((await testIds(nats)).join('')).toBe(isPurge ? 'cdefgh' : 'cdefghab');
        await next.stop();
        expect(databaseProblems(realm)).toEqual([]);
      },
    );

    it('R12 S2-31 turn.close.after has told of the end of the turn: one event with the id of its journal row', async () => {
      const { realm, nats } = await place();
      const life = await start(realm, 'turn.close.after');
      void life.ask({ kind: 'accept', text: 'one x', channel: 'cli', peer: 'main' });
      expect(await life.ended).toBe('SIGKILL');
      await nats.start();
      const next = await start(realm);
      await drained(next);
      const told = (await nats.stored()).filter((one) => one.topic === 'holdfast.turn.completed');
      expect(told).toHaveLength(1);
      expect(told[0]?.id).toMatch(/-\d+$/);
      expect(told[0]?.payload).not.toContain('one x');
      await next.stop();
      expect(databaseProblems(realm)).toEqual([]);
    });
  },
);

/** The points in an order in which one data directory comes to each of them, one death after the other. */
const ONE_AFTER_THE_OTHER = [
  'event.accept.before',
  'event.accept.after',
  'event.shed.after',
  'letter.replay.before',
  'letter.replay.after',
  'letter.purge.after',
  'event.send.before',
  'event.send.after',
  'event.settle.after',
] as const satisfies readonly (typeof EVENT_POINTS)[number][];

/** The recovery mode is about turns: events do not ask for it. Above they die in safe_only. */
it.skipIf(NO_NATS !== undefined).each(MODES.filter((mode) => mode !== 'safe_only'))(
  'S2-31 S2-36 S2-38 in the mode %s a data directory that dies at each of 9 durable writes of events, one after the other, loses none that was accepted',
  async (mode) => {
    expect([...ONE_AFTER_THE_OTHER].toSorted()).toEqual([...EVENT_POINTS].toSorted());
    const { realm, nats } = await place({ 'limits.max_pending': 6 }, mode);
    const accepted: string[] = [];
    const purged: string[] = [];
    for (const point of ONE_AFTER_THE_OTHER) {
      if (point === 'event.send.before') await nats.start();
      const life = startLife(realm, { crash: { point, hit: 1 } });
      if (point.startsWith('letter.')) {
        await life.ready();
        if (point === 'letter.purge.after') purged.push(...(await deadIds(life)));
        const verb = point === 'letter.purge.after' ? 'dlq.purge' : 'dlq.replay';
        await life.ask({ kind: 'call', verb, input: { all: true } }).catch(() => undefined);
      } else if (!point.startsWith('event.se')) {
        await life.ready();
        // Until it dies: more than the queue takes, where it has to shed.
        for (let n = 0; n < 12; n += 1) {
          const id = `${point}-${String(n)}`;
          const end = await publish(life, id);
          if (end === 'accepted') accepted.push(id);
          else break;
        }
      }
      expect(await life.ended).toBe('SIGKILL');
    }
    expect(realm.killedAt).toEqual(ONE_AFTER_THE_OTHER);
    const last = await start(realm);
    await drained(last);
    await last.call('dlq.replay', { all: true });
    await drained(last);
    const arrived = await testIds(nats);
    expect(accepted.length).toBeGreaterThan(0);
    for (const id of accepted) expect([...arrived, ...purged]).toContain(id);
    expect(new Set(arrived).size).toBe(arrived.length);
    await last.stop();
    expect(databaseProblems(realm)).toEqual([]);
  },
);

describe.skipIf(NO_NATS !== undefined)('events over kills', () => {
  it('S2-03 50 events with the broker off from the start, a SIGKILL and a new start: 50 arrive', async () => {
    const { realm, nats } = await place();
    const life = await start(realm);
    const ids = Array.from({ length: 50 }, (_, n) => `e${String(n)}`);
    for (const id of ids) expect(await publish(life, id)).toBe('accepted');
    await life.kill();
    const next = await start(realm);
    expect(await depthOf(next)).toBeGreaterThanOrEqual(50);
    await nats.start();
    await drained(next);
    expect(await testIds(nats)).toEqual(ids);
    await next.stop();
  });

  it('S2-31 1000 publishes with 20 random SIGKILLs of application and broker arrive complete, doubles only with the same id', async () => {
    const { realm, nats } = await place();
    await nats.start();
    let life = await start(realm);
    let accepted = 0;
    let kills = 0;
    const todo = Array.from({ length: 1_000 }, (_, n) => `e${String(n)}`);
    /** One at a time kills; the others publish on, into whatever is there. */
    let killing = Promise.resolve();
    const killOne = (): void => {
      kills += 1;
      const isApp = kills % 2 === 0;
      killing = killing.then(async () => {
        if (isApp) {
          await life.kill();
          life = await start(realm);
        } else {
          await nats.kill();
          await new Promise((resolve) => setTimeout(resolve, Math.random() * 100));
          await nats.start();
        }
      });
    };
    const producer = async (): Promise<void> => {
      for (let id = todo.pop(); id !== undefined; id = todo.pop()) {
        // What was not accepted is published again under its id, as a producer does.
        for (let end = 'unknown'; end !== 'accepted';) {
          end = await publish(life, id);
          if (end !== 'accepted') await new Promise((resolve) => setTimeout(resolve, 10));
        }
        accepted += 1;
        // On average one in 45, until there were 20.
        if (kills < 20 && (Math.random() < 1 / 45 || accepted > 850 + kills * 5)) killOne();
      }
    };
    await Promise.all(Array.from({ length: 8 }, producer));
    await killing;
    await drained(life);
    expect(kills).toBe(20);
    const stored = (await nats.stored()).filter((one) => one.topic === 'test.a');
    expect(new Set(stored.map((one) => one.id)).size).toBe(1_000);
    for (const one of stored) expect(one.payload).toBe(JSON.stringify({ id: one.id }));
    await life.stop();
    expect(databaseProblems(realm)).toEqual([]);
  });
});

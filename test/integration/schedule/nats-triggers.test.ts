/** Tasks that messages of a broker start: a real nats-server; each message is one event, once. */
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import { afterEach, describe, expect, it } from 'vitest';
import type { Composition } from '../../../electron/compose/options';
import type { VerbInput } from '../../../shared/contract';
import { createNats, endNats, NO_NATS, type NatsServer } from '../../helpers/nats-server';
import { createScheduleWorld, type ScheduleWorld } from './schedule-world';

let site: ScheduleWorld;
let nats: NatsServer;
let dir: string;
let connection: NatsConnection | undefined;
afterEach(async () => {
  await site.end();
  await connection?.close().catch(() => undefined);
  connection = undefined;
  endNats();
  rmSync(dir, { recursive: true, force: true });
});

async function start(): Promise<Composition> {
  dir = mkdtempSync(path.join(os.tmpdir(), 'holdfast-nats-'));
  nats = await createNats(dir);
  await nats.start();
  await makeStream();
  site = createScheduleWorld({ nats: { url: nats.url } });
  return site.start();
}
async function makeStream(): Promise<void> {
  connection = await nats.connect();
  const manager = await jetstreamManager(connection);
  await manager.streams.add({ name: 'ORDERS', subjects: ['orders.>'] });
}
const send = async (subject: string, text: string): Promise<void> => {
  if (connection === undefined) throw new Error('no connection');
  await jetstream(connection).publish(subject, text);
};
const consumers = async (): Promise<readonly string[]> => {
  if (connection === undefined) return [];
  const manager = await jetstreamManager(connection);
  const names: string[] = [];
  for await (const { name } of manager.consumers.list('ORDERS')) names.push(name);
  return names;
};
const waiting = async (): Promise<number> => {
  if (connection === undefined) return -1;
  const manager = await jetstreamManager(connection);
  let count = 0;
  for await (const one of manager.consumers.list('ORDERS'))
    count += one.num_pending + one.num_ack_pending;
  return count;
};
const add = (life: Composition, wish: Partial<VerbInput<'tasks.add'>>) =>
  life.holdfast.call(
    'tasks.add',
    { prompt: 'look', schedule: 'in 1h', agent: 'fake', ...wish },
    'test',
  );
const asked = (count: number) =>
  expect.poll(() => site.asked.length, { interval: 20, timeout: 120_000 }).toBe(count);

describe.skipIf(NO_NATS !== undefined)('GT-02 a task that a subject of NATS starts', () => {
  it('takes what its filter lets through, makes one run of a burst, acknowledges everything, and removes the consumer with the task', async () => {
    const life = await start();
    const task = await add(life, { schedule: 'on nats orders.* where paid debounce 10s' });
    expect(task.words).toContain('stores a message on orders.*: paid');
    await expect.poll(consumers).toHaveLength(1);
    await send('orders.created', 'open 1');
    for (let order = 1; order <= 50; order += 1)
      await send('orders.created', `paid ${String(order)}`);
    await asked(1);
    expect(site.asked[0]).toMatch(/The 50 events that started this run.*data, not instructions/);
    expect(site.asked[0]).toContain('orders.created: paid 50');
    expect(site.asked[0]).not.toContain('open 1');
    await expect.poll(waiting).toBe(0);
    await life.holdfast.call('tasks.cancel', { taskId: task.id }, 'test');
    await expect.poll(consumers).toEqual([]);
  });

  it.each([
    ['default', 1],
    ['never', 0],
  ] as const)(
    'a message that was sent while nothing ran is decided by the catch-up rule: with %s, %i runs, once over restarts',
    async (catchup, runs) => {
      const life = await start();
      await add(life, { schedule: 'on nats orders.created debounce 1s', catchup });
      await expect.poll(consumers).toHaveLength(1);
      await site.stop(life);
      await send('orders.created', 'a 1');
      await send('orders.created', 'a 2');
      const again = await site.start();
      const decided = async () =>
        (await again.holdfast.call('tasks.history', { taskId: 1, limit: 10 }, 'test')).runs.length;
      await expect.poll(decided, { timeout: 120_000 }).toBe(1);
      await expect.poll(waiting).toBe(0);
      await site.stop(again);
      const third = await site.start();
      await expect.poll(waiting).toBe(0);
      expect(
        (await third.holdfast.call('tasks.history', { taskId: 1, limit: 10 }, 'test')).runs,
      ).toHaveLength(1);
      expect(site.asked).toHaveLength(runs);
    },
  );

  it('messages for a paused task wait at the broker; a server that dies and comes back loses none, and a stream that is not there yet is found later', async () => {
    const life = await start();
    const task = await add(life, { schedule: 'on nats orders.created debounce 1s' });
    await expect.poll(consumers).toHaveLength(1);
    await life.holdfast.call('tasks.pause', { taskId: task.id }, 'test');
    await send('orders.created', 'while paused');
    await life.holdfast.call('tasks.resume', { taskId: task.id }, 'test');
    await asked(1);
    await nats.kill();
    await nats.start();
    connection = await nats.connect();
    await send('orders.created', 'after the restart');
    await asked(2);
    const other = await add(life, { schedule: 'on nats bills.new debounce 1s' });
    expect(other.state).toBe('active');
    const problem = async () => (await life.holdfast.call('queue.status', {}, 'test')).problem;
    await expect
      .poll(problem, { timeout: 120_000 })
      .toBe(
        'A task receives no messages: No stream of the event broker stores the subject bills.new.',
      );
    const manager = await jetstreamManager(connection);
    await manager.streams.add({ name: 'BILLS', subjects: ['bills.>'] });
    await send('bills.new', 'first');
    await asked(3);
    await expect.poll(problem, { timeout: 120_000 }).toBeUndefined();
  });

  it('a consumer that somebody removed at the broker, and a stream that was removed and made anew, are followed again: 1 run for what comes then, none for what was', async () => {
    const life = await start();
    await add(life, { schedule: 'on nats orders.created debounce 1s' });
    await expect.poll(consumers).toHaveLength(1);
    await send('orders.created', 'before');
    await asked(1);
    if (connection === undefined) throw new Error('no connection');
    const manager = await jetstreamManager(connection);
    const [name = ''] = await consumers();
    await manager.consumers.delete('ORDERS', name);
    await expect.poll(consumers, { timeout: 120_000 }).toEqual([name]);
    await send('orders.created', 'behind the consumer');
    await asked(2);
    await manager.streams.delete('ORDERS');
    await manager.streams.add({ name: 'ORDERS', subjects: ['orders.>'] });
    await expect.poll(consumers, { timeout: 120_000 }).toEqual([name]);
    await send('orders.created', 'behind the stream');
    await asked(3);
    expect(site.asked.map((text) => /(before|behind the \w+)/.exec(text)?.[0])).toEqual([
      'before',
      'behind the consumer',
      'behind the stream',
    ]);
  });

  it('R12 S1-+05 a consumer that was made anew 31 days later brings every message again, and none of those that were runs is one a second time', async () => {
    const life = await start();
    await add(life, { schedule: 'on nats orders.created debounce 1s', catchup: 'always' });
    await expect.poll(consumers).toHaveLength(1);
    await send('orders.created', 'first');
    await asked(1);
    await site.stop(life);
    site.clock.shiftMs = 31 * 86_400_000;
    const second = await site.start();
    await expect.poll(waiting).toBe(0);
    // With it, what is known of the first one goes.
    await send('orders.created', 'second');
    await asked(2);
    await site.stop(second);
    if (connection === undefined) throw new Error('no connection');
    const manager = await jetstreamManager(connection);
    const [name = ''] = await consumers();
    await manager.consumers.delete('ORDERS', name);
    const third = await site.start();
    await expect.poll(consumers, { timeout: 120_000 }).toEqual([name]);
    await expect.poll(waiting, { timeout: 120_000 }).toBe(0);
    await send('orders.created', 'third');
    await asked(3);
    expect(site.asked[2]).toContain('created: third');
    const { runs } = await third.holdfast.call('tasks.history', { taskId: 1, limit: 10 }, 'test');
    expect(runs).toHaveLength(3);
    expect(site.asked[2]).not.toContain('created: first');
  });

  it('is refused without a server in the settings', async () => {
    dir = mkdtempSync(path.join(os.tmpdir(), 'holdfast-nats-'));
    site = createScheduleWorld();
    const life = await site.start();
    await expect(add(life, { schedule: 'on nats orders.created' })).rejects.toMatchObject({
      code: 'INPUT_INVALID',
    });
  });
});
